// Householder QR by halves of columns with compact WY, and what is computed with it: one text for every place.
//
// Q = H1 · H2 …, H = I − tau · v · vᴴ, and of some reflectors I − V · T · Vᴴ, V unit lower trapezoidal, T upper
// triangular. Sources: Schreiber, Van Loan, SIAM J. Sci. Stat. Comput. 10 (1989); Elmroth, Gustavson, IBM J. Res. Dev.
// 44 (2000).
#pragma once

#include <algorithm>
#include <cstdint>

#include "blas/symmetric.hpp"
#include "blas/triangular.hpp"

namespace hilo::lapack {

/// So many times a panel's columns, of `count` reflectors, are applied at a time: with more, products with T cost more
/// than larger ones gain.
template <class Place>
std::int64_t strip_columns(const Place& place, std::int64_t count) {
  const std::int64_t panels = count < 4096 ? 4 : count < 8192 ? 8 : 16;
  return place.block() * panels;
}

/// Reflectors from which on V and T are written out with their zeros: three products without triangles take less time
/// then. Places may take fewer.
inline constexpr std::int64_t many_reflectors = 512;

/// C −= V · S · Vᴴ · C, S a triangle: T or Tᴴ, of many reflectors.
template <class Place>
void apply_written_reflectors(Place& place, const typename Place::Operand& v, Uplo uplo,
                              const typename Place::Operand& s, const typename Place::Matrix& c) {
  using Scalar = typename Place::Scalar;
  using Operand = typename Place::Operand;
  const std::int64_t k = v.columns, n = c.columns;
  auto of_v = place.lend(v.rows, k), of_s = place.lend(k, k), of_w = place.lend(k, n), of_x = place.lend(k, n);
  const auto &whole = of_v.matrix(), &triangle = of_s.matrix(), &w = of_w.matrix(), &x = of_x.matrix();
  place.copy_trapezoid(Uplo::lower, Diag::unit, v, whole);
  place.copy_trapezoid(uplo, Diag::non_unit, s, triangle);
  place.multiply(Scalar(1), Operand(whole).turned(Op::conjugate_transpose), c, Scalar(0), w);
  place.multiply(Scalar(1), triangle, w, Scalar(0), x);
  place.multiply(Scalar(-1), whole, x, Scalar(1), c);
}

/// The same of any number.
template <class Place>
void apply_reflectors(Place& place, const typename Place::Operand& v, Uplo uplo, const typename Place::Operand& s,
                      const typename Place::Matrix& c) {
  using Scalar = typename Place::Scalar;
  const std::int64_t k = v.columns, below = v.rows - k, n = c.columns;
  if (k == 0 || n == 0) return;
  if (k >= place.written_reflectors()) return apply_written_reflectors(place, v, uplo, s, c);
  const auto top = v.sub(0, 0, k, k), rest = v.sub(k, 0, below, k);
  const auto c_top = c.sub(0, 0, k, n), c_rest = c.sub(k, 0, below, n);
  auto lent = place.lend(k, n);
  const auto& w = lent.matrix();
  place.copy(c_top, w);
  blas::multiply_triangle(place, Uplo::upper, Diag::unit, top.turned(Op::conjugate_transpose), w);
  if (below > 0) place.multiply(Scalar(1), rest.turned(Op::conjugate_transpose), c_rest, Scalar(1), w);
  blas::multiply_triangle(place, uplo, Diag::non_unit, s, w);
  if (below > 0) place.multiply(Scalar(-1), rest, w, Scalar(1), c_rest);
  blas::multiply_triangle(place, Uplo::lower, Diag::unit, top, w);
  place.subtract(w, c_top);
}

/// T of V's columns, of which the first h and the others are known by themselves: T12 = −T11 · V1ᴴ · V2 · T22. Of many.
template <class Place>
void join_written_triangles(Place& place, const typename Place::Operand& v, std::int64_t h,
                            const typename Place::Matrix& t) {
  using Scalar = typename Place::Scalar;
  using Operand = typename Place::Operand;
  const std::int64_t n = v.columns, k = n - h, below = v.rows - h;
  auto of_v = place.lend(below, k), of_first = place.lend(h, h), of_second = place.lend(k, k), of_w = place.lend(h, k);
  const auto &v2 = of_v.matrix(), &t11 = of_first.matrix(), &t22 = of_second.matrix(), &w = of_w.matrix();
  const auto t12 = t.sub(0, h, h, k);
  place.copy_trapezoid(Uplo::lower, Diag::unit, v.sub(h, h, below, k), v2);
  place.copy_trapezoid(Uplo::upper, Diag::non_unit, t.sub(0, 0, h, h), t11);
  place.copy_trapezoid(Uplo::upper, Diag::non_unit, t.sub(h, h, k, k), t22);
  place.multiply(Scalar(1), v.sub(h, 0, below, h).turned(Op::conjugate_transpose), v2, Scalar(0), t12);
  place.multiply(Scalar(1), t11, Operand(t12), Scalar(0), w);
  place.multiply(Scalar(-1), w, t22, Scalar(0), t12);
}

/// The same of any number.
template <class Place>
void join_triangles(Place& place, const typename Place::Operand& v, std::int64_t h, const typename Place::Matrix& t) {
  using Scalar = typename Place::Scalar;
  const std::int64_t n = v.columns, k = n - h;
  if (h >= place.written_triangles()) return join_written_triangles(place, v, h, t);
  const auto corner = t.sub(0, h, h, k);
  place.copy(v.sub(h, 0, k, h).turned(Op::conjugate_transpose), corner);
  blas::multiply_triangle_right(place, Uplo::lower, Diag::unit, v.sub(h, h, k, k), corner);
  if (v.rows > n) {
    place.multiply(Scalar(1), v.sub(n, 0, v.rows - n, h).turned(Op::conjugate_transpose), v.sub(n, h, v.rows - n, k),
                   Scalar(1), corner);
  }
  blas::multiply_triangle(place, Uplo::upper, Diag::non_unit, t.sub(0, 0, h, h), corner);
  blas::multiply_triangle_right(place, Uplo::upper, Diag::non_unit, t.sub(h, h, k, k), corner);
  place.scale(Scalar(-1), corner);
}

/// A = Q · R of an m × n matrix in its place, n <= m, with numbers first … of the place's tau. T where it is asked for,
/// else no more than what is needed on the way.
template <class Place>
void factor_columns(Place& place, const typename Place::Matrix& a, std::int64_t first, const typename Place::Matrix& t,
                    bool is_t_wanted) {
  using Operand = typename Place::Operand;
  const std::int64_t m = a.rows, n = a.columns;
  if (n <= place.block()) return place.qr_panel(a, first, t);
  const std::int64_t h = blas::half(n, place.block());
  const auto left = a.sub(0, 0, m, h), t_left = t.sub(0, 0, h, h);
  factor_columns(place, left, first, t_left, true);
  apply_reflectors(place, left, Uplo::lower, Operand(t_left).turned(Op::conjugate_transpose), a.sub(0, h, m, n - h));
  factor_columns(place, a.sub(h, h, m - h, n - h), first + h, t.sub(h, h, n - h, n - h), is_t_wanted);
  if (is_t_wanted) join_triangles(place, a, h, t);
}

/// The same of any m × n matrix.
template <class Place>
void factor_orthogonal(Place& place, const typename Place::Matrix& a) {
  using Operand = typename Place::Operand;
  const std::int64_t m = a.rows, n = a.columns, count = std::min(m, n),
                     strip = std::min(count, strip_columns(place, count));
  auto lent = place.lend(strip, strip);
  for (std::int64_t j = 0; j < count; j += strip) {
    const std::int64_t k = std::min(strip, count - j), right = n - j - k;
    const auto v = a.sub(j, j, m - j, k), t = lent.matrix().sub(0, 0, k, k);
    factor_columns(place, v, j, t, right > 0);
    apply_reflectors(place, v, Uplo::lower, Operand(t).turned(Op::conjugate_transpose), a.sub(j, j + k, m - j, right));
  }
}

/// T of the reflectors in V, which are numbers first … of the place's.
template <class Place>
void form_triangle(Place& place, const typename Place::Operand& v, std::int64_t first,
                   const typename Place::Matrix& t) {
  const std::int64_t n = v.columns;
  if (n <= place.block()) return place.reflector_triangle(v, first, t);
  const std::int64_t h = blas::half(n, place.block()), k = n - h;
  form_triangle(place, v.sub(0, 0, v.rows, h), first, t.sub(0, 0, h, h));
  form_triangle(place, v.sub(h, h, v.rows - h, k), first + h, t.sub(h, h, k, k));
  join_triangles(place, v, h, t);
}

/// C = Q · C, Qᴴ · C, or with their conjugates, as op says, of the reflectors below A's diagonal, as many as A has
/// columns.
template <class Place>
void multiply_orthogonal(Place& place, Op op, const typename Place::Operand& a, const typename Place::Matrix& c) {
  using Operand = typename Place::Operand;
  const std::int64_t count = a.columns, strip = std::min(count, strip_columns(place, count));
  if (count == 0) return;
  // Qᵀ is conj(Q)ᴴ.
  const bool is_inverse = is_transposed(op), is_conjugate = op == Op::transpose || op == Op::conjugate;
  const Op of_t = is_inverse ? Op::conjugate_transpose : Op::none, conjugate = is_conjugate ? Op::conjugate : Op::none;
  auto lent = place.lend(strip, strip);
  const std::int64_t strips = blocks(count, strip);
  for (std::int64_t s = 0; s < strips; ++s) {
    const std::int64_t j = (is_inverse ? s : strips - 1 - s) * strip, k = std::min(strip, count - j);
    const auto v = a.sub(j, j, a.rows - j, k);
    const auto t = lent.matrix().sub(0, 0, k, k);
    form_triangle(place, v, j, t);
    apply_reflectors(place, v.turned(conjugate), is_inverse ? Uplo::lower : Uplo::upper,
                     Operand(t).turned(of_t).turned(conjugate), c.sub(j, 0, c.rows - j, c.columns));
  }
}

// op(X)ᵀ = transposed(op)(X).
constexpr Op transposed(Op op) {
  constexpr Op of[] = {Op::transpose, Op::none, Op::conjugate, Op::conjugate_transpose};
  return of[static_cast<int>(op)];
}

/// The same with Q on either side: C · op(Q) is (op(Q)ᵀ · Cᵀ)ᵀ.
template <class Place>
void multiply_by_orthogonal(Place& place, Side side, Op op, const typename Place::Operand& a,
                            const typename Place::Matrix& c) {
  const bool is_left = side == Side::left;
  multiply_orthogonal(place, is_left ? op : transposed(op), a, is_left ? c : c.turned(Op::transpose));
}

/// The first columns of Q, as many as A has, in A's place; `count` of them hold reflectors below their diagonals.
template <class Place>
void form_orthogonal(Place& place, const typename Place::Matrix& a, std::int64_t count) {
  using Scalar = typename Place::Scalar;
  const std::int64_t m = a.rows, n = a.columns, strip = std::min(count, strip_columns(place, count));
  place.set_identity(a.sub(0, count, m, n - count), count);
  if (count == 0) return;
  auto lent = place.lend(strip, strip), product = place.lend(strip, strip), copy = place.lend(m, strip);
  for (std::int64_t j = (blocks(count, strip) - 1) * strip; j >= 0; j -= strip) {
    const std::int64_t k = std::min(strip, count - j), below = m - j - k;
    const auto v = a.sub(j, j, m - j, k), t = lent.matrix().sub(0, 0, k, k);
    form_triangle(place, v, j, t);
    apply_reflectors(place, v, Uplo::upper, t, a.sub(j, j + k, m - j, n - j - k));
    // The columns themselves, I − V · (T · V1ᴴ), of the first k columns of I.
    const auto old = copy.matrix().sub(0, 0, m - j, k), w = product.matrix().sub(0, 0, k, k);
    place.copy(v, old);
    place.take_triangle(Uplo::upper, blas::Symmetry::symmetric, t, w);
    const auto top = old.sub(0, 0, k, k);
    blas::multiply_triangle_right(place, Uplo::upper, Diag::unit,
                                  typename Place::Operand(top).turned(Op::conjugate_transpose), w);
    place.multiply(Scalar(-1), old.sub(k, 0, below, k), w, Scalar(0), v.sub(k, 0, below, k));
    blas::multiply_triangle(place, Uplo::lower, Diag::unit, top, w);
    place.set_identity(a.sub(0, j, j + k, k), j);
    place.subtract(w, v.sub(0, 0, k, k));
  }
}

/// A = F or Fᵀ, whichever F has no more columns than rows, and its factors take A's place; B = op(A)⁺ · B. The number
/// of the first column, from 1, where R's diagonal is 0, and B is as it was.
template <class Place>
std::int64_t solve_full_rank(Place& place, Op op, const typename Place::Matrix& a, const typename Place::Matrix& b) {
  using Scalar = typename Place::Scalar;
  using Operand = typename Place::Operand;
  const bool is_tall = a.rows >= a.columns;
  const auto f = is_tall ? a : a.turned(Op::transpose);
  const Op of_f = is_tall ? op : transposed(op);
  factor_orthogonal(place, f);
  if (const std::int64_t info = place.first_zero(f); info != 0) return info;
  if (b.columns == 0) return 0;
  const Operand r = Operand(f.sub(0, 0, f.columns, f.columns)).turned(of_f);
  const auto top = b.sub(0, 0, f.columns, b.columns);
  if (is_transposed(of_f)) {
    blas::solve_triangle(place, Uplo::lower, Diag::non_unit, r, top);
    place.scale(Scalar(0), b.sub(f.columns, 0, f.rows - f.columns, b.columns));
    multiply_orthogonal(place, of_f == Op::transpose ? Op::conjugate : Op::none, f, b);
  } else {
    multiply_orthogonal(place, of_f == Op::none ? Op::conjugate_transpose : Op::transpose, f, b);
    blas::solve_triangle(place, Uplo::upper, Diag::non_unit, r, top);
  }
  return 0;
}

}  // namespace hilo::lapack
