// SPDX-License-Identifier: MIT
// The Mark6 headers, byte by byte.
#include "common/sg/format.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>

namespace {

using mark6::sg::BlockHeader;
using mark6::sg::FileHeader;

template <class... Values>
auto bytes_of(Values... values) {
  return std::array<std::byte, sizeof...(Values)>{static_cast<std::byte>(values)...};
}

constexpr auto kHeaderBytes = [](auto... more) {
  return bytes_of(0x66, 0x66, 0xed, 0xfe,  // sync word 0xfeed6666
                  2, 0, 0, 0,              // version
                  0x58, 0x28, 0, 0,        // block size 10328
                  1, 0, 0, 0,              // packet format: Mark5B
                  0x08, 0x04, 0, 0,        // packet size 1032
                  more...);
};

}  // namespace

TEST_CASE("format: the file header is 20 bytes, little-endian", "[unit][pure]") {
  const auto header = mark6::sg::parse_file_header(kHeaderBytes());
  REQUIRE(header.has_value());
  CHECK(*header == FileHeader{2, 10328, 1, 1032});
}

TEST_CASE("format: bytes behind the file header do not matter", "[unit][pure]") {
  CHECK(mark6::sg::parse_file_header(kHeaderBytes(0xff, 0xff)).has_value());
}

TEST_CASE("format: a file header that cannot be read is an error that says why", "[unit][pure]") {
  auto bytes = kHeaderBytes();
  SECTION("too short") {
    const auto header = mark6::sg::parse_file_header(mark6::Bytes(bytes).first(19));
    CHECK(describe(header.error()) == "only 19 bytes; expected a Mark6 file header of 20 bytes");
  }
  SECTION("another sync word") {
    bytes[0] = std::byte{0x67};
    CHECK(describe(mark6::sg::parse_file_header(bytes).error()) ==
          "sync word 0xfeed6667; expected 0xfeed6666, the sync word of a Mark6 file");
  }
  SECTION("an unknown version") {
    bytes[4] = std::byte{3};
    CHECK(describe(mark6::sg::parse_file_header(bytes).error()) ==
          "version 3; expected version 1 or 2 of the Mark6 format");
  }
  CHECK(mark6::sg::parse_file_header(bytes).has_value() == (bytes == kHeaderBytes()));
}

TEST_CASE("format: any block and packet size is passed on as it stands", "[unit][pure]") {
  auto bytes = kHeaderBytes();
  for (std::size_t i = 8; i < 20; ++i) bytes[i] = std::byte{0xff};
  CHECK(mark6::sg::parse_file_header(bytes).value() == FileHeader{2, -1, -1, -1});
}

TEST_CASE("format: a block header of version 2 has a number and a length", "[unit][pure]") {
  const auto bytes = bytes_of(0x3b, 0, 0, 0, 0xf8, 0xff, 0xff, 0xff);
  const auto header = mark6::sg::parse_block_header(bytes, 2);
  REQUIRE(header.has_value());
  CHECK(header->number == 59);
  CHECK(header->wb_size == -8);
  CHECK_FALSE(mark6::sg::parse_block_header(mark6::Bytes(bytes).first(7), 2).has_value());
}

TEST_CASE("format: a block header of version 1 has only a number", "[unit][pure]") {
  const auto bytes = bytes_of(0, 0, 0, 0x80);
  const auto header = mark6::sg::parse_block_header(bytes, 1);
  REQUIRE(header.has_value());
  CHECK(header->number == INT32_MIN);
  CHECK(header->wb_size == 0);
  CHECK_FALSE(mark6::sg::parse_block_header(mark6::Bytes(bytes).first(3), 1).has_value());
}

TEST_CASE("format: what is stored is read back", "[unit][pure]") {
  std::array<std::byte, 20> bytes{};
  mark6::sg::store_file_header({2, 10328, 1, 1032}, bytes);
  CHECK(bytes == kHeaderBytes());
  mark6::sg::store_block_header({-7, 4096}, 2, bytes);
  const auto v2 = mark6::sg::parse_block_header(bytes, 2).value();
  CHECK(v2.number == -7);
  CHECK(v2.wb_size == 4096);
  bytes.fill(std::byte{0xaa});
  mark6::sg::store_block_header({8, 4096}, 1, bytes);
  CHECK(mark6::sg::parse_block_header(bytes, 1).value().number == 8);
  CHECK(bytes[4] == std::byte{0xaa});
}
