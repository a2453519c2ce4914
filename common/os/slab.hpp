// SPDX-License-Identifier: MIT
// Memory that disks read into: an anonymous mapping, 2 MiB-aligned and on huge pages where it is
// large enough. The pages of a slab that was given to a pipe with vmsplice must be let go of
// (renew(), or the destructor) and never be written to again: they live on in the pipe.
#pragma once

#include <cstddef>
#include <utility>

#include "common/base/bytes.hpp"
#include "common/base/error.hpp"

namespace mark6 {

class Slab {
 public:
  Slab() = default;
  /// A zeroed slab of at least `bytes` (rounded up to 2 MiB, below 1 MiB to 4 KiB).
  /// Errors: kIo with ENOMEM.
  static Result<Slab> allocate(std::size_t bytes);

  /// The size that allocate() rounds `bytes` up to.
  static std::size_t rounded(std::size_t bytes);

  Slab(Slab&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        populated_bytes_(std::exchange(other.populated_bytes_, 0)) {}
  Slab& operator=(Slab&& other) noexcept {
    if (this != &other) {
      unmap();
      base_ = std::exchange(other.base_, nullptr);
      size_ = std::exchange(other.size_, 0);
      populated_bytes_ = std::exchange(other.populated_bytes_, 0);
    }
    return *this;
  }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;
  ~Slab() { unmap(); }

  /// Lets go of all pages: the slab is as if newly allocated, and what still refers to its former
  /// pages (a pipe) keeps them unchanged. Cheaper than a new mapping, which would stop all threads
  /// that take page faults. False when the kernel refuses; the slab is then good for nothing.
  [[nodiscard]] bool renew();

  /// Takes the page faults of [from, from + length), clipped to the slab, for whoever writes there
  /// next: a first touch of 2 MiB costs from 0.3 ms to 7 ms. A wish, harmless at any time.
  void populate(std::size_t from, std::size_t length) const;
  /// How far from its start the slab is known to have pages, as its user keeps note of it.
  [[nodiscard]] std::size_t populated_bytes() const { return populated_bytes_; }
  void note_populated(std::size_t bytes) { populated_bytes_ = bytes; }

  [[nodiscard]] std::byte* data() const { return base_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void unmap();
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  std::size_t populated_bytes_ = 0;
};

}  // namespace mark6
