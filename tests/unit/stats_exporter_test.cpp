// SPDX-License-Identifier: MIT
#include "common/report/stats_exporter.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "common/base/clock.hpp"
#include "common/os/replace_file.hpp"
#include "common/report/abstract_address.hpp"
#include "common/report/running_programs.hpp"
#include "common/report/stats_json.hpp"
#include "common/report/stats_prometheus.hpp"
#include "common/report/stats_socket.hpp"
#include "tests/support/temporary.hpp"

using namespace mark6;
using namespace std::chrono_literals;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::size_t files_in(const test::TemporaryDirectory& dir) {
  const std::filesystem::directory_iterator files(dir.path());
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

/// Waits until `done`, for ever: the test's time limit is the deadline.
template <class Condition>
void wait_until(const Condition& done) {
  while (!done()) std::this_thread::sleep_for(5ms);
}

}  // namespace

TEST_CASE("replace file: readers see the old text or the new, nothing else is ever replaced",
          "[unit][stats]") {
  const test::TemporaryDirectory dir;
  const std::string path = dir.file("s.json");
  REQUIRE(replace_file(path, "mark one", "mark"));
  REQUIRE(replace_file(path, "mark two", "mark"));
  CHECK(text_of(path) == "mark two");
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0644);
  CHECK(files_in(dir) == 1);

  std::filesystem::create_symlink(path, dir.file("link"));
  REQUIRE(replace_file(dir.file("link"), "mark three", "mark"));
  CHECK(text_of(path) == "mark three");
  CHECK(std::filesystem::is_symlink(dir.file("link")));

  const std::string other = dir.write("data.vdif", "a recording");
  const std::string empty = dir.write("empty", "");
  std::filesystem::create_directory(dir.file("dir"));
  for (const std::string& refused : {other, empty, dir.file("dir"), std::string("/dev/null")}) {
    CAPTURE(refused);
    const auto replaced = replace_file(refused, "mark four", "mark");
    REQUIRE_FALSE(replaced);
    CHECK(replaced.error().code == ErrorCode::kUsage);
  }
  CHECK(text_of(other) == "a recording");
  CHECK_FALSE(replace_file((dir.path() / "no" / "s.json").string(), "mark", "mark"));
  CHECK(files_in(dir) == 5);
}

TEST_CASE("exporter: files are written at the interval and at the end", "[unit][stats]") {
  const test::TemporaryDirectory dir;
  StatsCollector collector("mark6gather", "scan", monotonic_ns());
  const StatsExportOptions options{dir.file("s.json"), dir.file("s.prom"), 100ms};
  REQUIRE(check_stats_files(options));
  std::optional<StatsExporter> exporter(std::in_place, collector, options);
  wait_until([&] { return std::filesystem::exists(*options.prometheus_file); });
  const auto first = parse_stats_json(text_of(*options.json_file));
  REQUIRE(first);
  CHECK(first->target == "scan");
  CHECK(first->pid == ::getpid());
  CHECK(text_of(*options.prometheus_file).starts_with(kPrometheusMark));
  exporter.reset();
  const auto last = parse_stats_json(text_of(*options.json_file));
  REQUIRE(last);
  CHECK(last->uptime_s > 0);
  CHECK(check_stats_files(options));  // they may be written again
  CHECK_FALSE(check_stats_files({options.prometheus_file, options.json_file, 1s}));
  CHECK_FALSE(check_stats_files({options.json_file, options.json_file, 1s}));
}

TEST_CASE("exporter: however short the run, the files are written", "[unit][stats]") {
  const test::TemporaryDirectory dir;
  StatsCollector collector("mark6gather", "scan", monotonic_ns());
  { const StatsExporter exporter(collector, {dir.file("s.json"), std::nullopt, 10s}); }
  CHECK(parse_stats_json(text_of(dir.file("s.json"))));
}

TEST_CASE("exporter: intervals are seconds", "[unit][stats]") {
  CHECK(*parse_stats_interval("x", "10") == 10s);
  CHECK(*parse_stats_interval("x", "0.5") == 500ms);
  for (const char* wrong : {"", "0", "-1", "nan", "inf", "10s", "1e9", "0.01"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_stats_interval("x", wrong));
  }
}

