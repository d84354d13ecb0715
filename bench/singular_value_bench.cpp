// Singular values and vectors in DD beside Eigen's, LAPACK's in double, and one DD product.
//
//   singular_value_bench [n [n_of_eigen [threads [m]]]]     1000, 1000, 1 and n unless given
//
// Of random m × n matrices, m >= n. Eigen's solver runs once, on one thread, the others take turns in three rounds.
#include <Eigen/SVD>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <hilo/interop/eigen.hpp>
#include <hilo/singular_values.hpp>
#include <sstream>
#include <vector>

#include "random.hpp"
#include "rounds.hpp"

namespace {

using hilo::dd_real;
using std::int64_t;

template <class T>
hilo::MatrixView<T> by_columns(std::vector<T>& x, int64_t rows) {
  return hilo::view(hilo::Layout::column, hilo::Op::none, x.data(), rows, static_cast<int64_t>(x.size()) / rows, rows);
}

std::vector<dd_real> random_matrix(int64_t m, int64_t n) { return hilo::bench::random<dd_real>(m * n, 1); }

void print_times(int64_t m, int64_t n, double seconds_of_eigen, int threads) {
  std::vector<dd_real> a = random_matrix(m, n), u(a.size()), v(static_cast<std::size_t>(n * n)),
                       values(static_cast<std::size_t>(n));
  std::vector<double> leading(a.size()), u_in_double(a.size()), v_in_double(v.size()), values_in_double(values.size());
  for (std::size_t i = 0; i < a.size(); ++i) leading[i] = a[i].hi;
  hilo::SingularValueReport report;
  const auto solve = [&](bool certify) {
    report = hilo::singular_value_decomposition<dd_real>(by_columns(a, m), {values.data(), n}, by_columns(u, m),
                                                         by_columns(v, n),
                                                         {.certify = certify, .products = {.threads = threads}});
    if (!report.is_solved || report.is_certified != certify) std::abort();
  };
  const hilo::bench::Rounds rounds(
      {[&] { solve(false); }, [&] { solve(true); },
       [&] {
         hilo::singular_values(by_columns(a, m), hilo::VectorView<dd_real>{values.data(), n},
                               {.products = {.threads = threads}});
       },
       [&] {
         hilo::singular_value_decomposition<double>(by_columns(leading, m), {values_in_double.data(), n},
                                                    by_columns(u_in_double, m), by_columns(v_in_double, n),
                                                    {.products = {.threads = threads}});
       },
       [&] {
         hilo::gemm(dd_real(1), by_columns(a, m), by_columns(v, n), dd_real(0), by_columns(u, m), {.threads = threads});
       }},
      threads, 3);
  solve(true);
  std::ostringstream text;
  text << report;
  std::printf("%ld x %ld, %d thread%s: %s\n", static_cast<long>(m), static_cast<long>(n), threads,
              threads == 1 ? "" : "s", text.str().c_str());
  constexpr const char* names[] = {"decomposition in DD", "the same, certified", "values alone", "in double",
                                   "one product in DD"};
  for (std::size_t i = 0; i < 5; ++i) {
    std::printf("  %-20s %8.3f s", names[i], rounds.time(i));
    if (seconds_of_eigen > 0.0 && i < 3)
      std::printf(", Eigen takes %.0f times as long", seconds_of_eigen / rounds.time(i));
    std::printf("\n");
  }
}

double seconds_of_eigen(int64_t m, int64_t n) {
  std::vector<dd_real> a = random_matrix(m, n);
  using Matrix = Eigen::Matrix<dd_real, Eigen::Dynamic, Eigen::Dynamic>;
  const Matrix matrix = Eigen::Map<const Matrix>(a.data(), m, n);
  const double time = hilo::bench::seconds(1, [&] {
    const Eigen::BDCSVD<Matrix> solver(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
    if (solver.info() != Eigen::Success) std::abort();
  });
  std::printf("%ld x %ld: Eigen::BDCSVD in DD %.2f s\n", static_cast<long>(m), static_cast<long>(n), time);
  return time;
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 1000;
  const int64_t n_of_eigen = argc > 2 ? std::atoll(argv[2]) : 1000;
  const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
  const int64_t m = argc > 4 ? std::atoll(argv[4]) : n;
  const double time = n_of_eigen > 0 ? seconds_of_eigen(n_of_eigen == n ? m : n_of_eigen, n_of_eigen) : 0.0;
  print_times(m, n, n == n_of_eigen && threads == 1 ? time : 0.0, threads);
}
