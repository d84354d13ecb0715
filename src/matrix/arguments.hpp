// The arguments of a product, and what is wrong with them.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

namespace hilo {

/// The bytes of a stored matrix: `runs` contiguous ones of `run` bytes, `pitch` apart.
struct Footprint {
  std::int64_t begin, run, runs, pitch;
  std::int64_t extent() const { return run && runs ? pitch * (runs - 1) + run : 0; }
};

/// Whether both have a byte in common. Exact for one pitch, as blocks of one matrix have; where pitches differ, bytes
/// between the runs count too.
bool overlap(const Footprint& x, const Footprint& y);

/// Whether any of `count` matrices x overlaps any of `count` matrices c, strides in bytes; with c's as large as c.
/// Where strides differ, matrices between others count, too.
bool overlap(const Footprint& x, std::int64_t stride_x, const Footprint& c, std::int64_t stride_c, std::int64_t count);

/// The sizes of C = alpha · op(A) · op(B) + beta · C, without the elements.
struct GemmShape {
  Layout layout;
  Op opa, opb;
  std::int64_t m, n, k;
  std::int64_t lda, ldb, ldc;
  std::int64_t element_bytes;

  /// Elements between the first of X and one past its last, 0 for an empty matrix.
  std::int64_t span_a() const;
  std::int64_t span_b() const;
  std::int64_t span_c() const;

  /// The matrix whose first element is at byte `begin`.
  Footprint footprint_a(std::int64_t begin) const;
  Footprint footprint_b(std::int64_t begin) const;
  Footprint footprint_c(std::int64_t begin) const;
};

/// The shape with the least leading dimensions.
GemmShape packed_shape(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                       std::int64_t element_bytes);

/// A view without its elements.
struct ViewLines {
  std::int64_t rows, columns, row_stride, column_stride;
  bool conjugate;
};
template <class View>
ViewLines lines_of(const View& x) {
  return {x.rows, x.columns, x.row_stride, x.column_stride, x.conjugate};
}

/// The distances of rows and of columns. A single row has no next one, nor has a single column: where its elements lie
/// apart, it is a matrix of contiguous columns, or of contiguous rows.
inline std::int64_t row_stride_of(const ViewLines& x) { return x.rows == 1 && x.column_stride != 1 ? 1 : x.row_stride; }
inline std::int64_t column_stride_of(const ViewLines& x) {
  return x.columns == 1 && x.row_stride != 1 ? 1 : x.column_stride;
}

/// The shape of C = alpha · A · B + beta · C on views, checked. Throws as check_shape, and invalid_argument where sizes
/// do not fit each other or neither rows nor columns of a matrix are contiguous.
GemmShape shape_of_views(const ViewLines& a, const ViewLines& b, const ViewLines& c, std::int64_t element_bytes);

/// Throws invalid_argument or overflow, naming the argument, its value and what was expected.
void check_shape(const GemmShape& shape);

/// A batch of products: strides in elements from one matrix to the next.
struct BatchShape {
  std::int64_t count = 1;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
};
void check_batch(const GemmShape& shape, const BatchShape& batch);

/// Host pointers: null where elements would be read or written, or C overlapping A or B.
void check_pointers(const GemmShape& shape, const BatchShape& batch, const void* a, const void* b, const void* c,
                    bool reads_a_and_b);

/// The largest GemmOptions::bits and GemmOptions::depth.
inline constexpr int most_bits = 165;
inline constexpr std::int64_t most_depth = 65536;

/// Options out of their range.
void check_options(const GemmOptions& options);

}  // namespace hilo
