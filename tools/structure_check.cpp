// SPDX-License-Identifier: MIT
#include "tools/structure_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/account/recorder_share.hpp"

namespace mark6 {
namespace {

constexpr std::size_t kCompareBytes = std::size_t{1} << 20;

/// Reads the two payloads side by side until they differ.
PayloadsAre compare(const OpenedScan& opened, const sg::Duplicate& block,
                    const std::stop_token& stop) {
  if (block.kept_bytes != block.dropped_bytes) return PayloadsAre::kDifferent;
  const auto& kept = opened.files[block.kept.value];
  const auto& dropped = opened.files[block.dropped.value];
  if (!kept || !dropped) return PayloadsAre::kUnread;
  std::vector<std::byte> a(kCompareBytes), b(kCompareBytes);
  for (std::uint32_t done = 0; done < block.kept_bytes;) {
    if (stop.stop_requested()) return PayloadsAre::kUnread;
    const std::size_t size = std::min<std::size_t>(kCompareBytes, block.kept_bytes - done);
    const MutableBytes into_a = MutableBytes(a).first(size), into_b = MutableBytes(b).first(size);
    if (!kept->read_exactly_at(block.kept_at + done, into_a) ||
        !dropped->read_exactly_at(block.dropped_at + done, into_b)) {
      return PayloadsAre::kUnread;
    }
    if (!std::equal(into_a.begin(), into_a.end(), into_b.begin())) return PayloadsAre::kDifferent;
    done += static_cast<std::uint32_t>(size);
  }
  return PayloadsAre::kEqual;
}

/// The header of the fragments that are used; nullptr without any.
const sg::FileHeader* majority_header(const ScanReport& report) {
  const sg::FileHeader* header = nullptr;
  for (const FragmentReport& fragment : report.fragments) {
    const sg::FragmentSummary& summary = fragment.summary;
    const bool counts =
        summary.use == sg::FragmentUse::kUsed && summary.kind == sg::FragmentKind::kScatterGather;
    if (!counts || summary.blocks == 0) continue;
    // A packet size of 0 was recovered from the data; another fragment's header may have it.
    if (header == nullptr || header->packet_size == 0) header = &summary.header;
  }
  return header;
}

void add_disagreements(const FragmentReport& fragment, FragmentIndex index,
                       const sg::FileHeader& majority, std::vector<HeaderDisagreement>& found) {
  const sg::FileHeader& own = fragment.summary.header;
  struct Field {
    const char* name;
    std::int64_t value, majority;
  };
  const std::array fields{Field{"version", own.version, majority.version},
                          Field{"block_size", own.block_size, majority.block_size},
                          Field{"packet_size", own.packet_size, majority.packet_size}};
  for (const Field& field : fields) {
    if (field.value == field.majority || (field.value == 0 && field.name == fields[2].name)) {
      continue;
    }
    found.push_back({index, field.name, field.value, field.majority});
  }
}

std::vector<HeaderDisagreement> disagreements_of(const ScanReport& report) {
  std::vector<HeaderDisagreement> found;
  const sg::FileHeader* majority = majority_header(report);
  if (majority == nullptr) return found;
  for (std::size_t i = 0; i < report.fragments.size(); ++i) {
    const FragmentReport& fragment = report.fragments[i];
    if (fragment.summary.use != sg::FragmentUse::kDisagrees) continue;
    add_disagreements(fragment, FragmentIndex(static_cast<std::uint16_t>(i)), *majority, found);
  }
  return found;
}

std::vector<BlockShare> shares_of(const ScanReport& report) {
  std::vector<BlockShare> shares;
  std::vector<DiskActivity> disks;
  for (std::size_t i = 0; i < report.fragments.size(); ++i) {
    const sg::FragmentSummary& summary = report.fragments[i].summary;
    if (summary.use != sg::FragmentUse::kUsed) continue;
    const double all = static_cast<double>(std::max<std::uint64_t>(report.blocks, 1));
    shares.push_back({.fragment = FragmentIndex(static_cast<std::uint16_t>(i)),
                      .share = static_cast<double>(summary.blocks) / all,
                      .evidence = {}});
    disks.emplace_back();
    disks.back().blocks = summary.blocks;
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    DiskVerdict verdict;
    add_recorder_share(disks, i, verdict);
    shares[i].slow_while_recording = verdict.slow_while_recording;
    shares[i].evidence = verdict.recording;
  }
  return shares;
}

void add_sums(StructureCheck& check) {
  for (const FragmentReport& fragment : check.scan.fragments) {
    for (const sg::Damage& damage : fragment.summary.damage) {
      switch (damage.kind) {
        case sg::DamageKind::kTruncatedBlock:
          ++check.truncated_blocks;
          break;
        case sg::DamageKind::kOutOfOrder:
          ++check.out_of_order_blocks;
          break;
        case sg::DamageKind::kWrongLength:
          ++check.repaired_lengths;
          break;
        case sg::DamageKind::kLostBytes:
          ++check.resynchronisations;
          check.lost_bytes += damage.bytes;
          break;
        default:
          break;
      }
    }
  }
}

void add_fragment_findings(const StructureCheck& check, std::size_t i,
                           std::vector<std::string>& lines) {
  const FragmentReport& fragment = check.scan.fragments[i];
  const sg::FragmentSummary& summary = fragment.summary;
  for (const sg::Damage& damage : summary.damage) {
    lines.push_back(fragment.label + ": " + describe(damage));
  }
  if (summary.damage_count > summary.damage.size()) {
    lines.push_back(
        fmt::format("{}: {} more", fragment.label, summary.damage_count - summary.damage.size()));
  }
  for (const HeaderDisagreement& one : check.disagreements) {
    if (one.fragment.value != i) continue;
    lines.push_back(fmt::format("{}: left out, its header disagrees: {} {}, the others {}",
                                fragment.label, one.field, one.value, one.majority));
  }
  if (summary.use == sg::FragmentUse::kDisagrees) {
    const bool told =
        std::any_of(check.disagreements.begin(), check.disagreements.end(),
                    [i](const HeaderDisagreement& one) { return one.fragment.value == i; });
    if (!told) lines.push_back(fragment.label + ": left out, its packets disagree with the others");
  } else if (summary.use != sg::FragmentUse::kUsed && summary.damage.empty()) {
    lines.push_back(fmt::format("{}: left out, {}", fragment.label, use_name(summary.use)));
  }
}

std::string duplicate_line(const ScanReport& report, const DuplicateCheck& twice) {
  std::string line = fmt::format("block {} stands twice", twice.block.number.value);
  if (twice.payloads == PayloadsAre::kDifferent) line += ", with different bytes";
  if (twice.payloads == PayloadsAre::kUnread) line += ", not compared";
  return line + fmt::format(": {} at byte {} (taken) and {} at byte {}",
                            report.fragments[twice.block.kept.value].label,
                            twice.block.kept_at.value,
                            report.fragments[twice.block.dropped.value].label,
                            twice.block.dropped_at.value);
}

}  // namespace

unsigned StructureCheck::findings() const {
  unsigned bits = 0;
  if (scan.missing_blocks > 0) bits |= kCheckMissing;
  if (!scan.absent.disks.empty() || !scan.absent.modules.empty()) bits |= kCheckAbsent;
  if (scan.state == sg::ScanState::kDamaged) bits |= kCheckStructure;
  return bits == 0 ? 0 : bits | kCheckFindings;
}

StructureCheck check_structure(const OpenedScan& opened, ScanReport report,
                               const std::stop_token& stop) {
  StructureCheck check;
  check.scan = std::move(report);
  for (const sg::Duplicate& block : check.scan.duplicates) {
    check.duplicates.push_back({block, compare(opened, block, stop)});
  }
  check.disagreements = disagreements_of(check.scan);
  check.shares = shares_of(check.scan);
  add_sums(check);
  return check;
}

std::vector<std::string> structure_findings(const StructureCheck& check) {
  const ScanReport& report = check.scan;
  std::vector<std::string> lines = report.open_problems;
  for (std::size_t i = 0; i < report.fragments.size(); ++i) add_fragment_findings(check, i, lines);
  for (const DuplicateCheck& twice : check.duplicates) {
    lines.push_back(duplicate_line(report, twice));
  }
  if (report.duplicate_count > check.duplicates.size()) {
    lines.push_back(
        fmt::format("duplicates: {} more", report.duplicate_count - check.duplicates.size()));
  }
  for (const std::string& disk : report.absent.disks) lines.push_back(disk + ": no fragment");
  for (const std::string& module : report.absent.modules) {
    lines.push_back(fmt::format("module {} of the same group is not in view", module));
  }
  return lines;
}

std::string_view payloads_name(PayloadsAre payloads) {
  switch (payloads) {
    case PayloadsAre::kEqual:
      return "equal";
    case PayloadsAre::kDifferent:
      return "different";
    case PayloadsAre::kUnread:
      return "unread";
  }
  return "unknown";
}

}  // namespace mark6
