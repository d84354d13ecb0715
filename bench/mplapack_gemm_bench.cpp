// Rgemm of MPLAPACK for QD's dd_real numbers, as `hilo bench --reference` runs it.
//
//   mplapack_gemm_bench [--opa n|t|c] [--opb n|t|c] N [REPEATS]
//
// Builds with the other benchmarks where CMake finds MPLAPACK's headers, or alone:
//   g++ -O2 -std=c++20 -o mplapack_gemm_bench bench/mplapack_gemm_bench.cpp -lmpblas_dd -lqd
// OMP_NUM_THREADS says how many threads, where MPLAPACK was built with them (-lmpblas_dd_opt).
#include <mplapack/mpblas_dd.h>

#include "qd_matrix.hpp"

int main(int argc, char** argv) {
  const auto r = hilo::bench::read_reference_request(argc, argv, "mplapack_gemm_bench", " dd ", "dd", true);
  hilo::bench::Uniform uniform(1);
  // Rgemm takes no pointers to constant numbers.
  hilo::bench::QdMatrix a = hilo::bench::random_qd_matrix(r.n, uniform),
                        b = hilo::bench::random_qd_matrix(r.n, uniform);
  hilo::bench::QdMatrix c(a.size());
  const char opa[] = {r.opa, 0}, opb[] = {r.opb, 0};
  const double seconds = hilo::bench::median_seconds(r, [&] {
    Rgemm(opa, opb, r.n, r.n, r.n, dd_real(1.0), a.data(), r.n, b.data(), r.n, dd_real(0.0), c.data(), r.n);
  });
  check_product(
      r, [&](auto i, auto k) { return hilo::bench::qd_entry(r.n, a, r.opa, i, k); },
      [&](auto k, auto j) { return hilo::bench::qd_entry(r.n, b, r.opb, k, j); },
      [&](auto i, auto j) { return hilo::bench::qd_entry(r.n, c, 'n', i, j); },
      static_cast<double>(std::numeric_limits<long double>::epsilon()));
  hilo::bench::print_reference(r, "MPLAPACK Rgemm", false, seconds);
}
