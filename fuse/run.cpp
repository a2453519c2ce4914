// SPDX-License-Identifier: MIT
// mark6fs as a story: understand the command line, check that mounting can work, go into the
// background, serve.
#include "fuse/run.hpp"

#include <fuse_lowlevel.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

#include "common/catalog/catalog.hpp"
#include "fuse/daemon.hpp"
#include "fuse/mount_log.hpp"
#include "fuse/mount_point.hpp"
#include "fuse/options.hpp"
#include "fuse/session.hpp"

namespace mark6 {
namespace {

ExitCode fail(const Environment& environment, const Error& error) {
  static_cast<void>(write_text(environment.stderr_fd, "mark6fs: " + describe(error) + "\n"));
  return exit_code_of(error.code);
}

ExitCode print(const Environment& environment, const std::string& text) {
  return write_text(environment.stdout_fd, text) ? ExitCode::kDelivered : ExitCode::kIo;
}

/// `path` as seen from "/", where a daemon stands. Characters of the current directory that a glob
/// would interpret are escaped; `path` itself is a glob already.
std::string absolute(const std::string& path) {
  std::array<char, PATH_MAX> here{};
  if (path.starts_with('/') || path.starts_with('~') ||
      ::getcwd(here.data(), here.size()) == nullptr) {
    return path;
  }
  std::string prefix;
  for (const char c : std::string_view(here.data())) {
    if (std::string_view("\\*?[]{},~").find(c) != std::string_view::npos) prefix += '\\';
    prefix += c;
  }
  return prefix + "/" + path;
}

/// A file name as seen from "/".
void make_absolute(std::optional<std::string>& path) {
  std::array<char, PATH_MAX> here{};
  if (path && !path->starts_with('/') && ::getcwd(here.data(), here.size()) != nullptr) {
    path = std::string(here.data()) + "/" + *path;
  }
}

CatalogSources find_sources(const FuseOptions& options, const Environment& environment) {
  auto sources = CatalogSources::from(options.sources, environment);
  for (auto& glob : sources.disk_globs) glob = absolute(glob);
  if (options.meta_root) sources.meta_root = options.meta_root;
  make_absolute(sources.meta_root);
  return sources;
}

/// A reader of 32 disks has up to 64 descriptors; the usual soft limit of 1024 is for 16 of them.
void raise_open_files_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

ExitCode serve(const FuseOptions& options, CatalogSources sources, const Environment& environment,
               const std::optional<UniqueFd>& parent) {
  set_up_mount_log(options.verbosity, environment.stderr_fd);
  std::signal(SIGPIPE, SIG_IGN);  // stderr may be a pipe that nobody reads any more
  raise_open_files_limit();
  const auto on_ready = [&] {
    if (!parent) return true;
    move_mount_log_to_syslog();
    drop_output(environment);
    return tell_parent(*parent, ExitCode::kDelivered);
  };
  Session session(options, std::move(sources), environment, on_ready);
  const ExitCode code = session.run();
  // When the parent has its word already, this one goes nowhere.
  if (parent) tell_parent(*parent, code);
  return code;
}

}  // namespace

ExitCode run_mark6fs(const std::vector<std::string>& args, Environment& environment) {
  auto options = parse_fuse_options(args);
  if (!options) return fail(environment, options.error());
  if (options->show_help) return print(environment, fuse_help());
  if (options->show_version) {
    return print(environment,
                 std::string("mark6fs " MARK6_VERSION " (libfuse ") + fuse_pkgversion() + ")\n");
  }
  auto mount_point = check_mount_point(options->mount_point, options->replace);
  if (!mount_point) return fail(environment, mount_point.error());
  options->mount_point = *mount_point;
  if (const auto able = check_fuse(*options); !able) return fail(environment, able.error());
  make_absolute(options->stats.json_file);
  make_absolute(options->stats.prometheus_file);
  if (const auto may = check_stats_files(options->stats); !may) {
    return fail(environment, may.error());
  }
  CatalogSources sources = find_sources(*options, environment);
  if (options->foreground) {
    return serve(*options, std::move(sources), environment, std::nullopt);
  }
  auto daemon = daemonise(environment);
  if (!daemon) return fail(environment, daemon.error());
  if (daemon->is_parent) return daemon->exit_code;
  return serve(*options, std::move(sources), environment, std::move(daemon->parent));
}

}  // namespace mark6
