// SPDX-License-Identifier: MIT
// One mount from its beginning to its end: look for the scans, mount, serve, listen to signals,
// unmount, clean up.
#pragma once

#include <functional>
#include <memory>

#include "common/base/environment.hpp"
#include "common/base/exit_code.hpp"
#include "common/catalog/catalog.hpp"
#include "fuse/options.hpp"

namespace mark6 {

class Session {
 public:
  /// `on_ready` is called once, on another thread, when the mount serves; false ends it again.
  Session(const FuseOptions& options, CatalogSources sources, const Environment& environment,
          std::function<bool()> on_ready);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Mounts and serves until the file system is unmounted. Errors have been logged.
  ExitCode run();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mark6
