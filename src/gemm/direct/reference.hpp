// The direct engine, one entry at a time: the slow, obvious definition of its bits, and the oracle of the fast kernels.
//
// The canonical order, docs/error-bounds.md: chunks of 64 terms, each summed by steps from zero and closed by two_sum;
// super-chunks of 64 chunks, each summed by the accurate addition from zero; super-chunks added in order. A complex
// term is two real steps in each part. An entry that is not finite is the plain double sum of the products of hi parts.
#pragma once

#include <cstdint>
#include <hilo/complex.hpp>
#include <hilo/gemm.hpp>

#include "dd/canonical_order.hpp"

namespace hilo::direct {

using canonical::chunk_steps;
using canonical::ScalarStep;
using canonical::superchunk_steps;

/// Steps between two renormalisations of the running sum.
constexpr int renormalisation_interval(Accuracy accuracy) { return accuracy == Accuracy::classic ? 1 : 4; }

/// The sum of steps s = 0 … steps − 1 of left(s) · right(s) in the canonical order, and whether it is the plain
/// double sum because the other was not finite.
struct EntrySum {
  dd_real value;
  bool recomputed;
};

/// Of an entry whose sum in the canonical order is not finite.
template <class Left, class Right>
EntrySum plain_sum_of_steps(std::int64_t steps, Left left, Right right) {
  double plain = 0.0;
  // NaN stays.
  for (std::int64_t s = 0; s < steps && plain == plain; ++s) plain += detail::rounded_product(left(s).hi, right(s).hi);
  EntrySum r{dd_real(0), true};
  r.value.hi = plain == plain ? plain : std::numeric_limits<double>::quiet_NaN();
  r.value.lo = 0.0;
  return r;
}

template <class Left, class Right>
EntrySum sum_of_steps(std::int64_t steps, Left left, Right right, Accuracy accuracy, bool fma) {
  using ops = ScalarStep;
  int interval = renormalisation_interval(accuracy);
  ops::dd total = {0.0, 0.0};
  for (std::int64_t super = 0; super < steps; super += superchunk_steps) {
    ops::dd partial = {0.0, 0.0};
    for (std::int64_t chunk = super; chunk < steps && chunk < super + superchunk_steps; chunk += chunk_steps) {
      ops::dd sum = {0.0, 0.0};
      for (std::int64_t s = chunk; s < steps && s < chunk + chunk_steps; ++s) {
        dd_real x = left(s), y = right(s);
        ops::dd a = {x.hi, x.lo}, b = {y.hi, y.lo};
        sum = fma ? ops::step_fma(sum, a, b) : ops::step_split_scaled(sum, a, b);
        if ((s - chunk + 1) % interval == 0) sum = ops::fast_two_sum(sum.hi, sum.lo);
      }
      partial = ops::add_finite(partial, ops::two_sum(sum.hi, sum.lo));
    }
    total = ops::add_finite(total, partial);
  }
  EntrySum r{dd_real(0), false};
  r.value.hi = total.hi;
  r.value.lo = total.lo;
  return total.hi - total.hi == 0.0 ? r : plain_sum_of_steps(steps, left, right);
}

/// factor · x, complex by the plain formula: infinities are not recovered, as on every backend.
template <class T>
T scaled(T factor, T x) {
  if constexpr (std::same_as<T, dd_complex>) {
    return dd_complex::multiply_finite(factor, x);
  } else {
    return factor * x;
  }
}

/// alpha · sum + beta · c as the canonical order has it; c is not read where beta = 0.
template <class T>
T scale_and_add(T alpha, T sum, T beta, const T& c) {
  T r = alpha == T(1) ? sum : scaled(alpha, sum);
  if (beta == T(0)) return r;
  return r + (beta == T(1) ? c : scaled(beta, c));
}

struct Entry {
  dd_real value;
  int recomputed;
};
struct ComplexEntry {
  dd_complex value;
  int recomputed;
};

/// The sum over h of a(i, h) · b(h, j), without alpha and beta.
inline Entry entry(const MatrixView<const dd_real>& a, const MatrixView<const dd_real>& b, std::int64_t i,
                   std::int64_t j, Accuracy accuracy, bool fma) {
  auto left = [&](std::int64_t s) { return a(i, s); };
  auto right = [&](std::int64_t s) { return b(s, j); };
  EntrySum sum = sum_of_steps(a.columns, left, right, accuracy, fma);
  return {sum.value, sum.recomputed};
}

inline ComplexEntry entry(const MatrixView<const dd_complex>& a, const MatrixView<const dd_complex>& b, std::int64_t i,
                          std::int64_t j, Accuracy accuracy, bool fma) {
  auto at = [&](std::int64_t s) { return a.conjugate ? conj(a(i, s / 2)) : a(i, s / 2); };
  auto bt = [&](std::int64_t s) { return b.conjugate ? conj(b(s / 2, j)) : b(s / 2, j); };
  // re takes (ar, br), (−ai, bi); im takes (ar, bi), (ai, br).
  auto re_left = [&](std::int64_t s) { return s % 2 ? -at(s).im : at(s).re; };
  auto re_right = [&](std::int64_t s) { return s % 2 ? bt(s).im : bt(s).re; };
  auto im_left = [&](std::int64_t s) { return s % 2 ? at(s).im : at(s).re; };
  auto im_right = [&](std::int64_t s) { return s % 2 ? bt(s).re : bt(s).im; };
  EntrySum re = sum_of_steps(2 * a.columns, re_left, re_right, accuracy, fma);
  EntrySum im = sum_of_steps(2 * a.columns, im_left, im_right, accuracy, fma);
  return {dd_complex(re.value, im.value), re.recomputed + im.recomputed};
}

/// C = alpha · A · B + beta · C by the definition; alpha and k are not 0. Returns how many real sums were recomputed as
/// plain doubles.
template <class T>
std::int64_t reference_gemm(T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c,
                            Accuracy accuracy, bool fma) {
  std::int64_t recomputed = 0;
  for (std::int64_t j = 0; j < c.columns; ++j) {
    for (std::int64_t i = 0; i < c.rows; ++i) {
      auto e = entry(a, b, i, j, accuracy, fma);
      recomputed += e.recomputed;
      c(i, j) = scale_and_add(alpha, e.value, beta, c(i, j));
    }
  }
  return recomputed;
}

}  // namespace hilo::direct
