// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <thread>

#include "common/os/slab.hpp"
#include "gather/signals.hpp"
#include "gather/sink.hpp"
#include "tests/unit/gather_fixture.hpp"

using namespace mark6;
using namespace mark6::gather;
using namespace std::chrono_literals;

namespace {

/// Noise in fresh pages that are never written again, as the reader's slabs are.
struct Noise {
  explicit Noise(std::size_t bytes) : slab(Slab::allocate(bytes + 100).value()), size(bytes) {
    const test::ByteVector random = test::noise(slab.size(), 7);
    std::memcpy(slab.data(), random.data(), slab.size());
  }
  /// Neither its begin nor its end lies on a page.
  [[nodiscard]] Bytes bytes() const { return {slab.data() + 28, size}; }
  [[nodiscard]] Piece piece() const { return {Pin(), bytes(), ScanOffset(0)}; }
  [[nodiscard]] std::string text() const {
    return {reinterpret_cast<const char*>(bytes().data()), size};
  }
  Slab slab;
  std::size_t size;
};

struct Pipe {
  Pipe() {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    read_end = UniqueFd(ends[0]);
    write_end = UniqueFd(ends[1]);
  }
  [[nodiscard]] Output output(bool non_blocking) const {
    if (non_blocking) ::fcntl(write_end.get(), F_SETFL, O_NONBLOCK);
    Output output;
    output.kind = OutputKind::kPipe;
    output.fd = write_end.get();
    output.name = "pipe";
    return output;
  }
  UniqueFd read_end, write_end;
};

}  // namespace

TEST_CASE("gather sink: a pipe gets every byte, by vmsplice and by copies", "[unit][gather]") {
  const Noise noise(5'000'001);
  const StopEvent stop{std::stop_token{}};
  for (const bool non_blocking : {false, true}) {
    for (const bool splices : {true, false}) {
      CAPTURE(non_blocking, splices);
      Pipe pipe;
      const Output output = pipe.output(non_blocking);
      PipeSink sink(output, stop);
      if (!splices) sink.do_not_splice();
      CHECK(std::string(sink.way()) == (splices ? "vmsplice" : "write"));
      std::string got;
      std::thread reader([&] { got = test::drain(pipe.read_end.get()); });
      CHECK(sink.write(noise.piece()).has_value());
      CHECK(sink.written_bytes() == noise.size);
      CHECK(std::string(sink.way()) == (splices ? "vmsplice" : "write"));
      pipe.write_end.reset();
      reader.join();
      CHECK(got == noise.text());
    }
  }
}

TEST_CASE("gather sink: a pipe is made as wide as the system allows", "[unit][gather]") {
  const Pipe pipe;
  const StopEvent stop{std::stop_token{}};
  const Output output = pipe.output(false);
  const PipeSink sink(output, stop);
  CHECK(::fcntl(pipe.write_end.get(), F_GETPIPE_SZ) == pipe_size_limit());
}

TEST_CASE("gather sink: a reader that has gone is told as that", "[unit][gather]") {
  const Noise noise(3'000'000);
  const StopEvent stop{std::stop_token{}};
  const IgnoredSignal sigpipe(SIGPIPE);
  for (const bool splices : {true, false}) {
    Pipe pipe;
    const Output output = pipe.output(false);
    PipeSink sink(output, stop);
    if (!splices) sink.do_not_splice();
    std::thread reader([&] {
      std::string some(1000, '\0');
      CHECK(::read(pipe.read_end.get(), some.data(), some.size()) > 0);
      pipe.read_end.reset();
    });
    const auto written = sink.write(noise.piece());
    reader.join();
    REQUIRE_FALSE(written);
    CHECK(written.error().code == ErrorCode::kClosed);
  }
}

TEST_CASE("gather sink: a stop ends the wait for a reader that does not read", "[unit][gather]") {
  const Noise noise(8'000'000);
  for (const bool splices : {true, false}) {
    CAPTURE(splices);
    std::stop_source source;
    const StopEvent stop(source.get_token());
    const Pipe pipe;
    const Output output = pipe.output(false);
    PipeSink sink(output, stop);
    if (!splices) sink.do_not_splice();
    std::thread stopper([&] {
      std::this_thread::sleep_for(50ms);
      source.request_stop();
    });
    const auto written = sink.write(noise.piece());
    stopper.join();
    REQUIRE_FALSE(written);
    CHECK(written.error().code == ErrorCode::kInterrupted);
    CHECK(sink.written_bytes() < noise.size);
  }
}

TEST_CASE("gather sink: a socket gets every byte, and a stop ends the wait", "[unit][gather]") {
  const Noise noise(5'000'001);
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  UniqueFd near(ends[0]);
  const UniqueFd far(ends[1]);
  std::stop_source source;
  const StopEvent stop(source.get_token());
  Output output;
  output.kind = OutputKind::kSocket;
  output.fd = near.get();
  const auto sink = make_sink(output, stop);
  CHECK(std::string(sink->way()) == "send");
  std::string got(noise.size, '\0');
  std::thread reader([&] {
    std::size_t done = 0;
    while (done < got.size()) {
      const ssize_t n = ::read(far.get(), got.data() + done, got.size() - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
  });
  CHECK(sink->write(noise.piece()).has_value());
  reader.join();
  CHECK(got == noise.text());

  std::thread stopper([&] {
    std::this_thread::sleep_for(50ms);
    source.request_stop();
  });
  const auto written = sink->write(noise.piece());  // nobody reads any more
  stopper.join();
  REQUIRE_FALSE(written);
  CHECK(written.error().code == ErrorCode::kInterrupted);
}

TEST_CASE("gather sink: a full device is told in plain words", "[unit][gather]") {
  const Noise noise(100'000);
  const StopEvent stop{std::stop_token{}};
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  REQUIRE(full.valid());
  Output output;
  output.kind = OutputKind::kDevice;
  output.fd = full.get();
  output.name = "/dev/full";
  const auto written = make_sink(output, stop)->write(noise.piece());
  REQUIRE_FALSE(written);
  CHECK(written.error().code == ErrorCode::kNoSpace);
  CHECK(describe(written.error()) == "/dev/full: no space is left");
}
