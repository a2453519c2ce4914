// SPDX-License-Identifier: MIT
// Votes on time first, then on everything else.
#include "common/vdif/survey.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace mark6::vdif {
namespace {

/// Below so many seconds one packet out of its order would change what counting gives.
constexpr std::int64_t kMinCountSeconds = 10;
/// How far from a whole number a counted rate may be.
constexpr double kCountTolerance = 0.02;

std::vector<const FrameSample*> all_of(const SurveyInput& input) {
  std::vector<const FrameSample*> all;
  for (const auto* part : {&input.head, &input.border, &input.tail}) {
    for (const FrameSample& sample : *part) all.push_back(&sample);
  }
  return all;
}

std::uint32_t highest_frame(const SurveyInput& input) {
  std::uint32_t highest = 0;
  for (const FrameSample* sample : all_of(input)) {
    highest = std::max(highest, sample->header.frame_in_second);
  }
  return highest;
}

/// One more than the last frame number before frame 0 of the next second, in any thread; 0 where
/// no part of the input has both.
std::uint32_t rate_at_border(const SurveyInput& input) {
  std::uint32_t rate = 0;
  for (const auto* part : {&input.head, &input.border, &input.tail}) {
    std::map<std::uint16_t, const FrameSample*> before;
    for (const FrameSample& sample : *part) {
      const FrameSample*& last = before[sample.header.thread];
      if (last != nullptr && sample.header.frame_in_second == 0 &&
          sample.unix_s == last->unix_s + 1) {
        rate = std::max(rate, last->header.frame_in_second + 1);
      }
      last = &sample;
    }
  }
  return rate;
}

/// The rate that the number of packets between two frames of a thread tells; 0 where none does.
std::uint32_t rate_by_count(const std::vector<const FrameSample*>& head,
                            const std::vector<const FrameSample*>& tail, std::size_t threads) {
  if (head.empty() || tail.empty()) return 0;
  const FrameSample& first = *head.front();
  const auto last = std::find_if(tail.rbegin(), tail.rend(), [&](const FrameSample* sample) {
    return sample->header.thread == first.header.thread;
  });
  if (last == tail.rend() || (*last)->packet <= first.packet) return 0;
  const std::int64_t seconds = (*last)->unix_s - first.unix_s;
  if (seconds < kMinCountSeconds) return 0;
  const double frames =
      static_cast<double>((*last)->packet - first.packet) / static_cast<double>(threads);
  const double rate = (frames - static_cast<double>((*last)->header.frame_in_second) +
                       static_cast<double>(first.header.frame_in_second)) /
                      static_cast<double>(seconds);
  const bool is_whole = std::abs(rate - std::round(rate)) < kCountTolerance;
  if (!is_whole || rate < 1 || rate >= kMaxFramesPerSecond) return 0;
  return static_cast<std::uint32_t>(std::lround(rate));
}

/// Of the rates that Mark5B can have (25 frames times a power of 2), the only one that the
/// fractions of the second allow; 0 where several are, or none.
std::uint32_t rate_by_time_code(const std::vector<const FrameSample*>& samples) {
  constexpr double kUnitsPerSecond = 10'000;
  constexpr std::uint32_t kLowest = 25;
  constexpr std::uint32_t kHighest = kLowest << 15U;
  double above = 0;
  double at_most = 0;
  for (const FrameSample* sample : samples) {
    if (sample->kind != FrameKind::kMark5b || sample->header.frame_in_second == 0) continue;
    const double frames = sample->header.frame_in_second * kUnitsPerSecond;
    above = std::max(above, frames / (sample->fraction_100us + 1));
    if (sample->fraction_100us == 0) continue;
    const double limit = frames / sample->fraction_100us;
    at_most = at_most == 0 ? limit : std::min(at_most, limit);
  }
  std::uint32_t found = 0;
  for (std::uint32_t rate = kLowest; rate <= kHighest; rate *= 2) {
    if (rate <= above || rate > at_most) continue;
    if (found != 0) return 0;
    found = rate;
  }
  return found;
}

struct Rate {
  std::uint32_t frames_per_second = 0;
  RateFrom from = RateFrom::kNothing;
  bool is_measured = false;
};

/// What was measured confirms what the header says, or overrules it.
Rate rate_of(std::vector<std::uint32_t> said, std::uint32_t at_border, std::uint32_t counted,
             std::uint32_t by_time_code, std::uint32_t highest_frame) {
  std::erase_if(said, [&](std::uint32_t rate) { return rate <= highest_frame; });
  for (const std::uint32_t rate : said) {
    if (rate == at_border || rate == counted) return {rate, RateFrom::kHeader, true};
  }
  if (at_border > highest_frame) return {at_border, RateFrom::kBorder, true};
  if (counted > highest_frame) return {counted, RateFrom::kCount, true};
  if (!said.empty()) return {said.front(), RateFrom::kHeader, false};
  if (by_time_code > highest_frame) return {by_time_code, RateFrom::kTimeCode, false};
  return {};
}

Time time_of(const FrameSample& sample, std::uint32_t rate, std::uint32_t frames_later) {
  return frame_time(sample.unix_s, std::uint64_t{sample.header.frame_in_second} + frames_later,
                    rate);
}

void set_times(Content& content, const std::vector<const FrameSample*>& head,
               const std::vector<const FrameSample*>& tail) {
  const std::uint32_t rate = content.frames_per_second;
  for (const FrameSample* sample : head) {
    const Time time = time_of(*sample, rate, 0);
    content.start = std::min(content.start.value_or(time), time);
  }
  for (const FrameSample* sample : tail) {
    Time end = time_of(*sample, rate, 1);
    if (rate == 0) ++end.unix_s;
    content.stop = std::max(content.stop.value_or(end), end);
  }
}

void set_names(Content& content, const SurveyInput& input) {
  std::map<std::uint16_t, std::uint64_t> stations;
  std::set<std::uint16_t> threads;
  for (const FrameSample* sample : all_of(input)) {
    ++stations[sample->header.station];
    threads.insert(sample->header.thread);
  }
  for (const auto& [station, count] : stations) content.stations.push_back(station);
  std::stable_sort(content.stations.begin(), content.stations.end(),
                   [&](auto a, auto b) { return stations[a] > stations[b]; });
  content.threads.assign(threads.begin(), threads.end());
}

/// Threads whose first frame is not among those that agree.
void set_odd_threads(Content& content, const SurveyInput& input) {
  std::set<std::uint16_t> seen;
  std::set<std::uint16_t> odd;
  for (const FrameSample& sample : input.head) {
    if (!seen.insert(sample.header.thread).second || !content.start) continue;
    if (std::abs(sample.unix_s - content.start->unix_s) > 2 * kSameTimeSeconds) {
      odd.insert(sample.header.thread);
    }
  }
  content.odd_time_threads.assign(odd.begin(), odd.end());
}

}  // namespace

