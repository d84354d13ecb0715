// Products and triangular systems by tiles.
#include "blas/level3.hpp"

#include "distributed/arguments.hpp"
#include "distributed/triangular.hpp"
#include "gemm/plan.hpp"

namespace hilo::distributed {
namespace {

// C = alpha · A · op(A) + beta · C of a triangle.
template <class T>
void update(const char* function, Op op, Uplo uplo, T alpha, const Matrix<T>& a, T beta, const Matrix<T>& c,
            const BlockedOptions& options) {
  const blas::Arguments check(function, sizeof(T));
  check.check_options_of_ranks(precision_of<T>, options);
  blas::check_update(check, {blas::Symmetry::symmetric, uplo}, argument("A", a), nullptr, argument("C", c));
  check_tiles(check, "A", a, "C", c);
  const SeenMatrix<T> x(a), y(c);
  Tasks<T> tasks(*y.state().cluster, function, largest_tile_bytes(a, c), options);
  const std::int64_t n = y.tile_rows(), terms = alpha == T(0) ? 0 : x.tile_columns();
  // f(i, j) for the triangle's tiles, those on the diagonal among them.
  const auto for_triangle = [&](auto f) {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = j; i < n; ++i) uplo == Uplo::lower ? f(i, j) : f(j, i);
    }
  };
  if (terms == 0 && !(beta == T(1))) {
    for_triangle([&](std::int64_t i, std::int64_t j) {
      i == j ? tasks.scale_triangle(op, uplo, beta, y(i, i)) : tasks.scale(beta, y(i, j));
    });
  }
  for (std::int64_t k = 0; k < terms; ++k) {
    const T factor = k == 0 ? beta : T(1);
    for_triangle([&](std::int64_t i, std::int64_t j) {
      if (i == j) {
        tasks.update(op, uplo, alpha, x(i, k), factor, y(i, i));
      } else {
        tasks.gemm(alpha, x(i, k), x(j, k).turned(op), factor, y(i, j));
      }
    });
    for (std::int64_t i = 0; i < n; ++i) tasks.forget(x(i, k));
    tasks.end_step();
  }
  tasks.finish();
}

}  // namespace

template <gemm_scalar T>
void gemm(std::type_identity_t<T> alpha, const Matrix<T>& a, const Matrix<T>& b, std::type_identity_t<T> beta,
          const Matrix<T>& c, const GemmOptions& options) {
  const blas::Arguments check("gemm", sizeof(T));
  hilo::check_options(options);
  check.check_result(argument("C", c));
  check.check_equal("rows of A", a.rows(), "rows of C", c.rows());
  check.check_equal("columns of B", b.columns(), "columns of C", c.columns());
  check.check_equal("rows of B", b.rows(), "columns of A", a.columns());
  check.check_apart(argument("C", c), argument("A", a));
  check.check_apart(argument("C", c), argument("B", b));
  check_tiles(check, "A", a, "C", c);
  check_tiles(check, "B", b, "C", c);
  const SeenMatrix<T> x(a), y(b), z(c);
  engine_asked_for(precision_of<T>, Backend::cpu, {}, options);
  if (options.accuracy == Accuracy::exact && (x.tile_columns() > 1 || !(beta == T(0)))) {
    check.reject(errc::unsupported, "accuracy exact is one of products whose terms are in one tile, with beta = 0");
  }
  Tasks<T> tasks(*z.state().cluster, "gemm", largest_tile_bytes(a, b, c), options);
  const std::int64_t m = z.tile_rows(), n = z.tile_columns(), terms = alpha == T(0) ? 0 : x.tile_columns();
  if (terms == 0) {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i) tasks.scale(beta, z(i, j));
    }
  }
  // Step by step, so that ranks have as few of A's and B's tiles at a time as there are in a step.
  for (std::int64_t k = 0; k < terms; ++k) {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i) tasks.gemm(alpha, x(i, k), y(k, j), k == 0 ? T(beta) : T(1), z(i, j));
    }
    for (std::int64_t i = 0; i < m; ++i) tasks.forget(x(i, k));
    for (std::int64_t j = 0; j < n; ++j) tasks.forget(y(k, j));
    tasks.end_step();
  }
  tasks.finish();
}

template <gemm_scalar T>
void syrk(Uplo uplo, std::type_identity_t<T> alpha, const Matrix<T>& a, std::type_identity_t<T> beta,
          const Matrix<T>& c, const BlockedOptions& options) {
  update<T>("syrk", Op::transpose, uplo, alpha, a, beta, c, options);
}

template <gemm_scalar T>
void herk(Uplo uplo, real_type<T> alpha, const Matrix<T>& a, real_type<T> beta, const Matrix<T>& c,
          const BlockedOptions& options) {
  update<T>("herk", Op::conjugate_transpose, uplo, T(alpha), a, T(beta), c, options);
}

template <gemm_scalar T>
void trsm(Side side, Uplo uplo, Diag diag, std::type_identity_t<T> alpha, const Matrix<T>& a, const Matrix<T>& b,
          const BlockedOptions& options) {
  const blas::Arguments check("trsm", sizeof(T));
  check.check_options_of_ranks(precision_of<T>, options);
  blas::check_triangular(check, side, uplo, diag, argument("A", a), argument("B", b));
  check_tiles(check, "A", a, "B", b);
  const SeenMatrix<T> x(a), y(b);
  Tasks<T> tasks(*y.state().cluster, "trsm", largest_tile_bytes(a, b), options);
  if (alpha == T(0)) {
    for (std::int64_t j = 0; j < y.tile_columns(); ++j) {
      for (std::int64_t i = 0; i < y.tile_rows(); ++i) tasks.scale(T(0), y(i, j));
    }
  } else {
    solve_triangle<T>(tasks, side, uplo, diag, alpha, x, y);
  }
  tasks.finish();
}

#define HILO_INSTANTIATE(T)                                                                                           \
  template void gemm<T>(T, const Matrix<T>&, const Matrix<T>&, T, const Matrix<T>&, const GemmOptions&);              \
  template void syrk<T>(Uplo, T, const Matrix<T>&, T, const Matrix<T>&, const BlockedOptions&);                       \
  template void herk<T>(Uplo, real_type<T>, const Matrix<T>&, real_type<T>, const Matrix<T>&, const BlockedOptions&); \
  template void trsm<T>(Side, Uplo, Diag, T, const Matrix<T>&, const Matrix<T>&, const BlockedOptions&);
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::distributed
