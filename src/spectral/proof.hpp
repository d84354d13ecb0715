// What proofs of bounds are made of: numbers of so few bits that products of matrices are exact, sums taken upward, and
// a bound of how far columns are from orthonormal ones.
#pragma once

#include <cmath>
#include <hilo/math.hpp>

#include "solve/scaling.hpp"
#include "spectral/orthogonality.hpp"

namespace hilo::spectral {

// Bits after the binary point: 2^-11 u² of what is near 1; sums of thousands of products of two have 341 bits or so for
// the exact product.
inline constexpr int places = 117;
// Sums of up to 2^30 squares in double, and whatever underflows.
inline constexpr double above = 1.0 + 0x1p-20, underflow = 0x1p-400;

inline dd_real rounded_to_places(const dd_real& x) { return solver::scaled(rint(solver::scaled(x, places)), -places); }
inline dd_complex rounded_to_places(const dd_complex& x) { return {rounded_to_places(x.re), rounded_to_places(x.im)}; }

/// What is rounded, and in the end the size of what that has taken away.
template <double_double T>
class Rounding {
 public:
  T operator()(const T& x) {
    const T y = rounded_to_places(x);
    lost_ += std::norm(leading(T(x - y)));
    return y;
  }
  double lost() const { return std::sqrt(lost_) * above + underflow; }

 private:
  double lost_ = 0.0;
};

/// Of products in a proof.
inline BlockedOptions options_of_proof(const BlockedOptions& options, Accuracy accuracy = Accuracy::classic) {
  BlockedOptions of_product;
  of_product.threads = options.threads;
  of_product.int8_library = options.int8_library;
  of_product.target = options.target;
  of_product.accuracy = accuracy;
  return of_product;
}

/// Σ|x_ij|² of a column.
template <class T>
double square_of_column(const MatrixView<const T>& x, std::int64_t j) {
  double square = 0.0;
  for (std::int64_t i = 0; i < x.rows; ++i) square += std::norm(leading(x(i, j)));
  return square;
}

/// ‖I − Xᴴ X‖ as it is computed, and what it is at most.
struct Defect {
  double computed, bound;
};
/// By the error bound of the product that computed it, the largest square of a column, and the number of columns.
inline Defect defect_from(double computed, double error_bound_u2, double largest_square, std::int64_t columns) {
  const double rounding = error_bound_u2 * 0x1p-106 * (largest_square + 1.0) * static_cast<double>(columns);
  return {computed, (computed + rounding) * above + underflow};
}
template <double_double T>
Defect defect_of(const MatrixView<const T>& x, const BlockedOptions& options) {
  Dense<T> gram = identity<T>(x.columns);
  const GemmReport report =
      gemm(T(-1), x.turned(Op::conjugate_transpose), x, T(1), gram.view(), options_of_proof(options));
  double largest_square = 0.0;
  for (std::int64_t j = 0; j < x.columns; ++j) {
    // Not std::max, which loses NaN.
    if (const double square = square_of_column(x, j) * above; !(square <= largest_square)) largest_square = square;
  }
  return defect_from(frobenius(gram), report.plan.error_bound_u2, largest_square, x.columns);
}

}  // namespace hilo::spectral
