// A product of QD's dd_real numbers by plain loops, as `hilo bench --reference` runs it.
//
//   qd_gemm_bench N [REPEATS]
//
// Builds with the other benchmarks where CMake finds QD, or alone:
//   g++ -O3 -march=native -ffp-contract=off -std=c++20 -o qd_gemm_bench bench/qd_gemm_bench.cpp -lqd
// QD's products are wrong where the compiler contracts them. One thread, by columns: for each entry of B a column of A
// is added to one of C, so that all that is read lies side by side.
#include <qd/dd_real.h>

#include "reference_program.hpp"

namespace {

using Matrix = std::vector<dd_real>;

void multiply(std::int64_t n, const dd_real* a, const dd_real* b, dd_real* c) {
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) c[j * n + i] = 0.0;
    for (std::int64_t k = 0; k < n; ++k) {
      for (std::int64_t i = 0; i < n; ++i) c[j * n + i] += a[k * n + i] * b[j * n + k];
    }
  }
}

std::complex<long double> entry(std::int64_t n, const Matrix& x, std::int64_t i, std::int64_t j) {
  const dd_real& e = x[static_cast<std::size_t>(i + j * n)];
  return static_cast<long double>(e.x[0]) + static_cast<long double>(e.x[1]);
}

}  // namespace

int main(int argc, char** argv) {
  const auto r = hilo::bench::read_reference_request(argc, argv, "qd_gemm_bench", " dd ", "dd", false);
  Matrix a(static_cast<std::size_t>(r.n * r.n)), b(a.size()), c(a.size());
  hilo::bench::Uniform uniform(1);
  for (Matrix* x : {&a, &b}) {
    for (dd_real& e : *x) {
      const double hi = uniform();
      e = dd_real(hi, 0x1p-54 * hi * uniform());
    }
  }
  const double seconds = hilo::bench::median_seconds(r, [&] { multiply(r.n, a.data(), b.data(), c.data()); });
  check_product(
      r, [&](auto i, auto k) { return entry(r.n, a, i, k); }, [&](auto k, auto j) { return entry(r.n, b, k, j); },
      [&](auto i, auto j) { return entry(r.n, c, i, j); },
      static_cast<double>(std::numeric_limits<long double>::epsilon()));
  hilo::bench::print_reference(r, "QD dd_real, plain loops", false, seconds);
}
