// What Eigen's products, triangular solves and factorisations call: routines of the BLAS that add to what is there, and
// LAPACK's.
#include <algorithm>
#include <concepts>
#include <hilo/blas.hpp>
#include <hilo/interop/detail/eigen_engines.hpp>
#include <hilo/lapack.hpp>
#include <new>
#include <span>
#include <string>
#include <type_traits>

#include "blas/arguments.hpp"
#include "gemm/modular/cpu/bytes.hpp"
#include "host/workspace.hpp"

namespace hilo {
namespace {

// Options that outlive what the caller named in them.
struct EigenOptions {
  GemmOptions options;
  std::string target;
};
EigenOptions& kept_options() {
  static EigenOptions kept;
  return kept;
}

}  // namespace

void set_eigen_options(const GemmOptions& options) {
  // Refused here is what Eigen's routines would meet half-way.
  blas::Arguments("set_eigen_options", sizeof(dd_real)).check_options(Precision::dd, Backend::cpu, options);
  plan_gemm<dd_real>(Layout::column, Op::none, Op::none, 1, 1, 1, options);
  modular::int8_library(options.int8_library);
  EigenOptions& kept = kept_options();
  kept.target = options.target;
  kept.options = options;
  kept.options.target = kept.target;
}

GemmOptions eigen_options() { return kept_options().options; }

namespace detail {
namespace {

// Triangles of so many rows are multiplied with as squares, their other half 0.
constexpr std::int64_t rows_as_square = 64;

// A matrix of no particular value, columns side by side, until its end.
template <class T>
class Lent {
 public:
  Lent(std::int64_t rows, std::int64_t columns)
      : memory_(std::max<std::int64_t>(rows * columns, 1) * static_cast<std::int64_t>(sizeof(T))),
        view_{reinterpret_cast<T*>(memory_.data()), rows, columns, 1, std::max<std::int64_t>(rows, 1)} {}
  const MatrixView<T>& view() const { return view_; }

 private:
  host::Workspace memory_;
  MatrixView<T> view_;
};

template <class T>
T element(const MatrixView<const T>& x, std::int64_t i, std::int64_t j) {
  if constexpr (std::same_as<T, dd_complex>) {
    return x.conjugate ? conj(x(i, j)) : x(i, j);
  } else {
    return x(i, j);
  }
}

template <class T>
class Engines {
 public:
  using Operand = MatrixView<const T>;
  using Matrix = MatrixView<T>;

  static void multiply(const T& alpha, const Operand& a, const Operand& b, const Matrix& c) {
    door([&] { add_product(alpha, a, b, c); });
  }

  static void multiply_triangular(Side side, Uplo uplo, Diag diag, const T& alpha, const Operand& a, const Operand& b,
                                  const Matrix& c) {
    door([&] {
      if (side == Side::left) return add_triangular_product(uplo, diag, alpha, a, b, c);
      add_triangular_product(uplo == Uplo::lower ? Uplo::upper : Uplo::lower, diag, alpha, a.turned(Op::transpose),
                             b.turned(Op::transpose), c.turned(Op::transpose));
    });
  }

  static void multiply_hermitian(Side side, Uplo uplo, const T& alpha, const Operand& a, const Operand& b,
                                 const Matrix& c) {
    door([&] { hemm(side, uplo, alpha, a, b, T(1), c, kept_options().options); });
  }

  static void update_triangle(Uplo uplo, const dd_real& alpha, const Operand& a, const Matrix& c) {
    door([&] {
      if constexpr (std::same_as<T, dd_real>) {
        syrk(uplo, alpha, a, T(1), c, kept_options().options);
      } else {
        // herk makes the diagonal real, which Eigen leaves to its caller.
        Lent<T> diagonal(c.rows, 1);
        for (std::int64_t i = 0; i < c.rows; ++i) diagonal.view()(i, 0) = c(i, i);
        herk(uplo, alpha, a, dd_real(1), c, kept_options().options);
        for (std::int64_t i = 0; i < c.rows; ++i) c(i, i).im = diagonal.view()(i, 0).im;
      }
    });
  }

