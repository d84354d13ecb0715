// Condition numbers on the host: arguments -> place -> routine.
#include "lapack/condition.hpp"

#include "blas/arguments.hpp"
#include "blas/door.hpp"
#include "lapack/cholesky.hpp"
#include "lapack/host_place.hpp"
#include "lapack/indefinite.hpp"
#include "lapack/indefinite_place.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Arguments;
using blas::door;
using lapack::HostPlace;

template <class T>
using Element = std::remove_const_t<T>;
template <class T>
using Real = real_type<Element<T>>;

template <class T>
MatrixView<const T> read_only(const MatrixView<const T>& a) {
  return a;
}
template <class T>
MatrixView<const T> read_only(const MatrixView<T>& a) {
  return a;
}

// A square matrix, and in which norm its condition is wanted.
template <class T>
Arguments checked(const char* routine, Norm norm, const MatrixView<const T>& a, const BlockedOptions& options) {
  const Arguments check(routine, sizeof(T));
  check.check_options(precision_of<T>, Backend::cpu, options);
  check.check_enum(static_cast<int>(norm), static_cast<int>(Norm::max), "norm");
  if (norm != Norm::one && norm != Norm::infinity) {
    check.reject(errc::invalid_argument, "norm is neither one nor infinity");
  }
  check.check(argument("A", a));
  check.check_square(argument("A", a));
  return check;
}

template <class T>
void check_given_norm(const Arguments& check, const T& norm) {
  if (norm < T(0)) check.reject(errc::invalid_argument, "anorm is negative");
}

// Of what no solve has to tell: the condition of an empty matrix, and of one whose norm is 0 or not finite.
template <class R>
bool is_known(std::int64_t n, const R& norm, R* condition) {
  if (n == 0) {
    *condition = R(1);
  } else if (norm == R(0) || !lapack::is_finite(norm)) {
    *condition = lapack::is_nan(norm) ? norm : R(0);
  } else {
    return false;
  }
  return true;
}

enum class Kind : std::uint8_t { regular, singular, not_finite };

// Whatever the modulus, which may overflow.
template <class T>
bool has_finite_parts(const T& x) {
  if constexpr (is_complex(precision_of<T>)) {
    return lapack::is_finite(real(x)) && lapack::is_finite(imag(x));
  } else {
    return lapack::is_finite(x);
  }
}

// The entries times 2^e, those below the diagonal of factors L and U as they are.
template <class T>
Kind copy_scaled(const MatrixView<const T>& a, int lower_exponent, int upper_exponent, const MatrixView<T>& to) {
  Kind kind = Kind::regular;
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      const T x = blas::element(a, i, j);
      if (!has_finite_parts(x)) kind = Kind::not_finite;
      to(i, j) = lapack::times_power_of_two(x, i > j ? lower_exponent : upper_exponent);
    }
    if (to(j, j) == T(0) && kind == Kind::regular) kind = Kind::singular;
  }
  return kind;
}

// The same of a triangle, with zeros elsewhere.
template <class T>
Kind copy_triangle(Uplo uplo, Diag diag, const MatrixView<const T>& a, int e, const MatrixView<T>& to) {
  Kind kind = Kind::regular;
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      const bool is_there = i == j || (i > j) == (uplo == Uplo::lower);
      const T x = !is_there ? T(0) : i == j && diag == Diag::unit ? T(1) : blas::element(a, i, j);
      if (!has_finite_parts(x)) kind = Kind::not_finite;
      to(i, j) = lapack::times_power_of_two(x, e);
    }
    if (to(j, j) == T(0) && kind == Kind::regular) kind = Kind::singular;
  }
  return kind;
}

