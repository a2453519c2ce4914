// SPDX-License-Identifier: MIT
// When the modules are looked at again: at once for a signal, and for names that are asked for, but
// then seldom enough that whoever polls a name costs nobody anything. One look at a time; a wish
// that comes during a look is served by the next one, and none is lost.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace mark6 {

class Rescan {
 public:
  using Answer = std::function<void()>;
  /// Looks; calls `answer` as soon as the tree is up to date (who waits for the look goes on).
  using Look = std::function<void(const Answer& answer)>;

  /// `spacing_ns`: looks that no signal asks for begin at least so far apart, and take a tenth of
  /// the time at most.
  explicit Rescan(Look look, std::int64_t spacing_ns = 1'000'000'000);
  ~Rescan() { stop(); }
  Rescan(const Rescan&) = delete;
  Rescan& operator=(const Rescan&) = delete;

  /// A look that begins from now on.
  void want_now();
  /// The same, but not before its time; `done` is called once, also when the mount ends before.
  void want(Answer done = {});
  /// Whether a look for the sake of `name` is due: none is under way, the latest is long enough
  /// ago, and `name` was not looked for in vain just now (1, 2, 4, ... 10 s). Who gets true calls
  /// want(). Never for names with a dot in front: no scan has one.
  [[nodiscard]] bool is_due(const std::string& name);
  /// Looking for these names was not in vain.
  void found(const std::vector<std::string>& names);

  /// Waits for the look in progress; those who wait are called.
  void stop();

 private:
  /// When a name may cause a look again.
  struct Patience {
    std::int64_t next_ns = 0;
    std::int64_t wait_ns = 0;
  };

  void serve();
  static void answer_all(std::vector<Answer>& waiting);
  void start(const std::lock_guard<std::mutex>& lock);

  const Look look_;
  const std::int64_t spacing_ns_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool wanted_ = false;
  bool wanted_now_ = false;
  bool looking_ = false;
  bool stopping_ = false;
  std::int64_t next_ns_;  ///< no look before, but for want_now()
  std::vector<Answer> waiting_;
  std::unordered_map<std::string, Patience> names_;
  std::thread thread_;
};

}  // namespace mark6
