// SPDX-License-Identifier: MIT
// The disks that `mark6 diagnose` is asked about: picked by module, serial number, label, path or
// kernel name; their files opened, each disk's on a thread of its own, so that one that hangs holds
// up nobody; and what is known of them before anything is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/account/device_identity.hpp"
#include "common/catalog/catalog.hpp"
#include "common/os/file.hpp"

namespace mark6 {

/// One disk under test, and what is known of it without measuring.
struct DiskUnderTest {
  DiskIndex disk{};         ///< place in Catalog::disks
  std::string module{};     ///< "2", by its directory
  std::string name{};       ///< "5"
  std::string label{};      ///< "2/5"
  std::string msn{};        ///< serial number of its module; empty when unknown
  std::string directory{};  ///< where its fragments lie
  DeviceIdentity device{};  ///< empty where it cannot be told
  std::string not_read{};   ///< why it cannot be measured; empty when it can
  bool failed = false;      ///< that is an I/O error, not just a disk without scans
  bool no_answer = false;   ///< that is that it does not answer
  /// Blocks on it of the scans that were looked at, by the sizes of its fragments, and its share of
  /// the blocks of all disks that those scans were recorded on.
  std::optional<std::uint64_t> blocks{};
  std::optional<double> block_share{};
  bool slow_while_recording = false;
  std::string recording{};  ///< "was slow while recording: ..."; empty when it was not
};

/// The disks of `catalog` that `words` mean, in its order; all of them without words. A word is a
/// module ("2"), its serial number, a disk ("2/5"), a directory, or a device ("sdr", "/dev/sdr").
/// Words that mean no disk are added to `unknown`.
std::vector<DiskUnderTest> select_disks(const Catalog& catalog,
                                        const std::vector<DiskMetadata>& metadata,
                                        const std::vector<std::string>& words,
                                        std::vector<std::string>& unknown);

/// Opens what is to be read of each of `disks`, notes what cannot be opened within `timeout_s`, and
/// fills in the recorder's evidence. One entry per disk, without files where it cannot be read.
std::vector<std::vector<DataFile>> open_disks(const Catalog& catalog,
                                              std::vector<DiskUnderTest>& disks, double timeout_s,
                                              const std::stop_token& stop);

}  // namespace mark6
