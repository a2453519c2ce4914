// SPDX-License-Identifier: MIT
// Which names somebody may have meant who typed one that does not exist. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/catalog/catalog.hpp"

namespace mark6 {

/// At most `count` names of scans that resemble `word`, the closest first; those that share
/// nothing with it are left out.
std::vector<std::string> nearest_names(const std::vector<Scan>& scans, std::string_view word,
                                       std::size_t count);

}  // namespace mark6