std::optional<FrameSample> sample_of(Bytes bytes, std::uint64_t packet, std::uint32_t packet_bytes,
                                     std::int64_t hint_unix_s) {
  FrameSample sample;
  sample.packet = packet;
  if (is_mark5b(bytes)) {
    const auto header = parse_mark5b(bytes);
    if (!header) return std::nullopt;
    sample.kind = FrameKind::kMark5b;
    sample.header.frame_in_second = header->frame_in_second;
    sample.header.frame_bytes = kMark5bFrameBytes;
    sample.unix_s = unix_seconds(*header, hint_unix_s);
    sample.fraction_100us = header->fraction_100us;
    return sample;
  }
  const auto header = parse(bytes);
  if (!header || header->invalid || !plausible(bytes, packet_bytes)) return std::nullopt;
  sample.kind = FrameKind::kVdif;
  sample.header = *header;
  sample.unix_s = unix_seconds(*header, hint_unix_s);
  return sample;
}

std::vector<const FrameSample*> agreeing(const std::vector<FrameSample>& samples,
                                         std::optional<std::int64_t> not_before) {
  std::vector<const FrameSample*> best;
  bool best_is_before = true;
  std::set<std::int64_t> tried;
  // Corrupted headers are few, so few times are tried.
  constexpr std::size_t kMostTried = 64;
  for (const FrameSample& reference : samples) {
    if (tried.size() >= kMostTried || !tried.insert(reference.unix_s).second) continue;
    std::vector<const FrameSample*> group;
    for (const FrameSample& sample : samples) {
      if (std::abs(sample.unix_s - reference.unix_s) <= kSameTimeSeconds) group.push_back(&sample);
    }
    const bool is_before = not_before && reference.unix_s < *not_before;
    const bool is_better = best.empty() || (best_is_before && !is_before) ||
                           (best_is_before == is_before && group.size() > best.size());
    if (!is_better || (is_before && !best_is_before)) continue;
    best = std::move(group);
    best_is_before = is_before;
  }
  return best;
}

