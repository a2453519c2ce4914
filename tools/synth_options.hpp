// SPDX-License-Identifier: MIT
// What kind of recording `mark6 synth` is asked for, and the command line that says so. After
// parse_synth_options() each value alone is sound; what they mean together is synth_plan's matter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/environment.hpp"
#include "common/base/error.hpp"
#include "common/base/exit_code.hpp"
#include "tools/synth_faults.hpp"

namespace mark6::synth {

/// Which disk gets the next block.
enum class Placement {
  kRecorder,    ///< the idle disk with the fewest bytes, service times random: as recorders do it
  kRoundRobin,  ///< one disk after the other
  kRandom,      ///< any disk
  kUnbalanced,  ///< any disk, the first ones far more often
};

/// A disk by its directories: module/disk, e.g. 1/4.
struct DiskLabel {
  std::uint32_t module = 0;
  std::uint32_t disk = 0;
  bool operator==(const DiskLabel&) const = default;
};

struct SlowDisk {
  DiskLabel disk;
  double factor = 1;  ///< a block takes so many times longer to write
};

/// The length of the scan, in whichever unit the user thinks.
struct LengthBytes {
  std::uint64_t value;
};
struct LengthBlocks {
  std::uint64_t value;
};
struct LengthFrames {
  std::uint64_t value;
};
using Length = std::variant<LengthBytes, LengthBlocks, LengthFrames>;

struct SynthOptions {
  std::string directory;
  std::string scan = "exp1_xx_no0001.vdif";
  Length length = LengthBytes{1'000'000'000};
  bool short_last = false;
  std::vector<std::uint64_t> short_blocks{};
  std::vector<std::uint64_t> missing_blocks{};

  std::uint32_t modules = 1;
  std::uint32_t disks = 8;  ///< per module
  Placement placement = Placement::kRecorder;
  std::vector<SlowDisk> slow{};
  std::vector<DiskLabel> missing_disks{};

  int sg_version = 2;
  std::uint64_t block_bytes = 10'000'000;  ///< nominal, header included; rounded down to packets
  std::uint32_t packet_bytes = 8032;
  std::uint32_t frame_rate = 25'000;  ///< frames per second and thread
  std::uint32_t threads = 1;
  std::uint32_t bits = 2;
  std::uint32_t channels = 1;
  std::string station = "Xx";
  std::int64_t start_unix_s = 1'426'926'903;  ///< 2015-03-21T08:35:03
  std::optional<std::uint32_t> epoch{};       ///< VDIF reference epoch; absent: that of the start

  std::vector<FaultRequest> faults{};

  std::uint64_t seed = 1;
  bool flat_layout = false;
  bool metadata = true;
  bool sparse = false;
  bool force = false;
  bool json = false;
  bool quiet = false;
  std::string flat_file{};
};

/// "1/4" as a label. Errors: kUsage.
Result<DiskLabel> parse_disk_label(const std::string& text);

/// "2015-03-21T08:35:03", with or without Z, or "2015y080d08h35m03s", as s since 1970 UTC.
/// Errors: kUsage.
Result<std::int64_t> parse_start(const std::string& text);

/// The options that `args` name, or the exit code when that was all (help, a mistake told).
std::variant<SynthOptions, ExitCode> parse_synth_options(const std::vector<std::string>& args,
                                                         Environment& environment);

}  // namespace mark6::synth
