#!/bin/sh
# Every header that a user may include compiles alone: headers_test.sh INCLUDE_FOLDER COMPILER [FLAG …].
set -eu
include=$1
shift
cd "$include"
find hilo -name '*.hpp' ! -path '*/detail/*' | sort | xargs -P 2 -I{} sh -c '
  header=$1
  shift
  printf "#include <%s>\n#include <%s>\n" "$header" "$header" |
    "$@" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I. -x c++ - || { echo "$header does not compile alone" >&2; exit 255; }
' headers_test {} "$@"
