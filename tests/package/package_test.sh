#!/usr/bin/env bash
# How other projects take hilo in: by add_subdirectory, by the number alone, by a shared library, and by building it with
# no option at all. Configured only: install_test.sh compiles.
#   package_test.sh SOURCE_DIR SCRATCH_DIR
set -euo pipefail
source_dir=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

fail() { echo "package_test: $1" >&2; exit 1; }
# quietly COMMAND…: prints what it said only if it fails
quietly() { "$@" >log.txt 2>&1 || { cat log.txt; fail "failed: $*"; }; }
without() { printf -- '-DCMAKE_DISABLE_FIND_PACKAGE_%s=ON ' "$@"; }
libraries=(OpenMP hwy OpenCL CBLAS DNNL MPFR CLI11 nlohmann_json)
test_libraries=(GTest benchmark Boost Eigen3 fmt)

# project NAME COMPONENTS TARGET: a program that links TARGET of an installed hilo.
project() {
  mkdir -p "$1"
  echo 'int main() {}' >"$1/main.cpp"
  cat >"$1/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project($1 LANGUAGES CXX)
find_package(hilo REQUIRED COMPONENTS $2)
add_executable($1 main.cpp)
target_link_libraries($1 PRIVATE $3)
EOF
}

# expect_missing PREFIX COMPONENTS MESSAGE: find_package says which of COMPONENTS is not installed in PREFIX.
expect_missing() {
  local config
  config=$(find "$scratch/$1" -name hiloConfig.cmake)
  rm -rf missing
  mkdir missing
  cat >missing/CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.25)
project(missing LANGUAGES NONE)
find_package(hilo REQUIRED COMPONENTS $2)
EOF
  if cmake -G Ninja -S missing -B missing/build -Dhilo_DIR="$(dirname "$config")" >log.txt 2>&1; then
    fail "'$2' is found in $1, where it is not installed"
  fi
  tr -s ' \n' ' ' <log.txt | grep -qF "$3" || { cat log.txt; fail "the message does not say: $3"; }
}

# With no option, a build asks for nothing that only tests and benchmarks need.
quietly cmake -G Ninja -S "$source_dir" -B plain $(without "${test_libraries[@]}")

# A package that is not found is told with the options that do without it. StarPU is done without where nobody asked.
quietly cmake -G Ninja -S "$source_dir" -B lacking $(without StarPU)
while read -r package options asked; do
  if cmake --fresh -G Ninja -S "$source_dir" -B lacking -DHILO_TESTS=ON $asked $(without "$package") >log.txt 2>&1; then
    fail "configured without $package"
  fi
  tr -s ' \n' ' ' <log.txt | grep -qE "hilo needs $package, .* have it as [a-z].*; $options does without it" ||
    { cat log.txt; fail "the message about $package does not name $options"; }
done <<'END'
OpenMP -DHILO_LIBRARY=OFF
hwy -DHILO_LIBRARY=OFF
CBLAS -DHILO_CBLAS=OFF
OpenCL -DHILO_OPENCL=OFF
nlohmann_json -DHILO_LIBRARY=OFF
MPFR -DHILO_ACCURACY=OFF
CLI11 -DHILO_PROGRAM=OFF
StarPU -DHILO_DISTRIBUTED=OFF -DHILO_DISTRIBUTED=ON
GTest -DHILO_TESTS=OFF
END

# The number needs no package, neither when it is installed nor when it is found.
quietly cmake -G Ninja -S "$source_dir" -B number_build -DHILO_LIBRARY=OFF \
  $(without "${libraries[@]}" "${test_libraries[@]}")
quietly cmake --install number_build --prefix number_prefix
project number "number OPTIONAL_COMPONENTS hilo" hilo::number
quietly cmake -G Ninja -S number -B number/build -DCMAKE_PREFIX_PATH="$scratch/number_prefix" $(without "${libraries[@]}")
expect_missing number_prefix "" "installed without its library"
expect_missing number_prefix "number frob" "without a component 'frob'; there are: number "

# A shared library keeps what it is made of to itself; here empty ones stand for it.
quietly cmake -G Ninja -S "$source_dir" -B shared_build -DBUILD_SHARED_LIBS=ON -DHILO_PROGRAM=OFF -DCMAKE_SKIP_RPATH=ON \
  -DHILO_DISTRIBUTED=OFF
for library in src/libhilo src/accuracy/libhilo_accuracy; do
  echo | "${CXX:-c++}" -shared -x c++ - -o "shared_build/$library.so.0.1.0"
  ln -s "$(basename "$library").so.0.1.0" "shared_build/$library.so.0.1"
  ln -s "$(basename "$library").so.0.1.0" "shared_build/$library.so"
done
quietly cmake --install shared_build --prefix shared_prefix
project shared accuracy "hilo::hilo hilo::accuracy"
quietly cmake -G Ninja -S shared -B shared/build -DCMAKE_PREFIX_PATH="$scratch/shared_prefix" $(without "${libraries[@]}")
quietly cmake --build shared/build
expect_missing shared_prefix frob "without a component 'frob'; there are: number, hilo, accuracy "
find shared_prefix -name 'hiloAccuracyTargets*.cmake' -delete  # as -DHILO_ACCURACY=OFF installs
expect_missing shared_prefix "hilo accuracy" "without a component 'accuracy'; there are: number, hilo "

# hilo is optimised in a project without a build type, and as the project has it otherwise.
mkdir parent
echo 'int main() {}' >parent/own.cpp
cat >parent/CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_subdirectory($source_dir hilo)
add_executable(own own.cpp)
target_link_libraries(own PRIVATE hilo::hilo)
EOF
# expect_flags SOURCE FLAGS: the options -O… that SOURCE is compiled with
expect_flags() {
  local found
  found=$(grep -E "\"command\": .* -c [^ ]*/$1\"" parent/build/compile_commands.json | sed -E 's/ -O/\n-O/g' |
    sed -nE 's/^(-O[^ ]*).*/ \1/p' | tr -d '\n')
  [ "$found" = "$2" ] || fail "$1 is compiled with '$found', not with '$2' ($case)"
}
configure_parent() {
  case="build type '$1', flags '$2'"
  quietly env -u CXXFLAGS cmake -G Ninja -S parent -B parent/build -DCMAKE_BUILD_TYPE="$1" -DCMAKE_CXX_FLAGS="$2"
}
configure_parent '' ''
expect_flags src/gemm/gemm.cpp ' -O3'
expect_flags src/accuracy/product.cpp ' -O3'
expect_flags parent/own.cpp ''
configure_parent '' '-O1'
expect_flags src/gemm/gemm.cpp ' -O1'
configure_parent Debug ''
expect_flags src/gemm/gemm.cpp ''
configure_parent Release ''
expect_flags src/gemm/gemm.cpp ' -O3'