  static void solve(Side side, Uplo uplo, Diag diag, const Operand& a, const Matrix& b) {
    door([&] { trsm(side, uplo, diag, T(1), a, b, kept_options().options); });
  }

  static void multiply_vector(const T& alpha, const Operand& a, const Operand& x, const Matrix& y) {
    door([&] { add_vector_product(alpha, a, x, y); });
  }

  static void multiply_triangular_vector(Uplo uplo, Diag diag, const T& alpha, const Operand& a, const Operand& x,
                                         const Matrix& y) {
    door([&] {
      const std::int64_t m = a.rows, k = a.columns, n = std::min(m, k);
      const Copy product(x.sub(0, 0, n, 1));
      trmv(uplo, diag, a.sub(0, 0, n, n), product.vector(), kept_options().options);
      axpy(alpha, product.vector(), vector(y.sub(0, 0, n, 1)), kept_options().options);
      // A lower one is full below its triangle, an upper one on its right; what else lies there is not part of it.
      if (m > n && uplo == Uplo::lower) add_vector_product(alpha, a.sub(n, 0, m - n, k), x, y.sub(n, 0, m - n, 1));
      if (k > n && uplo == Uplo::upper) add_vector_product(alpha, a.sub(0, n, m, k - n), x.sub(n, 0, k - n, 1), y);
    });
  }

  static void multiply_hermitian_vector(Uplo uplo, const T& alpha, const Operand& a, const Operand& x,
                                        const Matrix& y) {
    door([&] {
      if (is_plain(x)) return hemv(uplo, alpha, a, vector(x), T(1), vector(y), kept_options().options);
      hemv(uplo, alpha, a, Copy(x).vector(), T(1), vector(y), kept_options().options);
    });
  }

  static void add_outer_product(const T& alpha, const Operand& x, const Operand& y, const Matrix& c) {
    door([&] {
      if (!is_plain(x)) return add_rows(alpha, Copy(x).vector(), y, c);
      add_rows(alpha, vector(x), y, c);
    });
  }

  static std::int64_t factor_lu(const Matrix& a, std::int64_t* pivots) {
    const std::int64_t n = std::min(a.rows, a.columns);
    const std::int64_t info =
        door([&] { return getrf(a, std::span(pivots, static_cast<std::size_t>(n)), kept_options().options); });
    for (std::int64_t i = 0; i < n; ++i) --pivots[i];
    return info - 1;
  }

  static std::int64_t factor_cholesky(const Matrix& a) {
    return door([&] { return potrf(Uplo::lower, a, kept_options().options); }) - 1;
  }

  static void factor_qr(const Matrix& a, const Matrix& tau) {
    door([&] {
      const std::span<T> factors(tau.data, static_cast<std::size_t>(tau.rows));
      geqrf(a, factors, kept_options().options);
      if constexpr (std::same_as<T, dd_complex>) {
        for (T& factor : factors) factor = conj(factor);
      }
    });
  }

 private:
  // Eigen's callers know std::bad_alloc where memory ends.
  template <class F>
  static auto door(F f) {
    try {
      return f();
    } catch (const error& e) {
      if (e.code() == errc::out_of_memory) throw std::bad_alloc();
      throw;
    }
  }

  static void add_product(const T& alpha, const Operand& a, const Operand& b, const Matrix& c) {
    gemm(alpha, a, b, T(1), c, kept_options().options);
  }

