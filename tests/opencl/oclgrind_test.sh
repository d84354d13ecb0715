#!/bin/sh
# oclgrind_test.sh OPENCL_GEMM_TEST OPENCL_SOLVE_COLUMNS_TEST OPENCL_BATCH_TEST: the kernels interpreted, with races,
# memory and API use checked. Its compiler's inlining yields an intrinsic that the interpreter lacks, hence -fno-inline.
command -v oclgrind > /dev/null || { echo "oclgrind is not installed"; exit 77; }
log=$(mktemp)
output=$(mktemp)
trap 'rm -f "$log" "$output"' EXIT
# run PROGRAM FILTER, of which each pattern names a test
run() {
  for pattern in $(echo "$2" | tr : '\n' | sed "s/'//g"); do
    "$1" --gtest_list_tests --gtest_filter="$pattern" | grep -q '^  ' || { echo "$pattern is no test of $1"; exit 1; }
  done
  HILO_CACHE=0 HILO_TEST_SMALL=1 oclgrind --build-options -fno-inline --local-mem-size 65536 --data-races --check-api \
    --log "$log" "$1" --gtest_filter="$2" > "$output"
  status=$?
  cat "$output"
  [ $status -eq 0 ] || exit 1
  grep -q '\[       OK \]' "$output" || { echo "no test ran"; exit 1; }
  if [ -s "$log" ]; then
    head -c 4000 "$log"
    exit 1
  fi
}
run "$1" '*Gives*:OpenclGemm/0.IsTheSame*:OpenclGemm/1.ComputesEntries*:OpenclGemm/0.NeverReads*'
run "$2" 'OpenclSolveColumns/*:OpenclSolveManyColumns/c.*:OpenclSolveManyColumns/dd.EndsBegunSums'
run "$3" 'OpenclBatch/0.IsOneLaunch*:OpenclBatch/4.IsOneLaunch*:OpenclBatch/0.IsTheSame*'
