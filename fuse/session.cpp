// SPDX-License-Identifier: MIT
#include "fuse/session.hpp"

#include <fuse_lowlevel.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/escape.hpp"
#include "common/base/log.hpp"
#include "common/os/signals.hpp"
#include "common/report/stats_exporter.hpp"
#include "fuse/daemon.hpp"
#include "fuse/helper_threads.hpp"
#include "fuse/mount_point.hpp"
#include "fuse/operations.hpp"
#include "fuse/service.hpp"
#include "fuse/statistics.hpp"

namespace mark6 {
namespace {

/// Counters for so many disks at least: modules may be added while the mount lives, and no Mark6
/// has more than eight modules.
constexpr std::size_t kLeastDisks = 64;
/// What the recorder writes by default; --memory helps where blocks are larger.
constexpr std::uint64_t kBlockBytes = 10'000'000;
constexpr unsigned kReadAheadBytes = 4U << 20;
/// Unmounting takes less than two seconds, also while disks are looked at that do not answer.
constexpr std::chrono::milliseconds kExitPatience{1500};

struct SessionDeleter {
  void operator()(fuse_session* session) const { fuse_session_destroy(session); }
};
using SessionPtr = std::unique_ptr<fuse_session, SessionDeleter>;

std::int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Adds "-oWORD" with the characters escaped that libfuse would take apart.
void add_word(fuse_args& args, const std::string& word) {
  std::string escaped_word = "-o";
  for (const char c : word) {
    if (c == ',' || c == '\\') escaped_word += '\\';
    escaped_word += c;
  }
  fuse_opt_add_arg(&args, escaped_word.c_str());
}

/// The session of libfuse with the mount options that `options` asks for; nullptr (and a message
/// of libfuse in the log) when it does not like them.
SessionPtr new_session(const FuseOptions& options, Service& service) {
  fuse_args args = FUSE_ARGS_INIT(0, nullptr);
  fuse_opt_add_arg(&args, "mark6fs");
  for (const char* word : {"ro", "nosuid", "nodev", "noexec", "default_permissions"}) {
    add_word(args, word);
  }
  add_word(args, "fsname=" + options.fs_name);
  add_word(args, "subtype=" + options.subtype);
  if (options.max_read) add_word(args, "max_read=" + std::to_string(*options.max_read));
  if (options.allow_other) add_word(args, "allow_other");
  if (options.allow_root) add_word(args, "allow_root");
  if (options.auto_unmount) add_word(args, "auto_unmount");
  if (options.debug) add_word(args, "debug");
  const fuse_lowlevel_ops operations = fuse_operations();
  SessionPtr session(fuse_session_new(&args, &operations, sizeof operations, &service));
  fuse_opt_free_args(&args);
  return session;
}

}  // namespace

/// The threads: SignalThread (on_signal), libfuse's workers (in loop()), a rescan at a time. Each
/// member is written before the threads that read it start, or is atomic, or guarded by mutex.
struct Session::State {
  State(const FuseOptions& fuse_options, CatalogSources catalog_sources,
        const Environment& program_environment, std::function<bool()> when_ready)
      : options(fuse_options),
        sources(std::move(catalog_sources)),
        environment(program_environment),
        on_ready(std::move(when_ready)) {}

  const FuseOptions& options;
  const CatalogSources sources;
  const Environment& environment;
  const std::function<bool()> on_ready;

  DiskTable disks{kLeastDisks};
  std::unique_ptr<Service> service;
  SessionPtr session;
  std::optional<StatsExporter> exporter;  ///< while it serves

  std::mutex mutex;
  std::optional<MountEntry> mount;         ///< guarded: once mounted
  HelperThreads notices{1};                ///< tells the kernel of names that changed
  std::atomic<bool> asked_to_look{false};  ///< by SIGHUP
  enum class Phase { kStarting, kServing, kEnding };
  std::atomic<Phase> phase{Phase::kStarting};
  std::atomic<int> stops{0};  ///< SIGTERMs and SIGINTs so far

