// SPDX-License-Identifier: MIT
#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "fuse/reply_queue.hpp"

using mark6::ParkedRequest;
using mark6::ReplyQueue;
using std::chrono::milliseconds;

namespace {

class Request final : public ParkedRequest {
 public:
  void answer(int error) override {
    error_ = error;
    if (during_answer) during_answer();
    ++answers_;
  }
  void finished() override { ++finishes_; }
  [[nodiscard]] bool abandoned() const override { return killed; }

  [[nodiscard]] int answers() const { return answers_; }
  [[nodiscard]] int finishes() const { return finishes_; }
  [[nodiscard]] int error() const { return error_; }

  std::atomic<bool> killed{false};
  std::function<void()> during_answer;

 private:
  std::atomic<int> answers_{0}, finishes_{0}, error_{-1};
};

bool soon(const std::function<bool()>& condition) {
  for (int i = 0; i < 2000 && !condition(); ++i) std::this_thread::sleep_for(milliseconds(1));
  return condition();
}

}  // namespace

TEST_CASE("reply queue: a result that comes in time is sent once", "[unit]") {
  Request at_once, later;
  ReplyQueue queue(2, std::chrono::seconds(60));
  queue.watch(at_once);
  queue.answer_now(at_once);
  CHECK(at_once.answers() == 1);
  CHECK(at_once.finishes() == 1);

  queue.watch(later);
  queue.waiting();
  CHECK(queue.unfinished() == 1);
  std::thread reaper([&] { queue.ready(later); });
  reaper.join();
  CHECK(soon([&] { return later.finishes() == 1; }));
  CHECK(later.answers() == 1);
  CHECK(later.error() == 0);
  CHECK(soon([&] { return queue.unfinished() == 0; }));
}

TEST_CASE("reply queue: a deadline answers, and the request lives until its result came",
          "[unit]") {
  Request hung, fine;
  ReplyQueue queue(1, milliseconds(50));
  queue.watch(hung);
  queue.waiting();
  CHECK(soon([&] { return hung.answers() == 1; }));
  CHECK(hung.error() == ETIMEDOUT);
  CHECK(hung.finishes() == 0);

  queue.watch(fine);  // others go on
  queue.answer_now(fine);
  CHECK(fine.error() == 0);

  queue.ready(hung);
  CHECK(soon([&] { return hung.finishes() == 1; }));
  CHECK(hung.answers() == 1);
}

TEST_CASE("reply queue: a request can be used again after it is finished", "[unit]") {
  Request request;
  ReplyQueue queue(1, milliseconds(20));
  queue.watch(request);
  queue.waiting();
  REQUIRE(soon([&] { return request.answers() == 1; }));
  queue.ready(request);
  REQUIRE(soon([&] { return request.finishes() == 1; }));
  queue.watch(request);
  queue.answer_now(request);
  CHECK(request.answers() == 2);
  CHECK(request.error() == 0);
  CHECK(request.finishes() == 2);
}

TEST_CASE("reply queue: a result that comes while the deadline answers finishes the request",
          "[unit]") {
  Request request;
  ReplyQueue queue(2, milliseconds(20));
  std::atomic<bool> answering{false}, go_on{false};
  request.during_answer = [&] {
    answering = true;
    soon([&] { return go_on.load(); });
  };
  queue.watch(request);
  queue.waiting();
  REQUIRE(soon([&] { return answering.load(); }));
  queue.ready(request);
  std::this_thread::sleep_for(milliseconds(20));  // the other thread has taken the result by now
  CHECK(request.finishes() == 0);
  go_on = true;
  CHECK(soon([&] { return request.finishes() == 1; }));
  CHECK(request.answers() == 1);
}

TEST_CASE("reply queue: a signal fails a read only when its reader is being killed", "[unit]") {
  Request handled, killed, before;
  ReplyQueue queue(1, std::chrono::seconds(60));
  killed.killed = true;
  before.killed = true;
  queue.watch(handled);
  queue.watch(killed);
  queue.waiting();
  queue.interrupted(handled);
  queue.interrupted(killed);
  CHECK(soon([&] { return killed.answers() == 1; }));
  CHECK(killed.error() == EINTR);
  CHECK(handled.answers() == 0);

  handled.killed = true;  // the kernel does not tell of a second signal: it must be seen anyway
  CHECK(soon([&] { return handled.answers() == 1; }));
  CHECK(handled.error() == EINTR);

  queue.interrupted(before);  // the signal may come before the request is watched
  queue.watch(before);
  queue.waiting();
  CHECK(soon([&] { return before.answers() == 1; }));
  CHECK(before.error() == EINTR);
  for (auto* request : {&handled, &killed, &before}) {
    queue.ready(*request);
    CHECK(soon([&] { return request->finishes() == 1; }));
  }
}

TEST_CASE("reply queue: stop answers what waits and returns when all results came", "[unit]") {
  Request waits;
  ReplyQueue queue(2, std::chrono::seconds(60));
  queue.watch(waits);
  queue.waiting();
  std::thread disk([&] {
    soon([&] { return waits.answers() == 1; });
    CHECK(waits.error() == ENODEV);
    queue.ready(waits);
  });
  queue.stop();
  CHECK(waits.finishes() == 1);
  disk.join();
}

TEST_CASE("reply queue: many requests from many threads are each answered once", "[unit]") {
  constexpr std::size_t kThreads = 4, kRequests = 500;
  std::vector<std::unique_ptr<Request>> requests(kThreads * kRequests);
  for (auto& request : requests) request = std::make_unique<Request>();
  {
    ReplyQueue queue(2, milliseconds(5));
    std::vector<std::thread> workers;
    for (std::size_t t = 0; t < kThreads; ++t) {
      workers.emplace_back([&, t] {
        for (std::size_t i = 0; i < kRequests; ++i) {
          Request& request = *requests[t * kRequests + i];
          queue.watch(request);
          if (i % 3 == 0) {
            queue.answer_now(request);
          } else {
            queue.waiting();
            if (i % 64 == 1) std::this_thread::sleep_for(milliseconds(6));
            queue.ready(request);
          }
        }
      });
    }
    for (auto& worker : workers) worker.join();
  }
  for (const auto& request : requests) {
    REQUIRE(request->answers() == 1);
    REQUIRE(request->finishes() == 1);
  }
}
