// Matrices over ranks as arguments, for the checks that views have.
#pragma once

#include "blas/arguments.hpp"
#include "distributed/matrix.hpp"

namespace hilo::distributed {

/// Its memory is known by its handle, in which all of it overlaps.
template <class T>
blas::Argument argument(const char* name, const Matrix<T>& x) {
  return {name, {x.rows(), x.columns(), 1, x.rows(), is_conjugated(x.op())}, nullptr, x.state().get(), false};
}

/// X is cut as C is.
template <class T>
void check_tiles(const blas::Arguments& check, const char* name, const Matrix<T>& x, const char* result_name,
                 const Matrix<T>& result) {
  check.check_equal(std::string("tile of ") + name, x.tile(), std::string("tile of ") + result_name, result.tile());
}

/// A and the right-hand sides of a system.
template <class T>
void check_system(const blas::Arguments& check, const Matrix<T>& a, const Matrix<T>& b) {
  check.check_system(argument("A", a), argument("B", b));
  check_tiles(check, "A", a, "B", b);
}

}  // namespace hilo::distributed
