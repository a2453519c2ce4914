// SPDX-License-Identifier: MIT
#include "common/os/page_cache.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace mark6 {
namespace {

// cachestat(2) is younger than the headers of Debian 12; the number is the same on all
// architectures, and the structures are those of its manual page.
#ifdef SYS_cachestat
constexpr long kCachestat = SYS_cachestat;
#else
constexpr long kCachestat = 451;
#endif

struct CachestatRange {
  std::uint64_t offset;
  std::uint64_t length;
};

struct Cachestat {
  std::uint64_t cached_pages;
  std::uint64_t dirty_pages;
  std::uint64_t writeback_pages;
  std::uint64_t evicted_pages;
  std::uint64_t recently_evicted_pages;
};

}  // namespace

bool is_in_page_cache(int fd, std::uint64_t offset, std::uint64_t length) {
  static std::atomic<bool> unknown{false};  // this kernel has no such call
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (length == 0 || unknown.load(std::memory_order_relaxed)) return false;
  CachestatRange range{offset, length};
  Cachestat found{};
  if (::syscall(kCachestat, fd, &range, &found, 0U) != 0) {
    if (errno == ENOSYS) unknown.store(true, std::memory_order_relaxed);
    return false;
  }
  const std::uint64_t pages = (offset + length - 1) / page - offset / page + 1;
  return found.cached_pages >= pages;
}

}  // namespace mark6
