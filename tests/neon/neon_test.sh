#!/usr/bin/env bash
# The products, the operations on arrays and the sums in K words of an AArch64 NEON build, run under qemu, have the bits
# of this machine's.
#   neon_test.sh SOURCE_DIR NATIVE_GEMM_BITS NATIVE_ARRAY_BITS NATIVE_SUM_BITS SHIPPED_CPU_RATES_CPP SCRATCH_DIR
set -euo pipefail
source_dir=$1 native_gemm=$2 native_array=$3 native_sum=$4 shipped_rates=$5 scratch=$6
compiler=aarch64-linux-gnu-g++
for tool in "$compiler" qemu-aarch64; do
  if ! command -v "$tool" >/dev/null; then
    echo "$tool is not installed: skipped"
    exit 77
  fi
done
mkdir -p "$scratch/include"
# Headers that serve every architecture, but lie among the host's.
for header in hwy/highway.h nlohmann/json.hpp; do
  found=$(echo "#include <$header>" | g++ -std=c++20 -M -x c++ - | grep -o "[^ ]*$header" | head -1)
  ln -sfn "$(dirname "$found")" "$scratch/include/${header%/*}"
done
cd "$source_dir"
# compile OPTION… SOURCE…
compile() {
  "$compiler" -std=c++20 -march=armv8-a+crypto -fopenmp -ffp-contract=off -DHWY_COMPILE_ONLY_STATIC \
    -I"$source_dir/include" -I"$source_dir/src" -I"$scratch/include" "$@"
}
# same_bits NATIVE_PROGRAM SOURCE…
same_bits() {
  local native=$1 name
  name=$(basename "$native")
  shift
  # Less optimised it takes less time in all.
  compile -O1 -static "$@" -o "$scratch/$name"
  "$native" >"$scratch/$name.native"
  qemu-aarch64 "$scratch/$name" >"$scratch/$name.neon" 2>"$scratch/$name.targets"
  diff "$scratch/$name.native" "$scratch/$name.neon"
  echo "$(wc -l <"$scratch/$name.neon") lines of $name are the same on NEON"
}
# What plans a product and computes none of its entries: compiled in less time.
planning=$scratch/planning
rm -rf "$planning" && mkdir "$planning"
(cd "$planning" && compile -O0 -c "$source_dir"/src/gemm/{cost,gemm,plan,rate_table,text}.cpp \
  "$source_dir"/src/{host,matrix}/*.cpp "$source_dir"/src/model/cpu_*.cpp "$shipped_rates")
same_bits "$native_gemm" tests/neon/gemm_bits.cpp src/gemm/cpu_product.cpp src/gemm/{modular,native}/*.cpp \
  src/gemm/{direct,modular}/cpu/*.cpp "$planning"/*.o
grep -q NEON "$scratch/gemm_bits.targets"
same_bits "$native_array" tests/neon/array_bits.cpp src/dd/kernels.cpp src/host/expect.cpp
same_bits "$native_sum" tests/neon/sum_bits.cpp src/solve/cpu/kernels.cpp src/host/expect.cpp
