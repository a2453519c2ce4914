// SPDX-License-Identifier: MIT
// The order people expect of numbered things: disk "2" comes before disk "10". Pure.
#pragma once

#include <string_view>

namespace mark6 {

/// Whether `a` comes before `b`: runs of digits compare as numbers of any length, the rest as
/// bytes. A strict weak order in which only equal strings are equivalent ("1" comes before "01").
bool natural_less(std::string_view a, std::string_view b);

}  // namespace mark6
