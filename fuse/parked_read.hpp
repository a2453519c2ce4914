// SPDX-License-Identifier: MIT
// One read request of the kernel, from the FUSE worker that took it to the answer. Nothing is
// allocated in steady state: reads come from a pool and go back to it, and the bytes go from the
// disks' buffers straight to the kernel.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "common/read/scan_stream.hpp"
#include "fuse/disk_table.hpp"
#include "fuse/open_scan.hpp"
#include "fuse/parked.hpp"

namespace mark6 {

class ReadPool;

class ParkedRead final : public ParkedFuse, public ReadOperation {
 public:
  explicit ParkedRead(ReadPool& pool) : pool_(pool) {}

  /// Reads `length` bytes at `offset` and answers `request`: at once, or when the disks deliver.
  void start(fuse_req_t request, ReplyQueue& queue, const std::shared_ptr<OpenScan>& scan,
             ScanOffset offset, std::size_t length);

  void answer(int error) override;
  void finished() override;
  void on_ready() override { queue().ready(*this); }

 private:
  void send_parts(fuse_req_t request);

  ReadPool& pool_;
  std::shared_ptr<OpenScan> scan_;
  ScanOffset offset_;
  std::size_t length_ = 0;
};

/// Makes and recycles reads.
class ReadPool {
 public:
  explicit ReadPool(const DiskTable& disks) : disks_(disks) {}

  /// A read to be started; it comes back by itself.
  ParkedRead& take();
  void give_back(ParkedRead& read);
  [[nodiscard]] const DiskTable& disks() const { return disks_; }

 private:
  const DiskTable& disks_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ParkedRead>> all_;
  std::vector<ParkedRead*> spare_;
};

}  // namespace mark6
