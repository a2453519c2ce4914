// SPDX-License-Identifier: MIT
#include "tools/synth_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>

#include "tools/synth_random.hpp"

namespace mark6::synth {
namespace {

constexpr std::size_t kHeaderWords = vdif::kHeaderBytes / 8;
/// Words of payload cut from the table at one random place: 8 KiB.
constexpr std::size_t kStretchWords = 1024;
/// Places where a stretch may start. The table (256 KiB) stays in the cache of a core.
constexpr std::size_t kPlaces = std::size_t{31} * 1024;
constexpr std::uint32_t kEpochs = 64;                          // 6 bits
constexpr std::int64_t kSecondsLimit = std::int64_t{1} << 30;  // 30 bits

}  // namespace

std::int64_t epoch_start(std::uint32_t number) {
  using namespace std::chrono;
  const year_month_day first(year(2000 + static_cast<int>(number / 2)),
                             month(number % 2 == 0 ? 1 : 7), day(1));
  return duration_cast<std::chrono::seconds>(sys_days(first).time_since_epoch()).count();
}

ReferenceEpoch epoch_of(std::int64_t unix_s) {
  using namespace std::chrono;
  const year_month_day date(floor<days>(sys_seconds(std::chrono::seconds(unix_s))));
  const auto years = static_cast<std::uint32_t>(static_cast<int>(date.year()) - 2000);
  const std::uint32_t number = years * 2 + (date.month() >= July ? 1 : 0);
  return {number, epoch_start(number)};
}

Result<FrameMaker> FrameMaker::make(const SynthOptions& options) {
  FrameMaker maker;
  ReferenceEpoch epoch = epoch_of(options.start_unix_s);
  if (options.epoch) {
    // Of all epochs of this number modulo 64 the latest that the start does not precede.
    const std::uint32_t back = (epoch.number + kEpochs - *options.epoch) % kEpochs;
    if (back > epoch.number ||
        options.start_unix_s - epoch_start(epoch.number - back) >= kSecondsLimit) {
      return failure(ErrorCode::kUsage, "--epoch", fmt::format("{}", *options.epoch),
                     fmt::format("an epoch before --start, e.g. {}", epoch.number % kEpochs));
    }
    epoch = {epoch.number - back, epoch_start(epoch.number - back)};
  }
  maker.frame_words_ = options.packet_bytes / 8;
  maker.frame_rate_ = options.frame_rate;
  maker.threads_ = options.threads;
  maker.epoch_ = epoch.number % kEpochs;
  maker.first_second_ = static_cast<std::uint32_t>(options.start_unix_s - epoch.unix_s);
  const auto log2_channels = static_cast<std::uint32_t>(std::bit_width(options.channels) - 1);
  maker.word2_ = options.packet_bytes / 8 | log2_channels << 24;
  const auto letter = [&](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(options.station[i]);
  };
  maker.word3_ = letter(0) | letter(1) << 8 | (options.bits - 1) << 26;
  maker.seed_ = mix(options.seed);
  maker.table_.resize(kPlaces + kStretchWords);
  Random random(options.seed);
  for (std::uint64_t& word : maker.table_) word = random.next();
  return maker;
}

void FrameMaker::store_header(std::uint64_t frame, MutableBytes out) const {
  const std::uint64_t slot = frame / threads_;
  const auto thread = static_cast<std::uint32_t>(frame % threads_);
  const std::uint64_t second = first_second_ + slot / frame_rate_;
  const auto in_second = static_cast<std::uint32_t>(slot % frame_rate_);
  store_le32(out, 0, static_cast<std::uint32_t>(second) & 0x3FFFFFFFU);
  store_le32(out, 4, in_second | epoch_ << 24);
  store_le32(out, 8, word2_);
  store_le32(out, 12, word3_ | thread << 16);
  for (std::size_t word = 4; word < 8; ++word) store_le32(out, word * 4, 0);  // EDV 0
}

void FrameMaker::fill_payload(std::uint64_t frame, std::span<std::uint64_t> out) const {
  std::uint64_t stretch_number = 0;
  while (!out.empty()) {
    const std::uint64_t hash = mix(mix(frame + seed_) + stretch_number++);
    const std::uint64_t* const row = table_.data() + (hash >> 40) % kPlaces;
    const std::size_t words = std::min(out.size(), kStretchWords);
    for (std::size_t i = 0; i < words; ++i) out[i] = row[i] ^ hash;
    out = out.subspan(words);
  }
}

void FrameMaker::fill(std::uint64_t first_frame, std::span<std::uint64_t> out) const {
  for (std::uint64_t frame = first_frame; !out.empty(); ++frame) {
    store_header(frame, std::as_writable_bytes(out.first(kHeaderWords)));
    fill_payload(frame, out.subspan(kHeaderWords, frame_words_ - kHeaderWords));
    out = out.subspan(frame_words_);
  }
}

}  // namespace mark6::synth