  // Whether the BLAS takes the column as it is.
  static bool is_plain(const Operand& x) { return !x.conjugate && (x.row_stride != 0 || x.rows == 1); }
  template <class Column>
  static auto vector(const Column& x) {
    return VectorView<std::remove_pointer_t<decltype(x.data)>>{x.data, x.rows, x.row_stride == 0 ? 1 : x.row_stride};
  }
  // A column's elements side by side.
  class Copy {
   public:
    explicit Copy(const Operand& x) : elements_(x.rows, 1) {
      for (std::int64_t i = 0; i < x.rows; ++i) elements_.view()(i, 0) = element(x, i, 0);
    }
    VectorView<T> vector() const { return {elements_.view().data, elements_.view().rows}; }

   private:
    Lent<T> elements_;
  };

  static void add_vector_product(const T& alpha, const Operand& a, const Operand& x, const Matrix& y) {
    if (is_plain(x)) return gemv(alpha, a, vector(x), T(1), vector(y), kept_options().options);
    gemv(alpha, a, Copy(x).vector(), T(1), vector(y), kept_options().options);
  }

  static void add_rows(const T& alpha, const VectorView<const T>& x, const Operand& y, const Matrix& c) {
    if (is_plain(y)) return geru(alpha, x, vector(y), c, kept_options().options);
    if (y.row_stride != 0) return ger(alpha, x, vector(y), c, kept_options().options);
    geru(alpha, x, Copy(y).vector(), c, kept_options().options);
  }

  // A has its triangle in the first min(rows, columns) of both; below it, or to its right, follows what is full.
  static void add_triangular_product(Uplo uplo, Diag diag, const T& alpha, const Operand& a, const Operand& b,
                                     const Matrix& c) {
    const std::int64_t m = a.rows, k = a.columns, n = std::min(m, k);
    if (n <= rows_as_square) {
      const Lent<T> full(m, k);
      write_out(uplo, diag, a, full.view());
      return add_product(alpha, full.view(), b, c);
    }
    Lent<T> triangle_product(n, c.columns);
    const Matrix& x = triangle_product.view();
    for (std::int64_t j = 0; j < x.columns; ++j) {
      for (std::int64_t i = 0; i < n; ++i) x(i, j) = element(b, i, j);
    }
    trmm(Side::left, uplo, diag, alpha, a.sub(0, 0, n, n), x, kept_options().options);
    for (std::int64_t j = 0; j < x.columns; ++j) {
      for (std::int64_t i = 0; i < n; ++i) c(i, j) += x(i, j);
    }
    if (m > n) add_product(alpha, a.sub(n, 0, m - n, k), b, c.sub(n, 0, m - n, c.columns));
    if (k > n) add_product(alpha, a.sub(0, n, m, k - n), b.sub(n, 0, k - n, b.columns), c);
  }

  // A with what beside its triangle is not read, and a diagonal of ones, written out.
  static void write_out(Uplo uplo, Diag diag, const Operand& a, const Matrix& x) {
    for (std::int64_t j = 0; j < x.columns; ++j) {
      for (std::int64_t i = 0; i < x.rows; ++i) {
        const bool is_stored = uplo == Uplo::lower ? i >= j : i <= j;
        x(i, j) = i == j && diag == Diag::unit ? T(1) : is_stored ? element(a, i, j) : T(0);
      }
    }
  }
};

}  // namespace

template <class T>
const EigenEngines<T>* engines_for_eigen() {
  static constexpr EigenEngines<T> engines{Engines<T>::multiply,
                                           Engines<T>::multiply_triangular,
                                           Engines<T>::multiply_hermitian,
                                           Engines<T>::update_triangle,
                                           Engines<T>::solve,
                                           Engines<T>::multiply_vector,
                                           Engines<T>::multiply_triangular_vector,
                                           Engines<T>::multiply_hermitian_vector,
                                           Engines<T>::add_outer_product,
                                           Engines<T>::factor_lu,
                                           Engines<T>::factor_cholesky,
                                           Engines<T>::factor_qr};
  return &engines;
}
template const EigenEngines<dd_real>* engines_for_eigen();
template const EigenEngines<dd_complex>* engines_for_eigen();

}  // namespace detail
}  // namespace hilo
