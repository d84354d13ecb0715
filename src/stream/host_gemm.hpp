// What the doors to products of host memory have in common.
#pragma once

#include "gemm/device_product.hpp"
#include "matrix/product.hpp"
#include "stream/product.hpp"

namespace hilo::stream {

template <class T>
HostProduct host_product(const GemmShape& packed, const Product<T>& x) {
  return {{host_matrix(x.a.data, lines_of(x.a), sizeof(T)), host_matrix(x.b.data, lines_of(x.b), sizeof(T))},
          host_matrix(x.c.data, lines_of(x.c), sizeof(T)),
          device_product(packed, {}, x.alpha, x.beta),
          packed};
}

}  // namespace hilo::stream
