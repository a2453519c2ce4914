// SPDX-License-Identifier: MIT
#include "gather/inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <span>

#include "common/catalog/similar_names.hpp"

namespace mark6::gather {
namespace {

using Words = std::span<const std::string>;

enum class PathKind { kNothing, kFile, kDirectory, kFifo, kCharacterDevice, kBlockDevice, kSocket };

PathKind kind_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return PathKind::kNothing;
  switch (status.st_mode & S_IFMT) {
    case S_IFREG:
      return PathKind::kFile;
    case S_IFDIR:
      return PathKind::kDirectory;
    case S_IFIFO:
      return PathKind::kFifo;
    case S_IFCHR:
      return PathKind::kCharacterDevice;
    case S_IFBLK:
      return PathKind::kBlockDevice;
    default:
      return PathKind::kSocket;
  }
}

bool is_pattern(const std::string& word) { return word.find_first_of("*?[") != std::string::npos; }

/// Existing regular files that the pattern `word` matches, sorted.
std::vector<std::string> files_matching(const std::string& word) {
  if (!is_pattern(word)) return {};
  glob_t found{};
  std::vector<std::string> files;
  if (::glob(word.c_str(), 0, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) {
      if (kind_of(found.gl_pathv[i]) == PathKind::kFile) files.emplace_back(found.gl_pathv[i]);
    }
  }
  ::globfree(&found);
  return files;
}

/// Fragment files and other words among the inputs; the words are names of scans, or mistakes.
struct Sorted {
  std::vector<std::string> files;
  std::vector<std::string> names;
};

Result<Sorted> sort_inputs(Words words) {
  Sorted sorted;
  for (const std::string& word : words) {
    if (word == "-") {
      return failure(ErrorCode::kUsage, word, "stands among the inputs",
                     "the name of a scan or its fragments", "an output of - comes last");
    }
    switch (kind_of(word)) {
      case PathKind::kFile:
        sorted.files.push_back(word);
        break;
      case PathKind::kNothing:
        if (auto files = files_matching(word); !files.empty()) {
          sorted.files.insert(sorted.files.end(), files.begin(), files.end());
        } else {
          sorted.names.push_back(word);
        }
        break;
      case PathKind::kDirectory:
        return failure(ErrorCode::kUsage, word, "is a directory",
                       "a scan, or the files that are its fragments",
                       "use --root to name the directories of disks");
      default:
        return failure(ErrorCode::kUsage, word, "is not a regular file",
                       "a scan, or the files that are its fragments");
    }
  }
  return sorted;
}

/// Names for a message: the first ten, escaped when the error is described.
std::string abridged(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 10;
  const auto shown = std::min(names.size(), kShown);
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::vector<std::string> names_of(const std::vector<const Scan*>& scans) {
  std::vector<std::string> names;
  names.reserve(scans.size());
  for (const Scan* scan : scans) names.push_back(scan->name);
  return names;
}

Result<Inputs> from_files(const std::vector<std::string>& files) {
  auto catalog = catalog_of_files(files);
  if (!catalog) return Failure(catalog.error());
  if (catalog->scans.size() != 1) {
    const std::vector<std::string> names = catalog->scan_names();
    return failure(
        ErrorCode::kUsage, "",
        fmt::format("fragments of {} scans were given: {}", names.size(), abridged(names)),
        "fragments of one scan, all of the same name", "an output file that exists is named by -o");
  }
  Inputs inputs{std::move(*catalog), {}, {}};
  inputs.scan = inputs.catalog.scans.front();
  return inputs;
}

/// The disks of the modules and the scans on them.
Result<Catalog> look_at_modules(const Options& options, const Environment& environment) {
  CatalogSources sources = CatalogSources::from(options.roots, environment);
  if (options.meta_root) sources.meta_root = options.meta_root;
  return discover(sources);
}

Failure not_found(const std::string& word, const Catalog& catalog, const Options& options,
                  const Environment& environment) {
  const CatalogSources sources = CatalogSources::from(options.roots, environment);
  const auto similar = similar_names(word, catalog.scan_names());
  std::string advice =
      similar.empty() ? "see mark6 list" : "did you mean " + abridged(similar) + "?";
  for (const std::string& problem : catalog.problems) advice += " (" + problem + ")";
  return failure(ErrorCode::kNotFound, word, "no such scan, and no such file",
                 fmt::format("one of {} scans on {} disks in {}", catalog.scans.size(),
                             catalog.disks.size(), abridged(sources.disk_globs)),
                 std::move(advice));
}

Result<Inputs> from_name(const std::string& word, const Options& options,
                         const Environment& environment) {
  auto catalog = look_at_modules(options, environment);
  if (!catalog) {
    Error error = catalog.error();
    error.advice = fmt::format(
        "'{}' is no file, so it was looked for as a scan on the modules; "
        "--root or MARK6_ROOT says where they are",
        word);
    return Failure(error);
  }
  const auto scans = match_scans(*catalog, word);
  if (scans.empty()) return not_found(word, *catalog, options, environment);
  if (scans.size() > 1) {
    return failure(ErrorCode::kAmbiguous, word,
                   fmt::format("fits {} scans: {}", scans.size(), abridged(names_of(scans))),
                   "the name of one scan");
  }
  Inputs inputs{{}, *scans.front(), {}};
  inputs.catalog = std::move(*catalog);
  return inputs;
}

Result<Inputs> resolve(Words words, const Options& options, const Environment& environment) {
  auto sorted = sort_inputs(words);
  if (!sorted) return Failure(sorted.error());
  if (sorted->names.empty()) return from_files(sorted->files);
  if (sorted->files.empty() && sorted->names.size() == 1) {
    return from_name(sorted->names.front(), options, environment);
  }
  if (sorted->files.empty()) {
    return failure(ErrorCode::kUsage, "", "several scans were named: " + abridged(sorted->names),
                   "one scan, or files that are fragments of one scan");
  }
  return failure(ErrorCode::kUsage, sorted->names.front(), "no such file",
                 "files only, since " + sorted->files.front() + " is one",
                 "an output file that exists is named by -o");
}

/// Whether `word`, which names nothing that exists, is a scan of the modules other than the one
/// found: then two scans were asked for, and no output. A path never is.
bool is_another_scan(const std::string& word, const Inputs& inputs) {
  if (word.find('/') != std::string::npos) return false;
  const auto scans = match_scans(inputs.catalog, word);
  return !scans.empty() && (scans.size() > 1 || scans.front()->name != inputs.scan.name);
}

/// The last of several arguments names nothing that exists: it is the output, unless it is likely
/// to be a mistake.
Result<Inputs> with_new_output(const Options& options, const Environment& environment) {
  const std::string& last = options.arguments.back();
  if (is_pattern(last)) {
    return failure(ErrorCode::kNotFound, last, "the pattern matches no file",
                   "fragments of the scan, or an output file",
                   "if it is meant to be the output's name, say -o");
  }
  auto inputs =
      resolve(Words(options.arguments).first(options.arguments.size() - 1), options, environment);
  if (!inputs) return inputs;
  if (is_another_scan(last, *inputs)) {
    return failure(ErrorCode::kUsage, last, "is the name of another scan", "one scan",
                   "if it is meant to be the output's name, say -o");
  }
  inputs->output = last;
  return inputs;
}

Result<Inputs> with_output(Result<Inputs> inputs, std::optional<std::string> output) {
  if (inputs) inputs->output = std::move(output);
  return inputs;
}

}  // namespace

Result<Inputs> find_scan(const Options& options, const Environment& environment) {
  return resolve(Words(options.arguments), options, environment);
}

Result<Inputs> find_inputs(const Options& options, const Environment& environment) {
  const Words words(options.arguments);
  const Words all_but_last = words.first(words.size() - 1);
  const std::string& last = words.back();
  if (options.output) {
    auto output = *options.output == "-" ? std::nullopt : options.output;
    return with_output(resolve(words, options, environment), std::move(output));
  }
  if (words.size() == 1) return resolve(words, options, environment);
  if (last == "-") return resolve(all_but_last, options, environment);
  switch (kind_of(last)) {
    case PathKind::kFile:
      return resolve(words, options, environment);
    case PathKind::kFifo:
    case PathKind::kCharacterDevice:
      return with_output(resolve(all_but_last, options, environment), last);
    case PathKind::kDirectory:
      return failure(
          ErrorCode::kUsage, last, "is a directory", "a file to write to",
          fmt::format("for example {}{}scan.vdif", last, last.ends_with('/') ? "" : "/"));
    case PathKind::kBlockDevice:
    case PathKind::kSocket:
      return failure(ErrorCode::kUsage, last, "is a block device or a socket",
                     "a file, a FIFO or - for stdout", "pipe the stream into dd or socat");
    case PathKind::kNothing:
      break;
  }
  if (!files_matching(last).empty()) return resolve(words, options, environment);
  return with_new_output(options, environment);
}

}  // namespace mark6::gather
