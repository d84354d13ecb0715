// A product as every engine takes it: C = alpha · A · B + beta · C on views, one or a batch of equal shapes.
#pragma once

#include <hilo/matrix.hpp>
#include <optional>

#include "matrix/arguments.hpp"

namespace hilo {

/// Whether the block of a matrix from (i, j) on has an entry of its triangle with the diagonal.
constexpr bool wants_block(Uplo triangle, std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns) {
  return triangle == Uplo::lower ? i + rows > j : i < j + columns;
}

/// Where the matrices of a batch are, by number; of the caller, who keeps them during the call.
template <class T>
struct BatchPointers {
  const T* const* a;
  const T* const* b;
  T* const* c;
};

/// Or only the entries of C on its diagonal and on one side of it, by engines that take that.
template <class T>
struct Product {
  T alpha;
  MatrixView<const T> a, b;
  T beta;
  MatrixView<T> c;
  BatchShape batch = {};
  std::optional<Uplo> triangle = {};
  /// Of a batch: its matrices, instead of those one stride apart; null where nothing is read.
  std::optional<BatchPointers<T>> pointers = {};

  std::int64_t m() const { return c.rows; }
  std::int64_t n() const { return c.columns; }
  std::int64_t k() const { return a.columns; }
  /// Otherwise C = beta · C, and A and B are not read.
  bool reads_operands() const { return k() > 0 && !(alpha == T(0)); }

  bool wants_block(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns) const {
    return !triangle || hilo::wants_block(*triangle, i, j, rows, columns);
  }

  /// Product i of the batch, alone.
  Product at(std::int64_t i) const {
    Product one = *this;
    if (pointers) {
      one.a.data = pointers->a ? pointers->a[i] : nullptr;
      one.b.data = pointers->b ? pointers->b[i] : nullptr;
      one.c.data = pointers->c[i];
      one.pointers.reset();
    } else {
      one.a.data += i * batch.stride_a;
      one.b.data += i * batch.stride_b;
      one.c.data += i * batch.stride_c;
    }
    one.batch = {};
    return one;
  }
};

/// Of matrices that the shape describes.
template <class T>
Product<T> product_of(const GemmShape& s, const BatchShape& batch, T alpha, const T* a, const T* b, T beta, T* c) {
  return {alpha, view(s.layout, s.opa, a, s.m, s.k, s.lda),    view(s.layout, s.opb, b, s.k, s.n, s.ldb),
          beta,  view(s.layout, Op::none, c, s.m, s.n, s.ldc), batch};
}

}  // namespace hilo
