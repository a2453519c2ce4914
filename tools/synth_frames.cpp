// SPDX-License-Identifier: MIT
#include "tools/synth_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <optional>

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
/// What recorders put where nothing was received.
constexpr std::uint64_t kFillPattern = 0x1122334411223344ULL;

/// Of all epochs of this number modulo 64 the latest that `unix_s` does not precede.
std::optional<ReferenceEpoch> epoch_before(std::uint32_t number, std::int64_t unix_s) {
  const ReferenceEpoch latest = epoch_of(unix_s);
  const std::uint32_t back = (latest.number + kEpochs - number) % kEpochs;
  if (back > latest.number) return std::nullopt;
  const ReferenceEpoch epoch{latest.number - back, epoch_start(latest.number - back)};
  if (unix_s - epoch.unix_s >= kSecondsLimit) return std::nullopt;
  return epoch;
}

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

Result<FrameMaker> FrameMaker::make(const SynthOptions& options, FaultPlan faults) {
  FrameMaker maker;
  ReferenceEpoch epoch = epoch_of(options.start_unix_s);
  if (options.epoch) {
    const auto chosen = epoch_before(*options.epoch, options.start_unix_s);
    if (!chosen) {
      return failure(ErrorCode::kUsage, "--epoch", fmt::format("{}", *options.epoch),
                     fmt::format("an epoch before --start, e.g. {}", epoch.number % kEpochs));
    }
    epoch = *chosen;
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
  // The first letter is the high byte, as in the recordings of stations.
  maker.word3_ = letter(0) << 8 | letter(1) | (options.bits - 1) << 26;
  maker.seed_ = mix(options.seed);
  maker.start_unix_s_ = options.start_unix_s;
  maker.faults_ = std::move(faults);
  if (auto sound = maker.check_faults(); !sound) return Failure(sound.error());
  maker.table_.resize(kPlaces + kStretchWords);
  Random random(options.seed);
  for (std::uint64_t& word : maker.table_) word = random.next();
  return maker;
}

/// Jumps and epochs must leave seconds that VDIF can count.
Result<void> FrameMaker::check_faults() const {
  for (const PlantedFault& fault : faults_.planted()) {
    const auto passed_s = static_cast<std::int64_t>(fault.frame / threads_ / frame_rate_) +
                          faults_.jump_s(fault.frame);
    const auto epoch = faults_.epoch(fault.frame);
    const bool sound = epoch ? epoch_before(*epoch, start_unix_s_ + passed_s).has_value()
                             : first_second_ + passed_s >= 0;
    if (sound) continue;
    return failure(ErrorCode::kUsage, "--fault",
                   fmt::format("frame {} lies before its epoch", fault.frame),
                   "a time behind the start of the epoch");
  }
  return {};
}

void FrameMaker::store_header(std::uint64_t position, MutableBytes out) const {
  store_header_of(faults_.sent_frame(position), out);
}

void FrameMaker::store_header_of(std::uint64_t frame, MutableBytes out) const {
  const std::uint64_t slot = frame / threads_;
  const auto thread = static_cast<std::uint32_t>(frame % threads_);
  std::uint64_t second = first_second_ + slot / frame_rate_;
  std::uint32_t epoch = epoch_;
  if (!faults_.empty()) {
    second += static_cast<std::uint64_t>(faults_.jump_s(frame));
    if (const auto other = faults_.epoch(frame)) {
      const std::int64_t unix_s = start_unix_s_ + static_cast<std::int64_t>(second - first_second_);
      const auto begin = epoch_before(*other, unix_s);
      if (begin) second = static_cast<std::uint64_t>(unix_s - begin->unix_s);
      epoch = *other;
    }
  }
  const auto in_second = static_cast<std::uint32_t>(slot % frame_rate_);
  store_le32(out, 0, static_cast<std::uint32_t>(second) & 0x3FFFFFFFU);
  store_le32(out, 4, in_second | epoch << 24);
  store_le32(out, 8, word2_);
  store_le32(out, 12, word3_ | thread << 16);
  for (std::size_t word = 4; word < 8; ++word) store_le32(out, word * 4, 0);  // EDV 0
  if (const auto fault = faults_.of(frame)) spoil_header(*fault, out);
}

void FrameMaker::spoil_header(FaultKind kind, MutableBytes out) const {
  constexpr std::uint32_t kInvalid = 1U << 31;
  switch (kind) {
    case FaultKind::kInvalid: {
      const std::uint32_t word0 = load_le32(out, 0).value_or(0);
      return store_le32(out, 0, word0 | kInvalid);
    }
    case FaultKind::kFill:  // no time, no thread; the length counts the header twice
      for (std::size_t word = 0; word < 8; ++word) store_le32(out, word * 4, 0);
      store_le32(out, 0, kInvalid);
      return store_le32(out, 8, static_cast<std::uint32_t>(frame_words_ + kHeaderWords));
    case FaultKind::kPattern:
      for (std::size_t word = 0; word < 8; ++word) {
        store_le32(out, word * 4, static_cast<std::uint32_t>(kFillPattern));
      }
      return;
    case FaultKind::kLength:
      return store_le32(out, 8, word2_ + 1);
    default:
      return;
  }
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
  for (std::uint64_t position = first_frame; !out.empty(); ++position) {
    const std::uint64_t frame = faults_.sent_frame(position);
    store_header_of(frame, std::as_writable_bytes(out.first(kHeaderWords)));
    const auto payload = out.subspan(kHeaderWords, frame_words_ - kHeaderWords);
    const auto fault = faults_.of(frame);
    if (fault == FaultKind::kFill || fault == FaultKind::kPattern) {
      std::fill(payload.begin(), payload.end(), kFillPattern);
    } else {
      fill_payload(frame, payload);
    }
    out = out.subspan(frame_words_);
  }
}

}  // namespace mark6::synth
