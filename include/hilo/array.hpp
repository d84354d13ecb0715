// Operations on whole arrays of dd_real, on the CPU's SIMD lanes.
//
// Element by element they give the bits of the operators and functions of dd_real; sums and dot products have an order
// of their own, which fixes their bits (docs/array.md). Neither depends on the instruction set.
#pragma once

#include <hilo/dd_real.hpp>
#include <hilo/error.hpp>
#include <span>

namespace hilo::detail {

void add_word(std::span<const dd_real> x, double a, std::span<dd_real> out);
void word_minus(double a, std::span<const dd_real> x, std::span<dd_real> out);
void multiply_word(std::span<const dd_real> x, double a, std::span<dd_real> out);
void divide_word(std::span<const dd_real> x, double a, std::span<dd_real> out);

}  // namespace hilo::detail

/// All arguments of a call have the same number of elements. An output may be exactly one of the inputs; where it
/// overlaps one otherwise, or sizes differ, a call throws hilo::error before anything is written.
namespace hilo::array {

using Input = std::span<const dd_real>;
using Output = std::span<dd_real>;

/// out[i] = x[i] + y[i], and so on; errors and ranges are those of the operators.
void add(Input x, Input y, Output out);
void subtract(Input x, Input y, Output out);
void multiply(Input x, Input y, Output out);
void divide(Input x, Input y, Output out);

/// out[i] = x[i] + a, a − x[i], and so on.
void add(Input x, dd_real a, Output out);
void add(dd_real a, Input x, Output out);
void subtract(Input x, dd_real a, Output out);
void subtract(dd_real a, Input x, Output out);
void multiply(Input x, dd_real a, Output out);
void multiply(dd_real a, Input x, Output out);
void divide(Input x, dd_real a, Output out);
void divide(dd_real a, Input x, Output out);

/// The same where a is a word (float, double, integers of at most 32 bits), with fewer operations.
template <detail::exact_word T>
void add(Input x, T a, Output out) {
  detail::add_word(x, static_cast<double>(a), out);
}
template <detail::exact_word T>
void add(T a, Input x, Output out) {
  detail::add_word(x, static_cast<double>(a), out);
}
template <detail::exact_word T>
void subtract(Input x, T a, Output out) {
  detail::add_word(x, -static_cast<double>(a), out);
}
template <detail::exact_word T>
void subtract(T a, Input x, Output out) {
  detail::word_minus(static_cast<double>(a), x, out);
}
template <detail::exact_word T>
void multiply(Input x, T a, Output out) {
  detail::multiply_word(x, static_cast<double>(a), out);
}
template <detail::exact_word T>
void multiply(T a, Input x, Output out) {
  detail::multiply_word(x, static_cast<double>(a), out);
}
template <detail::exact_word T>
void divide(Input x, T a, Output out) {
  detail::divide_word(x, static_cast<double>(a), out);
}

/// out[i] = sqrt(x[i]), and so on, as hilo/math.hpp has them.
void sqrt(Input x, Output out);
void exp(Input x, Output out);
void log(Input x, Output out);
void sin(Input x, Output out);
void cos(Input x, Output out);
/// sine[i] = sin(x[i]) and cosine[i] = cos(x[i]); the outputs must not overlap each other.
void sincos(Input x, Output sine, Output cosine);

/// y[i] = alpha · x[i] + y[i], product and sum each rounded as the operators do.
void axpy(dd_real alpha, Input x, Output y);

/// The sum of x[i] · y[i], 0 for empty arrays. Error at most dot_error_bound_u2(n) u² Σ|x[i]·y[i]| where nothing under-
/// or overflows; a result that is not finite is that of the sum in double.
dd_real dot(Input x, Input y);

/// The sum of x[i]. Error at most sum_error_bound_u2(n) u² Σ|x[i]|; otherwise as dot.
dd_real sum(Input x);

/// The proved bounds of dot and sum for n elements, n >= 0, in u² = 2^-106.
double dot_error_bound_u2(std::int64_t n);
double sum_error_bound_u2(std::int64_t n);

}  // namespace hilo::array
