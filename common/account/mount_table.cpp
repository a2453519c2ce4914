// SPDX-License-Identifier: MIT
#include "common/account/mount_table.hpp"

#include <utility>

namespace mark6 {
namespace {

bool octal(char c) { return c >= '0' && c <= '7'; }

/// Undoes \040 and the like.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) &&
        octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// Cuts the part before `separator` off `rest`.
std::string_view next(std::string_view& rest, char separator) {
  const auto end = rest.find(separator);
  const auto part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

/// "36 35 98:0 /root /mnt rw,noatime shared:1 - xfs /dev/sdb1 rw": the fields before the dash are
/// six and any number of tags.
std::optional<Mount> parse_line(std::string_view line) {
  Mount mount;
  for (int i = 0; i < 2; ++i) next(line, ' ');
  const auto number = parse_device_number(next(line, ' '));
  next(line, ' ');
  mount.mount_point = unescaped(next(line, ' '));
  next(line, ' ');
  while (!line.empty() && next(line, ' ') != "-") {
  }
  mount.file_system = unescaped(next(line, ' '));
  mount.source = unescaped(next(line, ' '));
  mount.options = std::string(next(line, ' '));
  if (!number || mount.file_system.empty() || !mount.mount_point.starts_with('/')) {
    return std::nullopt;
  }
  mount.number = *number;
  return mount;
}

bool contains(std::string_view mount_point, std::string_view path) {
  return mount_point == "/" || path == mount_point ||
         (path.starts_with(mount_point) && path[mount_point.size()] == '/');
}

/// Layers are separated by ':', a ':' in a name is written "\:". Since Linux 6.7 data-only layers
/// follow "::".
void split_layers(std::string_view list, std::vector<std::string>& layers) {
  std::string layer;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i == list.size() || list[i] == ':') {
      if (!layer.empty()) layers.push_back(std::exchange(layer, {}));
    } else {
      if (list[i] == '\\' && i + 1 < list.size()) ++i;
      layer += list[i];
    }
  }
}

}  // namespace

std::vector<Mount> parse_mounts(std::string_view text) {
  std::vector<Mount> mounts;
  while (!text.empty()) {
    if (auto mount = parse_line(next(text, '\n'))) mounts.push_back(std::move(*mount));
  }
  return mounts;
}

const Mount* mount_of(const std::vector<Mount>& mounts, std::string_view path,
                      DeviceNumber number) {
  const Mount* same_number = nullptr;
  const Mount* innermost = nullptr;
  const auto improve = [](const Mount*& best, const Mount& mount) {
    if (best == nullptr || mount.mount_point.size() >= best->mount_point.size()) best = &mount;
  };
  for (const Mount& mount : mounts) {
    if (!contains(mount.mount_point, path)) continue;
    improve(innermost, mount);
    if (mount.number == number) improve(same_number, mount);
  }
  if (same_number != nullptr) return same_number;
  return number.anonymous() ? innermost : nullptr;
}

std::vector<std::string> overlay_layers(std::string_view options) {
  std::vector<std::string> layers;
  while (!options.empty()) {
    // The comma inside of a name is written \054, so that commas separate options.
    const auto option = next(options, ',');
    std::string_view value = option;
    const auto key = next(value, '=');
    if (key == "upperdir" || key.starts_with("lowerdir")) split_layers(unescaped(value), layers);
  }
  return layers;
}

}  // namespace mark6
