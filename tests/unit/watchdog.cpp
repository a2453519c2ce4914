// SPDX-License-Identifier: MIT
// Ends a test case that stands still: its name and the stack of each thread go to stderr, and the
// process dies by SIGABRT. The outer limit of ctest is for a whole run and tells nothing of it.
// The limit is MARK6_TEST_CASE_SECONDS, else 240; no test case takes a tenth of that.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

// There in a program that was built with a sanitizer; knows functions and lines.
extern "C" [[gnu::weak]] void __sanitizer_print_stack_trace();

namespace {

using namespace std::chrono_literals;

std::chrono::seconds limit() {
  const char* text = std::getenv("MARK6_TEST_CASE_SECONDS");
  const int seconds = text == nullptr ? 0 : std::atoi(text);
  return std::chrono::seconds(seconds > 0 ? seconds : 240);
}

void print_stack(int /*signal*/) {
  if (__sanitizer_print_stack_trace != nullptr) {
    __sanitizer_print_stack_trace();
    return;
  }
  std::array<void*, 64> frames{};
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  ::backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
}

/// Has every other thread print its stack, one after the other.
void print_all_stacks() {
  const int signal = SIGRTMAX - 1;  // nothing blocks it
  struct sigaction action {};
  action.sa_handler = print_stack;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::string name = task.path().filename().string();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (thread == ::gettid()) continue;
    std::fprintf(stderr, "\nthread %d%s:\n", thread, thread == ::getpid() ? " (main)" : "");
    ::syscall(SYS_tgkill, ::getpid(), thread, signal);
    std::this_thread::sleep_for(1s);  // until it has printed; it cannot tell
  }
}

/// A thread that is told when test cases begin and end.
class Watchdog : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testRunStarting(const Catch::TestRunInfo& /*run*/) override {
    // Signals that are sent to the process are for the threads of the tests.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { watch(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  void testRunEnded(const Catch::TestRunStats& /*run*/) override {
    change([this] { ended_ = true; });
    thread_.join();
  }
  void testCaseStarting(const Catch::TestCaseInfo& test) override {
    change([&] { name_ = test.name; });
  }
  void testCaseEnded(const Catch::TestCaseStats& /*test*/) override {
    change([this] { name_.clear(); });
  }

 private:
  template <typename Change>
  void change(Change what) {
    {
      const std::lock_guard lock(mutex_);
      what();
      ++changes_;
    }
    changed_.notify_one();
  }

  void watch() {
    std::unique_lock lock(mutex_);
    while (!ended_) {
      const auto seen = changes_;
      const auto has_changed = [&] { return changes_ != seen; };
      if (name_.empty()) {
        changed_.wait(lock, has_changed);
      } else if (!changed_.wait_for(lock, limit_, has_changed)) {
        give_up();
      }
    }
  }

  [[noreturn]] void give_up() const {
    std::fprintf(stderr, "\nwatchdog: test case \"%s\" stands still: not over after %lld s\n",
                 name_.c_str(), static_cast<long long>(limit_.count()));
    print_all_stacks();
    std::signal(SIGABRT, SIG_DFL);  // Catch2's handler might wait for what the test case holds
    std::abort();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string name_;  ///< of the test case that runs; empty between two
  std::uint64_t changes_ = 0;
  bool ended_ = false;
  const std::chrono::seconds limit_ = limit();
  std::thread thread_;
};

CATCH_REGISTER_LISTENER(Watchdog)

}  // namespace

// Run by a test of its own (CMakeLists.txt) with a limit of one second.
TEST_CASE("watchdog: a test case that stands still", "[.stands_still]") {
  std::this_thread::sleep_for(20s);
}
