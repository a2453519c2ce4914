# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Which files are ours, for the checks: those that git knows, or all but the builds in a tarball.

# list_files PATTERN...: paths (NUL-terminated) whose name fits a shell pattern such as '*.cpp'.
list_files() {
  local pattern
  local -a names=()
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard -- "$@"
    return
  fi
  for pattern in "$@"; do names+=(-o -name "$pattern"); done
  find . -path ./build -prune -o -type f \( "${names[@]:1}" \) -print0
}