Content survey(const SurveyInput& input) {
  Content content;
  const auto head = agreeing(input.head, std::nullopt);
  if (head.empty()) return content;
  std::int64_t begin = head.front()->unix_s;
  for (const FrameSample* sample : head) begin = std::min(begin, sample->unix_s);
  const auto tail = agreeing(input.tail, begin);
  content.kind = head.front()->kind;
  content.format = head.front()->header;
  set_names(content, input);
  const std::uint32_t counted =
      input.is_whole ? rate_by_count(head, tail, content.threads.size()) : 0;
  const Rate rate = rate_of(frame_rate_candidates(content.format), rate_at_border(input), counted,
                            rate_by_time_code(head), highest_frame(input));
  content.frames_per_second = rate.frames_per_second;
  content.rate_from = rate.from;
  content.rate_is_measured = rate.is_measured;
  set_times(content, head, tail);
  set_odd_threads(content, input);
  if (content.kind == FrameKind::kMark5b) {  // it knows neither
    content.stations.clear();
    content.threads.clear();
  }
  return content;
}

std::uint64_t Content::data_rate_bps() const {
  const bool is_mark5b = kind == FrameKind::kMark5b;
  const std::uint64_t header_bytes = is_mark5b ? kMark5bHeaderBytes : format.header_bytes();
  if (format.frame_bytes <= header_bytes) return 0;
  const std::uint64_t streams = is_mark5b ? 1 : threads.size();
  return (format.frame_bytes - header_bytes) * 8 * frames_per_second * streams;
}

std::optional<double> Content::duration_s() const {
  if (!start || !stop || *stop < *start) return std::nullopt;
  return seconds_between(*start, *stop);
}

std::uint64_t Content::samples_per_second() const {
  if (kind != FrameKind::kVdif || format.log2_channels > 16) return 0;
  // Samples are packed into words of 32 bits, whose rest is padding, and never cross them.
  const std::uint64_t parts = format.complex ? 2 : 1;
  const std::uint64_t values_per_word = 32 / format.bits_per_sample;
  const std::uint64_t words = (format.frame_bytes - format.header_bytes()) / 4;
  return words * values_per_word * frames_per_second / parts / format.channels();
}

std::string_view kind_name(FrameKind kind) {
  switch (kind) {
    case FrameKind::kVdif:
      return "VDIF";
    case FrameKind::kMark5b:
      return "Mark5B";
    case FrameKind::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view rate_from_name(RateFrom from) {
  switch (from) {
    case RateFrom::kHeader:
      return "header";
    case RateFrom::kBorder:
      return "border";
    case RateFrom::kCount:
      return "count";
    case RateFrom::kTimeCode:
      return "time code";
    case RateFrom::kNothing:
      break;
  }
  return "unknown";
}

}  // namespace mark6::vdif
