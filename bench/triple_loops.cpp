#include "triple_loops.hpp"

#include <qd/dd_real.h>

namespace hilo::bench {
namespace {

template <class T>
void triple_loop(std::int64_t n, const T* a, const T* b, T* __restrict c) {
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) c[j * n + i] = T(0.0);
    for (std::int64_t h = 0; h < n; ++h) {
      for (std::int64_t i = 0; i < n; ++i) c[j * n + i] += a[h * n + i] * b[j * n + h];
    }
  }
}

}  // namespace

void qd_triple_loop(std::int64_t n, const double* a, const double* b, double* c) {
  triple_loop(n, reinterpret_cast<const ::dd_real*>(a), reinterpret_cast<const ::dd_real*>(b),
              reinterpret_cast<::dd_real*>(c));
}

void dd_triple_loop(std::int64_t n, const dd_real* a, const dd_real* b, dd_real* c) { triple_loop(n, a, b, c); }

void dd_dot_loop(std::int64_t n, const dd_real* a, const dd_real* b, dd_real* c) {
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      dd_real sum = 0;
      for (std::int64_t h = 0; h < n; ++h) sum += a[h * n + i] * b[j * n + h];
      c[j * n + i] = sum;
    }
  }
}

}  // namespace hilo::bench
