#!/bin/sh
# No input crashes what reads text or files, and what is written reads back: libFuzzer with the address and undefined-
# behaviour sanitizers on text_fuzz.cpp for 10,000 inputs, on matrix_file_fuzz.cpp for 3,000; on either for
# HILO_FUZZ_SECONDS where that is set. The corpus stays in the work folder.
# Usage: fuzz.sh text_fuzz|matrix_file_fuzz SOURCE_FOLDER WORK_FOLDER
set -eu
target=$1
root=$2
work=$3
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

# npy FILE DTYPE ORDER SHAPE BYTES: a .npy file whose entries hold so many bytes.
npy() {
  {
    printf '\223NUMPY\001\000\366\000'
    printf '%-245s\n' "{'descr': $2, 'fortran_order': $3, 'shape': $4, }"
    yes 123456 | head -c "$5"
  } >"$work/seeds/$1.npy"
}

case $target in
  text_fuzz)
    sources=
    limits="-runs=10000 -len_control=0"
    [ -z "${HILO_FUZZ_SECONDS:-}" ] || limits="-max_total_time=$HILO_FUZZ_SECONDS"
    limits="$limits -max_len=3000"
    ;;
  matrix_file_fuzz)
    sources="decimal file matrix matrix_market npy npy_header quoted signals_wait write_matrix_market"
    limits="-runs=3000"
    [ -z "${HILO_FUZZ_SECONDS:-}" ] || limits="-max_total_time=$HILO_FUZZ_SECONDS"
    limits="$limits -max_len=2000 -malloc_limit_mb=16 -rss_limit_mb=1024"
    mkdir -p "$work/seeds"
    cp "$root"/examples/data/*.mtx "$work/seeds"
    printf '%%%%MatrixMarket matrix array real general\n0 9223372036854775807\n' >"$work/seeds/no_rows.mtx"
    printf '%%%%MatrixMarket matrix array real general\n1 1\n-0\n' >"$work/seeds/minus_zero.mtx"
    npy float "'<f4'" False "(3, 2)" 24
    npy double "'<f8'" True "(2, 3)" 48
    npy complex "'<c16'" False "(1, 2)" 32
    npy dd "[('hi', '<f8'), ('lo', '<f8')]" False "(2, 1)" 32
    npy zdd "[('re_hi', '<f8'), ('re_lo', '<f8'), ('im_hi', '<f8'), ('im_lo', '<f8')]" True "(1, 2)" 64
    npy empty "'<f8'" False "(0, 7)" 0
    ;;
esac
files="$here/$target.cpp"
for source in $sources; do files="$files $root/src/data/$source.cpp"; done
[ "$target" = text_fuzz ] || files="$files $root/src/gemm/text.cpp $root/src/host/door.cpp $root/src/host/escaped.cpp"
clang++ -std=c++20 -O2 -gline-tables-only $sanitizers -DFMT_HEADER_ONLY -I"$root/include" -I"$root/src" $files -o "$work/$target"
[ ! -d "$work/seeds" ] || set -- "$work/seeds"
[ -d "$work/seeds" ] || set --
# What libFuzzer exits with for what it finds is else 77, which ctest takes for a test that is skipped.
exec "$work/$target" $limits -error_exitcode=1 -seed="${HILO_FUZZ_SEED:-1}" -timeout=20 -dict="$here/$target.dict" \
  -artifact_prefix="$work/" -print_final_stats=1 "$work/corpus" "$@"
