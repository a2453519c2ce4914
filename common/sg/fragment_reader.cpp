// SPDX-License-Identifier: MIT
#include "common/sg/fragment_reader.hpp"

#include <algorithm>

namespace mark6::sg {

FragmentReader::FragmentReader(ByteSource& source)
    : source_(source), size_(std::min(source.size(), kMaxFragmentBytes)) {}

Bytes FragmentReader::peek(std::uint64_t offset) {
  if (offset >= size_ || error_) return {};
  const std::uint64_t wanted = std::min<std::uint64_t>(kLookBytes, size_ - offset);
  const bool remembered = offset >= peeked_at_ && offset - peeked_at_ <= peeked_bytes_ &&
                          peeked_bytes_ - (offset - peeked_at_) >= wanted;
  if (!remembered) {
    peeked_at_ = offset;
    peeked_bytes_ = 0;
    peeked_bytes_ = read(offset, MutableBytes(peeked_).first(static_cast<std::size_t>(
                                     std::min<std::uint64_t>(kPeekBytes, size_ - offset))));
  }
  if (error_) return {};
  return Bytes(peeked_).first(peeked_bytes_).subspan(static_cast<std::size_t>(offset - peeked_at_));
}

Bytes FragmentReader::load(std::uint64_t offset, std::size_t count) {
  if (offset >= size_ || error_) return {};
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, size_ - offset));
  if (loaded_.size() < count) loaded_.resize(count);
  return Bytes(loaded_).first(read(offset, MutableBytes(loaded_).first(count)));
}

std::size_t FragmentReader::read(std::uint64_t offset, MutableBytes into) {
  const auto got = source_.read_at(FileOffset(offset), into);
  if (!got) {
    Error reason = got.error();
    reason.path.clear();  // whoever prints the damage names the file
    error_ = ReadError{offset, describe(reason)};
    return 0;
  }
  if (*got < into.size()) {
    error_ = ReadError{offset + *got, "the file has become shorter"};
    return 0;
  }
  return into.size();
}

}  // namespace mark6::sg
