// SPDX-License-Identifier: MIT
#include "fuse/open_scan.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <set>
#include <system_error>
#include <utility>

#include "common/base/clock.hpp"
#include "common/base/escape.hpp"
#include "common/base/log.hpp"

namespace mark6 {

OpenScan::OpenScan(ReadEngine& engine, StatsCollector& statistics, ScanNodePtr node,
                   std::shared_ptr<const OpenFiles> files)
    : node_(std::move(node)),
      files_(std::move(files)),
      stream_(ScanStream::open(engine, stream_source(files_), ScanStreamOptions{})),
      counted_(statistics.add_stream(name(), size_bytes(), [stream = stream_.get()] {
        return StreamSample{stream->delivered_bytes(), stream->ledger().snapshot(monotonic_ns())};
      })) {
  statistics.set_blocks(
      blocks_by_disk(files_->scan->index, files_->scan->fragments, engine.disks()));
}

void OpenScan::complain(ScanOffset offset, std::size_t length, int error, const DiskTable& disks) {
  const bool slow = error == ETIMEDOUT;
  if ((slow ? said_slow_ : said_error_).exchange(true)) return;
  const auto& scan = *files_->scan;
  std::set<std::string> labels;
  for (std::size_t i = scan.index.find(offset); i < scan.index.extents().size(); ++i) {
    const sg::Extent& extent = scan.index.extents()[i];
    if (extent.scan_offset >= offset + length) break;
    labels.insert(disks.label(scan.fragments[extent.fragment().value].disk));
  }
  if (labels.empty()) {  // where the blocks lie was still to be found: any of them may be late
    for (const auto& fragment : scan.fragments) labels.insert(disks.label(fragment.disk));
  }
  const char* hint = !slow && scan.index.grid() != nullptr
                         ? "; if no disk is at fault, mount with -o index=walk"
                         : "";
  spdlog::error("{}: {} at offset {}, disk {}; readers of these bytes get an I/O error{}",
                escaped(name()),
                slow ? "no answer in time" : std::generic_category().message(error), offset.value,
                fmt::join(labels, " or "), hint);
}

}  // namespace mark6
