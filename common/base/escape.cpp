// SPDX-License-Identifier: MIT
#include "common/base/escape.hpp"

#include <cstddef>
#include <cstdint>

namespace mark6 {
namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

/// Length of the valid UTF-8 sequence at the start of `text` (1..4), or 0 (RFC 3629: no overlong
/// forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text) {
  const unsigned char lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  std::uint32_t value = 0;
  std::uint32_t smallest = 0;
  if ((lead & 0xE0) == 0xC0) {
    length = 2, value = lead & 0x1FU, smallest = 0x80;
  } else if ((lead & 0xF0) == 0xE0) {
    length = 3, value = lead & 0x0FU, smallest = 0x800;
  } else if ((lead & 0xF8) == 0xF0) {
    length = 4, value = lead & 0x07U, smallest = 0x10000;
  } else {
    return 0;
  }
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
    value = (value << 6) | (byte_at(text, i) & 0x3FU);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  return value >= smallest && value <= 0x10FFFF && !surrogate ? length : 0;
}

void append_hex(std::string& out, unsigned char byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "\\x";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 0xF];
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const unsigned char first = byte_at(text, 0);
    const bool c1_control = length == 2 && first == 0xC2 && byte_at(text, 1) < 0xA0;
    if (length == 0 || first < 0x20 || first == 0x7F) {
      append_hex(out, first);
      text.remove_prefix(1);
    } else if (c1_control) {
      append_hex(out, first);
      append_hex(out, byte_at(text, 1));
      text.remove_prefix(2);
    } else {
      if (first == '\\') out += '\\';
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    out += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace mark6
