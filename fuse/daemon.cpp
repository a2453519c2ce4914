// SPDX-License-Identifier: MIT
#include "fuse/daemon.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "common/base/log.hpp"

namespace mark6 {
namespace {

/// Waits for the child's word, or for its end.
ExitCode wait_for_word(int from_child, pid_t child, const Environment& environment) {
  unsigned char word = 0;
  ssize_t got = 0;
  do {
    got = ::read(from_child, &word, 1);
  } while (got < 0 && errno == EINTR);
  if (got == 1) return static_cast<ExitCode>(word);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("was ended by signal {}", WTERMSIG(status))
                              : fmt::format("ended with code {}", WEXITSTATUS(status));
  static_cast<void>(
      write_text(environment.stderr_fd,
                 fmt::format("mark6fs: the background process {} before it served\n", how)));
  return ExitCode::kIo;
}

}  // namespace

Result<Daemonised> daemonise(const Environment& environment) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_failure("", "make a pipe", errno);
  UniqueFd from_child(ends[0]);
  Daemonised result;
  result.parent = UniqueFd(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return system_failure("", "fork", errno);
  if (child > 0) {
    result.is_parent = true;
    result.parent.reset();
    result.exit_code = wait_for_word(from_child.get(), child, environment);
    return result;
  }
  ::setsid();
  if (::chdir("/") != 0) return system_failure("/", "enter", errno);
  return result;
}

bool tell_parent(const UniqueFd& parent, ExitCode exit_code) {
  const auto word = static_cast<unsigned char>(exit_code);
  return parent.valid() && ::write(parent.get(), &word, 1) == 1;
}

void drop_output(const Environment& environment) {
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.valid()) return;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, environment.stdin_fd,
                       environment.stdout_fd, environment.stderr_fd}) {
    ::dup2(null.get(), fd);
  }
}

Result<void> notify_service_manager(const std::string& socket_name, const std::string& state) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_name.empty() || socket_name.size() >= sizeof address.sun_path) {
    return failure(ErrorCode::kUsage, "NOTIFY_SOCKET", "cannot be the name of a socket");
  }
  std::memcpy(address.sun_path, socket_name.data(), socket_name.size());
  if (socket_name.front() == '@') address.sun_path[0] = '\0';  // an abstract name
  const UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_name.size());
  if (!fd.valid() || ::sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL,
                              reinterpret_cast<const sockaddr*>(&address), length) < 0) {
    return system_failure(socket_name, "notify the service manager", errno);
  }
  return {};
}

ExitClock::ExitClock(ExitCode exit_code, std::chrono::milliseconds patience)
    : thread_([this, exit_code, patience] {
        std::unique_lock lock(mutex_);
        if (wake_.wait_for(lock, patience, [this] { return done_; })) return;
        spdlog::warn("{} takes too long, a disk may not answer; leaving without it", doing_.load());
        ::_exit(static_cast<int>(exit_code));
      }) {}

ExitClock::~ExitClock() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

}  // namespace mark6
