#!/bin/sh
# Wrong uses of the number that a compiler can see must stop it, at a line that says what is wrong.
# Usage: misuse_test.sh INCLUDE_FOLDER WORK_FOLDER
set -eu
include=$1
work=$2
mkdir -p "$work"
rm -f "$work"/*.hpp*
failures=0
cases=0

# stops 'STATEMENT' 'PATTERN' [HEADERS]: the statement does not compile, and the compiler's text has the pattern.
# compiles 'STATEMENT' [HEADERS]: it does, so that the case beside it fails for its own reason.
attempt() {
  set_of "${2:-complex math pack text}"
  cat >"$work/case.cpp" <<END
using namespace hilo;
using namespace hilo::literals;
template <class T> concept has_root = requires(T y) { sqrt(y); };
template <class T> concept has_text = requires(T y) { hilo::to_string(y); };
int chosen(dd_real);
std::string chosen(std::string);
[[maybe_unused]] void user([[maybe_unused]] dd_real x, [[maybe_unused]] const dd_complex& z) { $1; }
END
  # $included is several words.
  $compile -fsyntax-only $included "$work/case.cpp" >"$work/case.txt" 2>&1
}
# The options that include a set of headers, parsed once for all cases of a compiler.
set_of() {
  set="$work/$compiler.$(echo "$1" | tr ' ' .).hpp"
  case $compiler in clang*) parsed=$set.pch included="-include-pch $parsed" ;; *) parsed=$set.gch included="-include $set" ;; esac
  [ -f "$parsed" ] && return
  for header in $1; do echo "#include <hilo/$header.hpp>"; done >"$set"
  for header in cmath iostream string; do echo "#include <$header>"; done >>"$set"
  $compile -x c++-header "$set" -o "$parsed"
}
stops() {
  cases=$((cases + 1))
  if attempt "$1" "${3:-}"; then
    echo "$compiler accepts: $1"; failures=$((failures + 1))
  elif ! grep -Eq "$2" "$work/case.txt"; then
    echo "$compiler stops at: $1, but does not say: $2"; head -5 "$work/case.txt"; failures=$((failures + 1))
  fi
}
compiles() {
  cases=$((cases + 1))
  if ! attempt "$1" "${2:-}"; then echo "$compiler refuses: $1"; head -5 "$work/case.txt"; failures=$((failures + 1)); fi
}

for compiler in g++ clang++; do
  if ! command -v "$compiler" >/dev/null; then echo "$compiler is not installed: skipped"; continue; fi
  compile="$compiler -std=c++20 -Wall -Wextra -Werror -I$include"

  # Narrowing.
  compiles '[[maybe_unused]] double d = double(x)'
  stops '[[maybe_unused]] double d = x' "(cannot convert|no viable conversion).*dd_real"
  stops '[[maybe_unused]] float f = x' "(cannot convert|no viable conversion).*dd_real"
  stops '[[maybe_unused]] int i = x' "(cannot convert|no viable conversion).*dd_real"
  stops 'double d = 1; d += x' "(no match for|invalid operands).*dd_real"
  stops 'x = z' "(no match for|no viable overloaded) .*="
  stops '[[maybe_unused]] int i = x % 2' "(no match for .operator%|invalid operands to binary expression).*dd_real"

  # Words that overlap.
  compiles '[[maybe_unused]] constexpr dd_real y{1.0, 0x1p-54}'
  stops '[[maybe_unused]] constexpr dd_real y{1.0, 1.0}' 'words_are_not_canonical_use_dd_real_sum'
  stops '[[maybe_unused]] constexpr dd_real y{0.0, 0x1p-60}' 'words_are_not_canonical_use_dd_real_sum'

  # Text.
  compiles 'x = 0.1_dd'
  stops 'x = 1.5e_dd' '_dd|exponent'
  stops 'x = 1e999_dd' '_dd'

  for made in 'x = "0.1"' 'dd_real y{"0.1"}' 'dd_real y(std::string("0.1"))'; do
    stops "$made" 'use_parse_or_dd_of_hilo_text_hpp' dd_real
  done
  compiles 'x = 0; x = {}; x = {1.0, 0.0}; x = {1}; x = hilo::parse("0.1")'
  compiles 'std::string s = chosen("0.1")'
  compiles 'static_assert(!std::is_constructible_v<dd_real, const char*> && !std::is_assignable_v<dd_real&, const char*> &&
                          !std::is_convertible_v<const char*, dd_real> && !std::is_constructible_v<dd_real, std::string>)'

  # Widths.
  compiles '[[maybe_unused]] dd_pack<8> p = x'
  stops '[[maybe_unused]] dd_pack<3> p = x' 'power of two'
  stops 'dd_pack<4> p = x; p[0] = 5' 'discards qualifiers|no viable overloaded'

  # Functions of std take doubles, not these.
  stops 'x = std::sqrt(x)' 'no matching function.*sqrt|call to .*sqrt.* is ambiguous'

  # What is in another header is named with it.
  for call in 'sqrt(x)' 'exp(x)' 'abs(x)' 'pow(x, 2)' 'pow(x, x)' 'fmin(x, 1.0)'; do
    stops "x = $call" 'include_hilo_math_hpp' dd_real
    compiles "x = $call"
  done
  for call in 'std::cout << x' 'std::cin >> x'; do
    stops "$call" 'include_hilo_text_hpp' dd_real
    compiles "$call"
  done
  for call in 'hilo::to_string(x, 31)' 'to_hex_string(x)'; do
    stops "std::string s = $call" 'include_hilo_text_hpp' dd_real
    compiles "std::string s = $call"
  done
  compiles 'auto* f = &to_hex_string; std::string s = f(x) + to_string(x, 31L)'
  stops 'x = 0.1_dd' 'text\.hpp' dd_real
  stops 'std::cout << z' 'include_hilo_text_hpp' complex
  compiles 'std::cout << z << x' 'text complex'
  stops '[[maybe_unused]] dd_complex w = exp(z)' 'include_hilo_complex_math_hpp' complex
  compiles '[[maybe_unused]] dd_complex w = exp(z)' 'complex_math'
  compiles 'static_assert(!has_root<dd_real> && !has_text<dd_real>)' dd_real
  compiles 'static_assert(has_root<dd_real> && has_text<dd_real>)'
done

[ "$cases" -gt 0 ] || { echo "no compiler"; exit 77; }
rm -f "$work"/*.hpp*
echo "$cases cases, $failures failures"
[ "$failures" -eq 0 ]
