// SPDX-License-Identifier: MIT
#include "common/base/environment.hpp"
#include "fuse/run.hpp"

int main(int argc, char** argv) {
  mark6::Environment environment = mark6::process_environment();
  return static_cast<int>(mark6::run_mark6fs({argv + 1, argv + argc}, environment));
}
