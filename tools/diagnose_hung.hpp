// SPDX-License-Identifier: MIT
// What a disk that does not answer leaves behind: threads and buffers that nobody may wait for, and
// that must live until the kernel lets go of them, which may be never. The process ends with them.
#pragma once

#include <memory>
#include <vector>

namespace mark6 {

/// What was given up, never destroyed while the process runs. Clearing the list waits for it (in
/// tests, when the disk answers again).
inline std::vector<std::shared_ptr<void>>& given_up() {
  static auto* list = new std::vector<std::shared_ptr<void>>;  // on purpose: see above
  return *list;
}

}  // namespace mark6
