// SPDX-License-Identifier: MIT
#include "fuse/mount_log.hpp"

#include <fuse_log.h>
#include <spdlog/sinks/base_sink.h>
#include <syslog.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string_view>

namespace mark6 {
namespace {

int priority_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
    case spdlog::level::debug:
      return LOG_DEBUG;
    case spdlog::level::info:
      return LOG_INFO;
    case spdlog::level::warn:
      return LOG_WARNING;
    default:
      return LOG_ERR;
  }
}

/// Each message is one write(2), or one syslog(3).
class MountSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit MountSink(int fd) : fd_(fd) {}

  void move_to_syslog() {
    const std::lock_guard lock(mutex_);
    ::openlog("mark6fs", LOG_PID, LOG_DAEMON);
    fd_ = -1;
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (fd_ < 0) {
      ::syslog(priority_of(message.level), "%.*s", static_cast<int>(message.payload.size()),
               message.payload.data());
      return;
    }
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    // Nowhere is left to report that stderr cannot be written.
    [[maybe_unused]] const auto written = ::write(fd_, line.data(), line.size());
  }
  void flush_() override {}

  int fd_;
};

std::shared_ptr<MountSink>& mount_sink() {
  static std::shared_ptr<MountSink> sink;
  return sink;
}

void log_for_fuse(fuse_log_level level, const char* format, va_list arguments) {
  std::array<char, 1024> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  std::string_view line(text.data());
  while (line.ends_with('\n')) line.remove_suffix(1);
  if (line.empty()) return;
  // Debug messages come only when -d asked for them.
  spdlog::log(level <= FUSE_LOG_ERR       ? spdlog::level::err
              : level <= FUSE_LOG_WARNING ? spdlog::level::warn
                                          : spdlog::level::info,
              "{}", line);
}

}  // namespace

void set_up_mount_log(Verbosity verbosity, int fd) {
  mount_sink() = std::make_shared<MountSink>(fd);
  auto logger = std::make_shared<spdlog::logger>("mark6fs", mount_sink());
  const bool verbose = verbosity == Verbosity::kVerbose;
  logger->set_pattern(verbose ? "%Y-%m-%dT%H:%M:%S.%e %n: %l: %v" : "%n: %v");
  logger->set_level(verbosity == Verbosity::kQuiet ? spdlog::level::warn
                    : verbose                      ? spdlog::level::debug
                                                   : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
  fuse_set_log_func(&log_for_fuse);
}

void move_mount_log_to_syslog() { mount_sink()->move_to_syslog(); }

}  // namespace mark6
