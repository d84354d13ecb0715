#!/usr/bin/env bash
# From a bare Debian 12 or Ubuntu 24.04 to a running hilo.
#
#   ./bootstrap.sh demo    multiply double-double matrices on every backend found, each product checked against MPFR
#   ./bootstrap.sh test    build and run the tests
#
# Each installs what is missing with apt-get where it may, and otherwise prints the command. A second run builds nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

build_packages=(cmake ninja-build g++ libhwy-dev libopenblas-dev libmpfr-dev libgmp-dev opencl-headers
                opencl-clhpp-headers ocl-icd-opencl-dev pocl-opencl-icd libcli11-dev nlohmann-json3-dev gnuplot-nox)
[ "$(uname -m)" = x86_64 ] && build_packages+=(libdnnl-dev)
test_packages=(clang libclang-rt-dev libomp-dev oclgrind libgtest-dev libqd-dev libmpc-dev libboost-dev libeigen3-dev
               libfmt-dev locales g++-aarch64-linux-gnu qemu-user python3-jsonschema python3-numpy pkgconf libstarpu-dev libopenmpi-dev
               openmpi-bin)
# Ubuntu has it as a snap alone, without which its test is skipped.
if grep -qx 'ID=debian' /etc/os-release 2>/dev/null; then test_packages+=(chromium); fi

# Installs the packages named that are missing.
install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      sudo=(sudo)
    else
      echo "bootstrap.sh: these packages are missing, and this user may not install them. Run:" >&2
      echo "  sudo apt-get install -y ${missing[*]}" >&2
      exit 1
    fi
  fi
  if ! command -v apt-get >/dev/null; then
    echo "bootstrap.sh: no apt-get here; install what provides: ${missing[*]}" >&2
    exit 1
  fi
  echo "Installing ${missing[*]}"
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# configure_and_build TARGET…
configure_and_build() {
  # A failed configuration prints its log; a good one has nothing to say.
  local log
  log=$(cmake --preset release "${options[@]}" 2>&1) || { echo "$log" >&2; exit 1; }
  cmake --build --preset release --target "$@"
}

case "$*" in
  demo)
    install_packages "${build_packages[@]}"
    options=(-DHILO_TESTS=OFF -DHILO_BENCH=OFF -DHILO_MPLAPACK=OFF)
    configure_and_build hilo_program hilo_demo
    exec build/release/examples/hilo_demo
    ;;
  test)
    install_packages "${build_packages[@]}" "${test_packages[@]}"
    options=(-DHILO_TESTS=ON -DHILO_BENCH=OFF)
    configure_and_build all
    exec ctest --test-dir build/release --output-on-failure --parallel 2
    ;;
  *)
    sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]##*/}" >&2
    exit 2
    ;;
esac
