// SPDX-License-Identifier: MIT
// Which key of the JSON is which member: one table, for writing and for reading.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "common/report/stats.hpp"

namespace mark6 {

inline constexpr const char* kStatsSchema = "mark6.stats/1";
inline constexpr const char* kSpanAll = "all";
inline constexpr const char* kSpanLast = "last";

template <class Object, class Member>
struct StatsKey {
  const char* key;
  Member Object::*member;
};

using IdentityText = StatsKey<DeviceIdentity, std::optional<std::string>>;
inline constexpr std::array<IdentityText, 4> kIdentityTexts = {{
    {"partition", &DeviceIdentity::partition},
    {"volume_name", &DeviceIdentity::volume_name},
    {"backing_file", &DeviceIdentity::backing_file},
    {"file_system", &DeviceIdentity::file_system},
}};

using FactText = StatsKey<DeviceFacts, std::optional<std::string>>;
inline constexpr std::array<FactText, 13> kFactTexts = {{
    {"vendor", &DeviceFacts::vendor},
    {"model", &DeviceFacts::model},
    {"firmware", &DeviceFacts::firmware},
    {"wwid", &DeviceFacts::wwid},
    {"scheduler", &DeviceFacts::scheduler},
    {"transport", &DeviceFacts::transport},
    {"link_rate", &DeviceFacts::link_rate},
    {"sas_address", &DeviceFacts::sas_address},
    {"sas_phy", &DeviceFacts::sas_phy},
    {"ata_port", &DeviceFacts::ata_port},
    {"hctl", &DeviceFacts::hctl},
    {"pci_address", &DeviceFacts::pci_address},
    {"sys_path", &DeviceFacts::sys_path},
}};

using FactNumber = StatsKey<DeviceFacts, std::optional<std::uint64_t>>;
inline constexpr std::array<FactNumber, 4> kFactNumbers = {{
    {"size_bytes", &DeviceFacts::size_bytes},
    {"read_ahead_kb", &DeviceFacts::read_ahead_kb},
    {"nr_requests", &DeviceFacts::nr_requests},
    {"queue_depth", &DeviceFacts::queue_depth},
}};

using FigureCount = StatsKey<DeviceFigures, std::uint64_t>;
inline constexpr std::array<FigureCount, 5> kFigureCounts = {{
    {"requests", &DeviceFigures::requests},
    {"bytes", &DeviceFigures::bytes},
    {"cached_bytes", &DeviceFigures::cached_bytes},
    {"errors", &DeviceFigures::errors},
    {"retries", &DeviceFigures::retries},
}};

using FigureSeconds = StatsKey<DeviceFigures, double>;
inline constexpr std::array<FigureSeconds, 4> kFigureSeconds = {{
    {"busy_s", &DeviceFigures::busy_s},
    {"queue_s", &DeviceFigures::queue_s},
    {"queue_wait_s", &DeviceFigures::queue_wait_s},
    {"stall_s", &DeviceFigures::stall_s},
}};

}  // namespace mark6
