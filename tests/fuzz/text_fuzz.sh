#!/bin/sh
# No input crashes the text of dd_real, and what is written reads back: libFuzzer on text_fuzz.cpp, with the address and
# undefined-behaviour sanitizers, for HILO_FUZZ_SECONDS (60). The corpus stays in the work folder.
# Usage: text_fuzz.sh INCLUDE_FOLDER WORK_FOLDER
set -eu
include=$1
work=$2
here=$(dirname "$0")
sanitizers="-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined"
mkdir -p "$work/corpus"

if ! command -v clang++ >/dev/null; then
  echo "clang++ is not installed: skipped"
  exit 77
fi
echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' >"$work/empty.cpp"
if ! clang++ $sanitizers "$work/empty.cpp" -o "$work/empty" 2>/dev/null; then
  echo "clang++ has no libFuzzer here (Debian: package libclang-rt-dev): skipped"
  exit 77
fi
clang++ -std=c++20 -O2 -g $sanitizers -DFMT_HEADER_ONLY -I"$include" "$here/text_fuzz.cpp" -o "$work/text_fuzz"
exec "$work/text_fuzz" -max_total_time="${HILO_FUZZ_SECONDS:-60}" -seed="${HILO_FUZZ_SEED:-1}" -max_len=3000 \
  -timeout=20 -dict="$here/text_fuzz.dict" -artifact_prefix="$work/" -print_final_stats=1 "$work/corpus"