// The factors of an indefinite matrix by a lower triangle, D times 2^e and L as it is.
template <class T>
Kind copy_factors(const lapack::IndefinitePlace<T>& place, const MatrixView<const T>& a, int e,
                  const MatrixView<T>& to) {
  Kind kind = Kind::regular;
  const bool is_hermitian = place.symmetry() == blas::Symmetry::hermitian;
  for (const auto& d : lapack::blocks_of_d(place.pivots(), 0, a.rows)) {
    const std::int64_t end = d.begin + d.size;
    for (std::int64_t j = d.begin; j < end; ++j) {
      for (std::int64_t i = j; i < a.rows; ++i) {
        T x = blas::element(a, i, j);
        if (is_hermitian && i == j) x = T(real(x));
        if (!has_finite_parts(x)) kind = Kind::not_finite;
        to(i, j) = i < end ? lapack::times_power_of_two(x, e) : x;
      }
    }
    if (d.size == 1 && to(d.begin, d.begin) == T(0) && kind == Kind::regular) kind = Kind::singular;
  }
  return kind;
}

// f() of a regular matrix.
template <class R, class F>
R of_kind(Kind kind, F f) {
  if (kind == Kind::not_finite) return std::numeric_limits<R>::quiet_NaN();
  return kind == Kind::singular ? R(0) : f();
}

// x = op(T)⁻¹ · x.
template <class T>
void solve(HostPlace<T>& place, Op op, Uplo uplo, Diag diag, const MatrixView<T>& triangle, const MatrixView<T>& x) {
  blas::solve_triangle(place, op == Op::none ? uplo : blas::other(uplo), diag, MatrixView<const T>(triangle).turned(op),
                       x);
}

// Of columns that are contiguous.
template <class T>
Kind kind_of_factors(const MatrixView<const T>& lu) {
  using Word = blas::Word<T>;
  constexpr std::int64_t lanes = 8;
  const std::int64_t words = lu.rows * static_cast<std::int64_t>(sizeof(T) / sizeof(Word));
  Word rest[lanes] = {};  // NaN where a word is not finite
  Kind kind = Kind::regular;
  for (std::int64_t j = 0; j < lu.columns; ++j) {
    const Word* const column = reinterpret_cast<const Word*>(&lu(0, j));
    std::int64_t i = 0;
    for (; i + lanes <= words; i += lanes) {
      for (std::int64_t k = 0; k < lanes; ++k) rest[k] += column[i + k] - column[i + k];
    }
    for (; i < words; ++i) rest[0] += column[i] - column[i];
    if (lu(j, j) == T(0)) kind = Kind::singular;
  }
  for (const Word r : rest) {
    if (!(r == Word(0))) return Kind::not_finite;
  }
  return kind;
}

// Where factors may be read as they are: their solutions times 2^e are those of the scaled ones, but where these
// underflow or overflow, of which numbers so near to 1 are far.
template <class T>
bool may_stay_in_place(const MatrixView<const T>& lu, int e) {
  constexpr int most = precisions::is_single(precision_of<T>) ? 16 : 64;
  return lu.row_stride == 1 && !lu.conjugate && -most <= e && e <= most;
}

// 0 also where solutions overflow that scaled ones may not.
template <class T>
Real<T> condition_in_place(HostPlace<T>& place, Norm norm, const MatrixView<const T>& lu, const Real<T>& anorm) {
  const int e = lapack::exponent(anorm);
  const auto memory = place.lend(lu.rows, 1);
  const MatrixView<T> x = memory.matrix();
  return lapack::reciprocal_condition<T>(norm, lapack::times_power_of_two(anorm, -e), x, [&](Op op) {
    const auto solve = [&](Uplo uplo, Diag diag) {
      blas::solve_triangle(place, op == Op::none ? uplo : blas::other(uplo), diag, lu.turned(op), x);
    };
    if (op == Op::none) solve(Uplo::lower, Diag::unit);
    solve(Uplo::upper, Diag::non_unit);
    if (op != Op::none) solve(Uplo::lower, Diag::unit);
    for (std::int64_t i = 0; i < lu.rows; ++i) x(i, 0) = lapack::times_power_of_two(T(x(i, 0)), e);
  });
}

