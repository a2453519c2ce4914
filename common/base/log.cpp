// SPDX-License-Identifier: MIT
#include "common/base/log.hpp"

#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <memory>
#include <mutex>

namespace mark6 {
namespace {

/// Writes each message with one write(2), so that lines of several processes do not mix.
class FdSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FdSink(int fd) : fd_(fd) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    // Nowhere is left to report that stderr cannot be written.
    [[maybe_unused]] const auto written = ::write(fd_, line.data(), line.size());
  }
  void flush_() override {}

  int fd_;
};

}  // namespace

void set_up_log(const std::string& program, Verbosity verbosity, int fd) {
  auto logger = std::make_shared<spdlog::logger>(program, std::make_shared<FdSink>(fd));
  const bool verbose = verbosity == Verbosity::kVerbose;
  logger->set_pattern(verbose ? "%Y-%m-%dT%H:%M:%S.%e %n: %l: %v" : "%n: %v");
  logger->set_level(verbosity == Verbosity::kQuiet ? spdlog::level::warn
                    : verbose                      ? spdlog::level::debug
                                                   : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace mark6
