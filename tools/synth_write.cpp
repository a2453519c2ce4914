// SPDX-License-Identifier: MIT
#include "tools/synth_write.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/units.hpp"
#include "common/sg/format.hpp"
#include "tools/synth_files.hpp"
#include "tools/synth_frames.hpp"
#include "tools/synth_metadata.hpp"

namespace mark6::synth {
namespace {

/// SHA-256 by libcrypto.
class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
      throw std::bad_alloc();
    }
  }
  void add(Bytes bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
    std::string text;
    for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest.at(i));
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

/// An open file and how it is called.
struct Target {
  int fd = -1;
  std::string path{};
  FileOffset end{};  ///< where the next block goes
};

Failure write_failure(const std::string& path, int errno_value) {
  Failure failed = system_failure(path, "write", errno_value);
  if (errno_value == ENOSPC || errno_value == EDQUOT) {
    failed.value().advice = "make room, choose another DIR or a smaller --bytes, or use --sparse";
  }
  return failed;
}

/// Writes `head` and behind it `body` at `offset`.
Result<void> write_at(const Target& target, FileOffset offset, Bytes head, Bytes body) {
  std::uint64_t done = 0;
  const std::uint64_t total = head.size() + body.size();
  while (done < total) {
    const Bytes first = head.subspan(std::min<std::uint64_t>(done, head.size()));
    const Bytes second = body.subspan(done < head.size() ? 0 : done - head.size());
    // writev takes its buffers as non-const, yet only reads them.
    const std::array<iovec, 2> parts = {
        iovec{const_cast<std::byte*>(first.data()), first.size()},
        iovec{const_cast<std::byte*>(second.data()), second.size()}};
    const ssize_t n = ::pwritev(target.fd, parts.data(), static_cast<int>(parts.size()),
                                static_cast<off_t>(offset.value + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return write_failure(target.path, errno);
    if (n == 0) return write_failure(target.path, ENOSPC);
    done += static_cast<std::uint64_t>(n);
  }
  return {};
}

class Writer {
 public:
  Writer(const SynthOptions& options, const SynthPlan& plan, FrameMaker frames)
      : options_(options), plan_(plan), frames_(std::move(frames)) {}

  Result<void> open_files();
  Result<void> write_blocks(const std::stop_token& stop);
  Result<void> finish();
  std::string sha256() { return hash_.hex(); }

 private:
  [[nodiscard]] std::string fragment_path(const DiskLabel& label) const;
  Result<void> refuse_or_remember_old_fragments();
  Result<void> open_fragment(const PlannedDisk& disk);
  Result<void> write_block(std::size_t number);
  Result<void> write_payload(Target& target, Bytes head, const PlannedBlock& block);
  Result<void> write_headers_only(Target& target, Bytes head, const PlannedBlock& block);

  const SynthOptions& options_;
  const SynthPlan& plan_;
  FrameMaker frames_;
  NewFiles files_;
  std::vector<Target> fragments_;  ///< by place of the disk; fd -1 where it is missing
  Target flat_;
  std::vector<std::string> leftovers_;  ///< fragments of an older scan of this name
  std::vector<std::uint64_t> payload_;
  Sha256 hash_;
};

std::string Writer::fragment_path(const DiskLabel& label) const {
  return fmt::format("{}/disks/{}/{}/{}{}", options_.directory, label.module, label.disk,
                     options_.flat_layout ? "" : "data/", options_.scan);
}

/// A scan of this name may lie on more disks, or in the other layout: left there, its fragments
/// would mix with ours.
Result<void> Writer::refuse_or_remember_old_fragments() {
  namespace fs = std::filesystem;
  const auto entries = [](const fs::path& directory) {
    std::error_code ignored;  // not there or not readable: nothing of ours in it
    return fs::directory_iterator(directory, ignored);
  };
  for (const auto& module : entries(options_.directory + "/disks")) {
    if (module.path().filename().string().starts_with('.')) continue;
    for (const auto& disk : entries(module.path())) {
      for (const char* const room : {"data", "."}) {
        const std::string path = (disk.path() / room / options_.scan).lexically_normal().string();
        if (!exists(path)) continue;
        if (!options_.force) {
          return failure(ErrorCode::kUsage, path, "exists already", {},
                         "use another --scan or DIR, or --force to replace the scan");
        }
        leftovers_.push_back(path);
      }
    }
  }
  return {};
}

Result<void> Writer::open_fragment(const PlannedDisk& disk) {
  Target& target = fragments_.emplace_back();
  if (disk.missing) return {};
  target.path = fragment_path(disk.label);
  auto made = files_.make_directories(std::filesystem::path(target.path).parent_path().string());
  if (!made) return made;
  const auto fd =
      files_.create(target.path, options_.force ? IfExists::kReplace : IfExists::kRefuse);
  if (!fd) return Failure(fd.error());
  target.fd = *fd;
  std::array<std::byte, sg::kFileHeaderBytes> header{};
  sg::store_file_header(plan_.header, header);
  target.end = FileOffset(header.size());
  return write_at(target, FileOffset(0), header, {});
}

Result<void> Writer::open_files() {
  if (auto sound = refuse_or_remember_old_fragments(); !sound) return sound;
  for (const PlannedDisk& disk : plan_.disks) {
    if (auto opened = open_fragment(disk); !opened) return opened;
  }
  if (options_.flat_file.empty()) return {};
  flat_.path = options_.flat_file;
  const auto fd =
      files_.create(flat_.path, options_.force ? IfExists::kReplace : IfExists::kRefuse);
  if (!fd) return Failure(fd.error());
  flat_.fd = *fd;
  return {};
}

Result<void> Writer::write_blocks(const std::stop_token& stop) {
  for (std::size_t number = 0; number < plan_.blocks.size(); ++number) {
    if (plan_.blocks[number].missing) continue;
    if (stop.stop_requested()) {
      return failure(ErrorCode::kInterrupted, options_.directory,
                     "interrupted, what was written is removed again");
    }
    if (auto written = write_block(number); !written) return written;
  }
  return {};
}

Result<void> Writer::write_block(std::size_t number) {
  const PlannedBlock& block = plan_.blocks[number];
  Target& target = fragments_[block.disk];
  const std::int32_t version = plan_.header.version;
  std::array<std::byte, sg::kBlockHeaderBytesV2> header{};
  const MutableBytes head = MutableBytes(header).first(sg::block_header_bytes(version));
  const std::uint64_t bytes = plan_.payload_bytes(block);
  sg::store_block_header(
      {static_cast<std::int32_t>(number), static_cast<std::int32_t>(bytes + head.size())}, version,
      head);
  auto written = options_.sparse ? write_headers_only(target, head, block)
                                 : write_payload(target, head, block);
  target.end = target.end + (head.size() + bytes);
  flat_.end = flat_.end + bytes;
  return written;
}

Result<void> Writer::write_payload(Target& target, Bytes head, const PlannedBlock& block) {
  payload_.resize(plan_.payload_bytes(block) / 8);
  frames_.fill(block.first_frame, payload_);
  const Bytes body = std::as_bytes(std::span(payload_));
  hash_.add(body);
  auto written = write_at(target, target.end, head, body);
  if (written && flat_.fd >= 0) written = write_at(flat_, flat_.end, {}, body);
  return written;
}

Result<void> Writer::write_headers_only(Target& target, Bytes head, const PlannedBlock& block) {
  std::array<std::byte, vdif::kHeaderBytes> frame{};
  frames_.store_header(block.first_frame, frame);
  auto written = write_at(target, target.end, head, frame);
  if (written && flat_.fd >= 0) written = write_at(flat_, flat_.end, {}, frame);
  // The last frame of the block tells readers when it ends.
  const std::uint64_t last = std::uint64_t{block.frames} - 1;
  if (last == 0) return written;
  frames_.store_header(block.first_frame + last, frame);
  const std::uint64_t offset = last * options_.packet_bytes;
  if (written) written = write_at(target, target.end + (head.size() + offset), {}, frame);
  if (written && flat_.fd >= 0) written = write_at(flat_, flat_.end + offset, {}, frame);
  return written;
}

Result<void> Writer::finish() {
  // A sparse file ends where its last block ends, not where something was written last.
  for (const Target& target : fragments_) {
    if (target.fd < 0 || !options_.sparse) continue;
    if (::ftruncate(target.fd, static_cast<off_t>(target.end.value)) != 0) {
      return write_failure(target.path, errno);
    }
  }
  if (flat_.fd >= 0 && options_.sparse &&
      ::ftruncate(flat_.fd, static_cast<off_t>(flat_.end.value)) != 0) {
    return write_failure(flat_.path, errno);
  }
  if (options_.metadata) {
    if (auto added = add_metadata(options_, plan_, files_); !added) return added;
  }
  if (auto published = files_.publish(); !published) return published;
  for (const std::string& path : leftovers_) {
    const bool ours = std::any_of(fragments_.begin(), fragments_.end(), [&](const Target& target) {
      return std::filesystem::path(target.path).lexically_normal() == path;
    });
    if (!ours && ::unlink(path.c_str()) != 0) return system_failure(path, "remove", errno);
  }
  files_.keep();
  return {};
}

}  // namespace

Result<std::optional<std::string>> write_recording(const SynthOptions& options,
                                                   const SynthPlan& plan,
                                                   const std::stop_token& stop) {
  auto frames = FrameMaker::make(options, plan.faults);
  if (!frames) return Failure(frames.error());
  Writer writer(options, plan, std::move(*frames));
  auto done = writer.open_files();
  if (done) done = writer.write_blocks(stop);
  if (done) done = writer.finish();
  if (!done) return Failure(done.error());
  if (options.sparse) return std::optional<std::string>();
  return std::optional(writer.sha256());
}

}  // namespace mark6::synth