  ExitCode run();
  ExitCode prepare();
  bool start_service();
  bool attach();
  ExitCode loop();
  void finish(ExitCode code);
  unsigned said_hello();
  void on_signal(int number);
  void ask_to_stop();
  void look_again();
  void rescan_now(const Rescan::Answer& answer);
  void tell_kernel(std::vector<std::string> names);
};

ExitCode Session::State::run() {
  ExitCode code = ExitCode::kDelivered;
  {
    // Before all other threads, so that they inherit the mask; gone before finish(), because what
    // a signal asks for needs the service.
    const SignalThread signals({SIGTERM, SIGINT, SIGHUP, SIGUSR1},
                               [this](int number) { on_signal(number); });
    code = prepare();
    if (code != ExitCode::kDelivered) return code;
    const std::stop_callback on_stop(environment.stop, [this] { ask_to_stop(); });
    code = loop();
  }
  finish(code);
  return code;
}

/// Finds the scans, starts the reader and mounts.
ExitCode Session::State::prepare() {
  const std::int64_t began_ns = wall_clock_ns();
  std::vector<std::string> directories;
  auto scans = find_scans(sources, disks, directories);
  if (!scans) {
    spdlog::error("{}", describe(scans.error()));
    return exit_code_of(scans.error().code);
  }
  if (const auto outside = check_outside(options.mount_point, directories); !outside) {
    spdlog::error("{}", describe(outside.error()));
    return exit_code_of(outside.error().code);
  }
  spdlog::info("{} scans on {} disks", scans->size(), directories.size());
  if (!start_service()) return ExitCode::kIo;
  add_disks(*service, directories);
  service->tree.update(std::move(*scans), began_ns);
  if (!attach()) return ExitCode::kIo;
  exporter.emplace(service->statistics, options.stats);
  service->shelf.walk_in_background(*service->tree.listing());
  return ExitCode::kDelivered;
}

bool Session::State::start_service() {
  ReadEngineOptions engine_options;
  engine_options.memory_bytes =
      options.memory_bytes.value_or(default_memory_budget(disks.size(), kBlockBytes));
  engine_options.deadline_ns = std::chrono::nanoseconds(options.timeout).count();
  engine_options.on_hung = [this](DiskIndex disk, bool hung, std::int64_t waited_ns) {
    const std::string waited = format_duration(static_cast<double>(waited_ns) / 1e9);
    if (hung) {
      spdlog::error("disk {}: has not answered for {}; what lies on it is EIO until it does",
                    escaped(disks.label(disk)), waited);
    } else {
      spdlog::warn("disk {}: answers again, after {}", escaped(disks.label(disk)), waited);
    }
  };
  auto engine = ReadEngine::start(disks.capacity(), std::move(engine_options));
  if (!engine) {
    spdlog::error("{}", describe(engine.error()));
    return false;
  }
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  service =
      std::make_unique<Service>(options, disks, std::move(*engine), std::min<std::size_t>(2, cores),
                                [this](const auto& answer) { rescan_now(answer); });
  service->on_init = [this] { return said_hello(); };
  return true;
}

bool Session::State::attach() {
  if (options.replace) {
    if (const auto done = make_way(options.mount_point); !done) {
      spdlog::error("{}", describe(done.error()));
      return false;
    }
  }
  session = new_session(options, *service);
  if (session == nullptr || fuse_session_mount(session.get(), options.mount_point.c_str()) != 0) {
    spdlog::error("{}: cannot mount; the lines above say why", escaped(options.mount_point));
    return false;
  }
  const std::lock_guard lock(mutex);
  mount = mounted_at(options.mount_point);
  phase = Phase::kServing;
  look_again();
  return true;
}

/// Serves until the kernel says that the file system is gone.
ExitCode Session::State::loop() {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned workers = std::min(4U, 2 * cores);
  fuse_loop_config* config = fuse_loop_cfg_create();
  fuse_loop_cfg_set_clone_fd(config, 0);
  fuse_loop_cfg_set_max_threads(config, workers);
  fuse_loop_cfg_set_idle_threads(config, workers);
  const int failed = fuse_session_loop_mt(session.get(), config);
  fuse_loop_cfg_destroy(config);
  if (failed == 0) return ExitCode::kDelivered;
  spdlog::error("{}: the connection to the kernel broke: error {}", escaped(options.mount_point),
                failed);
  return ExitCode::kIo;
}

/// Leaves nothing behind; a disk that hangs may hold that up for kExitPatience only.
void Session::State::finish(ExitCode code) {
  ExitClock clock(code, kExitPatience);
  phase = Phase::kEnding;
  clock.doing("writing the statistics");
  exporter.reset();
  clock.doing("taking the mount off");
  fuse_session_unmount(session.get());
  clock.doing("waiting for reads and looks at the disks");
  service->stop();
  clock.doing("telling the kernel of names");
  notices.stop();
  clock.doing("letting go of everything");
  session.reset();
  service.reset();
  spdlog::info("{}: unmounted", escaped(options.mount_point));
}

/// The kernel's first request is there: whoever waits for the mount can go on.
unsigned Session::State::said_hello() {
  unsigned read_ahead_bytes = 0;
  {
    const std::lock_guard lock(mutex);
    if (options.kernel_cache && mount && raise_read_ahead(*mount, kReadAheadBytes)) {
      read_ahead_bytes = kReadAheadBytes;
    }
  }
  spdlog::info("{}: serving{}", escaped(options.mount_point),
               options.asked_for_rw ? ", read-only as always" : "");
  if (const auto socket = environment.variable("NOTIFY_SOCKET")) {
    const auto told =
        notify_service_manager(*socket, "READY=1\nMAINPID=" + std::to_string(::getpid()));
    if (!told) spdlog::warn("{}", describe(told.error()));
  }
  if (!on_ready()) {
    spdlog::warn("who started this mount has gone; unmounting");
    ask_to_stop();
  }
  return read_ahead_bytes;
}

void Session::State::on_signal(int number) {
  if (number == SIGHUP) {
    asked_to_look = true;
    look_again();
  } else if (number == SIGUSR1) {
    if (phase == Phase::kServing) log_statistics(*service);
  } else {
    ask_to_stop();
  }
}

/// The first time: no new opens, those who read may finish. The second time: leaves at once.
void Session::State::ask_to_stop() {
  const int times = ++stops;
  if (phase == Phase::kEnding) return;  // it ends already, and an ExitClock sees to it
  std::optional<MountEntry> mounted;
  {
    const std::lock_guard lock(mutex);
    mounted = mount;
  }
  if (mounted) {
    if (const auto detached = detach_mount(*mounted); !detached) {
      spdlog::error("{}", describe(detached.error()));
    }
  }
  if (times > 1 || phase == Phase::kStarting) {
    spdlog::warn("asked to stop: leaving at once");
    ::_exit(static_cast<int>(ExitCode::kInterrupted));
  }
  spdlog::info("asked to stop: unmounted, {} open files may be read to their end",
               service->open_scans.size());
}

/// Looks for modules and scans if a signal asked for it and there is a mount to show them; on a
/// thread of its own: a disk that hangs must not keep the signals.
void Session::State::look_again() {
  if (phase == Phase::kServing && asked_to_look.exchange(false)) service->rescan.want_now();
}

void Session::State::rescan_now(const Rescan::Answer& answer) {
  const std::int64_t began_ns = wall_clock_ns();
  std::vector<std::string> directories;
  auto scans = find_scans(sources, disks, directories);
  if (!scans) {
    // All modules are out: an empty mount is the truth.
    spdlog::warn("{}", describe(scans.error()));
    if (scans.error().code != ErrorCode::kNotFound) return;
    scans = std::vector<ScanFacts>();
  }
  add_disks(*service, directories);
  const auto count = scans->size();
  auto changed = service->tree.update(std::move(*scans), began_ns, [this](const ScanNodePtr& node) {
    return service->shelf.is_outdated(node);
  });
  service->rescan.found(changed);
  answer();
  service->shelf.walk_in_background(*service->tree.listing());
  const auto level = changed.empty() ? spdlog::level::debug : spdlog::level::info;
  spdlog::log(level, "looked again: {} scans on {} disks, {} names changed", count,
              directories.size(), changed.size());
  if (!changed.empty()) tell_kernel(std::move(changed));
}

/// The kernel takes a notice only when no lookup is under way, so that one may wait for a disk: not
/// on the thread that looks again.
void Session::State::tell_kernel(std::vector<std::string> names) {
  notices.run([this, names = std::move(names)] {
    for (const auto& name : names) {
      if (phase != Phase::kServing) return;
      fuse_lowlevel_notify_inval_entry(session.get(), Tree::kRootInode, name.c_str(), name.size());
    }
  });
}

Session::Session(const FuseOptions& options, CatalogSources sources, const Environment& environment,
                 std::function<bool()> on_ready)
    : state_(
          std::make_unique<State>(options, std::move(sources), environment, std::move(on_ready))) {}

Session::~Session() = default;

ExitCode Session::run() { return state_->run(); }

}  // namespace mark6
