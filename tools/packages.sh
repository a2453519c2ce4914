# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The Debian packages that the project needs, and how a script gets them. Sourced by
# tools/quickstart.sh and tests/run.sh; run as a program it prints the names, one a line.

# To build and to run, quickstart included.
MARK6_BUILD_PACKAGES=(
  g++ cmake ninja-build pkgconf
  fuse3 libfuse3-dev liburing-dev libssl-dev
  libcli11-dev libexpected-dev libfmt-dev libspdlog-dev nlohmann-json3-dev
  python3
)

# What the tests use beside these.
MARK6_TEST_PACKAGES=(
  catch2 pv
  clang-format clang-tidy shellcheck cppcheck gcovr
  clang libclang-rt-dev
)

# missing_packages NAME...: those that are not installed, one a line.
missing_packages() {
  local name status
  for name in "$@"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null || true)
    [[ $status == installed ]] || echo "$name"
  done
}

# ensure_packages NAME...: installs what is missing, as root or by sudo. Where neither works it
# names the command to run and returns 1.
ensure_packages() {
  local -a missing as_root=()
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    as_root=(sudo)
    [[ -t 0 ]] || as_root=(sudo -n) # nobody is there to type a password
  fi
  echo "Installing ${missing[*]}"
  if ((EUID == 0)) || command -v sudo >/dev/null; then
    if "${as_root[@]}" apt-get update -q &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qy --no-install-recommends "${missing[@]}"; then
      return 0
    fi
  fi
  echo "Packages are missing and could not be installed. As root, run:" >&2
  echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
  return 1
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  printf '%s\n' "${MARK6_BUILD_PACKAGES[@]}" "${MARK6_TEST_PACKAGES[@]}"
fi
