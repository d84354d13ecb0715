#!/usr/bin/env bash
# The programs of README.md compile against the installed package, and print what their comments say.
#   COMPONENTS="NAME …" install_test.sh SOURCE_DIR BUILD_DIR SCRATCH_DIR
set -euo pipefail
source_dir=$1 build_dir=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch/whole"
cmake --install "$build_dir" --prefix "$scratch/prefix" >"$scratch/install.txt"

# The first one uses the library, the second the number type alone.
awk -v folder="$scratch" '/^```cpp$/ {file = folder "/" (++n == 1 ? "main" : "number") ".cpp"; next}
  /^```$/ {file = ""} file {print >file}' "$source_dir/README.md"
# A second unit of the same program, without warnings in any header.
(cd "$scratch/prefix/include" && find hilo -name '*.hpp' ! -path '*/interop/*' | sort | sed 's/.*/#include <&>/') \
  >"$scratch/every_header.cpp"
cat >"$scratch/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(my_project LANGUAGES CXX)
string(REPLACE " " ";" components "$ENV{COMPONENTS}")
find_package(hilo REQUIRED COMPONENTS ${components})
set(CMAKE_NO_SYSTEM_FROM_IMPORTED ON)
add_executable(my_program main.cpp every_header.cpp)
target_compile_options(my_program PRIVATE -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror)
target_link_libraries(my_program PRIVATE hilo::hilo)
foreach(component IN LISTS components)
  target_link_libraries(my_program PRIVATE hilo::${component})
endforeach()
END
cmake -G Ninja -S "$scratch" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$scratch/prefix"
cmake --build "$scratch/build"

if [ -e "$scratch/prefix/bin/hilo" ]; then
  "$scratch/prefix/bin/hilo" --version
  grep -q '^.TH HILO 1' "$scratch/prefix/share/man/man1/hilo.1"
  bash -n "$scratch/prefix/share/bash-completion/completions/hilo"
  diff -r "$source_dir/docs/schemas" "$scratch/prefix/share/hilo/schemas"
fi

expected=$(sed -n 's/.*c(0, 0) = .*\/\/ //p' "$scratch/main.cpp")
[ -n "$expected" ]
"$scratch/build/my_program" | tee "$scratch/printed.txt"
grep -qFx "c(0, 0) = $expected" "$scratch/printed.txt"

# The same program by pkg-config, which says with --static what a static library needs.
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$scratch/prefix" -name hilo.pc)")
static=$([ -z "$(find "$scratch/prefix" -name 'libhilo.a')" ] || echo --static)
"${CXX:-c++}" -std=c++20 ${CXXFLAGS:-} "$scratch/main.cpp" $(pkg-config --cflags --libs $static hilo) -o "$scratch/by_pkg_config"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir hilo) "$scratch/by_pkg_config" | grep -qFx "c(0, 0) = $expected"
for component in ${COMPONENTS:-}; do pkg-config --exists --print-errors "hilo-$component"; done

# MPFR is asked for with `accuracy` alone.
cat >"$scratch/whole/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(whole LANGUAGES CXX)
find_package(hilo REQUIRED)
add_executable(whole ../main.cpp)
target_link_libraries(whole PRIVATE hilo::hilo)
END
cmake -G Ninja -S "$scratch/whole" -B "$scratch/whole/build" -DCMAKE_PREFIX_PATH="$scratch/prefix" \
  -DCMAKE_DISABLE_FIND_PACKAGE_MPFR=ON

"${CXX:-c++}" -std=c++20 -I"$scratch/prefix/include" "$scratch/number.cpp" -o "$scratch/number"
expected=$(sed -n 's/.*to_string(x, 31).*\/\/ //p' "$scratch/number.cpp")
[ "$("$scratch/number")" = "$expected" ]
