// Where routines on the host begin: what they throw, and that memory may end half-way.
#pragma once

#include <string>

#include "host/door.hpp"

namespace hilo::blas {

template <class F>
auto door(const char* routine, F f) {
  return host::door([routine] { return std::string(routine) + ": no memory; its results are of no particular value"; },
                    f);
}

}  // namespace hilo::blas
