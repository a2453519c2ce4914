// SPDX-License-Identifier: MIT
// `mark6 diagnose` as a whole, on small recordings: arguments in, exit code, stdout and stderr out;
// and with disks that fail or never answer.
#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/support/fault_backend.hpp"
#include "tests/unit/catalog_fixture.hpp"
#include "tools/diagnose.hpp"
#include "tools/diagnose_hung.hpp"
#include "tools/run.hpp"

using namespace mark6;

namespace {

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Outcome run(const BackendFactory& backend, const std::vector<std::string>& args,
            std::stop_token stop = {}, bool tty = false) {
  const test::TempDir dir;
  const std::string out = dir.write("out", "");
  const std::string err = dir.write("err", "");
  Environment environment;
  environment.stdout_fd = ::open(out.c_str(), O_WRONLY);
  environment.stderr_fd = ::open(err.c_str(), O_WRONLY);
  environment.stderr_is_tty = tty;
  environment.stop = std::move(stop);
  const ExitCode code = run_diagnose_with(backend, args, environment);
  ::close(environment.stdout_fd);
  ::close(environment.stderr_fd);
  return {code, contents(out), contents(err)};
}

/// Diagnoses what lies below `dir`, shortly.
Outcome diagnose(const test::TempDir& dir, std::vector<std::string> args = {},
                 const BackendFactory& backend = default_backend()) {
  args.insert(args.begin(), {"--root", dir / "*/*", "--seconds", "1"});
  return run(backend, args);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Two modules of two disks, and a disk without scans.
void write_modules(const test::TempDir& dir) {
  for (const std::string disk : {"1/0", "1/1", "2/0", "2/1"}) {
    dir.write(disk + "/data/a.vdif", test::fragment({0, 1, 2}));
    dir.write(".meta/" + disk + "/eMSN", "LBO%000" + disk.substr(0, 1) + "/32000/4/2");
  }
  dir.mkdir("2/2/data");
}

std::vector<std::string> disks_in(const std::string& json) {
  std::vector<std::string> labels;
  const auto answer = nlohmann::json::parse(json);
  for (const auto& device : answer["devices"]) {
    labels.push_back(device["module"].get<std::string>() + "/" + device["disk"].get<std::string>());
  }
  return labels;
}

/// Keeps the answers of one disk back until it is told to let them go.
class HoldingBackend final : public ReadBackend {
 public:
  HoldingBackend(std::size_t disks, std::size_t depth, std::uint32_t held,
                 const std::atomic<bool>& let_go)
      : inner_(make_thread_backend(disks, depth)), held_(held), let_go_(let_go) {}
  bool queue(const BackendRead& read) override {
    disk_of_[read.tag] = read.disk.value;
    return inner_->queue(read);
  }
  void wait(std::vector<BackendCompletion>& done, std::int64_t timeout_ns) override {
    if (let_go_ && !kept_.empty()) {
      done.swap(kept_);
      return;
    }
    inner_->wait(done, timeout_ns);
    std::erase_if(done, [this](const BackendCompletion& completion) {
      if (let_go_ || disk_of_.at(completion.tag) != held_) return false;
      kept_.push_back(completion);
      return true;
    });
  }
  void wake() override { inner_->wake(); }
  [[nodiscard]] const char* name() const override { return "holding"; }

 private:
  std::unique_ptr<ReadBackend> inner_;
  std::uint32_t held_;
  const std::atomic<bool>& let_go_;
  std::unordered_map<void*, std::uint32_t> disk_of_;
  std::vector<BackendCompletion> kept_;
};

}  // namespace

TEST_CASE("diagnose: reads the disks and tells what it found", "[unit][diagnose]") {
  const test::TempDir dir;
  write_modules(dir);
  const Outcome outcome = diagnose(dir);
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.err.empty());
  for (const char* label : {"1/0", "1/1", "2/0", "2/1", "2/2"}) {
    CHECK(contains(outcome.out, std::string("\n") + label + " "));
  }
  CHECK(contains(outcome.out, "no scans on it, nothing to read"));
  CHECK(contains(outcome.out, "all 4 disks together give"));
}

TEST_CASE("diagnose: --json has the same, with what each phase read", "[unit][diagnose]") {
  const test::TempDir dir;
  write_modules(dir);
  const Outcome outcome = diagnose(dir, {"--json", "--quick"});
  const auto answer = nlohmann::json::parse(outcome.out);
  CHECK(answer["schema"] == "mark6.diagnose/1");
  CHECK(disks_in(outcome.out) == std::vector<std::string>{"1/0", "1/1", "2/0", "2/1", "2/2"});
  CHECK(answer["devices"][0]["msn"] == "LBO%0001");
  CHECK(answer["devices"][0]["blocks"] == 3);
  CHECK(answer["devices"][0]["requests"].get<int>() > 0);
  CHECK(answer["devices"][4]["requests"] == 0);
  CHECK(answer["devices"][4]["verdict"] == "unknown");
  CHECK(answer["phases"].size() == 5);  // four alone, all together
  CHECK(answer["scaling"].empty());
}

TEST_CASE("diagnose: --scaling steps from one disk to all", "[unit][diagnose]") {
  const test::TempDir dir;
  write_modules(dir);
  const Outcome outcome = diagnose(dir, {"--scaling", "--json"});
  const auto answer = nlohmann::json::parse(outcome.out);
  REQUIRE(answer["scaling"].size() == 3);
  CHECK(answer["scaling"][0]["disks"] == 1);
  CHECK(answer["scaling"][1]["disks"] == 2);
  CHECK(answer["scaling"][2]["disks"] == 4);
  CHECK(answer["scaling"][2]["bytes_per_s"].get<double>() > 0);
}

