// SPDX-License-Identifier: MIT
// mark6fs up to the mount; what a mount does is tested end to end.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/os/unique_fd.hpp"
#include "fuse/daemon.hpp"
#include "fuse/run.hpp"
#include "tests/support/temporary.hpp"

namespace {

struct Outcome {
  mark6::ExitCode code = mark6::ExitCode::kIo;
  std::string out;
  std::string err;
};

std::string drain(int fd) {
  std::array<char, 8192> text{};
  const ssize_t got = ::read(fd, text.data(), text.size());
  return {text.data(), static_cast<std::size_t>(got > 0 ? got : 0)};
}

Outcome run(const std::vector<std::string>& args) {
  std::array<int, 2> out{}, err{};
  REQUIRE(::pipe2(out.data(), O_CLOEXEC | O_NONBLOCK) == 0);
  REQUIRE(::pipe2(err.data(), O_CLOEXEC | O_NONBLOCK) == 0);
  const mark6::UniqueFd out_end(out[0]), err_end(err[0]), out_start(out[1]), err_start(err[1]);
  mark6::Environment environment;
  environment.stdout_fd = out_start.get();
  environment.stderr_fd = err_start.get();
  Outcome outcome;
  outcome.code = mark6::run_mark6fs(args, environment);
  outcome.out = drain(out_end.get());
  outcome.err = drain(err_end.get());
  return outcome;
}

}  // namespace

TEST_CASE("mark6fs: help and version go to stdout and succeed", "[unit]") {
  const auto help = run({"--help"});
  CHECK(help.code == mark6::ExitCode::kDelivered);
  CHECK(help.out.starts_with("Usage: mark6fs"));
  CHECK(help.err.empty());
  CHECK(run({"--version"}).out.starts_with("mark6fs "));
}

TEST_CASE("mark6fs: what is wrong is told on stderr, with the exit code for it", "[unit]") {
  const mark6::test::TemporaryDirectory directory;
  const auto unknown = run({"-o", "bogus", directory.path().string()});
  CHECK(unknown.code == mark6::ExitCode::kUsage);
  CHECK(unknown.err.find("bogus") != std::string::npos);
  CHECK(unknown.out.empty());
  CHECK(run({}).code == mark6::ExitCode::kUsage);
  CHECK(run({(directory.path() / "nope").string()}).code == mark6::ExitCode::kNotFound);
  CHECK(run({directory.write("file", "x")}).code == mark6::ExitCode::kUsage);
}

TEST_CASE("mark6fs: readiness is told to the service manager's socket", "[unit]") {
  const mark6::test::TemporaryDirectory directory;
  const std::string path = directory.file("notify");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const mark6::UniqueFd manager(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  REQUIRE(::bind(manager.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(mark6::notify_service_manager(path, "READY=1"));
  CHECK(drain(manager.get()) == "READY=1");
  CHECK_FALSE(mark6::notify_service_manager(directory.file("nobody"), "READY=1"));
  CHECK_FALSE(mark6::notify_service_manager(std::string(200, 'x'), "READY=1"));
}
