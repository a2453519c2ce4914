// SPDX-License-Identifier: MIT
// What the tests of mark6gather share: a recording written byte by byte (not by our own writer),
// and run_gather() with descriptors that the test owns.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/os/unique_fd.hpp"
#include "gather/run.hpp"
#include "tests/support/program_run.hpp"
#include "tests/support/recording.hpp"
#include "tests/support/temporary.hpp"

namespace mark6::test {

struct RecordingShape {
  std::string name = "exp_Aa_no0001.vdif";
  std::size_t modules = 2;
  std::size_t disks_per_module = 4;
  std::uint32_t packet_size = 1032;
  std::uint32_t packets_per_block = 60;
  std::uint32_t blocks = 40;
  std::uint32_t last_packets = 7;     ///< the last block is short
  std::set<std::uint32_t> missing{};  ///< block numbers that were never written
  std::uint32_t seed = 1;
};

inline void append_le32(std::string& bytes, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((value >> shift) & 0xFFU);
}

/// One VDIF packet: a header that counts, then noise.
inline std::string vdif_packet(std::uint32_t size, std::uint32_t number, std::mt19937& random) {
  std::string packet;
  append_le32(packet, 1000 + number / 100);
  append_le32(packet, number % 100 + (30U << 24));
  append_le32(packet, size / 8);
  append_le32(packet, 1U << 26);
  const ByteVector payload = noise(size - packet.size(), static_cast<std::uint32_t>(random()));
  packet.append(reinterpret_cast<const char*>(payload.data()), payload.size());
  return packet;
}

/// A recording below `root`/M/D/data; blocks go to a random disk, as a recorder's nearly do.
class Recording {
 public:
  Recording(const TemporaryDirectory& root, const RecordingShape& shape) {
    std::mt19937 random(shape.seed);
    const std::size_t disks = shape.modules * shape.disks_per_module;
    std::vector<std::string> files(disks);
    for (std::string& file : files) {
      append_le32(file, 0xfeed6666);
      append_le32(file, 2);
      append_le32(file, shape.packet_size * shape.packets_per_block + 8);
      append_le32(file, 0);
      append_le32(file, shape.packet_size);
    }
    std::uint32_t packet = 0;
    for (std::uint32_t block = 0; block < shape.blocks; ++block) {
      const bool last = block + 1 == shape.blocks;
      std::string payload;
      for (std::uint32_t i = 0; i < (last ? shape.last_packets : shape.packets_per_block); ++i) {
        payload += vdif_packet(shape.packet_size, packet++, random);
      }
      if (shape.missing.contains(block)) continue;
      std::string& file = files[random() % disks];
      append_le32(file, block);
      append_le32(file, static_cast<std::uint32_t>(payload.size() + 8));
      file += payload;
      flat += payload;
    }
    for (std::size_t i = 0; i < disks; ++i) {
      const std::string place = std::to_string(i / shape.disks_per_module + 1) + "/" +
                                std::to_string(i % shape.disks_per_module) + "/data/";
      fragments.push_back(root.write(place + shape.name, files[i]));
    }
  }

  std::string flat;                    ///< what is to be delivered
  std::vector<std::string> fragments;  ///< paths
};

/// Everything that can be read from `fd` until its end.
inline std::string drain(int fd) {
  std::string all;
  std::string part(1 << 16, '\0');
  while (true) {
    const ssize_t n = ::read(fd, part.data(), part.size());
    if (n <= 0) return all;
    all.append(part, 0, static_cast<std::size_t>(n));
  }
}

/// Runs mark6gather with a pipe as stdout (or `stdout_fd`) and a file as stderr.
inline Outcome gather(const std::vector<std::string>& args,
                      const std::map<std::string, std::string>& variables = {},
                      int stdout_fd = -1) {
  const TemporaryDirectory directory;
  const std::string err_path = directory.file("stderr");
  const UniqueFd err(::open(err_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  Outcome outcome;
  std::thread reader([&] { outcome.out = drain(read_end.get()); });
  Environment environment;
  environment.stdout_fd = stdout_fd >= 0 ? stdout_fd : write_end.get();
  environment.stderr_fd = err.get();
  environment.variable = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
  outcome.code = gather::run_gather(args, environment);
  write_end.reset();
  reader.join();
  outcome.err = content_of(err_path);
  return outcome;
}

}  // namespace mark6::test
