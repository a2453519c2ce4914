// SPDX-License-Identifier: MIT
#include "common/report/stats_exporter.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <utility>

#include "common/base/clock.hpp"
#include "common/base/log.hpp"
#include "common/os/replace_file.hpp"
#include "common/report/stats_json.hpp"
#include "common/report/stats_prometheus.hpp"
#include "common/report/stats_socket.hpp"

namespace mark6 {
namespace {

std::optional<StatsSocket> listen_here() {
  auto socket = StatsSocket::listen(stats_socket_name(::geteuid(), ::getpid()));
  if (socket) return std::move(*socket);
  spdlog::debug("statistics cannot be asked for: {}", describe(socket.error()));
  return std::nullopt;
}

}  // namespace

Result<void> check_stats_files(const StatsExportOptions& options) {
  if (options.json_file && options.json_file == options.prometheus_file) {
    return failure(ErrorCode::kUsage, *options.json_file, "was given for both kinds of statistics",
                   "two files");
  }
  if (options.json_file) {
    if (auto may = check_replaceable(*options.json_file, kStatsJsonMark); !may) return may;
  }
  if (options.prometheus_file) {
    if (auto may = check_replaceable(*options.prometheus_file, kPrometheusMark); !may) return may;
  }
  return {};
}

StatsExporter::StatsExporter(StatsCollector& collector, StatsExportOptions options,
                             std::function<void()> first)
    : collector_(collector),
      options_(std::move(options)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this, call = std::move(first)] { serve(call); }) {}

StatsExporter::~StatsExporter() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
  thread_.join();
  try {
    write_files(StatsSpan::kAll);
  } catch (const std::exception& exception) {
    spdlog::warn("statistics: {}", exception.what());
  }
}

/// Until the destructor writes to wake_.
void StatsExporter::serve(const std::function<void()>& first) {
  try {
    if (first) first();
    const auto socket = listen_here();
    const auto answer = [this] { return stats_json(collector_.snapshot(monotonic_ns())); };
    const std::int64_t interval_ns = std::chrono::nanoseconds(options_.interval).count();
    std::int64_t next_file_ns = monotonic_ns() + interval_ns;
    std::int64_t next_tick_ns = monotonic_ns();
    while (true) {
      const std::int64_t now_ns = monotonic_ns();
      if (now_ns >= next_tick_ns) {
        collector_.tick(now_ns);
        next_tick_ns = now_ns + StatsCollector::kTickNs;
      }
      if (now_ns >= next_file_ns) {
        write_files(StatsSpan::kRecent);
        next_file_ns = std::max(next_file_ns + interval_ns, now_ns);
      }
      const std::int64_t wait_ns = std::min(next_tick_ns, next_file_ns) - monotonic_ns();
      std::array<pollfd, 2> watched = {pollfd{wake_.get(), POLLIN, 0},
                                       pollfd{socket ? socket->fd() : -1, POLLIN, 0}};
      const auto wait_ms = static_cast<int>(std::max<std::int64_t>(wait_ns / 1'000'000 + 1, 0));
      const int ready = ::poll(watched.data(), watched.size(), wait_ms);
      if (ready > 0 && watched[0].revents != 0) return;
      if (ready > 0 && watched[1].revents != 0) socket->answer(answer, wake_.get());
    }
  } catch (const std::exception& exception) {
    spdlog::warn("statistics: {}; there will be no more of them", exception.what());
  }
}

void StatsExporter::write_files(StatsSpan span) {
  if (!options_.json_file && !options_.prometheus_file) return;
  const StatsSnapshot stats = collector_.snapshot(monotonic_ns(), span);
  if (options_.json_file) {
    write_file(*options_.json_file, stats_json(stats), kStatsJsonMark, json_complained_);
  }
  if (options_.prometheus_file) {
    write_file(*options_.prometheus_file, prometheus_text(stats), kPrometheusMark,
               prometheus_complained_);
  }
}

void StatsExporter::write_file(const std::string& path, const std::string& text,
                               std::string_view mark, bool& complained) const {
  const auto written = replace_file(path, text, mark);
  if (written) {
    complained = false;
  } else if (!std::exchange(complained, true)) {
    spdlog::warn("{}", describe(written.error()));
  }
}

}  // namespace mark6