TEST_CASE("running programs: a program that streams is found and asked", "[unit][stats]") {
  StatsCollector collector("mark6gather", "the one", monotonic_ns());
  std::vector<StatsSnapshot> found;
  {
    const StatsExporter exporter(collector, {});
    wait_until([&] {
      found = find_running(::geteuid());
      std::erase_if(found, [](const auto& stats) { return stats.pid != ::getpid(); });
      return !found.empty();
    });
  }
  REQUIRE(found.size() == 1);
  CHECK(found[0].program == "mark6gather");
  CHECK(found[0].target == "the one");
  CHECK_FALSE(StatsSocket::listen(std::string(200, 'x')));
}

TEST_CASE("running programs: one that does not answer is left out", "[unit][stats]") {
  // A process of that number cannot be: the name is ours alone.
  const std::string name = stats_socket_name(::geteuid(), 99'999'999'999);
  const auto silent = StatsSocket::listen(name);
  REQUIRE(silent);
  for (const auto& stats : find_running(::geteuid(), 50ms)) CHECK(stats.pid != 99'999'999'999);
  const UniqueFd never(::eventfd(0, EFD_CLOEXEC));
  silent->answer([] { return std::string(); }, never.get());  // the asker of before has gone
  std::jthread liar([&] {
    pollfd watched{silent->fd(), POLLIN, 0};
    ::poll(&watched, 1, 10'000);
    silent->answer([] { return std::string("no JSON"); }, never.get());
  });
  for (const auto& stats : find_running(::geteuid(), 500ms)) CHECK(stats.pid != 99'999'999'999);
}

TEST_CASE("running programs: names are taken from /proc/net/unix with care",
          "[unit][stats][pure]") {
  const std::string text =
      "Num       RefCount Protocol Flags    Type St Inode Path\n"
      "00000000a: 00000002 00000000 00010000 0001 01 1 @mark6.stats.1000.12\n"
      "00000000b: 00000003 00000000 00000000 0001 03 2 @mark6.stats.1000.12\n"
      "00000000c: 00000002 00000000 00010000 0001 01 3 @mark6.stats.1000.12\n"
      "00000000d: 00000002 00000000 00010000 0001 01 4 @mark6.stats.100.13\n"
      "00000000e: 00000002 00000000 00010000 0001 01 5 @mark6.stats.1000.x\n"
      "00000000f: 00000002 00000000 00010000 0001 01 6 @mark6.stats.1000.\n"
      "000000010: 00000002 00000000 00010000 0001 01 7 /run/mark6.stats.1000.14\n"
      "000000011: 00000002 00000000 00010000 0001 01 8\n"
      "000000012: 00000002 00000000 00010000 0001 01 9 @mark6.stats.1000.15";
  CHECK(stats_sockets_in(text, 1000) ==
        std::vector<std::string>{"mark6.stats.1000.12", "mark6.stats.1000.15"});
  CHECK(stats_sockets_in("", 0).empty());
  std::string many;
  for (int i = 0; i < 1000; ++i) {
    many += "a: 00000002 00000000 00010000 0001 01 1 @mark6.stats.0." + std::to_string(i) + "\n";
  }
  CHECK(stats_sockets_in(many, 0).size() == 64);
}

TEST_CASE("stats socket: a slow reader gets all of a long answer, one that goes away hurts nobody",
          "[unit][stats]") {
  const std::string name = stats_socket_name(::geteuid(), 99'999'999'998);
  const auto socket = StatsSocket::listen(name);
  REQUIRE(socket);
  const UniqueFd never(::eventfd(0, EFD_CLOEXEC));
  const std::string answer(3'000'000, 'x');
  const auto connected = [&] {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const AbstractAddress address(name);
    REQUIRE(::connect(fd.get(), address.get(), address.length()) == 0);
    return fd;
  };
  {
    const UniqueFd reader = connected();
    std::jthread server([&] { socket->answer([&] { return answer; }, never.get()); });
    std::string got;
    std::string buffer(10'000, '\0');
    for (ssize_t n = 0; (n = ::recv(reader.get(), buffer.data(), buffer.size(), 0)) > 0;) {
      got.append(buffer, 0, static_cast<std::size_t>(n));
    }
    CHECK(got == answer);
  }
  connected().reset();
  socket->answer([&] { return answer; }, never.get());
  const UniqueFd stopped(::eventfd(1, EFD_CLOEXEC));  // readable: asked to stop
  const UniqueFd silent = connected();
  socket->answer([&] { return answer; }, stopped.get());  // does not wait for who does not read
}