template <class T>
Real<T> condition_of_factors(Norm norm, const MatrixView<const T>& lu, const Real<T>& anorm,
                             const BlockedOptions& options) {
  const std::int64_t n = lu.rows;
  if (Real<T> known; is_known(n, anorm, &known)) return known;
  HostPlace<T> place(options);
  const int e = lapack::exponent(anorm);
  if (may_stay_in_place(lu, e)) {
    const Kind kind = kind_of_factors(lu);
    const Real<T> found = of_kind<Real<T>>(kind, [&] { return condition_in_place(place, norm, lu, anorm); });
    if (kind != Kind::regular || found != Real<T>(0)) return found;
  }
  const auto memory = place.lend(n, n + 1);
  const MatrixView<T> factors = memory.matrix().sub(0, 0, n, n), x = memory.matrix().sub(0, n, n, 1);
  return of_kind<Real<T>>(copy_scaled(lu, 0, -e, factors), [&] {
    return lapack::reciprocal_condition<T>(norm, lapack::times_power_of_two(anorm, -e), x, [&](Op op) {
      if (op == Op::none) solve(place, op, Uplo::lower, Diag::unit, factors, x);
      solve(place, op, Uplo::upper, Diag::non_unit, factors, x);
      if (op != Op::none) solve(place, op, Uplo::lower, Diag::unit, factors, x);
    });
  });
}

template <class T>
Real<T> condition_of_positive(Uplo uplo, const MatrixView<const T>& factor, const Real<T>& anorm,
                              const BlockedOptions& options) {
  const std::int64_t n = factor.rows;
  if (Real<T> known; is_known(n, anorm, &known)) return known;
  HostPlace<T> place(options);
  const auto memory = place.lend(n, n + 1);
  const MatrixView<T> triangle = memory.matrix().sub(0, 0, n, n), x = memory.matrix().sub(0, n, n, 1);
  const int half = lapack::exponent(anorm) / 2;
  return of_kind<Real<T>>(copy_triangle(uplo, Diag::non_unit, factor, -half, triangle), [&] {
    return lapack::reciprocal_condition<T>(Norm::one, lapack::times_power_of_two(anorm, -2 * half), x,
                                           [&](Op) { lapack::solve_positive<HostPlace<T>>(place, uplo, triangle, x); });
  });
}

// 1-norms alone, a symmetric or Hermitian matrix's other.
template <class T>
Real<T> condition_of_indefinite(const char* routine, blas::Symmetry symmetry, Uplo uplo,
                                const MatrixView<const T>& given, std::span<const std::int64_t> pivots,
                                const Real<T>& anorm, const BlockedOptions& options) {
  const Arguments check = checked(routine, Norm::one, given, options);
  check.check_enum(static_cast<int>(uplo), 1, "uplo");
  const std::int64_t n = given.rows;
  lapack::IndefinitePlace<T> place(options, uplo, symmetry, lapack::checked_pivots(check, uplo, pivots, n));
  check_given_norm(check, anorm);
  if (Real<T> known; is_known(n, anorm, &known)) return known;
  const auto memory = place.lend(n, n + 1);
  const MatrixView<T> factors = memory.matrix().sub(0, 0, n, n), x = memory.matrix().sub(0, n, n, 1);
  const int e = lapack::exponent(anorm);
  return of_kind<Real<T>>(copy_factors(place, place.placed(given), -e, factors), [&] {
    const auto conjugate = [&] {
      for (std::int64_t i = 0; i < n; ++i) x(i, 0) = blas::conjugated(x(i, 0), true);
    };
    return lapack::reciprocal_condition<T>(Norm::one, lapack::times_power_of_two(anorm, -e), x, [&](Op op) {
      // A⁻ᴴ · x of a symmetric matrix is conj(A⁻¹ · conj(x)).
      const bool is_turned = op != Op::none && symmetry == blas::Symmetry::symmetric;
      if (is_turned) conjugate();
      lapack::solve_indefinite(place, factors, x);
      if (is_turned) conjugate();
    });
  });
}

