// A product of QD's dd_real numbers by plain loops, as `hilo bench --reference` runs it.
//
//   qd_gemm_bench N [REPEATS]
//
// Builds with the other benchmarks where CMake finds QD, or alone:
//   g++ -O3 -march=native -ffp-contract=off -std=c++20 -o qd_gemm_bench bench/qd_gemm_bench.cpp -lqd
// QD's products are wrong where the compiler contracts them. One thread.
#include "qd_matrix.hpp"

int main(int argc, char** argv) {
  const auto r = hilo::bench::read_reference_request(argc, argv, "qd_gemm_bench", " dd ", "dd", false);
  hilo::bench::Uniform uniform(1);
  const hilo::bench::QdMatrix a = hilo::bench::random_qd_matrix(r.n, uniform),
                              b = hilo::bench::random_qd_matrix(r.n, uniform);
  hilo::bench::QdMatrix c(a.size());
  const double seconds =
      hilo::bench::median_seconds(r, [&] { hilo::bench::multiply(r.n, r.n, r.n, a.data(), b.data(), c.data()); });
  check_product(
      r, [&](auto i, auto k) { return hilo::bench::qd_entry(r.n, a, 'n', i, k); },
      [&](auto k, auto j) { return hilo::bench::qd_entry(r.n, b, 'n', k, j); },
      [&](auto i, auto j) { return hilo::bench::qd_entry(r.n, c, 'n', i, j); },
      static_cast<double>(std::numeric_limits<long double>::epsilon()));
  hilo::bench::print_reference(r, "QD dd_real, plain loops", false, seconds);
}
