// SPDX-License-Identifier: MIT
#include "common/catalog/natural_order.hpp"

#include <algorithm>
#include <cstddef>

namespace mark6 {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes the run of digits at the start of `text` away; the run without leading zeros.
std::string_view take_number(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  std::string_view run = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(run.size());
  run.remove_prefix(std::min(run.find_first_not_of('0'), run.size()));
  return run;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view left = a;
  std::string_view right = b;
  while (!left.empty() && !right.empty()) {
    if (is_digit(left.front()) && is_digit(right.front())) {
      const std::string_view m = take_number(left);
      const std::string_view n = take_number(right);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
      continue;
    }
    if (left.front() != right.front()) {
      return static_cast<unsigned char>(left.front()) < static_cast<unsigned char>(right.front());
    }
    left.remove_prefix(1);
    right.remove_prefix(1);
  }
  if (left.empty() != right.empty()) return left.empty();
  // Equal but for leading zeros.
  if (a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

}  // namespace mark6
