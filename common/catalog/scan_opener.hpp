// SPDX-License-Identifier: MIT
// From the names of a scan to its index: opens all fragments and has them prove that they are a
// grid, or else walks them; each disk's on a thread of its own, so that one slow or hung disk
// delays only the scans that need it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/catalog/catalog.hpp"
#include "common/os/file.hpp"
#include "common/sg/scan_index.hpp"
#include "common/vdif/header.hpp"

namespace mark6 {

/// A scan with everything needed to read it. Immutable; shared by all its readers.
struct OpenedScan {
  std::string name;
  sg::ScanIndex index;
  /// One per fragment of the Scan, in its order; absent where the file could not be opened.
  std::vector<std::optional<DataFile>> files;
  std::vector<FragmentPath> fragments;     ///< as in the Scan
  std::vector<std::string> open_problems;  ///< fragments that could not be opened, for an operator
  /// Time of the first valid frame, s since 1970 UTC; absent when no frame tells.
  std::optional<std::int64_t> start_unix_s;
  bool is_mark5b = false;
};

using OpenedScanPtr = std::shared_ptr<const OpenedScan>;

/// How many blocks of a scan lie on each of `disks` disks; absent for disks without a fragment.
std::vector<std::optional<std::uint64_t>> blocks_by_disk(const sg::ScanIndex& index,
                                                         const std::vector<FragmentPath>& fragments,
                                                         std::size_t disks);

/// How the index of a scan is made.
enum class IndexBy {
  kProof,  ///< a few headers of each fragment where these prove the rest, else the walk
  kWalk,   ///< all block headers
};

/// How far an opener has come, for who shows it. Any thread may look.
struct WalkProgress {
  /// Bytes of fragments that lie behind the headers looked at; of all fragments in the end.
  std::atomic<std::uint64_t> passed_bytes{0};
};

/// Opens scans in the background: one thread per disk, alive while there is work for it.
class ScanOpener {
 public:
  using Callback = std::function<void(OpenedScanPtr)>;

  /// `progress`, where somebody wants to know, outlives the opener.
  explicit ScanOpener(std::size_t disks, WalkProgress* progress = nullptr);
  /// Stops after the fragments being walked; callbacks of scans not opened are never called.
  ~ScanOpener();
  ScanOpener(const ScanOpener&) = delete;
  ScanOpener& operator=(const ScanOpener&) = delete;

  /// Opens `scan` (a copy is kept) and calls `done` once, on one of the disk threads; `urgent`
  /// scans come before those that wait already. Thread-safe.
  void open(const Scan& scan, bool urgent, Callback done, IndexBy index_by = IndexBy::kProof);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Opens one scan and waits for it.
OpenedScanPtr open_scan(const Scan& scan, std::size_t disks);

}  // namespace mark6
