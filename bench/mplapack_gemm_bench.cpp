// Rgemm of MPLAPACK for QD's dd_real numbers, as `hilo bench --reference` runs it.
//
//   mplapack_gemm_bench [--opa n|t|c] [--opb n|t|c] N [REPEATS]
//
// Builds with the other benchmarks where CMake finds MPLAPACK's headers, or alone:
//   g++ -O2 -std=c++20 -o mplapack_gemm_bench bench/mplapack_gemm_bench.cpp -lmpblas_dd -lqd
// OMP_NUM_THREADS says how many threads, where MPLAPACK was built with them (-lmpblas_dd_opt).
#include <mplapack/mpblas_dd.h>

#include "reference_program.hpp"

namespace {

using Matrix = std::vector<dd_real>;

std::complex<long double> entry(std::int64_t n, const Matrix& x, char op, std::int64_t i, std::int64_t j) {
  const dd_real& e = x[static_cast<std::size_t>(op == 'n' ? i + j * n : j + i * n)];
  return static_cast<long double>(e.x[0]) + static_cast<long double>(e.x[1]);
}

}  // namespace

int main(int argc, char** argv) {
  const auto r = hilo::bench::read_reference_request(argc, argv, "mplapack_gemm_bench", " dd ", "dd", true);
  Matrix a(static_cast<std::size_t>(r.n * r.n)), b(a.size()), c(a.size());
  hilo::bench::Uniform uniform(1);
  for (Matrix* x : {&a, &b}) {
    for (dd_real& e : *x) {
      const double hi = uniform();
      e = dd_real(hi, 0x1p-54 * hi * uniform());
    }
  }
  const char opa[] = {r.opa, 0}, opb[] = {r.opb, 0};
  const double seconds = hilo::bench::median_seconds(r, [&] {
    Rgemm(opa, opb, r.n, r.n, r.n, dd_real(1.0), a.data(), r.n, b.data(), r.n, dd_real(0.0), c.data(), r.n);
  });
  check_product(
      r, [&](auto i, auto k) { return entry(r.n, a, r.opa, i, k); },
      [&](auto k, auto j) { return entry(r.n, b, r.opb, k, j); },
      [&](auto i, auto j) { return entry(r.n, c, 'n', i, j); },
      static_cast<double>(std::numeric_limits<long double>::epsilon()));
  hilo::bench::print_reference(r, "MPLAPACK Rgemm", false, seconds);
}
