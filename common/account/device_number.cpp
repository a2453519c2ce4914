// SPDX-License-Identifier: MIT
#include "common/account/device_number.hpp"

#include <sys/sysmacros.h>

#include <charconv>

namespace mark6 {
namespace {

bool parse_all(std::string_view text, unsigned& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

DeviceNumber device_number(dev_t device) { return {gnu_dev_major(device), gnu_dev_minor(device)}; }

std::string to_string(DeviceNumber number) {
  return std::to_string(number.major) + ":" + std::to_string(number.minor);
}

std::optional<DeviceNumber> parse_device_number(std::string_view text) {
  const auto colon = text.find(':');
  DeviceNumber number;
  if (colon == std::string_view::npos || !parse_all(text.substr(0, colon), number.major) ||
      !parse_all(text.substr(colon + 1), number.minor)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace mark6
