// MPLAPACK's BLAS of vectors by hilo's: names and arguments are those of mpblas_dd.h.
#include "arguments.hpp"

using namespace hilo::mplapack;

namespace {

// With an increment of 0, which hilo refuses, MPLAPACK's loops meet the same element again.
bool repeats(Int incx, Int incy) { return incx == 0 || incy == 0; }

// Calls f(x_i, y_i) of n elements in their order.
template <class T, class F>
void for_pairs(Int n, T* x, Int incx, T* y, Int incy, F f) {
  const auto place = [n](Int i, Int increment) { return (increment < 0 ? i - n + 1 : i) * increment; };
  for (Int i = 0; i < n; ++i) f(x[place(i, incx)], y[place(i, incy)]);
}

template <class T>
void add(Int n, const T& alpha, T* x, Int incx, T* y, Int incy) {
  if (n <= 0) return;
  if (repeats(incx, incy)) {
    for_pairs(n, x, incx, y, incy, [&](const T& term, T& sum) { sum = sum + alpha * term; });
  } else {
    hilo::axpy(n, alpha, x, incx, y, incy);
  }
}

template <class T>
void assign(Int n, T* x, Int incx, T* y, Int incy) {
  if (n <= 0) return;
  if (repeats(incx, incy)) {
    for_pairs(n, x, incx, y, incy, [](const T& from, T& to) { to = from; });
  } else {
    hilo::copy(n, x, incx, y, incy);
  }
}

template <class T>
void exchange(Int n, T* x, Int incx, T* y, Int incy) {
  if (n <= 0) return;
  if (repeats(incx, incy)) {
    for_pairs(n, x, incx, y, incy, [](T& one, T& other) { std::swap(one, other); });
  } else {
    hilo::swap(n, x, incx, y, incy);
  }
}

template <class T, class S>
void rotate(Int n, T* x, Int incx, T* y, Int incy, const hilo::dd_real& c, const S& s) {
  if (n <= 0) return;
  if (repeats(incx, incy)) {
    for_pairs(n, x, incx, y, incy, [&](T& one, T& other) {
      const T was = one;
      one = c * was + s * other;
      other = c * other - s * was;
    });
  } else {
    hilo::rot(n, x, incx, y, incy, c, T(s));
  }
}

template <class T>
T sum_of_products(Int n, T* x, Int incx, T* y, Int incy, bool conjugate) {
  if (n <= 0) return T(0.0);
  if (repeats(incx, incy)) {
    T sum(0.0);
    for_pairs(n, x, incx, y, incy, [&](const T& left, const T& right) {
      if constexpr (std::same_as<T, hilo::dd_complex>) {
        sum = sum + (conjugate ? conj(left) : left) * right;
      } else {
        sum = sum + left * right;
      }
    });
    return sum;
  }
  return conjugate ? hilo::dot(n, x, incx, y, incy) : hilo::dotu(n, x, incx, y, incy);
}

// MPLAPACK leaves a vector alone that goes backwards.
bool is_empty(Int n, Int incx) { return n <= 0 || incx <= 0; }

}  // namespace

void Raxpy(Int n, Real alpha, Real* x, Int incx, Real* y, Int incy) {
  add(n, from_mplapack(alpha), in_place(x), incx, in_place(y), incy);
}
void Caxpy(Int n, Complex alpha, Complex* x, Int incx, Complex* y, Int incy) {
  add(n, from_mplapack(alpha), in_place(x), incx, in_place(y), incy);
}

void Rcopy(Int n, Real* x, Int incx, Real* y, Int incy) { assign(n, in_place(x), incx, in_place(y), incy); }
void Ccopy(Int n, Complex* x, Int incx, Complex* y, Int incy) { assign(n, in_place(x), incx, in_place(y), incy); }

void Rswap(Int n, Real* x, Int incx, Real* y, Int incy) { exchange(n, in_place(x), incx, in_place(y), incy); }
void Cswap(Int n, Complex* x, Int incx, Complex* y, Int incy) { exchange(n, in_place(x), incx, in_place(y), incy); }

void Rrot(Int n, Real* x, Int incx, Real* y, Int incy, Real c, Real s) {
  rotate(n, in_place(x), incx, in_place(y), incy, from_mplapack(c), from_mplapack(s));
}
void CRrot(Int n, Complex* x, Int incx, Complex* y, Int incy, Real c, Real s) {
  rotate(n, in_place(x), incx, in_place(y), incy, from_mplapack(c), from_mplapack(s));
}

void Rscal(Int n, Real alpha, Real* x, Int incx) {
  if (!is_empty(n, incx)) hilo::scal(n, from_mplapack(alpha), in_place(x), incx);
}
void Cscal(Int n, Complex alpha, Complex* x, Int incx) {
  if (!is_empty(n, incx)) hilo::scal(n, from_mplapack(alpha), in_place(x), incx);
}
void CRscal(Int n, Real alpha, Complex* x, Int incx) {
  if (!is_empty(n, incx)) hilo::scal(n, hilo::dd_complex(from_mplapack(alpha)), in_place(x), incx);
}

Real Rdot(Int n, Real* x, Int incx, Real* y, Int incy) {
  return to_mplapack(sum_of_products(n, in_place(x), incx, in_place(y), incy, true));
}
Complex Cdotc(Int n, Complex* x, Int incx, Complex* y, Int incy) {
  return to_mplapack(sum_of_products(n, in_place(x), incx, in_place(y), incy, true));
}
Complex Cdotu(Int n, Complex* x, Int incx, Complex* y, Int incy) {
  return to_mplapack(sum_of_products(n, in_place(x), incx, in_place(y), incy, false));
}

Real Rnrm2(Int n, Real* x, Int incx) {
  return is_empty(n, incx) ? Real(0.0) : to_mplapack(hilo::nrm2(n, in_place(x), incx));
}
Real RCnrm2(Int n, Complex* x, Int incx) {
  return is_empty(n, incx) ? Real(0.0) : to_mplapack(hilo::nrm2(n, in_place(x), incx));
}

Real Rasum(Int n, Real* x, Int incx) {
  return is_empty(n, incx) ? Real(0.0) : to_mplapack(hilo::asum(n, in_place(x), incx));
}
Real RCasum(Int n, Complex* x, Int incx) {
  return is_empty(n, incx) ? Real(0.0) : to_mplapack(hilo::asum(n, in_place(x), incx));
}

Int iRamax(Int n, Real* x, Int incx) { return is_empty(n, incx) ? 0 : hilo::iamax(n, in_place(x), incx) + 1; }
Int iCamax(Int n, Complex* x, Int incx) { return is_empty(n, incx) ? 0 : hilo::iamax(n, in_place(x), incx) + 1; }
