// SPDX-License-Identifier: MIT
// The two forms of the answer of `mark6 diagnose`: a report for people, JSON for programs. Pure.
#pragma once

#include <string>

#include "tools/diagnose_result.hpp"

namespace mark6 {

/// The summary, the table of disks, that of scaling where it was asked for, and notes; safe to
/// print.
std::string diagnose_report(const Diagnosis& diagnosis);

/// One JSON object and a newline, schema "mark6.diagnose/1".
std::string diagnose_json(const Diagnosis& diagnosis);

}  // namespace mark6
