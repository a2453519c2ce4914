// SPDX-License-Identifier: MIT
// The log of a mount: stderr while somebody is there to read it, the system log from the moment the
// mount serves in the background.
#pragma once

#include "common/base/log.hpp"

namespace mark6 {

/// Makes the process-wide logger write to descriptor `fd`, and libfuse write to that logger.
void set_up_mount_log(Verbosity verbosity, int fd);

/// From now on the messages go to syslog(3). Other threads may be logging.
void move_mount_log_to_syslog();

}  // namespace mark6
