#!/usr/bin/env bash
# The programs of README.md compile against the installed package, and print what their comments say.
#   COMPONENTS=… install_test.sh SOURCE_DIR BUILD_DIR SCRATCH_DIR
set -euo pipefail
source_dir=$1 build_dir=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
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
find_package(hilo REQUIRED COMPONENTS $ENV{COMPONENTS})
set(CMAKE_NO_SYSTEM_FROM_IMPORTED ON)
add_executable(my_program main.cpp every_header.cpp)
target_compile_options(my_program PRIVATE -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror)
target_link_libraries(my_program PRIVATE hilo::hilo)
foreach(component IN ITEMS $ENV{COMPONENTS})
  target_link_libraries(my_program PRIVATE hilo::${component})
endforeach()
END
cmake -G Ninja -S "$scratch" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$scratch/prefix"
cmake --build "$scratch/build"

if [ -e "$scratch/prefix/bin/hilo" ]; then
  "$scratch/prefix/bin/hilo" --version
fi

expected=$(sed -n 's/.*c(0, 0) = .*\/\/ //p' "$scratch/main.cpp")
[ -n "$expected" ]
"$scratch/build/my_program" | tee "$scratch/printed.txt"
grep -qFx "c(0, 0) = $expected" "$scratch/printed.txt"

"${CXX:-c++}" -std=c++20 -I"$scratch/prefix/include" "$scratch/number.cpp" -o "$scratch/number"
expected=$(sed -n 's/.*to_string(x, 31).*\/\/ //p' "$scratch/number.cpp")
[ "$("$scratch/number")" = "$expected" ]
