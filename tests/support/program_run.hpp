// SPDX-License-Identifier: MIT
// Runs a subcommand of `mark6` inside a test: arguments in; exit code, stdout and stderr out.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary.hpp"
#include "tools/run.hpp"

namespace mark6::test {

struct Outcome {
  ExitCode code{};
  std::string out;  ///< what went to stdout
  std::string err;  ///< and to stderr
};

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `terminal`: stderr claims to be one.
inline Outcome run_program(const std::vector<std::string>& args, std::stop_token stop = {},
                           bool terminal = false) {
  const TemporaryDirectory dir;
  const std::string out = dir.write("out", "");
  const std::string err = dir.write("err", "");
  Environment environment;
  environment.stdout_fd = ::open(out.c_str(), O_WRONLY);
  environment.stderr_fd = ::open(err.c_str(), O_WRONLY);
  environment.stderr_is_tty = terminal;
  environment.stop = std::move(stop);
  const ExitCode code = run_mark6(args, environment);
  ::close(environment.stdout_fd);
  ::close(environment.stderr_fd);
  return {code, contents(out), contents(err)};
}

inline std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace mark6::test
