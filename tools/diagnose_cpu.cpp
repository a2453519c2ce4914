// SPDX-License-Identifier: MIT
#include "tools/diagnose_cpu.hpp"

#include <sys/resource.h>

#include <charconv>

#include "common/account/system_files.hpp"

namespace mark6 {
namespace {

double process_cpu_s() {
  struct rusage usage {};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  const auto seconds_of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

std::optional<MachineTicks> machine_ticks() {
  constexpr std::size_t kFirstLine = 512;
  const auto text = read_bounded("/proc/stat", kFirstLine);
  return text ? parse_machine_ticks(*text) : std::nullopt;
}

}  // namespace

std::optional<MachineTicks> parse_machine_ticks(std::string_view text) {
  constexpr std::string_view kStart = "cpu ";
  constexpr std::size_t kIdle = 3, kIowait = 4, kFields = 8;  // user .. steal; guests are in user
  if (!text.starts_with(kStart)) return std::nullopt;
  const char* at = text.data() + kStart.size();
  const char* const end = text.data() + text.find_first_of('\n');
  if (text.find('\n') == std::string_view::npos) return std::nullopt;
  MachineTicks ticks;
  for (std::size_t field = 0; field < kFields; ++field) {
    while (at != end && *at == ' ') ++at;
    std::uint64_t value = 0;
    const auto [behind, error] = std::from_chars(at, end, value);
    if (error != std::errc{}) return std::nullopt;
    at = behind;
    ticks.all += value;
    if (field != kIdle && field != kIowait) ticks.busy += value;
  }
  return ticks;
}

CpuClock::CpuClock() : own_s_(process_cpu_s()), machine_(machine_ticks()) {}

double CpuClock::own_s() const { return process_cpu_s() - own_s_; }

std::optional<double> CpuClock::machine_busy() const {
  constexpr std::uint64_t kLeastTicks = 20;
  const auto now = machine_ticks();
  // iowait may go backwards.
  if (!now || !machine_ || now->all < machine_->all + kLeastTicks || now->busy < machine_->busy) {
    return std::nullopt;
  }
  return static_cast<double>(now->busy - machine_->busy) /
         static_cast<double>(now->all - machine_->all);
}

}  // namespace mark6
