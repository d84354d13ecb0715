// What tests of routines on matrices in host memory share.
#pragma once

#include <hilo/blas.hpp>

#include "matrices.hpp"

namespace hilo::test {

inline BlockedOptions options_of(Engine engine, std::int64_t block = 0) {
  BlockedOptions options;
  options.engine = engine;
  options.block = block;
  return options;
}

// By a triangle, with other numbers beside it.
template <class T>
StoredMatrix<T> positive_matrix(Layout layout, Uplo uplo, std::int64_t n) {
  const StoredMatrix<T> factor(Layout::column, n, n, 7);
  StoredMatrix<T> a(layout, n, n, 5);
  herk<T>(uplo, real_type<T>(1), factor.read(), real_type<T>(0), a.view);
  for (std::int64_t i = 0; i < n; ++i) a.view(i, i) = a(i, i) + T(1);
  return a;
}

}  // namespace hilo::test
