// SPDX-License-Identifier: MIT
// What the mount has done so far, as lines in the log (SIGUSR1).
#pragma once

#include "fuse/service.hpp"

namespace mark6 {

void log_statistics(Service& service);

}  // namespace mark6
