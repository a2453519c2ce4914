// SPDX-License-Identifier: MIT
// VDIF headers: any bits give some header, its fields keep to their ranges, its time is near the
// hint.
#include <algorithm>
#include <cstdlib>

#include "common/vdif/header.hpp"
#include "common/vdif/mark5b.hpp"
#include "common/vdif/time.hpp"
#include "tests/fuzz/input.hpp"

using namespace mark6;
using mark6::fuzz::expect;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::int64_t hint = input.i32();
  const std::uint32_t frame_bytes = input.byte() % 2 == 0 ? 0 : input.u32();
  const Bytes bytes = input.rest();
  vdif::is_mark5b(bytes);
  const auto header = vdif::parse(bytes);
  const bool plausible = vdif::plausible(bytes, frame_bytes);
  expect(header || !plausible, "what is too short is no frame");
  if (!header) return 0;
  expect(bytes.size() >= (header->legacy ? vdif::kLegacyHeaderBytes : vdif::kHeaderBytes),
         "a header is not longer than what there is");
  expect(header->seconds < 1U << 30U && header->frame_in_second < 1U << 24U, "seconds and frame");
  expect(header->epoch < 64 && header->thread < 1024, "epoch and thread");
  expect(header->bits_per_sample >= 1 && header->bits_per_sample <= 32, "bits per sample");
  expect(header->frame_bytes % 8 == 0 && header->log2_channels < 32, "length and channels");
  // Epochs roll over every 32 years, give or take a leap day: no other candidate is closer.
  constexpr std::int64_t kDay = 86'400;
  constexpr std::int64_t kRollover = (32 * 365 + 8) * kDay;
  constexpr std::int64_t kFirst = 946'684'800;  // 2000-01-01
  const std::int64_t time = vdif::unix_seconds(*header, hint);
  const std::int64_t away = std::abs(time - std::max<std::int64_t>(hint, 0));
  expect(time >= kFirst, "no frame is older than the first epoch");
  for (const std::int64_t other : {time - kRollover, time + kRollover}) {
    const bool closer = std::abs(other - std::max<std::int64_t>(hint, 0)) + 2 * kDay < away;
    expect(!closer || other - header->seconds < kFirst,
           "the candidate that is closest to the hint");
  }
  return 0;
}
