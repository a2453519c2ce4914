// SPDX-License-Identifier: MIT
#include "common/base/environment.hpp"
#include "gather/run.hpp"

int main(int argc, char** argv) {
  mark6::Environment environment = mark6::process_environment();
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return static_cast<int>(mark6::gather::run_gather(args, environment));
}
