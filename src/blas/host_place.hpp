// Where routines run on the host: a team of threads, borrowed memory, and what they are made of.
#pragma once

#include <algorithm>
#include <hilo/blas.hpp>

#include "blas/cpu/line_arithmetic.hpp"
#include "blas/cpu/triangle.hpp"
#include "blas/symmetric.hpp"
#include "gemm/cpu_product.hpp"
#include "gemm/native/cblas.hpp"
#include "host/call.hpp"
#include "matrix/arguments.hpp"
#include "matrix/product.hpp"

namespace hilo::blas {

template <gemm_scalar T>
class HostPlace {
 public:
  using Scalar = T;
  using Operand = MatrixView<const T>;
  using Matrix = MatrixView<T>;

  explicit HostPlace(const BlockedOptions& options)
      : call_(options.threads),
        options_(options),
        block_(options.block > 0 ? options.block : default_block),
        arithmetic_(options) {}

  std::int64_t block() const { return block_; }
  /// Rows of a triangle that are solved with without products.
  std::int64_t solved_rows() const { return block_; }
  /// Rows of a triangle of a product that are computed as a square.
  std::int64_t diagonal_rows() const { return host_diagonal_rows(precision_of<T>, options_, block_); }
  /// From now on errors of products may be in proportion to the largest entries of rows and columns, where options
  /// leave the engine open; or not.
  void accept_normwise_products(bool accepts = true) { is_normwise_ = accepts; }

  int threads() const { return call_.threads(); }
  /// For what stands between products. Those of CBLAS may have threads of their own, which it would stand in the way
  /// of.
  int threads_between_products() const { return !double_double<T> && native::has_threads_of_its_own() ? 1 : threads(); }
  const LineArithmetic<T>& arithmetic() const { return arithmetic_; }

  /// A matrix of no particular value, columns contiguous, until its end.
  class Lent {
   public:
    Lent(std::int64_t rows, std::int64_t columns)
        : memory_(rows * columns * static_cast<std::int64_t>(sizeof(T))),
          matrix_{reinterpret_cast<T*>(memory_.data()), rows, columns, 1, std::max<std::int64_t>(rows, 1)} {}
    const Matrix& matrix() const { return matrix_; }

   private:
    host::Workspace memory_;
    Matrix matrix_;
  };
  Lent lend(std::int64_t rows, std::int64_t columns) { return {rows, columns}; }

  /// C = alpha · A · B + beta · C.
  void multiply(T alpha, const Operand& a, const Operand& b, T beta, const Matrix& c) {
    if (c.rows == 0 || c.columns == 0) return;
    const CpuPlan plan = plan_of(a, b, c);
    GemmReport report{plan.told};
    execute(plan, Product<T>{alpha, a, b, beta, c}, report);
  }

  /// multiply_to_triangle in one product, of a trapezium too; false, and nothing changed that counts, where halves are
  /// to be taken.
  bool multiply_triangle_at_once(Uplo uplo, Symmetry symmetry, T alpha, const Operand& a, const Operand& b, T beta,
                                 const Matrix& c) {
    if (!double_double<T> || a.columns == 0 || alpha == T(0)) return false;
    if (!host_takes_triangle(precision_of<T>, options_, block_, c.rows, c.columns)) return false;
    const CpuPlan plan = plan_of(a, b, c, true);
    // Rounding may leave anything in the imaginary parts of a Hermitian matrix's diagonal.
    const bool is_hermitian = symmetry == Symmetry::hermitian;
    if (is_hermitian && !(beta == T(0))) make_diagonal_real(c);
    if (!execute_triangle(plan, Product<T>{alpha, a, b, beta, c, {}, uplo})) return false;
    if (is_hermitian) make_diagonal_real(c);
    return true;
  }

  /// Two products of an update of rank 2k are two triangles, and triangles are multiplied by halves.
  static constexpr bool has_large_products_at_once = false;

  /// B = alpha · B, of which nothing is read where alpha = 0.
  void scale(T alpha, const Matrix& b) {
    if (alpha == T(1)) return;
    multiply(T(0), {nullptr, b.rows, 0, 1, b.rows}, {nullptr, 0, b.columns, 1, 1}, alpha, b);
  }

  void solve_block(Uplo uplo, Diag diag, const Operand& a, const Matrix& b) {
    blas::solve_block<T>(arithmetic_, threads_between_products(), uplo, diag, a, b);
  }
  void multiply_block(Uplo uplo, Diag diag, const Operand& a, const Matrix& b) {
    blas::multiply_block<T>(arithmetic_, threads_between_products(), uplo, diag, a, b);
  }

  /// Rows first … of the whole of a symmetric or Hermitian matrix of which a triangle is there, as many as `to` has.
  void write_out(Uplo uplo, Symmetry symmetry, const Operand& a, std::int64_t first, const Matrix& to) {
    host::for_parts(threads(), to.columns, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j) {
        for (std::int64_t r = 0; r < to.rows; ++r) {
          const std::int64_t i = first + r;
          const bool is_there = uplo == Uplo::lower ? i >= j : i <= j;
          T x = is_there ? element(a, i, j) : element(a, j, i);
          if (symmetry == Symmetry::hermitian) x = i == j ? T(real(x)) : conjugated(x, !is_there);
          to(r, j) = x;
        }
      }
    });
  }

  /// The triangle of `from` with its diagonal, of which a Hermitian one has real numbers, and zeros elsewhere.
  void take_triangle(Uplo uplo, Symmetry symmetry, const Operand& from, const Matrix& to) {
    for (std::int64_t j = 0; j < to.columns; ++j) {
      for (std::int64_t i = 0; i < to.rows; ++i) {
        const bool is_there = uplo == Uplo::lower ? i >= j : i <= j;
        to(i, j) = is_there ? element(from, i, j) : T(0);
      }
      if (symmetry == Symmetry::hermitian) to(j, j) = T(real(to(j, j)));
    }
  }

  /// The same into the triangle alone.
  void put_triangle(Uplo uplo, Symmetry symmetry, const Operand& from, const Matrix& to) {
    for (std::int64_t j = 0; j < to.columns; ++j) {
      const std::int64_t begin = uplo == Uplo::lower ? j : 0, end = uplo == Uplo::lower ? to.rows : j + 1;
      for (std::int64_t i = begin; i < end; ++i) to(i, j) = element(from, i, j);
      if (symmetry == Symmetry::hermitian) to(j, j) = T(real(to(j, j)));
    }
  }

 private:
  CpuPlan plan_of(const Operand& a, const Operand& b, const Matrix& c, bool is_triangle = false) const {
    const GemmShape shape = shape_of_views(lines_of(a), lines_of(b), lines_of(c), sizeof(T));
    return is_normwise_ ? plan_inner_product<T>(shape, options_, is_triangle)
                        : plan_product<T>(shape, 1, options_, SmallWorkspace::raised);
  }

  static void make_diagonal_real(const Matrix& c) {
    if constexpr (is_complex(precision_of<T>)) {
      for (std::int64_t i = 0; i < std::min(c.rows, c.columns); ++i) c(i, i) = T(real(c(i, i)));
    }
  }

  host::Call call_;
  BlockedOptions options_;
  std::int64_t block_;
  LineArithmetic<T> arithmetic_;
  bool is_normwise_ = false;
};

}  // namespace hilo::blas
