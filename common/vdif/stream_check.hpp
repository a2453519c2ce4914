// SPDX-License-Identifier: MIT
// Looks at every frame header of a stream and counts, thread by thread, what is not as it should
// be. Fed with the bytes of the scan in any portions; of the payloads it looks at samples only, for
// the counts of states. Pure.
//
// Steps by the packet size of the recording, never by the length in a header. What has no thread of
// its own (fill packets) is counted for the stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/vdif/frame_order.hpp"
#include "common/vdif/header.hpp"
#include "common/vdif/state_counts.hpp"
#include "common/vdif/survey.hpp"

namespace mark6::vdif {

struct StreamCheckOptions {
  FrameKind kind = FrameKind::kVdif;
  std::uint32_t packet_bytes = 0;       ///< not 0
  std::uint32_t frames_per_second = 0;  ///< of one thread; 0: not known
  std::int64_t base_unix_s = 0;     ///< about when the scan began; frames are counted from there
  std::int64_t hint_unix_s = 0;     ///< date of the file
  std::uint32_t states_every = 64;  ///< samples of every so many frames of a thread are counted
};

/// One thread of one station.
struct ThreadCheck {
  std::uint16_t station = 0;
  std::uint16_t thread = 0;
  std::uint32_t bits_per_sample = 0;
  std::uint64_t frames = 0;  ///< valid ones
  std::uint64_t invalid = 0;
  std::uint64_t wrong_lengths = 0;
  std::uint64_t station_changes = 0;
  std::uint64_t epoch_changes = 0;
  std::uint64_t starts_late = 0;  ///< frames after the first thread; small skews are not told
  std::uint64_t ends_early = 0;   ///< frames before the last thread
  bool odd_time = false;          ///< its time has nothing to do with that of the others
  OrderCounts order;
  StateCounts states;

  /// Whether anything is wrong with it.
  [[nodiscard]] bool is_clean() const;
};

struct StreamReport {
  std::uint64_t packets = 0;  ///< all that were looked at
  std::uint64_t frames = 0;   ///< valid ones of all threads
  std::uint64_t invalid = 0;
  std::uint64_t wrong_lengths = 0;
  std::uint64_t fill_packets = 0;     ///< the recorder's
  std::uint64_t pattern_packets = 0;  ///< 0x11223344 throughout, header too
  std::uint64_t not_frames = 0;       ///< headers that make no sense
  std::uint64_t blocks = 0;
  std::uint64_t blocks_without_frame = 0;  ///< that do not begin with a frame
  std::uint64_t ragged_blocks = 0;         ///< that end within a packet
  std::vector<ThreadCheck> threads;        ///< by thread and station

  [[nodiscard]] bool is_clean() const;
};

class StreamCheck {
 public:
  explicit StreamCheck(const StreamCheckOptions& options);

  /// A block's payload begins with the next byte.
  void begin_block();
  /// The next bytes.
  void add(Bytes bytes);
  /// Blocks, or bytes that cannot be read, are left out here; what comes begins with a packet.
  void lose_blocks();
  /// What comes now stands elsewhere in the scan and begins with a packet.
  void start_anew();
  /// No more comes.
  StreamReport finish();

  /// Threads and stations that are told apart; corrupted headers could make up any number.
  static constexpr std::size_t kMaxThreads = 4096;
  static constexpr std::size_t kMaxStationsOfThread = 16;

 private:
  /// A thread while it is followed.
  struct Track {
    ThreadCheck check;
    FrameOrder order;
    std::uint32_t epoch = 0;
    std::int64_t epoch_base = 0;  ///< s from the base to the reference epoch
    std::uint32_t until_states = 0;
    std::int32_t next_of_thread = -1;
    explicit Track(std::uint32_t rate) : order(rate) {}
  };

  void add_packet(const std::byte* header, const std::byte* payload_end);
  void add_vdif(const std::byte* header, const std::byte* payload_end);
  Track* track_as_usual(const std::byte* header, std::int64_t& number);
  void add_mark5b(const std::byte* header);
  void add_wrong_length(const Header& header);
  void add_invalid(const Header& header);
  void count_states_of(Track& track, const std::byte* begin, const std::byte* end);
  void not_a_frame();
  Track* find(std::uint16_t thread, std::uint16_t station);
  Track* find_or_begin(const Header& header);
  Track* renamed(const Header& header);
  std::int64_t number_of(Track& track, const Header& header);
  [[nodiscard]] std::int64_t base_of(const Header& header) const;
  [[nodiscard]] std::int64_t number(std::int64_t second, std::uint32_t frame) const {
    return second * stride_ + frame;
  }
  void compare_threads();  // stream_report.cpp

  StreamCheckOptions options_;
  std::int64_t stride_;  ///< numbers in a second
  StreamReport report_;
  std::deque<Track> tracks_;
  std::array<std::int32_t, 1024> first_of_thread_;
  std::size_t at_ = 0;  ///< bytes of the packet that have come
  std::array<std::byte, kHeaderBytes> carried_{};
  bool block_begins_ = false;
};

}  // namespace mark6::vdif
