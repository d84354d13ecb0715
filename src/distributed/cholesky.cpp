// Cholesky by tiles, right-looking, and what is solved with it.
#include <optional>
#include <string>

#include "distributed/arguments.hpp"
#include "distributed/checkpoint.hpp"
#include "distributed/triangular.hpp"

namespace hilo::distributed {

namespace {

template <class T>
std::int64_t factor(Uplo uplo, const Matrix<T>& a, const Checkpoint* where, const BlockedOptions& options) {
  const blas::Arguments check("potrf", sizeof(T));
  check.check_options_of_ranks(precision_of<T>, options);
  check.check_enum(static_cast<int>(uplo), 1, "uplo");
  check.check_result(argument("A", a));
  check.check_square(argument("A", a));
  // Of an upper triangle the transpose is lower, of a Hermitian matrix conj(A) = L · Lᴴ with L = Uᵀ.
  const SeenMatrix<T> l(uplo == Uplo::lower ? a : a.turned(Op::transpose));
  ClusterState& cluster = *l.state().cluster;
  const std::int64_t n = l.tile_rows();
  std::vector<int> owners;
  for (std::int64_t k = 0; k < n; ++k) owners.push_back(l(k, k).owner);
  Progress progress(cluster, owners);
  Tasks<T> tasks(cluster, "potrf", largest_tile_bytes(a), options);

  std::optional<Checkpoints> checkpoints;
  std::int64_t begin = 0;
  if (where) {
    const bool is_turned = is_transposed(a.op()) != (uplo == Uplo::upper);
    checkpoints.emplace(cluster, "potrf", *where,
                        "potrf of " + std::string(name(precision_of<T>)) + " " + (is_turned ? "upper" : "lower") +
                            " order " + std::to_string(a.rows()) + " tile " + std::to_string(a.tile()) + " " +
                            words_of(tasks.options()));
    begin = checkpoints->find_last(fingerprint_of(l, true));
    if (begin > 0) checkpoints->read(begin, l, true, {});
  }
  for (std::int64_t k = begin; k < n; ++k) {
    tasks.potrf(progress, k, k * a.tile(), l(k, k));
    const TileData diagonal = l(k, k).turned(Op::conjugate_transpose);
    for (std::int64_t i = k + 1; i < n; ++i) {
      tasks.trsm(Side::right, Uplo::upper, Diag::non_unit, T(1), diagonal, l(i, k));
    }
    for (std::int64_t j = k + 1; j < n; ++j) {
      tasks.update(Op::conjugate_transpose, Uplo::lower, T(-1), l(j, k), T(1), l(j, j));
      const TileData right = l(j, k).turned(Op::conjugate_transpose);
      for (std::int64_t i = j + 1; i < n; ++i) tasks.gemm(T(-1), l(i, k), right, T(1), l(i, j));
    }
    for (std::int64_t i = k; i < n; ++i) tasks.forget(l(i, k));
    tasks.end_step();
    if (checkpoints && k + 1 < n && checkpoints->is_due(k + 1)) {
      tasks.finish();
      if (const std::int64_t info = progress.info(k + 1); info != 0) return info;
      checkpoints->write(k + 1, l, true, {});
    }
  }
  tasks.finish();
  return progress.info(n);
}

}  // namespace

template <gemm_scalar T>
std::int64_t potrf(Uplo uplo, const Matrix<T>& a, const BlockedOptions& options) {
  return factor(uplo, a, nullptr, options);
}

template <gemm_scalar T>
std::int64_t potrf(Uplo uplo, const Matrix<T>& a, const Checkpoint& checkpoint, const BlockedOptions& options) {
  return factor(uplo, a, &checkpoint, options);
}

template <gemm_scalar T>
void potrs(Uplo uplo, const Matrix<T>& factor, const Matrix<T>& b, const BlockedOptions& options) {
  const blas::Arguments check("potrs", sizeof(T));
  check.check_options_of_ranks(precision_of<T>, options);
  check.check_enum(static_cast<int>(uplo), 1, "uplo");
  check_system(check, factor, b);
  Tasks<T> tasks(*b.state()->cluster, "potrs", largest_tile_bytes(factor, b), options);
  const SeenMatrix<T> l(uplo == Uplo::lower ? factor : factor.turned(Op::conjugate_transpose)), x(b);
  solve_triangle(tasks, Side::left, Uplo::lower, Diag::non_unit, T(1), l, x);
  solve_triangle(tasks, Side::left, Uplo::upper, Diag::non_unit, T(1), l.turned(Op::conjugate_transpose), x);
  tasks.finish();
}

template <gemm_scalar T>
std::int64_t posv(Uplo uplo, const Matrix<T>& a, const Matrix<T>& b, const BlockedOptions& options) {
  const blas::Arguments check("posv", sizeof(T));
  check_system(check, a, b);
  a.state()->cluster->check_tiles_fit("posv", largest_tile_bytes(a, b));
  const std::int64_t info = potrf(uplo, a, options);
  if (info == 0) potrs(uplo, a, b, options);
  return info;
}

#define HILO_INSTANTIATE(T)                                                                         \
  template std::int64_t potrf<T>(Uplo, const Matrix<T>&, const BlockedOptions&);                    \
  template std::int64_t potrf<T>(Uplo, const Matrix<T>&, const Checkpoint&, const BlockedOptions&); \
  template void potrs<T>(Uplo, const Matrix<T>&, const Matrix<T>&, const BlockedOptions&);          \
  template std::int64_t posv<T>(Uplo, const Matrix<T>&, const Matrix<T>&, const BlockedOptions&);
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::distributed
