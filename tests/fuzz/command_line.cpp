// SPDX-License-Identifier: MIT
// The command lines of the programs, words apart by NUL; the first byte says whose. What is said
// about a mistake is fit for a terminal.
#include <fcntl.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/escape.hpp"
#include "common/base/units.hpp"
#include "fuse/options.hpp"
#include "gather/options.hpp"
#include "tests/fuzz/input.hpp"
#include "tools/iostat_options.hpp"
#include "tools/synth_options.hpp"

using namespace mark6;
using mark6::fuzz::expect;

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

void check_printable(const std::string& line) {
  for (const char c : line) {
    expect(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "a message has no control bytes");
  }
}

template <class T>
void check_refusal(const Result<T>& result) {
  if (result) return;
  expect(result.error().code == ErrorCode::kUsage, "a refusal is one of usage");
  check_printable(describe(result.error()));
}

/// Programs that tell mistakes themselves tell them to nobody.
Environment silent() {
  static const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  Environment environment;
  environment.stdin_fd = environment.stdout_fd = environment.stderr_fd = nowhere;
  return environment;
}

void check_word(const std::string& word) {
  check_printable(escaped(word));
  expect(valid_utf8(valid_utf8(word)) == valid_utf8(word), "valid UTF-8 is left as it is");
  const auto bytes = parse_bytes(word);
  check_refusal(bytes);
  expect(!bytes || *bytes <= std::uint64_t{INT64_MAX}, "sizes are below 2^63");
  static_cast<void>(synth::parse_start(word));
  static_cast<void>(synth::parse_disk_label(word));
  static_cast<void>(split_mount_words(word));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::uint32_t program = input.below(5);
  const std::vector<std::string> words = words_of(input.rest_as_text());
  Environment environment = silent();
  if (program == 0) check_refusal(gather::parse_options(words));
  if (program == 1) check_refusal(parse_fuse_options(words));
  if (program == 2) static_cast<void>(synth::parse_synth_options(words, environment));
  if (program == 3) static_cast<void>(parse_iostat_line(words, environment));
  if (program == 4) std::for_each(words.begin(), words.end(), check_word);
  return 0;
}
