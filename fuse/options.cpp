// SPDX-License-Identifier: MIT
#include "fuse/options.hpp"

#include <array>
#include <utility>

namespace mark6 {
namespace {

/// Walks the arguments; a letter's or a long option's value may stand in the same argument or in
/// the next one.
class CommandLine {
 public:
  explicit CommandLine(const std::vector<std::string>& args) : args_(args) {}

  Result<FuseOptions> parse() {
    for (; next_ < args_.size(); ++next_) {
      const std::string& arg = args_[next_];
      if (arg == "--") {
        names_.insert(names_.end(), args_.begin() + static_cast<std::ptrdiff_t>(next_) + 1,
                      args_.end());
        break;
      }
      const auto done = arg.starts_with("--")                  ? long_option(arg.substr(2))
                        : arg.size() > 1 && arg.front() == '-' ? letters(arg.substr(1))
                                                               : name(arg);
      if (!done) return Failure(done.error());
    }
    return finish();
  }

 private:
  Result<void> name(const std::string& arg) {
    names_.push_back(arg);
    return {};
  }

  /// The value that must follow `option` in the next argument.
  Result<std::string> next_value(const std::string& option) {
    if (next_ + 1 >= args_.size()) {
      return failure(ErrorCode::kUsage, option, "a value is missing behind it");
    }
    return args_[++next_];
  }

  Result<void> mount_words(const std::string& list) {
    for (const auto& word : split_mount_words(list)) {
      if (auto done = apply_mount_word(options_, word); !done) return done;
    }
    return {};
  }

  /// "-fv", "-o LIST", "-oLIST".
  Result<void> letters(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == 'o') {
        if (i + 1 < text.size()) return mount_words(text.substr(i + 1));
        const auto list = next_value("-o");
        if (!list) return Failure(list.error());
        return mount_words(*list);
      }
      if (auto done = letter(text[i]); !done) return done;
    }
    return {};
  }

  Result<void> letter(char letter) {
    switch (letter) {
      case 'f':
        options_.foreground = true;
        return {};
      case 'd':
        options_.debug = options_.foreground = true;
        return {};
      case 'q':
        options_.verbosity = Verbosity::kQuiet;
        return {};
      case 'v':
        options_.verbosity = Verbosity::kVerbose;
        return {};
      case 'h':
        options_.show_help = true;
        return {};
      case 'V':
        options_.show_version = true;
        return {};
      default:
        return unknown(std::string("-") + letter);
    }
  }

  /// "--memory=SIZE", "--memory SIZE", "--version".
  Result<void> long_option(const std::string& text) {
    constexpr std::array<std::pair<const char*, char>, 6> kLetters = {{{"foreground", 'f'},
                                                                       {"debug", 'd'},
                                                                       {"quiet", 'q'},
                                                                       {"verbose", 'v'},
                                                                       {"help", 'h'},
                                                                       {"version", 'V'}}};
    for (const auto& [word, short_form] : kLetters) {
      if (text == word) return letter(short_form);
    }
    if (text == "replace") return apply_mount_word(options_, text);
    constexpr std::array<std::pair<const char*, const char*>, 6> kValues = {
        {{"memory", "memory="},
         {"timeout", "timeout="},
         {"meta-root", "meta_root="},
         {"stats", "stats="},
         {"prometheus", "prometheus="},
         {"stats-interval", "stats_interval="}}};
    const auto equals = text.find('=');
    for (const auto& [word, mount_word] : kValues) {
      if (text.substr(0, equals) != word) continue;
      const auto value = equals == std::string::npos ? next_value("--" + text)
                                                     : Result<std::string>(text.substr(equals + 1));
      if (!value) return Failure(value.error());
      return apply_mount_word(options_, mount_word + *value);
    }
    return unknown("--" + text);
  }

  static Failure unknown(const std::string& option) {
    return failure(ErrorCode::kUsage, option, "not an option of mark6fs", "",
                   "mark6fs --help lists them");
  }

  /// The last name is the mount point, those before it are sources.
  Result<FuseOptions> finish() {
    if (options_.show_help || options_.show_version) return options_;
    if (names_.empty() || names_.back().empty()) {
      return failure(ErrorCode::kUsage, "", "no mount point given",
                     "mark6fs [options] [SOURCE...] MOUNTPOINT", "mark6fs --help has examples");
    }
    options_.mount_point = names_.back();
    names_.pop_back();
    const std::string first = names_.empty() ? "" : names_.front();
    // fstab needs some word in its first column; these say that the default root is meant.
    const bool only_a_word = names_.size() == 1 && (first.empty() || first == "none" ||
                                                    first == "mark6fs" || first == "mark6");
    if (!only_a_word) options_.sources = names_;
    if (options_.fs_name.empty()) {
      options_.fs_name = options_.sources.size() == 1 ? options_.sources.front() : "mark6fs";
    }
    return options_;
  }

  const std::vector<std::string>& args_;
  std::size_t next_ = 0;
  std::vector<std::string> names_;
  FuseOptions options_;
};

}  // namespace

Result<FuseOptions> parse_fuse_options(const std::vector<std::string>& args) {
  return CommandLine(args).parse();
}

std::string fuse_help() {
  return R"(Usage: mark6fs [options] [SOURCE...] MOUNTPOINT
Mounts Mark6 modules: every scan is one ordinary read-only file below MOUNTPOINT.

  SOURCE              glob of disk directories, quoted or expanded by the shell
                      (default: $MARK6_ROOT, else /mnt/disks/*/*)
  -o OPT[,OPT...]     allow_other         other users may read (also allow_root)
                      cache=kernel        through the page cache (numpy.memmap needs it)
                      timeout=SECONDS     wait so long for a disk, then EIO (30)
                      memory=SIZE         budget for reading ahead
                      meta_root=PATH      metadata ($MARK6_META_ROOT)
                      index=walk          read all block headers, trust no proof by a few
                      stats=FILE          statistics as JSON, prometheus=FILE for
                                          node_exporter, each stats_interval=SECONDS (10)
                      auto_unmount        unmount when mark6fs dies
                      replace             a mark6fs mounted there, dead or alive, makes way
                      words of fstab (ro, nofail, x-...) are accepted
  -f, -d              stay in the foreground; also print every request
  --replace, --memory, --timeout, --meta-root, --stats, --prometheus, --stats-interval: as
                      with -o
  -q, -v              say less, say more
  --version, --help
Examples:
  mark6fs /mnt/vlbi                             all modules
  mark6fs '/mnt/disks/[12]/*' /mnt/vlbi12       modules 1 and 2
  mark6fs -o allow_other /data/copy/*/* /mnt/vlbi
  fstab:  mark6fs  /mnt/vlbi  fuse.mark6fs  allow_other,nofail  0  0
Unmount: fusermount3 -u MOUNTPOINT. Signals: HUP looks for modules again, USR1 logs statistics.
MOUNTPOINT/.mark6/{disks,health,stats.json} tell how the disks are.
)";
}

}  // namespace mark6