TEST_CASE("diagnose: modules, serial numbers, disks and directories are picked",
          "[unit][diagnose]") {
  const test::TempDir dir;
  write_modules(dir);
  const auto picked = [&](const std::vector<std::string>& words) {
    std::vector<std::string> args{"--json"};
    args.insert(args.end(), words.begin(), words.end());
    return disks_in(diagnose(dir, args).out);
  };
  CHECK(picked({"1"}) == std::vector<std::string>{"1/0", "1/1"});
  CHECK(picked({"LBO%0002", "1/1"}) == std::vector<std::string>{"1/1", "2/0", "2/1"});
  CHECK(picked({dir / "1/0/data"}) == std::vector<std::string>{"1/0"});
  CHECK(picked({dir / "2/1"}) == std::vector<std::string>{"2/1"});
  // A directory needs no --root.
  const Outcome bare =
      run(default_backend(), {"--json", "--seconds", "1", dir / "1/0", dir / "2/0"});
  CHECK(disks_in(bare.out) == std::vector<std::string>{"1/0", "2/0"});
}

TEST_CASE("diagnose: what is not there is exit 3", "[unit][diagnose]") {
  const test::TempDir dir;
  CHECK(diagnose(dir).code == ExitCode::kNotFound);
  write_modules(dir);
  const Outcome unknown = diagnose(dir, {"1/7"});
  CHECK(unknown.code == ExitCode::kNotFound);
  CHECK(unknown.out.empty());
  CHECK(contains(unknown.err, "1/7: no such module or disk; expected one of the 5 disks in"));
  CHECK(diagnose(dir, {"2/2"}).code == ExitCode::kNotFound);  // no scans on it
}

TEST_CASE("diagnose: failed reads are told, and exit 4", "[unit][diagnose]") {
  const test::TempDir dir;
  write_modules(dir);
  const auto backend = test::faulty([](const BackendRead& read, std::int64_t result) {
    return read.disk.value == 1 ? std::int64_t{-EIO} : result;
  });
  const Outcome outcome = diagnose(dir, {"--json"}, backend);
  CHECK(outcome.code == ExitCode::kIo);
  const auto answer = nlohmann::json::parse(outcome.out);
  const auto& device = answer["devices"][1];
  CHECK(device["errors"].get<int>() > 0);
  CHECK(device["verdict"] != "fine");
  CHECK(contains(device["reason"], "reads failed"));
  CHECK(answer["devices"][0]["errors"] == 0);
  CHECK(contains(answer["summary"][0], "1/1"));
}

TEST_CASE("diagnose: a disk that never answers holds up nobody for ever", "[unit][diagnose]") {
  const test::TempDir dir;
  write_modules(dir);
  std::atomic<bool> let_go{false};
  const BackendFactory backend = [&](std::size_t disks,
                                     std::size_t depth) -> Result<std::unique_ptr<ReadBackend>> {
    return std::make_unique<HoldingBackend>(disks, depth, 2, let_go);
  };
  const Outcome outcome = diagnose(dir, {"--timeout", "0.3", "--json"}, backend);
  CHECK(outcome.code == ExitCode::kIo);
  const auto answer = nlohmann::json::parse(outcome.out);
  CHECK(answer["devices"][2]["hung"] == true);
  CHECK(answer["devices"][2]["verdict"] == "slow");
  CHECK(contains(answer["summary"][0], "2/0"));
  CHECK(answer["phases"].back()["name"] == "together");
  CHECK(answer["phases"].back()["disks"].size() == 3);
  CHECK(given_up().size() == 1);
  let_go = true;
  given_up().clear();
}

TEST_CASE("diagnose: a request to stop ends it with exit 5 and no half answer",
          "[unit][diagnose]") {
  const test::TempDir dir;
  write_modules(dir);
  std::stop_source stop;
  Outcome outcome;
  std::jthread later([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop.request_stop();
  });
  outcome = run(default_backend(), {"--root", dir / "*/*"}, stop.get_token());
  CHECK(outcome.code == ExitCode::kInterrupted);
  CHECK(outcome.out.empty());
}

TEST_CASE("diagnose: progress is drawn on a terminal only, and erased", "[unit][diagnose]") {
  const test::TempDir dir;
  write_modules(dir);
  const std::vector<std::string> args{"--root", dir / "*/*", "--seconds", "1", "1"};
  const Outcome tty = run(default_backend(), args, {}, true);
  CHECK(contains(tty.err, "\r\x1b[Kalone 1/2: 1/0"));
  CHECK(tty.err.substr(tty.err.size() - 4) == "\r\x1b[K");
  CHECK(run(default_backend(), args).err.empty());
}

TEST_CASE("diagnose: help fits on a screen, mistakes are a line and exit 2", "[unit][diagnose]") {
  const Outcome help = run(default_backend(), {"--help"});
  CHECK(help.code == ExitCode::kDelivered);
  CHECK(std::count(help.out.begin(), help.out.end(), '\n') <= 28);
  CHECK(contains(help.out, "usage: mark6 diagnose [options] [MODULE|DISK...]"));
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"--nonsense"}, {"--quick", "--scaling"}, {"--seconds", "-1"}, {"--timeout", "x"}}) {
    const Outcome mistake = run(default_backend(), args);
    CAPTURE(args, mistake.err);
    CHECK(mistake.code == ExitCode::kUsage);
    CHECK(mistake.out.empty());
    CHECK(std::count(mistake.err.begin(), mistake.err.end(), '\n') == 1);
  }
}
