#!/bin/sh
# Seconds that including the number costs over an empty file: medians of 9, compiled with -O2.
# Usage: compile_time.sh INCLUDE_FOLDER [COMPILER …]
# The bars: dd_real.hpp 0.3 s, everything of the number 1 s.
set -eu
include=$1
shift
[ $# -gt 0 ] || set -- g++ clang++
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds COMPILER FILE
seconds() {
  for _ in 1 2 3 4 5 6 7 8 9; do
    start=$(date +%s%N)
    "$1" -std=c++20 -O2 -I"$include" -c "$2" -o "$work/out.o"
    end=$(date +%s%N)
    echo $(((end - start) / 1000))
  done | sort -n | sed -n 5p
}

whole="complex complex_math math numbers pack random text"
for name in empty dd_real math text whole; do
  case $name in
    empty) headers= ;;
    whole) headers=$whole ;;
    *) headers=$name ;;
  esac
  for header in $headers; do echo "#include <hilo/$header.hpp>"; done >"$work/$name.cpp"
  echo "int main() {}" >>"$work/$name.cpp"
done

printf '%-10s %-10s %s\n' compiler header "seconds over an empty file"
for compiler in "$@"; do
  empty=$(seconds "$compiler" "$work/empty.cpp")
  for name in dd_real math text whole; do
    cost=$(seconds "$compiler" "$work/$name.cpp")
    printf '%-10s %-10s %d.%02d\n' "$compiler" "$name" $(((cost - empty) / 1000000)) $(((cost - empty) % 1000000 / 10000))
  done
done
