// SPDX-License-Identifier: MIT
#include "fuse/parked_read.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

namespace mark6 {
namespace {

/// writev(2) takes 1024 parts; one is libfuse's header.
constexpr std::size_t kMaxParts = 900;

}  // namespace

void ParkedRead::start(fuse_req_t request, ReplyQueue& queue, const std::shared_ptr<OpenScan>& scan,
                       ScanOffset offset, std::size_t length) {
  scan_ = scan;  // `scan` itself stays for this call: the answer may let go of scan_ meanwhile
  offset_ = offset;
  length_ = length;
  park(request, queue);
  if (scan->stream().read(offset, length, *this)) {
    queue.answer_now(*this);
  } else {
    // The read may be over and used again already: nothing of it is touched here.
    queue.waiting();
  }
}

void ParkedRead::answer(int error) {
  fuse_req_t request = take();
  // After a deadline the parts may be coming in: only the result of a read may be looked at.
  const int failure = error != 0 ? error : ReadOperation::error();
  if (failure == 0) {
    send_parts(request);
    return;
  }
  if (failure != EINTR && failure != ENODEV) {
    scan_->complain(offset_, length_, failure, pool_.disks());
  }
  fuse_reply_err(request, failure == EINTR || failure == ENOMEM ? failure : EIO);
}

void ParkedRead::send_parts(fuse_req_t request) {
  if (parts().size() <= kMaxParts) {
    fuse_reply_iov(request, parts().data(), static_cast<int>(parts().size()));
    return;
  }
  // Recordings of tiny blocks: so many parts that copying them is cheaper than anything else.
  std::vector<char> all(bytes());
  std::size_t at = 0;
  for (const iovec& part : parts()) {
    std::memcpy(all.data() + at, part.iov_base, part.iov_len);
    at += part.iov_len;
  }
  fuse_reply_buf(request, all.data(), all.size());
}

void ParkedRead::finished() {
  reset();
  scan_.reset();
  pool_.give_back(*this);
}

ParkedRead& ReadPool::take() {
  const std::lock_guard lock(mutex_);
  if (spare_.empty()) {
    all_.push_back(std::make_unique<ParkedRead>(*this));
    spare_.reserve(all_.size());  // giving back never allocates
    return *all_.back();
  }
  ParkedRead* read = spare_.back();
  spare_.pop_back();
  return *read;
}

void ReadPool::give_back(ParkedRead& read) {
  const std::lock_guard lock(mutex_);
  spare_.push_back(&read);
}

}  // namespace mark6
