// SPDX-License-Identifier: MIT
#include "common/vdif/stream_check.hpp"

#include <algorithm>
#include <cstring>

#include "common/vdif/mark5b.hpp"
#include "common/vdif/time.hpp"

namespace mark6::vdif {
namespace {

constexpr std::uint32_t kPattern = 0x11223344;
/// A thread that has had so many frames of a station is that station's.
constexpr std::uint64_t kSettledFrames = 64;

bool is_pattern(Bytes header) {
  return load_le32(header, 0) == kPattern && load_le32(header, 4) == kPattern &&
         load_le32(header, 8) == kPattern && load_le32(header, 12) == kPattern;
}

}  // namespace

StreamCheck::StreamCheck(const StreamCheckOptions& options)
    : options_(options),
      stride_(options.frames_per_second != 0 ? options.frames_per_second
                                             : FrameOrder::kUnknownRate) {
  first_of_thread_.fill(-1);
}

void StreamCheck::begin_block() {
  if (at_ != 0) ++report_.ragged_blocks;
  at_ = 0;
  ++report_.blocks;
  block_begins_ = true;
}

void StreamCheck::lose_blocks() {
  at_ = 0;
  for (Track& track : tracks_) track.order.lose_blocks();
}

void StreamCheck::start_anew() {
  at_ = 0;
  for (Track& track : tracks_) track.order.start_anew();
}

void StreamCheck::add(Bytes bytes) {
  const std::size_t packet = options_.packet_bytes;
  const std::size_t header = std::min(packet, carried_.size());
  std::size_t from = 0;
  while (from < bytes.size()) {
    const std::size_t left = bytes.size() - from;
    const std::byte* const here = bytes.data() + from;
    std::size_t step = 0;
    if (at_ == 0 && left >= header) {
      // Headers lie too far apart for the processor to foresee; this is where time would go.
      if (left > 5 * packet) __builtin_prefetch(here + 4 * packet);
      add_packet(here, here + std::min(left, packet));
      step = std::min(left, packet);
    } else if (at_ < header) {
      step = std::min(left, header - at_);
      std::memcpy(carried_.data() + at_, here, step);
      if (at_ + step == header) add_packet(carried_.data(), carried_.data() + header);
    } else {
      step = std::min(left, packet - at_);
    }
    from += step;
    at_ += step;
    if (at_ == packet) at_ = 0;
  }
}

void StreamCheck::add_packet(const std::byte* header, const std::byte* payload_end) {
  ++report_.packets;
  if (options_.kind == FrameKind::kMark5b) {
    add_mark5b(header);
  } else {
    add_vdif(header, payload_end);
  }
  block_begins_ = false;
}

void StreamCheck::not_a_frame() {
  ++report_.not_frames;
  if (block_begins_) ++report_.blocks_without_frame;
}

/// The track and number of a valid frame of a thread that goes on as it was; nullptr for all
/// others. Hundreds of thousands of frames come in a second, so its header is not taken apart.
StreamCheck::Track* StreamCheck::track_as_usual(const std::byte* header, std::int64_t& number) {
  const auto word = [header](std::size_t i) {
    std::uint32_t value = 0;
    for (std::size_t byte = 4; byte-- > 0;) {
      value = value << 8U | std::to_integer<std::uint32_t>(header[4 * i + byte]);
    }
    return value;
  };
  constexpr std::uint32_t k24Bits = 0xFFFFFF;
  const std::uint32_t w0 = word(0);
  const std::uint32_t w1 = word(1);
  const std::uint32_t w3 = word(3);
  const bool is_valid = (w0 >> 31U) == 0 && (word(2) & k24Bits) * 8 == options_.packet_bytes;
  const std::int32_t i = first_of_thread_[w3 >> 16U & 0x3FFU];
  if (!is_valid || i < 0) return nullptr;
  Track& track = tracks_[static_cast<std::size_t>(i)];
  const bool is_same = track.check.station == (w3 & 0xFFFFU) && track.epoch == (w1 >> 24U & 0x3FU);
  if (!is_same) return nullptr;
  number = this->number(track.epoch_base + (w0 & 0x3FFFFFFFU), w1 & k24Bits);
  return &track;
}

void StreamCheck::add_vdif(const std::byte* header, const std::byte* payload_end) {
  std::int64_t number = 0;
  Track* track = track_as_usual(header, number);
  if (track == nullptr) {
    const Bytes bytes(header, std::min<std::size_t>(kHeaderBytes, options_.packet_bytes));
    const auto frame = parse(bytes);
    if (!frame) return not_a_frame();
    if (is_pattern(bytes)) {
      ++report_.pattern_packets;
      return;
    }
    if (frame->is_fill(options_.packet_bytes)) {
      ++report_.fill_packets;
      return;
    }
    if (frame->frame_bytes != options_.packet_bytes) return add_wrong_length(*frame);
    if (frame->invalid) return add_invalid(*frame);
    track = find_or_begin(*frame);
    if (track == nullptr) return not_a_frame();
    number = number_of(*track, *frame);
  }
  ++report_.frames;
  ++track->check.frames;
  track->order.add(number);
  count_states_of(*track, header, payload_end);
}

void StreamCheck::add_mark5b(const std::byte* header) {
  const auto frame = parse_mark5b(Bytes(header, kMark5bHeaderBytes));
  if (!frame) {
    if (is_pattern(Bytes(header, kMark5bHeaderBytes))) {
      ++report_.pattern_packets;
    } else {
      not_a_frame();
    }
    return;
  }
  Track* const track = find_or_begin(Header{});
  ++report_.frames;
  ++track->check.frames;
  const std::int64_t second = unix_seconds(*frame, options_.hint_unix_s) - options_.base_unix_s;
  track->order.add(number(second, frame->frame_in_second));
}

/// Its thread and time are believed where they are those that were due.
void StreamCheck::add_wrong_length(const Header& header) {
  Track* const track = find(header.thread, header.station);
  if (track == nullptr) return not_a_frame();
  const std::int64_t number = number_of(*track, header);
  if (!track->order.is_near(number)) return not_a_frame();
  ++report_.wrong_lengths;
  ++track->check.wrong_lengths;
  track->order.add(number);
}

/// Invalid frames may have any time and thread, but most have their own.
void StreamCheck::add_invalid(const Header& header) {
  ++report_.invalid;
  Track* const track = find(header.thread, header.station);
  if (track == nullptr) return;
  ++track->check.invalid;
  const std::int64_t number = number_of(*track, header);
  if (track->order.is_near(number)) track->order.add(number);
}

void StreamCheck::count_states_of(Track& track, const std::byte* begin, const std::byte* end) {
  if (track.until_states > 0) {
    --track.until_states;
    return;
  }
  // Frames that are not there as a whole are passed over; the next one will do.
  const bool is_whole = end - begin == static_cast<std::ptrdiff_t>(options_.packet_bytes);
  const std::uint32_t bits = track.check.bits_per_sample;
  const auto frame = parse(Bytes(begin, end));
  if (!is_whole || !frame || !has_states(bits)) return;
  count_states(Bytes(begin, end).subspan(frame->header_bytes()), bits, track.check.states);
  track.until_states = std::max(options_.states_every, 1U) - 1;
}

StreamCheck::Track* StreamCheck::find(std::uint16_t thread, std::uint16_t station) {
  for (std::int32_t i = first_of_thread_[thread]; i >= 0;) {
    Track& track = tracks_[static_cast<std::size_t>(i)];
    if (track.check.station == station) return &track;
    i = track.next_of_thread;
  }
  return nullptr;
}

/// The track of the thread that goes on under another station, if there is one.
StreamCheck::Track* StreamCheck::renamed(const Header& header) {
  for (std::int32_t i = first_of_thread_[header.thread]; i >= 0;) {
    Track& track = tracks_[static_cast<std::size_t>(i)];
    if (track.check.frames >= kSettledFrames && track.order.is_near(number_of(track, header))) {
      track.check.station = header.station;
      ++track.check.station_changes;
      return &track;
    }
    i = track.next_of_thread;
  }
  return nullptr;
}

StreamCheck::Track* StreamCheck::find_or_begin(const Header& header) {
  if (Track* const track = find(header.thread, header.station)) return track;
  if (Track* const track = renamed(header)) return track;
  std::size_t stations = 0;
  for (std::int32_t i = first_of_thread_[header.thread]; i >= 0; ++stations) {
    i = tracks_[static_cast<std::size_t>(i)].next_of_thread;
  }
  if (stations >= kMaxStationsOfThread || tracks_.size() >= kMaxThreads) return nullptr;
  Track track(options_.frames_per_second);
  track.check.thread = header.thread;
  track.check.station = header.station;
  track.check.bits_per_sample = header.bits_per_sample;
  track.epoch = header.epoch;
  track.epoch_base = options_.kind == FrameKind::kMark5b ? 0 : base_of(header);
  track.next_of_thread = first_of_thread_[header.thread];
  first_of_thread_[header.thread] = static_cast<std::int32_t>(tracks_.size());
  tracks_.push_back(track);
  return &tracks_.back();
}

std::int64_t StreamCheck::base_of(const Header& header) const {
  return epoch_start(header.epoch, header.seconds, options_.hint_unix_s) - options_.base_unix_s;
}

/// Another epoch is one only when time goes on in it; else the header is corrupted.
std::int64_t StreamCheck::number_of(Track& track, const Header& header) {
  if (header.epoch == track.epoch) {
    return number(track.epoch_base + header.seconds, header.frame_in_second);
  }
  const std::int64_t base = base_of(header);
  const std::int64_t result = number(base + header.seconds, header.frame_in_second);
  if (track.order.is_near(result)) {
    track.epoch = header.epoch;
    track.epoch_base = base;
    ++track.check.epoch_changes;
  }
  return result;
}

}  // namespace mark6::vdif
