// SPDX-License-Identifier: MIT
// Names that somebody may have meant who typed another one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mark6 {

/// Of `names`, at most five that contain `word` without regard to case, or differ from it by at
/// most three edits; the closest first.
std::vector<std::string> similar_names(std::string_view word,
                                       const std::vector<std::string>& names);

}  // namespace mark6
