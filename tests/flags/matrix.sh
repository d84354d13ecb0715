#!/bin/sh
# The bits of composed.cpp and functions.cpp from every compiler, optimisation level, instruction set and contraction
# mode must be the same, and flags that break IEEE arithmetic must be refused.
# Usage: matrix.sh INCLUDE_FOLDER WORK_FOLDER
set -eu
include=$1
work=$2
sources=$(dirname "$0")
mkdir -p "$work"
rm -f "$work"/*.bits "$work"/*.err "$work"/builds "$work"/refusals

compilers=
for compiler in g++ clang++; do
  if command -v "$compiler" >/dev/null; then compilers="$compilers $compiler"; else echo "$compiler is not installed: skipped"; fi
done
case $(uname -m) in x86_64) baseline=-march=x86-64 ;; *) baseline= ;; esac

# The long form (HILO_LONG_TESTS) builds all combinations. Otherwise -ffp-contract=fast is left out where it gives the
# same instructions, with g++, which contracts by default, and on x86-64's baseline, which has nothing to contract to;
# of clang's -O2 and -O3, whose passes are the same but for few, -O2; and g++'s -O2 on that baseline, of which
# -std=gnu++20 makes the same instructions.
for compiler in $compilers; do
  levels="-O0 -O2 -O3"
  case $compiler in clang*) [ -n "${HILO_LONG_TESTS:-}" ] || levels="-O0 -O3" ;; esac
  for level in $levels; do
    for target in $baseline -march=native; do
      case "$compiler $level $target" in "g++ -O2 -march=x86-64") [ -n "${HILO_LONG_TESTS:-}" ] || continue ;; esac
      contracts=-ffp-contract=fast
      case $compiler$target in g++* | *-march=x86-64) [ -n "${HILO_LONG_TESTS:-}" ] || contracts= ;; esac
      for contract in "" $contracts; do
        echo "$compiler $level $target $contract" | sed "s/  */ /g; s/ $//" >>"$work/builds"
      done
    done
  done
  echo "$compiler -O3 -march=native -ffp-contract=fast -flto" >>"$work/builds"
  # Where std::integral takes __int128 in.
  echo "$compiler -O2 $baseline -std=gnu++20" | sed "s/  */ /g" >>"$work/builds"
done
case $compilers in
  *clang++*)
    # Clang tells the header nothing about these; a pragma there undoes them.
    echo "clang++ -O3 -march=native -fassociative-math" >>"$work/builds"
    echo "clang++ -O3 -march=native -freciprocal-math -ffp-contract=fast" >>"$work/builds"
    ;;
esac

for compiler in $compilers; do
  for flag in -ffast-math -Ofast -ffinite-math-only; do echo "$compiler $flag" >>"$work/refusals"; done
done
case $compilers in
  *g++*)
    echo "g++ -freciprocal-math" >>"$work/refusals"
    echo "g++ -fassociative-math -fno-signed-zeros -fno-trapping-math" >>"$work/refusals"
    echo "g++ -funsafe-math-optimizations" >>"$work/refusals"
    ;;
esac

build_one='
  line=$1; name=$(echo "$line" | tr -c "a-zA-Z0-9=\n+-" _)
  out="$work/$name"
  : >"$out.bits.part"
  case $line in *-std=*) standard= ;; *) standard=-std=c++20 ;; esac
  for program in composed functions; do
    $line $standard -I"$include" "$sources/$program.cpp" -o "$out.exe" 2>"$out.err" || exit 0
    "$out.exe" >>"$out.bits.part" || exit 0
  done
  mv "$out.bits.part" "$out.bits"
  rm -f "$out.exe"
'
refuse_one='
  line=$1; name=refused_$(echo "$line" | tr -c "a-zA-Z0-9=\n+-" _)
  if $line -std=c++20 -I"$include" -fsyntax-only "$sources/composed.cpp" 2>"$work/$name.err"; then echo "compiled" >"$work/$name.err"; fi
'
export work include sources
tr "\n" "\0" <"$work/builds" | xargs -0 -n 1 -P 2 sh -c "$build_one" sh
tr "\n" "\0" <"$work/refusals" | xargs -0 -n 1 -P 2 sh -c "$refuse_one" sh

failures=0
reference=
while read -r line; do
  out="$work/$(echo "$line" | tr -c 'a-zA-Z0-9=\n+-' _)"
  if [ ! -s "$out.bits" ]; then
    echo "FAILED to build or run: $line"; head -5 "$out.err" || true
    failures=$((failures + 1))
  elif [ -z "$reference" ]; then
    reference=$out.bits
  elif ! cmp -s "$reference" "$out.bits"; then
    echo "OTHER BITS: $line"; diff "$reference" "$out.bits" | grep '^>' | head -8
    failures=$((failures + 1))
  fi
done <"$work/builds"
while read -r line; do
  name=refused_$(echo "$line" | tr -c 'a-zA-Z0-9=\n+-' _)
  if ! grep -q 'double-double arithmetic needs IEEE semantics' "$work/$name.err"; then
    echo "NOT REFUSED: $line"
    failures=$((failures + 1))
  fi
done <"$work/refusals"
echo "$(wc -l <"$work/builds") builds, $(wc -l <"$work/refusals") refusals, $failures failures"
[ "$failures" -eq 0 ]
