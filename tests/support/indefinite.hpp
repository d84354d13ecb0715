// Symmetric and Hermitian indefinite matrices by one triangle, and the routines of each: Kind; whole writes the other
// triangle out.
#pragma once

#include <hilo/lapack.hpp>
#include <vector>

#include "matrices.hpp"

namespace hilo::test {

inline bool is_in(Uplo uplo, std::int64_t i, std::int64_t j) { return i == j || (i > j) == (uplo == Uplo::lower); }

/// The routines of symmetric or of Hermitian matrices.
struct Kind {
  bool is_hermitian;
  Uplo uplo;

  dd_complex turned(const dd_complex& x) const { return is_hermitian ? conj(x) : x; }
  template <class T>
  std::int64_t factor(const MatrixView<T>& a, std::span<std::int64_t> p, const BlockedOptions& o) const {
    return is_hermitian ? hetrf(uplo, a, p, o) : sytrf(uplo, a, p, o);
  }
  template <class T>
  std::int64_t invert(const MatrixView<T>& a, std::span<const std::int64_t> p, const BlockedOptions& o) const {
    return is_hermitian ? hetri(uplo, a, p, o) : sytri(uplo, a, p, o);
  }
  template <class T>
  real_type<T> norm(const MatrixView<T>& a) const {
    return is_hermitian ? lanhe(Norm::one, uplo, a) : lansy(Norm::one, uplo, a);
  }
  template <class T>
  real_type<T> condition(const StoredMatrix<T>& a, std::span<const std::int64_t> p, const real_type<T>& anorm,
                         const BlockedOptions& o = {}) const {
    return is_hermitian ? hecon(uplo, a.read(), p, anorm, o) : sycon(uplo, a.read(), p, anorm, o);
  }
  template <class T>
  void solve(const StoredMatrix<T>& a, std::span<const std::int64_t> p, const MatrixView<T>& b,
             const BlockedOptions& o) const {
    return is_hermitian ? hetrs(uplo, a.read(), p, b, o) : sytrs(uplo, a.read(), p, b, o);
  }
  template <class T>
  std::int64_t factor_and_solve(const MatrixView<T>& a, std::span<std::int64_t> p, const MatrixView<T>& b,
                                const BlockedOptions& o) const {
    return is_hermitian ? hesv(uplo, a, p, b, o) : sysv(uplo, a, p, b, o);
  }
};
constexpr Kind every_kind[] = {{false, Uplo::lower}, {false, Uplo::upper}, {true, Uplo::lower}, {true, Uplo::upper}};

/// Both triangles of a matrix of which one is there.
template <class T>
Wide whole(const StoredMatrix<T>& a, const Kind& kind) {
  Wide w(a.view);
  for (std::int64_t j = 0; j < w.columns; ++j) {
    for (std::int64_t i = 0; i < w.rows; ++i) {
      if (!is_in(kind.uplo, i, j)) w(i, j) = kind.turned(w(j, i));
    }
    if (kind.is_hermitian) w(j, j).im = dd_real(0);
  }
  return w;
}

/// Random, with a diagonal of zeros here and there; NaN in the other triangle.
template <class T>
StoredMatrix<T> indefinite(Layout layout, Uplo uplo, std::int64_t n, std::uint64_t seed) {
  StoredMatrix<T> a(layout, n, n, seed);
  const StoredMatrix<T> random = a;
  a.fill([&](std::int64_t i, std::int64_t j) {
    return !is_in(uplo, i, j) ? not_a_number<T>() : i == j && i % 3 != 0 ? T(0) : random(i, j);
  });
  return a;
}

template <class T>
std::vector<std::int64_t> room(const StoredMatrix<T>& a) {
  return std::vector<std::int64_t>(static_cast<std::size_t>(a.view.rows));
}

}  // namespace hilo::test
