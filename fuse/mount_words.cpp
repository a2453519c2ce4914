// SPDX-License-Identifier: MIT
// The -o words of mark6fs: our own, those of FUSE, and the generic ones that mount(8) and fstab
// add, which mean nothing to a read-only file system and are accepted so that any fstab line works.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "common/base/units.hpp"
#include "fuse/options.hpp"

namespace mark6 {
namespace {

/// Words that need no action: the mount is always ro,nosuid,nodev,noexec,default_permissions.
constexpr std::array kIgnoredWords = {"ro",
                                      "auto",
                                      "noauto",
                                      "user",
                                      "users",
                                      "nouser",
                                      "owner",
                                      "group",
                                      "nofail",
                                      "defaults",
                                      "_netdev",
                                      "dev",
                                      "nodev",
                                      "suid",
                                      "nosuid",
                                      "exec",
                                      "noexec",
                                      "atime",
                                      "noatime",
                                      "diratime",
                                      "nodiratime",
                                      "relatime",
                                      "norelatime",
                                      "strictatime",
                                      "nostrictatime",
                                      "lazytime",
                                      "nolazytime",
                                      "async",
                                      "sync",
                                      "dirsync",
                                      "silent",
                                      "loud",
                                      "iversion",
                                      "noiversion",
                                      "mand",
                                      "nomand",
                                      "nosymfollow",
                                      "symfollow",
                                      "default_permissions",
                                      "nonempty"};

constexpr std::array kIgnoredPrefixes = {"x-", "X-", "comment=", "user=", "uhelper=", "helper="};

Failure bad_value(std::string_view word, std::string expected) {
  return failure(ErrorCode::kUsage, "-o " + std::string(word), "the value cannot be used",
                 std::move(expected));
}

Result<void> set_timeout(FuseOptions& options, std::string_view word, std::string_view value) {
  double seconds = 0;
  const auto [rest, status] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  constexpr double kLongest = 1e6;
  if (status != std::errc{} || rest != value.data() + value.size() || !(seconds >= 0.01) ||
      seconds > kLongest) {
    return bad_value(word, "seconds, at least 0.01");
  }
  options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  return {};
}

Result<void> set_bytes(std::optional<std::uint64_t>& into, std::string_view word,
                       std::string_view value) {
  const auto bytes = parse_bytes(value);
  if (!bytes || *bytes == 0) return bad_value(word, "a size such as 2G or 512MiB");
  into = *bytes;
  return {};
}

Result<void> set_max_read(FuseOptions& options, std::string_view word, std::string_view value) {
  std::optional<std::uint64_t> bytes;
  if (auto ok = set_bytes(bytes, word, value); !ok) return ok;
  constexpr std::uint64_t kPage = 4096;
  if (*bytes < kPage || *bytes > std::numeric_limits<std::uint32_t>::max()) {
    return bad_value(word, "at least 4096 bytes");
  }
  options.max_read = static_cast<std::uint32_t>(*bytes);
  return {};
}

/// Words of the form key=value. False: `key` is none of ours.
Result<bool> apply_value(FuseOptions& options, std::string_view word, std::string_view key,
                         std::string_view value) {
  Result<void> done;
  if (key == "timeout") {
    done = set_timeout(options, word, value);
  } else if (key == "memory") {
    done = set_bytes(options.memory_bytes, word, value);
  } else if (key == "max_read") {
    done = set_max_read(options, word, value);
  } else if (key == "cache") {
    if (value != "kernel" && value != "none") return bad_value(word, "cache=kernel or cache=none");
    options.kernel_cache = value == "kernel";
  } else if (key == "index") {
    if (value != "proof" && value != "walk") return bad_value(word, "index=proof or index=walk");
    options.index_by = value == "walk" ? IndexBy::kWalk : IndexBy::kProof;
  } else if (key == "stats_interval") {
    const auto interval = parse_stats_interval("-o " + std::string(word), std::string(value));
    if (!interval) return Failure(interval.error());
    options.stats.interval = *interval;
  } else if (key == "stats" || key == "prometheus") {
    if (value.empty()) return bad_value(word, "a file behind the =");
    (key == "stats" ? options.stats.json_file : options.stats.prometheus_file) = value;
  } else if (key == "meta_root" || key == "fsname" || key == "subtype") {
    if (value.empty()) return bad_value(word, "a text behind the =");
    if (key == "meta_root") options.meta_root = value;
    if (key == "fsname") options.fs_name = value;
    if (key == "subtype") options.subtype = value;
  } else {
    return false;
  }
  if (!done) return Failure(done.error());
  return true;
}

bool is_ignored(std::string_view word) {
  return std::find(kIgnoredWords.begin(), kIgnoredWords.end(), word) != kIgnoredWords.end() ||
         std::any_of(kIgnoredPrefixes.begin(), kIgnoredPrefixes.end(),
                     [&](std::string_view prefix) { return word.starts_with(prefix); });
}

}  // namespace

std::vector<std::string> split_mount_words(std::string_view list) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '\\' && i + 1 < list.size() && (list[i + 1] == ',' || list[i + 1] == '\\')) {
      words.back() += list[++i];
    } else if (list[i] == ',') {
      words.emplace_back();
    } else {
      words.back() += list[i];
    }
  }
  std::erase(words, "");
  return words;
}

Result<void> apply_mount_word(FuseOptions& options, std::string_view word) {
  if (word == "allow_other") {
    options.allow_other = true;
  } else if (word == "allow_root") {
    options.allow_root = true;
  } else if (word == "auto_unmount") {
    options.auto_unmount = true;
  } else if (word == "replace") {
    options.replace = true;
  } else if (word == "debug") {
    options.debug = options.foreground = true;
  } else if (word == "rw") {
    options.asked_for_rw = true;
  } else if (!is_ignored(word)) {
    const auto equals = word.find('=');
    const auto known =
        equals == std::string_view::npos
            ? Result<bool>(false)
            : apply_value(options, word, word.substr(0, equals), word.substr(equals + 1));
    if (!known) return Failure(known.error());
    if (!*known) {
      return failure(ErrorCode::kUsage, "-o " + std::string(word), "not an option of mark6fs", "",
                     "mark6fs --help lists them");
    }
  }
  return {};
}

}  // namespace mark6
