// SPDX-License-Identifier: MIT
// What the arguments of mark6gather mean. The last one is the output when it is "-" or names
// nothing that exists; an existing file there is an input. Inputs are fragment files, patterns of
// them, or the name of one scan on the modules. Nothing is opened or created here.
#pragma once

#include <optional>
#include <string>

#include "common/base/environment.hpp"
#include "common/base/error.hpp"
#include "common/catalog/catalog.hpp"
#include "gather/options.hpp"

namespace mark6::gather {

/// The scan to be streamed, and where to.
struct Inputs {
  Catalog catalog;  ///< the disks on which the scan's fragments lie, at least
  Scan scan;
  std::optional<std::string> output;  ///< a path; nothing: stdout
};

/// Finds the scan and the output that `options` name. Errors: kUsage, kAmbiguous, kNotFound, kIo.
Result<Inputs> find_inputs(const Options& options, const Environment& environment);

/// The scan alone, once more, when the output may have been made meanwhile. Errors: as above.
Result<Inputs> find_scan(const Options& options, const Environment& environment);

}  // namespace mark6::gather
