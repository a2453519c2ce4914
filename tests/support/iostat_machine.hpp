// SPDX-License-Identifier: MIT
// A machine for tests of `mark6 iostat`: module directories that are there, devices, counters and
// running programs that are not, and a clock that jumps from one report to the next.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fake_system.hpp"
#include "tests/support/temporary.hpp"
#include "tools/iostat.hpp"

namespace mark6::test {

/// Reads, and what they did to the device, since it appeared.
struct FakeReads {
  std::uint64_t requests = 0, kb = 0, wait_ms = 0, busy_ms = 0, queue_ms = 0;
  std::uint64_t writes = 0;
};

struct IostatOutcome {
  ExitCode code;
  std::string out;
  std::string err;
};

class IostatMachine {
 public:
  IostatMachine() { uptime("1000.00"); }

  /// The directory modules/`label` stands on device `name` ("sdg", "8:96").
  void disk(const std::string& label, const std::string& name, const std::string& number) {
    const std::string directory = "modules/" + label + "/data";
    std::filesystem::create_directories(modules_.path() / directory);
    device(name, number);
    system_.stat_says(modules_.path() / directory, *parse_device_number(number));
  }
  void device(const std::string& name, const std::string& number) {
    if (std::find(devices_.begin(), devices_.end(), name) != devices_.end()) return;
    devices_.push_back(name);
    system_.block_device("virtual/block/" + name, number);
  }
  void uptime(const std::string& seconds) { system_.write("proc/uptime", seconds + " 1.00\n"); }
  void diskstats(std::string_view text) { system_.write("proc/diskstats", text); }
  [[nodiscard]] FakeSystem& system() { return system_; }

  /// A line of /proc/diskstats.
  static std::string line(const std::string& name, const std::string& number,
                          const FakeReads& reads) {
    const auto n = *parse_device_number(number);
    return std::to_string(n.major) + " " + std::to_string(n.minor) + " " + name + " " +
           std::to_string(reads.requests) + " 0 " + std::to_string(2 * reads.kb) + " " +
           std::to_string(reads.wait_ms) + " " + std::to_string(reads.writes) + " 0 0 0 0 " +
           std::to_string(reads.busy_ms) + " " + std::to_string(reads.queue_ms) + "\n";
  }

  /// What happens while iostat waits for its 1st, 2nd ... deadline; behind the last one it is asked
  /// to stop.
  std::vector<std::function<void()>> steps;
  /// Running programs, as they are now.
  std::vector<StatsSnapshot> programs;
  std::int64_t now_ns = 5'000'000'000;
  /// The deadlines that were waited for, from the start.
  std::vector<std::int64_t> deadlines;
  bool tty = false;
  std::vector<std::pair<std::string, std::string>> variables;

  /// `mark6 iostat` with --root of this machine's modules and `args`.
  IostatOutcome run(std::vector<std::string> args) {
    args.insert(args.begin(), {"--root", (modules_.path() / "modules/*/*").string()});
    return run_plain(args);
  }
  IostatOutcome run_plain(const std::vector<std::string>& args) {
    const TemporaryDirectory directory;
    const std::string out = directory.write("out", "");
    const std::string err = directory.write("err", "");
    Environment environment;
    environment.stdout_fd = ::open(out.c_str(), O_WRONLY | O_CLOEXEC);
    environment.stderr_fd = ::open(err.c_str(), O_WRONLY | O_CLOEXEC);
    environment.stdout_is_tty = tty;
    environment.variable = [this](const std::string& name) -> std::optional<std::string> {
      for (const auto& [known, value] : variables) {
        if (known == name) return value;
      }
      return std::nullopt;
    };
    const ExitCode code = run_iostat_in(world(), args, environment);
    ::close(environment.stdout_fd);
    ::close(environment.stderr_fd);
    return {code, contents(out), contents(err)};
  }

  [[nodiscard]] IostatWorld world() {
    IostatWorld world;
    world.roots = system_.roots();
    world.running = [this] { return programs; };
    world.now_ns = [this] { return now_ns; };
    world.unix_time_s = [this] { return 1.5e9 + 1e-9 * static_cast<double>(now_ns); };
    world.wait_until = [this, begun = now_ns, step = std::size_t{0}](
                           std::int64_t deadline_ns, const std::stop_token& /*stop*/) mutable {
      deadlines.push_back(deadline_ns - begun);
      if (step == steps.size()) return false;
      now_ns = std::max(now_ns, deadline_ns);
      steps[step++]();
      return true;
    };
    return world;
  }

 private:
  static std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  FakeSystem system_;
  TemporaryDirectory modules_;
  std::vector<std::string> devices_;
};

}  // namespace mark6::test
