# hilo_target(NAME): what every target of the project's own builds shares.
function(hilo_target name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF
                                           POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wpedantic -ffp-contract=off)
  # g++ 12 reports overlapping copies inside std::string that are not there (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${name} PRIVATE -Wno-restrict)
  endif()
  # g++ looks for garbage in its heap from 128 MiB on, which takes up to a tenth of the time of a file full of templates.
  # It may have some more before it does; what it compiles is the same.
  if(HILO_TESTS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE --param=ggc-min-heapsize=524288)
  endif()
  # A project that adds hilo without a build type gets its own code unoptimised, as CMake has it, but not hilo's.
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND NOT CMAKE_CXX_FLAGS MATCHES "(^| )-O")
    separate_arguments(release_flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS_RELEASE}")
    target_compile_options(${name} PRIVATE ${release_flags})
  endif()
  if(HILO_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  if(HILO_PORTABLE)
    set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN;$ORIGIN/../lib" BUILD_RPATH_USE_ORIGIN ON)
  endif()
endfunction()

# hilo_precompile(TARGET [HEADER …]): headers that most files of the target include are compiled once for all of them,
# where a build is made for running the tests. A compiler cache, a launcher, keeps objects and would keep none of these;
# builds with one, like those of other types and without tests, see whether each file includes what it uses. g++ makes
# in every file what inline functions of these headers need of templates: headers that have many of them cost more than
# they save. With them and full optimisation g++ 12 warns in some files of copies inside std::string that are not there:
# those go without (hilo_precompile_not).
set(hilo_precompiles FALSE)
if(HILO_TESTS AND NOT HILO_PORTABLE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   AND CMAKE_BUILD_TYPE STREQUAL "Release")
  set(hilo_precompiles TRUE)
endif()
function(hilo_precompile target)
  if(hilo_precompiles)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <bit> <chrono> <cmath> <complex> <cstdint> <cstdio> <cstdlib> <cstring> <fstream> <functional>
      <iostream> <limits> <map> <memory> <mutex> <optional> <span> <sstream> <stdexcept> <string> <string_view>
      <utility> <vector> ${ARGN})
  endif()
endfunction()
function(hilo_precompile_not)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# hilo_find(PACKAGE DEBIAN_PACKAGE OPTIONS …): find_package(PACKAGE REQUIRED …), whose error says what brings the package
# and the OPTIONS that do without it.
macro(hilo_find package debian_package options)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "hilo needs ${package}, which is not found. Debian and Ubuntu have it as ${debian_package}; "
                        "${options} does without it.")
  endif()
  find_package(${package} ${ARGN} REQUIRED)  # tells what is found
endmacro()
