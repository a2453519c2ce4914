// SPDX-License-Identifier: MIT
// File headers and block headers: what is accepted is stored as the same bytes again.
#include <algorithm>
#include <array>

#include "common/sg/format.hpp"
#include "tests/fuzz/input.hpp"

using namespace mark6;
using mark6::fuzz::expect;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  if (const auto header = sg::parse_file_header(bytes)) {
    std::array<std::byte, sg::kFileHeaderBytes> stored{};
    sg::store_file_header(*header, stored);
    expect(std::equal(stored.begin(), stored.end(), bytes.begin()), "a file header stays the same");
    expect(header->version == 1 || header->version == 2, "the version is 1 or 2");
  } else {
    expect(header.error().code == ErrorCode::kBadFormat && !describe(header.error()).empty(),
           "a refusal says why");
  }
  for (const std::int32_t version : {1, 2}) {
    const auto block = sg::parse_block_header(bytes, version);
    expect(block.has_value() == (size >= sg::block_header_bytes(version)), "8 or 4 bytes suffice");
    if (!block) continue;
    std::array<std::byte, sg::kBlockHeaderBytesV2> stored{};
    sg::store_block_header(*block, version, stored);
    expect(std::equal(stored.begin(),
                      stored.begin() + static_cast<std::ptrdiff_t>(sg::block_header_bytes(version)),
                      bytes.begin()),
           "a block header stays the same");
  }
  return 0;
}
