// SPDX-License-Identifier: MIT
// The metadata that a recorder leaves on each disk: eMSN, group, disk_sn, state, and slist with the
// scans. Another scan on the same modules is added to slist; the other files stay as they are.
#pragma once

#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "tools/synth_files.hpp"
#include "tools/synth_options.hpp"
#include "tools/synth_plan.hpp"

namespace mark6::synth {

/// The text of an slist (a Python dict) with this scan added to `old_text`, which may be empty. A
/// scan of the same name is not added again; an slist that cannot be understood is started anew.
std::string slist_with(std::string_view old_text, const SynthOptions& options,
                       const SynthPlan& plan);

/// Adds the metadata files of all disks that are there to `files`. Errors: kIo, kNoSpace.
Result<void> add_metadata(const SynthOptions& options, const SynthPlan& plan, NewFiles& files);

}  // namespace mark6::synth
