// What kernels of products take as arguments, made of views and numbers.
#pragma once

#include <array>
#include <cstring>

#include "matrix/device_product.hpp"
#include "opencl/arguments.hpp"
#include "tile/tile.hpp"

namespace hilo::tile {

using KernelShape = opencl::shape;
using KernelView = opencl::matrix_view;

inline KernelView view_at(const DeviceView& x, std::int64_t row, std::int64_t column) {
  return {x.at(row, column), x.row_stride, x.column_stride, x.conjugate};
}

/// alpha and beta as kernels with doubles take them.
inline opencl::factors factors_of(const dd_complex& alpha, const dd_complex& beta) {
  return {{alpha.re.hi, alpha.re.lo, alpha.im.hi, alpha.im.lo}, {beta.re.hi, beta.re.lo, beta.im.hi, beta.im.lo}};
}

/// A number of S, D, C or Z as a kernel takes it.
struct NumberArgument {
  std::array<std::byte, 16> bytes{};
  std::size_t size = 0;

  NumberArgument(NumberKind kind, const dd_complex& x) {
    auto put = [&](auto word) {
      std::memcpy(bytes.data() + size, &word, sizeof word);
      size += sizeof word;
    };
    for (double part : {x.re.hi, x.im.hi}) {
      if (size > 0 && !kind.is_complex()) break;
      if (kind.word_bytes() == 4) {
        put(static_cast<float>(part));
      } else {
        put(part);
      }
    }
  }
};

}  // namespace hilo::tile
