// The matrices of a product.
#pragma once

#include "cli/gemm_request.hpp"
#include "data/matrix.hpp"

namespace hilo::cli {

template <class T>
struct Operands {
  data::Matrix<T> c;  ///< zeros; the first, so that a product of two long vectors is refused before they are made
  data::Matrix<T> a, b;
  data::Matrix<T> c0;  ///< empty where beta = 0
};

/// Generated matrices as the request describes them. Throws hilo::error (out_of_memory, invalid_argument).
template <class T>
Operands<T> generated_operands(const GemmRequest& request, bool has_c);

}  // namespace hilo::cli
