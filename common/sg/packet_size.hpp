// SPDX-License-Identifier: MIT
// The packet size of a fragment: what its header says where the data bear it out, else what the
// first frames say (case: packet_size 0 in the header). Private to common/sg.
#pragma once

#include <cstdint>

#include "common/sg/format.hpp"
#include "common/sg/fragment_reader.hpp"

namespace mark6::sg {

struct PacketSize {
  std::uint32_t bytes = 0;  ///< 0: unknown
  /// Whether every payload is known to be whole packets. Not so where the header only repeats the
  /// payload of a full block as its packet size and the data are of no known kind.
  bool payloads_are_multiples = false;
};

/// Reads the first block header and the first two frames of a scatter-gather fragment.
PacketSize find_packet_size(FragmentReader& reader, const FileHeader& header);

}  // namespace mark6::sg
