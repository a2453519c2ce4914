// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <pty.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "gather/output.hpp"
#include "tests/unit/gather_fixture.hpp"

using namespace mark6;
using namespace mark6::gather;
using namespace std::chrono_literals;

namespace {

FileKey key_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return {status.st_dev, status.st_ino};
}

const StopEvent& never() {
  static const StopEvent stop{std::stop_token{}};
  return stop;
}

}  // namespace

TEST_CASE("gather output: a new file is made, an old one needs a word", "[unit][gather]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("out.vdif");
  const Environment environment;
  REQUIRE(open_output(path, OutputMode::kNew, {}, environment, never()));

  directory.write("out.vdif", "before");
  const auto again = open_output(path, OutputMode::kNew, {}, environment, never());
  REQUIRE_FALSE(again);
  CHECK(again.error().code == ErrorCode::kUsage);
  CHECK(describe(again.error()).find("--force") != std::string::npos);
  CHECK(test::content_of(path) == "before");

  const auto append = open_output(path, OutputMode::kAppend, {}, environment, never());
  REQUIRE(append);
  CHECK(append->size_bytes == 6);
  CHECK(::lseek(append->fd, 0, SEEK_CUR) == 6);

  REQUIRE(open_output(path, OutputMode::kForce, {}, environment, never()));
  CHECK(test::content_of(path).empty());
}

TEST_CASE("gather output: an input is never cut off, whatever it is called", "[unit][gather]") {
  const test::TemporaryDirectory directory;
  const std::string input = directory.write("fragment", "precious");
  const std::string link = directory.file("link");
  const std::string second_name = directory.file("hard-link");
  REQUIRE(::symlink(input.c_str(), link.c_str()) == 0);
  REQUIRE(::link(input.c_str(), second_name.c_str()) == 0);
  const std::vector<FileKey> inputs = {key_of(input)};
  for (const std::string& path : {input, link, second_name}) {
    for (const OutputMode mode : {OutputMode::kForce, OutputMode::kAppend}) {
      CAPTURE(path);
      const auto output = open_output(path, mode, inputs, Environment(), never());
      REQUIRE_FALSE(output);
      CHECK(output.error().code == ErrorCode::kUsage);
      CHECK(describe(output.error()).find("input") != std::string::npos);
    }
  }
  const UniqueFd redirected(::open(input.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  Environment environment;
  environment.stdout_fd = redirected.get();
  CHECK_FALSE(open_output(std::nullopt, OutputMode::kNew, inputs, environment, never()));
  CHECK(test::content_of(input) == "precious");
}

TEST_CASE("gather output: data never go to a terminal", "[unit][gather]") {
  int master = -1;
  int slave = -1;
  REQUIRE(::openpty(&master, &slave, nullptr, nullptr, nullptr) == 0);
  const UniqueFd ours(master);
  const UniqueFd theirs(slave);
  Environment environment;
  environment.stdout_fd = slave;
  const auto output = open_output(std::nullopt, OutputMode::kNew, {}, environment, never());
  REQUIRE_FALSE(output);
  CHECK(output.error().code == ErrorCode::kUsage);
  CHECK(describe(output.error()).find("refuses to write data to a terminal") != std::string::npos);
  CHECK_FALSE(
      open_output(std::string(::ttyname(slave)), OutputMode::kForce, {}, environment, never()));
}

TEST_CASE("gather output: directories and lost pipes are refused", "[unit][gather]") {
  const test::TemporaryDirectory directory;
  for (const OutputMode mode : {OutputMode::kNew, OutputMode::kForce, OutputMode::kAppend}) {
    CHECK_FALSE(open_output(directory.path().string(), mode, {}, Environment(), never()));
  }
  CHECK_FALSE(open_output(directory.path().string() + "/no/such/out", OutputMode::kNew, {},
                          Environment(), never()));
  Environment closed;
  closed.stdout_fd = 1'000'000;
  CHECK_FALSE(open_output(std::nullopt, OutputMode::kNew, {}, closed, never()));
  // What cannot be measured cannot be resumed.
  CHECK_FALSE(
      open_output(std::string("/dev/null"), OutputMode::kAppend, {}, Environment(), never()));
}

TEST_CASE("gather output: a FIFO is opened when its reader comes, or a stop", "[unit][gather]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("fifo");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::thread reader([&] {
    std::this_thread::sleep_for(30ms);
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  });
  const auto output = open_output(path, OutputMode::kNew, {}, Environment(), never());
  reader.join();
  REQUIRE(output);
  CHECK(output->kind == OutputKind::kPipe);

  std::stop_source source;
  const StopEvent stop(source.get_token());
  std::thread stopper([&] {
    std::this_thread::sleep_for(30ms);
    source.request_stop();
  });
  const auto none = open_output(path, OutputMode::kNew, {}, Environment(), stop);
  stopper.join();
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::kInterrupted);
}

TEST_CASE("gather output: O_NONBLOCK is never set on a pipe that others share", "[unit][gather]") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd read_end(ends[0]);
  const UniqueFd write_end(ends[1]);
  Environment environment;
  environment.stdout_fd = write_end.get();
  const auto output = open_output(std::nullopt, OutputMode::kNew, {}, environment, never());
  REQUIRE(output);
  CHECK((::fcntl(output->fd, F_GETFL) & O_NONBLOCK) != 0);
  CHECK((::fcntl(write_end.get(), F_GETFL) & O_NONBLOCK) == 0);
}
