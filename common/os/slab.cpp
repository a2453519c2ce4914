// SPDX-License-Identifier: MIT
#include "common/os/slab.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace mark6 {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kPage = 4096;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::size_t Slab::rounded(std::size_t bytes) {
  return round_up(bytes, bytes < kHugePage / 2 ? kPage : kHugePage);
}

Result<Slab> Slab::allocate(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  const bool huge = size >= kHugePage;
  // One huge page more than needed, so that an aligned range lies inside; the rest goes back.
  const std::size_t mapped = huge ? size + kHugePage : size;
  void* raw = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return system_failure("memory", "allocate a read buffer", errno);
  auto* base = static_cast<std::byte*>(raw);
  if (huge) {
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    const std::size_t head = round_up(address, kHugePage) - address;
    if (head != 0) ::munmap(base, head);
    base += head;
    if (kHugePage != head) ::munmap(base + size, kHugePage - head);
    ::madvise(base, size, MADV_HUGEPAGE);  // a wish: without huge pages it works on small ones
  }
  ::madvise(base, size, MADV_DONTFORK);
  Slab slab;
  slab.base_ = base;
  slab.size_ = size;
  return slab;
}

bool Slab::renew() {
  populated_bytes_ = 0;
  return ::madvise(base_, size_, MADV_DONTNEED) == 0;
}

void Slab::populate(std::size_t from, std::size_t length) const {
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14; before that it is refused, and the reads fault
#endif
  if (from >= size_) return;
  ::madvise(base_ + from, std::min(length, size_ - from), MADV_POPULATE_WRITE);
}

void Slab::unmap() {
  if (base_ != nullptr) ::munmap(base_, size_);
  base_ = nullptr;
  size_ = 0;
}

}  // namespace mark6
