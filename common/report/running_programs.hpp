// SPDX-License-Identifier: MIT
// Finds the programs that stream right now, without configuration: by the names of their sockets
// (stats_socket.hpp) in /proc/net/unix, and asks each for its statistics.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "common/report/stats.hpp"

namespace mark6 {

/// The statistics of every mark6fs and mark6gather of user `uid` in this network namespace, by
/// process. Those that do not answer within `patience`, all together, are left out, and so are
/// sockets of that name that belong to other users. At most 64 programs. Never fails: nothing found
/// is nothing running.
std::vector<StatsSnapshot> find_running(
    uid_t uid, std::chrono::milliseconds patience = std::chrono::milliseconds(1000));

/// Names of listening sockets of `uid` in a text of /proc/net/unix, each once.
std::vector<std::string> stats_sockets_in(std::string_view text, uid_t uid);

}  // namespace mark6
