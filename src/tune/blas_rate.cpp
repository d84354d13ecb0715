#include "tune/blas_rate.hpp"

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdint>
#include <hilo/precision.hpp>
#include <random>
#include <vector>

namespace hilo::tune {
namespace {

template <class T>
double rate(const GemmOptions& options) {
  constexpr std::int64_t n = 1024;
  constexpr int runs = 4;  // the first of them wakes threads and touches memory for the first time
  using Real = decltype(std::real(T()));
  std::vector<T> a(static_cast<std::size_t>(n * n));
  std::mt19937 engine(1);
  for (T& x : a) x = T(static_cast<Real>(static_cast<double>(engine()) * 0x1p-31 - 1.0));
  std::vector<T> c(a.size());
  GemmOptions direct = options;
  direct.engine = Engine::direct;
  direct.accuracy = Accuracy::classic;
  double best = 0.0;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    gemm(Layout::column, Op::none, Op::none, n, n, n, T(1), a.data(), n, a.data(), n, T(0), c.data(), n, direct);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double flops = (is_complex(precision_of<T>) ? 8.0 : 2.0) * static_cast<double>(n * n * n);
    if (i > 0) best = std::max(best, 1e-9 * flops / seconds);
  }
  return best;
}

}  // namespace

double blas_rate(Precision precision, const GemmOptions& options) {
  switch (precision) {
    case Precision::s:
      return rate<float>(options);
    case Precision::c:
      return rate<std::complex<float>>(options);
    case Precision::z:
      return rate<std::complex<double>>(options);
    default:
      return rate<double>(options);
  }
}

}  // namespace hilo::tune
