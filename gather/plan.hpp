// SPDX-License-Identifier: MIT
// Which bytes of the flat scan are to be delivered: --skip and --bytes, less what an output that is
// resumed holds already.
#pragma once

#include "common/base/error.hpp"
#include "common/base/units.hpp"
#include "common/catalog/scan_opener.hpp"
#include "gather/options.hpp"
#include "gather/output.hpp"

namespace mark6::gather {

/// Bytes [begin, end) of the flat scan.
struct Range {
  ScanOffset begin;
  ScanOffset end;
  [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
  [[nodiscard]] bool empty() const { return begin == end; }
  bool operator==(const Range&) const = default;
};

/// The range that the options name. Errors: kUsage (--skip lies behind the end of the scan).
Result<Range> plan_range(const Options& options, const OpenedScan& scan);

/// What is left of `range` when `output` holds its first bytes already. The last of them are
/// compared with the scan, so that two different scans are never joined. Errors: kUsage (the output
/// is larger than the range, or holds something else), kIo.
Result<Range> resume(const Range& range, const Output& output, const OpenedScan& scan);

/// Bytes at the end of an output that resume() compares.
inline constexpr std::size_t kComparedBytes = std::size_t{64} << 10;

}  // namespace mark6::gather
