// SPDX-License-Identifier: MIT
#include "common/report/running_programs.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <utility>

#include "common/account/system_files.hpp"
#include "common/base/clock.hpp"
#include "common/os/unique_fd.hpp"
#include "common/report/abstract_address.hpp"
#include "common/report/stats_json.hpp"
#include "common/report/stats_socket.hpp"

namespace mark6 {
namespace {

constexpr std::size_t kMostPrograms = 64;
constexpr std::size_t kMostProcBytes = std::size_t{16} << 20;

/// One program that is being asked.
struct Question {
  UniqueFd fd;
  std::string answer{};
  bool done = false;  ///< with the whole answer
};

/// Nothing when nobody answers there, or somebody else's process has taken the name.
UniqueFd ask(const std::string& name, uid_t uid) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const AbstractAddress address(name);
  if (!fd.valid() || !address.valid() ||
      ::connect(fd.get(), address.get(), address.length()) != 0 || peer_of(fd.get()) != uid) {
    fd.reset();
  }
  return fd;
}

/// Takes what is there; lets go of the connection when that is all, or too much.
void take(Question& question) {
  std::array<char, std::size_t{64} << 10> buffer{};
  while (true) {
    const ssize_t n = ::recv(question.fd.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n > 0) question.answer.append(buffer.data(), static_cast<std::size_t>(n));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0 || question.answer.size() > kStatsJsonLimit) {
      question.done = n == 0;
      return question.fd.reset();
    }
  }
}

/// Reads from all until they have answered, or until `deadline_ns`.
void listen_to(std::vector<Question>& questions, std::int64_t deadline_ns) {
  while (true) {
    std::vector<pollfd> watched;
    std::vector<Question*> who;
    for (Question& question : questions) {
      if (!question.fd.valid()) continue;
      watched.push_back({question.fd.get(), POLLIN, 0});
      who.push_back(&question);
    }
    const std::int64_t left_ms = (deadline_ns - monotonic_ns()) / 1'000'000;
    if (watched.empty() || left_ms <= 0) return;
    const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(left_ms));
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0) continue;
    for (std::size_t i = 0; i < watched.size(); ++i) {
      if (watched[i].revents != 0) take(*who[i]);
    }
  }
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::vector<std::string> stats_sockets_in(std::string_view text, uid_t uid) {
  // "0000000000000000: 00000002 00000000 00010000 0001 01 12345 @mark6.stats.1000.4711": proc(5).
  constexpr std::string_view kListens = " 00010000 ";
  const std::string prefix = fmt::format("@{}{}.", kStatsSocketPrefix, uid);
  std::set<std::string> names;
  while (!text.empty() && names.size() < kMostPrograms) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto name = line.rfind(' ');
    if (name == std::string_view::npos || line.find(kListens) == std::string_view::npos) continue;
    const std::string_view word = line.substr(name + 1);
    if (word.starts_with(prefix) && all_digits(word.substr(prefix.size()))) {
      names.emplace(word.substr(1));
    }
  }
  return {names.begin(), names.end()};
}

std::vector<StatsSnapshot> find_running(uid_t uid, std::chrono::milliseconds patience) {
  const std::int64_t deadline_ns =
      monotonic_ns() + std::chrono::duration_cast<std::chrono::nanoseconds>(patience).count();
  const auto text = read_bounded("/proc/net/unix", kMostProcBytes);
  std::vector<Question> questions;
  for (const std::string& name : stats_sockets_in(text.value_or(""), uid)) {
    UniqueFd fd = ask(name, uid);
    if (fd.valid()) questions.push_back({std::move(fd)});
  }
  listen_to(questions, deadline_ns);
  std::vector<StatsSnapshot> running;
  for (const Question& question : questions) {
    if (!question.done) continue;
    if (auto stats = parse_stats_json(question.answer)) running.push_back(std::move(*stats));
  }
  std::stable_sort(running.begin(), running.end(),
                   [](const auto& a, const auto& b) { return a.pid < b.pid; });
  return running;
}

}  // namespace mark6
