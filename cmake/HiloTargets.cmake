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
  if(HILO_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  if(HILO_PORTABLE)
    set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN;$ORIGIN/../lib" BUILD_RPATH_USE_ORIGIN ON)
  endif()
endfunction()
