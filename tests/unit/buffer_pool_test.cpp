// SPDX-License-Identifier: MIT
#include "common/read/buffer_pool.hpp"

#include <catch2/catch.hpp>
#include <memory>

using mark6::BufferHolder;
using mark6::BufferPool;
using mark6::Slab;

namespace {

constexpr std::size_t kBlock = 10'000'000;
const std::size_t kBlockSlab = Slab::rounded(kBlock);

class Holder final : public BufferHolder {
 public:
  void shrink_to(std::uint64_t bytes) override { asked = bytes; }
  std::uint64_t asked = 0;
};

}  // namespace

TEST_CASE("buffer pool: the budget holds, except for the block somebody waits for", "[unit]") {
  BufferPool pool(2 * kBlockSlab);
  CHECK(pool.reserve(kBlock, false));
  CHECK(pool.reserve(kBlock, false));
  CHECK_FALSE(pool.reserve(kBlock, false));
  CHECK(pool.reserve(kBlock, true));
  CHECK(pool.used_bytes() == 3 * kBlockSlab);
  pool.cancel(kBlock);
  CHECK_FALSE(pool.reserve(kBlock, false));
  CHECK(pool.peak_bytes() == 3 * kBlockSlab);
}

TEST_CASE("buffer pool: a slab given to a pipe is never handed out again", "[unit]") {
  BufferPool pool(4 * kBlockSlab);
  const auto holder = std::make_shared<Holder>();
  pool.join(holder);
  for (const bool recycle : {true, false}) {
    REQUIRE(pool.reserve(kBlock, false));
    Slab slab = pool.take(kBlock).value();
    slab.data()[0] = std::byte{42};
    pool.give_back(std::move(slab), recycle);
    REQUIRE(pool.reserve(kBlock, false));
    const Slab next = pool.take(kBlock).value();
    // A fresh slab is zeroed by the kernel; a recycled one still has what was written to it.
    CHECK((next.data()[0] == std::byte{42}) == recycle);
    pool.cancel(kBlock);
  }
}

TEST_CASE("buffer pool: readers share the budget, and the earlier ones are asked to shrink",
          "[unit]") {
  BufferPool pool(8 * kBlockSlab);
  const auto first = std::make_shared<Holder>();
  const auto second = std::make_shared<Holder>();
  pool.join(first);
  CHECK(pool.share_bytes() == 8 * kBlockSlab);
  pool.join(second);
  CHECK(pool.share_bytes() == 4 * kBlockSlab);
  CHECK(first->asked == 4 * kBlockSlab);
  CHECK(second->asked == 0);
  pool.leave(first.get());
  CHECK(pool.share_bytes() == 8 * kBlockSlab);
}

TEST_CASE("buffer pool: slabs are aligned for huge pages and for O_DIRECT", "[unit]") {
  for (const std::size_t bytes : {1UL, 4096UL, 1UL << 20, 10'000'000UL}) {
    const Slab slab = Slab::allocate(bytes).value();
    const std::size_t unit = bytes >= (1UL << 20) ? 2UL << 20 : 4096;
    CHECK(reinterpret_cast<std::uintptr_t>(slab.data()) % unit == 0);
    CHECK(slab.size() >= bytes);
    CHECK(slab.size() == Slab::rounded(bytes));
  }
}
