#!/usr/bin/env bash
# The products of an AArch64 NEON build, run under qemu, have the bits of this machine's.
#   neon_test.sh SOURCE_DIR NATIVE_GEMM_BITS SCRATCH_DIR
set -euo pipefail
source_dir=$1 native=$2 scratch=$3
compiler=aarch64-linux-gnu-g++
for tool in "$compiler" qemu-aarch64; do
  if ! command -v "$tool" >/dev/null; then
    echo "$tool is not installed: skipped"
    exit 77
  fi
done
mkdir -p "$scratch/include"
# Highway's headers serve every architecture, but lie among the host's.
ln -sfn "$(dirname "$(echo '#include <hwy/highway.h>' | g++ -std=c++20 -M -x c++ - | grep -o '[^ ]*hwy/highway.h' | head -1)")" "$scratch/include/hwy"
cd "$source_dir"
"$compiler" -std=c++20 -O2 -march=armv8-a+crypto -static -fopenmp -ffp-contract=off -DHWY_COMPILE_ONLY_STATIC -Iinclude -Isrc \
  -I"$scratch/include" tests/gemm_bits.cpp src/gemm/{arguments,cblas,gemm,names,plan}.cpp \
  src/gemm/direct/{cpu,error_bound,geometry,kernels}.cpp -o "$scratch/gemm_bits_aarch64"
"$native" >"$scratch/native.txt"
qemu-aarch64 "$scratch/gemm_bits_aarch64" >"$scratch/neon.txt" 2>"$scratch/neon_targets.txt"
grep -q NEON "$scratch/neon_targets.txt"
diff "$scratch/native.txt" "$scratch/neon.txt"
echo "$(wc -l <"$scratch/neon.txt") products have the same bits on NEON"
