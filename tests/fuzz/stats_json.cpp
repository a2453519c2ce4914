// SPDX-License-Identifier: MIT
// Statistics as another program gives them: any text is refused or becomes a snapshot, and that one
// written and read again stays what it is.
#include "common/report/stats_json.hpp"

#include "tests/fuzz/input.hpp"

using namespace mark6;
using mark6::fuzz::expect;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto stats = parse_stats_json(fuzz::Input(data, size).rest_as_text());
  if (!stats) {
    expect(stats.error().code == ErrorCode::kBadFormat, "a refusal is one of the format");
    return 0;
  }
  const std::string written = stats_json(*stats);
  const auto again = parse_stats_json(written);
  expect(again.has_value(), "what is written can be read");
  expect(stats_json(*again) == written, "what is read is what was written");
  return 0;
}
