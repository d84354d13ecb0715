# cmake -DOUTPUT=FILE.cpp -DINPUTS="A;B;…" -DFOLDERS="X;Y;…" -P EmbedKernels.cmake: the files as byte arrays, in a table
# by their paths from the folder that holds them.
set(arrays "")
set(table "")
set(index 0)
foreach(input IN LISTS INPUTS)
  set(name "")
  foreach(folder IN LISTS FOLDERS)
    cmake_path(IS_PREFIX folder "${input}" is_within)
    if(is_within)
      cmake_path(RELATIVE_PATH input BASE_DIRECTORY "${folder}" OUTPUT_VARIABLE name)
    endif()
  endforeach()
  if(NOT name)
    message(FATAL_ERROR "${input} is in none of ${FOLDERS}")
  endif()
  file(READ "${input}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "const unsigned char file_${index}[] = {\n${bytes}0};\n")
  string(APPEND table "    {\"${name}\", file_${index}, sizeof(file_${index}) - 1},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}" "#include \"opencl/embedded.hpp\"\n
namespace hilo::opencl {\nnamespace {\n${arrays}}  // namespace\n
const EmbeddedFile embedded_files[] = {\n${table}};\nconst std::size_t embedded_file_count = ${index};
\n}  // namespace hilo::opencl\n")
