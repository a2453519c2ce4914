// SPDX-License-Identifier: MIT
// Random recordings against a naive model: the model sorts the blocks that were written and joins
// their payloads; the walk and the merge see only the bytes of the files.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "common/sg/scan_index.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/walked.hpp"

using namespace mark6::test;

namespace {

constexpr std::uint32_t kRecordings = kSanitized ? 100 : 500;

struct Recording {
  std::vector<FragmentSpec> fragments;
  ByteVector flat;
  std::vector<std::int32_t> missing;  ///< numbers never written, between the first and the last
};

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(engine_() % end); }

 private:
  std::mt19937 engine_;
};

ByteVector some_payload(Random& random, std::int32_t packet_size, std::uint32_t packets) {
  const auto size = static_cast<std::uint32_t>(packet_size);
  if (size == 10016) return mark5b_frames(packets);
  if (random.below(8) == 0) return noise(std::size_t{size} * packets, random.below(1U << 31U));
  return vdif_frames(random.below(100'000), packets,
                     {.bytes = size, .thread = static_cast<std::uint16_t>(random.below(1024))});
}

/// Disks by turns, at random, or nearly all on one.
std::size_t place(Random& random, unsigned policy, std::int32_t number, std::size_t disks) {
  if (policy == 0) return static_cast<std::size_t>(number) % disks;
  if (policy == 1 || random.below(10) == 0) return random.below(static_cast<std::uint32_t>(disks));
  return 0;
}

Recording random_recording(std::uint32_t seed) {
  Random random(seed);
  const std::vector<std::int32_t> sizes = {544, 1032, 5032, 8032, 8224, 10016, 10032};
  FragmentSpec shape;
  shape.packet_size = sizes[random.below(7)];
  shape.version = random.below(4) == 0 ? 1 : 2;
  shape.old_wb_size = shape.version == 2 && random.below(6) == 0;
  const std::uint32_t per_block = 1 + random.below(6);
  shape.block_size =
      shape.packet_size * static_cast<std::int32_t>(per_block) + (shape.version == 1 ? 4 : 8);
  Recording recording;
  recording.fragments.assign(1 + random.below(12), shape);
  const unsigned policy = random.below(3);
  const auto first = static_cast<std::int32_t>(random.below(3) == 0 ? random.below(5000) : 0);
  const auto count = static_cast<std::int32_t>(1 + random.below(40));
  std::map<std::int32_t, ByteVector> written;
  for (std::int32_t n = first; n < first + count; ++n) {
    if (random.below(20) == 0) continue;  // never written
    const bool is_short = shape.version == 2 && random.below(6) == 0;
    const std::uint32_t packets = is_short ? 1 + random.below(per_block) : per_block;
    auto& disk = recording.fragments[place(random, policy, n, recording.fragments.size())];
    disk.blocks.push_back({n, some_payload(random, shape.packet_size, packets)});
    written[n] = disk.blocks.back().payload;
  }
  for (const auto& [number, payload] : written) append(recording.flat, payload);
  for (std::int32_t n = written.empty() ? 0 : written.begin()->first;
       !written.empty() && n < written.rbegin()->first; ++n) {
    if (!written.contains(n)) recording.missing.push_back(n);
  }
  return recording;
}

ByteVector flat_of(const mark6::sg::ScanIndex& index, const std::vector<ByteVector>& files) {
  ByteVector flat(index.size_bytes());
  for (const auto& extent : index.extents()) {
    const ByteVector& file = files[extent.fragment().value];
    REQUIRE(extent.file_offset().value + extent.length <= file.size());
    std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(extent.file_offset().value),
                extent.length,
                flat.begin() + static_cast<std::ptrdiff_t>(extent.scan_offset.value));
  }
  return flat;
}

}  // namespace

TEST_CASE("scan index: random recordings give what a plain sort of their blocks gives",
          "[unit][pure]") {
  for (std::uint32_t seed = 0; seed < kRecordings; ++seed) {
    CAPTURE(seed);
    const Recording recording = random_recording(seed);
    std::vector<ByteVector> files;
    std::vector<mark6::sg::Fragment> fragments;
    for (const FragmentSpec& spec : recording.fragments) {
      Walked walked(spec);
      REQUIRE(walked.damage().empty());
      fragments.push_back(std::move(walked.fragment));
      files.push_back(std::move(walked.bytes));
    }
    const auto index = mark6::sg::ScanIndex::merge(std::move(fragments));
    REQUIRE(index.size_bytes() == recording.flat.size());
    REQUIRE(same(flat_of(index, files), recording.flat));
    Numbers missing;
    for (const auto& range : index.missing()) {
      for (std::int32_t n = range.first.value; n <= range.last.value; ++n) missing.push_back(n);
    }
    REQUIRE(missing == recording.missing);
  }
}
