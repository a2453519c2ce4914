// SPDX-License-Identifier: MIT
// parse_slist: the text of a Python dict, as the recorder writes it, or JSON. Values that are of no
// interest are stepped over; nesting, records and text are bounded, and each byte is looked at
// once.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

#include "common/catalog/metadata.hpp"

namespace mark6 {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_number_part(char c) {
  return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E';
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(value > -1e300 && value < 1e300)) return std::nullopt;  // inf, nan
  return value;
}

/// What a value came to: a string, a number, or (None, 'unk' aside) nothing we use.
struct Value {
  std::optional<std::string> text;
  std::optional<double> number;

  /// As a number; the recorder writes some of them in quotes, and 'unk' for what it does not know.
  [[nodiscard]] std::optional<double> as_number() const { return text ? number_of(*text) : number; }
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<std::vector<ScanRecord>> run() {
    skip_space();
    if (at_end()) return records_;  // a module that has just been erased
    if (!container(0)) return mistake();
    skip_space();
    if (!at_end()) {
      complain("more text behind the list");
      return mistake();
    }
    return std::move(records_);
  }

 private:
  /// One dict or list at the cursor. The dicts directly inside the outermost one are the records.
  bool container(std::size_t depth) {
    if (at_end()) return complain("the text ends early");
    const char open = peek();
    const char close = open == '{' ? '}' : open == '[' ? ']' : open == '(' ? ')' : '\0';
    if (close == '\0') return complain("no list of scans");
    if (depth >= kMaxNesting) return complain("brackets nested too deeply");
    ++at_;
    ScanRecord record;
    bool has_name = false;
    while (true) {
      skip_space();
      if (take(close)) break;
      std::string key;
      if (open == '{' && !take_key(depth, key)) return false;
      Value value;
      if (!item(depth, value)) return false;
      if (depth == 1 && open == '{') has_name = assign(record, key, value) || has_name;
      skip_space();
      if (take(',')) continue;
      skip_space();
      if (!take(close)) return complain("a comma or closing bracket is missing");
      break;
    }
    return !has_name || keep(std::move(record));
  }

  bool keep(ScanRecord record) {
    if (records_.size() >= kMaxScanRecords) return complain("too many scans");
    records_.push_back(std::move(record));
    return true;
  }

  bool take_key(std::size_t depth, std::string& key) {
    Value value;
    if (!item(depth, value)) return false;
    if (value.text) key = std::move(*value.text);
    skip_space();
    return take(':') || complain("a colon is missing");
  }

  /// One value at the cursor, which stands in a container of this depth.
  bool item(std::size_t depth, Value& value) {
    skip_space();
    if (at_end()) return complain("the text ends early");
    const char c = peek();
    if (c == '{' || c == '[' || c == '(') return container(depth + 1);
    if (c == '\'' || c == '"') return string(value);
    if (is_letter(c)) return word(value);
    if (is_number_part(c)) return number(value);
    return complain("a value is missing");
  }

  /// u'..', None, True, null, ...: only the strings are of interest.
  bool word(Value& value) {
    const std::size_t start = at_;
    while (!at_end() && is_letter(peek())) ++at_;
    const bool prefix = at_ - start <= 2 && !at_end() && (peek() == '\'' || peek() == '"');
    return prefix ? string(value) : true;
  }

  bool number(Value& value) {
    const std::size_t start = at_;
    while (!at_end() && is_number_part(peek())) ++at_;
    value.number = number_of(text_.substr(start, at_ - start));
    if (!at_end() && (peek() == 'L' || peek() == 'l')) ++at_;
    return true;
  }

  bool string(Value& value) {
    const char quote = text_[at_++];
    std::string result;
    while (!at_end() && peek() != quote) {
      char c = text_[at_++];
      if (c == '\\') {
        if (at_end()) break;
        c = text_[at_++];
        if (c == 'x' || c == 'u') {
          coded(c == 'x' ? 2 : 4, result);
          continue;
        }
        constexpr std::array<std::pair<char, char>, 3> kCodes{
            {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}}};
        for (const auto& [letter, code] : kCodes) {
          if (c == letter) c = code;
        }
      }
      result.push_back(c);
    }
    if (at_end()) return complain("a string does not end");
    ++at_;
    value.text = std::move(result);
    return true;
  }

  /// \xNN and \uNNNN; above one byte as UTF-8. Anything that is no such code is left as it stands.
  void coded(std::size_t digits, std::string& result) {
    const std::string_view hex = text_.substr(at_, digits);
    unsigned code = 0;
    const auto [end, status] = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    if (hex.size() != digits || status != std::errc() || end != hex.data() + hex.size()) {
      result += digits == 2 ? "\\x" : "\\u";
      return;
    }
    at_ += digits;
    const auto append = [&result](unsigned byte) { result.push_back(static_cast<char>(byte)); };
    if (code < 0x80 || digits == 2) {
      append(code);
    } else if (code < 0x800) {
      append(0xC0U | (code >> 6));
      append(0x80U | (code & 0x3FU));
    } else {
      append(0xE0U | (code >> 12));
      append(0x80U | ((code >> 6) & 0x3FU));
      append(0x80U | (code & 0x3FU));
    }
  }

  /// Notes `key: value` in `record`; true when it is the name of the scan.
  static bool assign(ScanRecord& record, const std::string& key, Value& value) {
    if (key == "start_tm") record.start_unix_s = value.as_number();
    if (key == "dur") record.duration_s = value.as_number();
    if (key == "size") record.size_gb = value.as_number();
    if (key == "status" && value.text) record.status = std::move(*value.text);
    if (key == "create_time" && value.text) record.create_time = std::move(*value.text);
    if (key != "sn" || !value.text || value.text->empty()) return false;
    record.name = std::move(*value.text);
    if (record.name.ends_with(".vdif")) record.name.resize(record.name.size() - 5);
    return true;
  }

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return text_[at_]; }
  bool take(char c) {
    if (at_end() || peek() != c) return false;
    ++at_;
    return true;
  }
  void skip_space() {
    while (!at_end() && is_space(peek())) ++at_;
  }

  /// Notes the first complaint; always false.
  bool complain(const char* what) {
    if (complaint_.empty()) complaint_ = std::string(what) + " at byte " + std::to_string(at_);
    return false;
  }
  Failure mistake() const {
    return failure(ErrorCode::kBadFormat, {}, complaint_, "a Python dict or JSON of scans");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string complaint_;
  std::vector<ScanRecord> records_;
};

}  // namespace

Result<std::vector<ScanRecord>> parse_slist(std::string_view text) {
  if (text.size() > kMaxMetadataBytes) {
    return failure(ErrorCode::kBadFormat, {}, "more than 16 MiB of text at byte 16777216",
                   "a Python dict or JSON of scans");
  }
  return Parser(text).run();
}

}  // namespace mark6
