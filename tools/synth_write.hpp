// SPDX-License-Identifier: MIT
// Writes a planned recording: blocks in the order of their numbers, each with one pwritev to its
// fragment, the flat stream's hash on the way. Either all files appear under their names or none.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "common/base/error.hpp"
#include "tools/synth_options.hpp"
#include "tools/synth_plan.hpp"

namespace mark6::synth {

/// Writes fragments, metadata and the flat file of `plan`; returns the sha256 of the flat stream in
/// hex, nothing for a sparse recording. Errors: kUsage (files exist), kNoSpace, kIo, kInterrupted.
Result<std::optional<std::string>> write_recording(const SynthOptions& options,
                                                   const SynthPlan& plan,
                                                   const std::stop_token& stop);

}  // namespace mark6::synth
