// SPDX-License-Identifier: MIT
#include "tools/synth_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <set>

#include "tools/synth_random.hpp"

namespace mark6::synth {
namespace {

constexpr std::array<std::string_view, 9> kWords = {
    "drop", "duplicate", "invalid", "fill", "pattern", "length", "jump", "thread", "epoch"};
constexpr std::int64_t kJumpLimit_s = 86'400;

bool lasts(FaultKind kind) { return kind >= FaultKind::kJump; }

Failure cannot(const std::string& found, const std::string& expected) {
  return failure(ErrorCode::kUsage, "--fault", found, expected);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

bool sane(const FaultRequest& request) {
  switch (request.kind) {
    case FaultKind::kJump:
      return request.amount != 0 && std::abs(request.amount) <= kJumpLimit_s;
    case FaultKind::kThread:
      return request.amount >= 0;
    case FaultKind::kEpoch:
      return request.amount >= 0 && request.amount < 64;
    default:
      return request.amount > 0 && request.amount <= (std::int64_t{1} << 32);
  }
}

}  // namespace

std::string_view to_string(FaultKind kind) { return kWords.at(static_cast<std::size_t>(kind)); }

Result<FaultRequest> parse_fault(const std::string& text) {
  const std::string_view view = text;
  const std::size_t colon = view.find(':');
  const std::size_t at = view.find('@');
  const auto word = std::find(kWords.begin(), kWords.end(), view.substr(0, colon));
  const auto mistake = cannot(fmt::format("'{}'", text),
                              "KIND:AMOUNT[@FRAME], e.g. drop:3, invalid:2@100 or jump:-1@500");
  if (colon == std::string_view::npos || word == kWords.end()) return mistake;
  FaultRequest request;
  request.kind = static_cast<FaultKind>(word - kWords.begin());
  const std::string_view amount = view.substr(colon + 1);
  const auto number =
      whole_number(at == std::string_view::npos ? amount : view.substr(colon + 1, at - colon - 1));
  if (!number) return mistake;
  request.amount = *number;
  if (at != std::string_view::npos) {
    const auto frame = whole_number(view.substr(at + 1));
    if (!frame || *frame < 0) return mistake;
    request.frame = static_cast<std::uint64_t>(*frame);
  }
  if (!sane(request)) return mistake;
  return request;
}

Result<FaultPlan> FaultPlan::make(const std::vector<FaultRequest>& requests, std::uint64_t frames,
                                  std::uint32_t threads, std::uint64_t seed) {
  FaultPlan plan;
  if (requests.empty()) return plan;
  for (const FaultRequest& request : requests) {
    if (!lasts(request.kind) && !request.frame) continue;
    if (auto planted = plan.plant(request, frames, threads); !planted) {
      return Failure(planted.error());
    }
  }
  // Chance comes last, so that it avoids what has its place.
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (lasts(requests[i].kind) || requests[i].frame) continue;
    if (auto planted = plan.scatter(requests[i], frames, threads, mix(seed) + i); !planted) {
      return Failure(planted.error());
    }
  }
  plan.sort();
  if (auto sound = plan.lay_out(frames, threads); !sound) return Failure(sound.error());
  return plan;
}

Result<void> FaultPlan::plant(const FaultRequest& request, std::uint64_t frames,
                              std::uint32_t threads) {
  PlantedFault fault{.kind = request.kind, .frame = request.frame.value_or(frames / 2)};
  if (lasts(request.kind)) {
    if (request.kind == FaultKind::kThread && request.amount >= threads) {
      return cannot(fmt::format("no thread {}", request.amount),
                    fmt::format("0 to {}", threads - 1));
    }
    fault.amount = request.amount;
    lasting_.push_back(fault);
    return {};
  }
  fault.count = static_cast<std::uint64_t>(request.amount);
  for (const PlantedFault& other : runs_) {
    if (fault.frame < other.frame + other.count && other.frame < fault.frame + fault.count) {
      return cannot(fmt::format("two faults of frame {}", std::max(fault.frame, other.frame)),
                    "at most one");
    }
  }
  runs_.push_back(fault);
  return {};
}

/// Single frames that have no fault yet. The first frame keeps its health: it is the start time.
Result<void> FaultPlan::scatter(const FaultRequest& request, std::uint64_t frames,
                                std::uint32_t threads, std::uint64_t seed) {
  const auto wanted = static_cast<std::uint64_t>(request.amount);
  if (wanted > frames / 4) {
    return cannot(fmt::format("{} of {} frames", wanted, frames), "at most a quarter of them");
  }
  sort();
  std::set<std::uint64_t> chosen;
  Random random(seed);
  // A stream in which hardly a frame is without a fault must not hold us for ever.
  for (std::uint64_t tries = 0; chosen.size() < wanted; ++tries) {
    if (tries > 100 * wanted + 1000) {
      return cannot(fmt::format("no room for {} more", wanted), "fewer faults");
    }
    const std::uint64_t frame = 1 + random.next() % (frames - 1);
    if (!of(frame) && !thread_missing(frame, threads)) chosen.insert(frame);
  }
  for (const std::uint64_t frame : chosen) {
    runs_.push_back({.kind = request.kind, .frame = frame, .count = 1});
  }
  return {};
}

bool FaultPlan::thread_missing(std::uint64_t frame, std::uint32_t threads) const {
  return std::any_of(lasting_.begin(), lasting_.end(), [&](const PlantedFault& fault) {
    return fault.kind == FaultKind::kThread && frame >= fault.frame &&
           frame % threads == static_cast<std::uint64_t>(fault.amount);
  });
}

void FaultPlan::sort() {
  const auto earlier = [](const PlantedFault& a, const PlantedFault& b) {
    return a.frame < b.frame;
  };
  std::stable_sort(runs_.begin(), runs_.end(), earlier);
  std::stable_sort(lasting_.begin(), lasting_.end(), earlier);
}

/// Walks over the frames as they are sent, until enough have been received.
Result<void> FaultPlan::lay_out(std::uint64_t frames, std::uint32_t threads) {
  std::set<std::int64_t> gone;
  for (const PlantedFault& fault : lasting_) {
    if (fault.kind == FaultKind::kThread) gone.insert(fault.amount);
  }
  if (gone.size() == threads) return cannot("every thread is missing", "at least one that is not");
  planted_ = runs_;
  planted_.insert(planted_.end(), lasting_.begin(), lasting_.end());
  std::stable_sort(planted_.begin(), planted_.end(),
                   [](const auto& a, const auto& b) { return a.frame < b.frame; });
  auto next_planted = planted_.begin();
  std::uint64_t next_frame = 0;  // what would be received if the stream counted on
  std::uint64_t frame = 0;
  for (std::uint64_t position = 0; position < frames; ++frame) {
    for (; next_planted != planted_.end() && next_planted->frame == frame; ++next_planted) {
      next_planted->position = position;
    }
    const auto fault = of(frame);
    int copies = fault == FaultKind::kDuplicate ? 2 : 1;
    if (fault == FaultKind::kDrop || thread_missing(frame, threads)) copies = 0;
    for (; copies > 0 && position < frames; --copies, ++position) {
      if (frame != next_frame) steps_.push_back({position, frame});
      next_frame = frame + 1;
    }
  }
  for (const PlantedFault& fault : planted_) {
    if (fault.frame + fault.count > frame) {
      return cannot(
          fmt::format("{} of frame {}", to_string(fault.kind), fault.frame + fault.count - 1),
          fmt::format("a frame below {}", frame));
    }
  }
  return {};
}

std::uint64_t FaultPlan::sent_frame(std::uint64_t position) const {
  const auto behind = std::upper_bound(
      steps_.begin(), steps_.end(), position,
      [](std::uint64_t wanted, const Step& step) { return wanted < step.position; });
  if (behind == steps_.begin()) return position;
  const Step& step = *(behind - 1);
  return step.frame + (position - step.position);
}

std::optional<FaultKind> FaultPlan::of(std::uint64_t frame) const {
  const auto behind = std::upper_bound(
      runs_.begin(), runs_.end(), frame,
      [](std::uint64_t wanted, const PlantedFault& run) { return wanted < run.frame; });
  if (behind == runs_.begin()) return std::nullopt;
  const PlantedFault& run = *(behind - 1);
  return frame < run.frame + run.count ? std::optional(run.kind) : std::nullopt;
}

std::int64_t FaultPlan::jump_s(std::uint64_t frame) const {
  std::int64_t sum = 0;
  for (const PlantedFault& fault : lasting_) {
    if (fault.kind == FaultKind::kJump && frame >= fault.frame) sum += fault.amount;
  }
  return sum;
}

std::optional<std::uint32_t> FaultPlan::epoch(std::uint64_t frame) const {
  std::optional<std::uint32_t> epoch;
  for (const PlantedFault& fault : lasting_) {
    if (fault.kind == FaultKind::kEpoch && frame >= fault.frame) {
      epoch = static_cast<std::uint32_t>(fault.amount);
    }
  }
  return epoch;
}

}  // namespace mark6::synth