template <class T>
Real<T> condition_of_triangle(Norm norm, Uplo uplo, Diag diag, const MatrixView<const T>& a,
                              const BlockedOptions& options) {
  const std::int64_t n = a.rows;
  const Real<T> most = lapack::norm_of_triangle(Norm::max, uplo, diag, a);
  if (Real<T> known; is_known(n, most, &known)) return known;
  HostPlace<T> place(options);
  const auto memory = place.lend(n, n + 1);
  const MatrixView<T> triangle = memory.matrix().sub(0, 0, n, n), x = memory.matrix().sub(0, n, n, 1);
  return of_kind<Real<T>>(copy_triangle(uplo, diag, a, -lapack::exponent(most), triangle), [&] {
    const Real<T> scaled = lapack::norm_of_triangle<T>(norm, uplo, Diag::non_unit, triangle);
    return lapack::reciprocal_condition<T>(norm, scaled, x,
                                           [&](Op op) { solve(place, op, uplo, Diag::non_unit, triangle, x); });
  });
}

}  // namespace

template <detail::Readable T>
detail::RealOf<T> gecon(Norm norm, const MatrixView<T>& lu, detail::Scalar<detail::RealOf<T>> anorm,
                        const BlockedOptions& options) {
  return door("gecon", [&] {
    const Arguments check = checked("gecon", norm, read_only(lu), options);
    check_given_norm(check, anorm);
    return condition_of_factors(norm, read_only(lu), anorm, options);
  });
}

template <detail::Readable T>
detail::RealOf<T> pocon(Uplo uplo, const MatrixView<T>& factor, detail::Scalar<detail::RealOf<T>> anorm,
                        const BlockedOptions& options) {
  return door("pocon", [&] {
    const Arguments check = checked("pocon", Norm::one, read_only(factor), options);
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    check_given_norm(check, anorm);
    return condition_of_positive(uplo, read_only(factor), anorm, options);
  });
}

template <detail::Readable T>
detail::RealOf<T> sycon(Uplo uplo, const MatrixView<T>& factors, std::span<const std::int64_t> pivots,
                        detail::Scalar<detail::RealOf<T>> anorm, const BlockedOptions& options) {
  return door("sycon", [&] {
    return condition_of_indefinite("sycon", blas::Symmetry::symmetric, uplo, read_only(factors), pivots, anorm,
                                   options);
  });
}

template <detail::Readable T>
detail::RealOf<T> hecon(Uplo uplo, const MatrixView<T>& factors, std::span<const std::int64_t> pivots,
                        detail::Scalar<detail::RealOf<T>> anorm, const BlockedOptions& options) {
  return door("hecon", [&] {
    return condition_of_indefinite("hecon", blas::Symmetry::hermitian, uplo, read_only(factors), pivots, anorm,
                                   options);
  });
}

template <detail::Readable T>
detail::RealOf<T> trcon(Norm norm, Uplo uplo, Diag diag, const MatrixView<T>& a, const BlockedOptions& options) {
  return door("trcon", [&] {
    const Arguments check = checked("trcon", norm, read_only(a), options);
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    check.check_enum(static_cast<int>(diag), 1, "diag");
    return condition_of_triangle(norm, uplo, diag, read_only(a), options);
  });
}

#define HILO_INSTANTIATE_INDEFINITE(T, con)                                                             \
  template Real<T> con<T>(Uplo, const MatrixView<T>&, std::span<const std::int64_t>, detail::RealOf<T>, \
                          const BlockedOptions&);
#define HILO_INSTANTIATE_OF(T)                                                                     \
  template Real<T> gecon<T>(Norm, const MatrixView<T>&, detail::RealOf<T>, const BlockedOptions&); \
  template Real<T> pocon<T>(Uplo, const MatrixView<T>&, detail::RealOf<T>, const BlockedOptions&); \
  template Real<T> trcon<T>(Norm, Uplo, Diag, const MatrixView<T>&, const BlockedOptions&);        \
  HILO_INSTANTIATE_INDEFINITE(T, sycon)                                                            \
  HILO_INSTANTIATE_INDEFINITE(T, hecon)
#define HILO_INSTANTIATE(T) \
  HILO_INSTANTIATE_OF(T)    \
  HILO_INSTANTIATE_OF(const T)
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE
#undef HILO_INSTANTIATE_OF
#undef HILO_INSTANTIATE_INDEFINITE

}  // namespace hilo
