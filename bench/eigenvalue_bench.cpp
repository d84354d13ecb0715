// Eigenvalues and eigenvectors of symmetric matrices in DD beside Eigen's, LAPACK's in double, and one DD product.
//
//   eigenvalue_bench [n [n_of_eigen [threads]]]     1000, 1000 and 1 unless given
//
// Of random matrices. Eigen's solver runs once, on one thread, the others take turns in three rounds.
#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <hilo/eigenvalues.hpp>
#include <hilo/interop/eigen.hpp>
#include <sstream>
#include <vector>

#include "random.hpp"
#include "rounds.hpp"

namespace {

using hilo::dd_real;
using std::int64_t;

template <class T>
hilo::MatrixView<T> by_columns(std::vector<T>& x, int64_t n) {
  return hilo::view(hilo::Layout::column, hilo::Op::none, x.data(), n, n, n);
}

std::vector<dd_real> random_symmetric(int64_t n) {
  std::vector<dd_real> a = hilo::bench::random<dd_real>(n * n, 1);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) by_columns(a, n)(j, i) = by_columns(a, n)(i, j);
  }
  return a;
}

void print_times(int64_t n, double seconds_of_eigen, int threads) {
  std::vector<dd_real> a = random_symmetric(n), x(a.size()), values(static_cast<std::size_t>(n));
  std::vector<double> leading(a.size()), in_double(a.size()), values_in_double(values.size());
  for (std::size_t i = 0; i < a.size(); ++i) leading[i] = a[i].hi;
  hilo::EigenvalueReport report;
  const auto solve = [&](bool certify) {
    report = hilo::symmetric_eigensystem(hilo::Uplo::lower, by_columns(a, n), {values.data(), n}, by_columns(x, n),
                                         {.certify = certify, .products = {.threads = threads}});
    if (!report.is_solved || report.is_certified != certify) std::abort();
  };
  const hilo::bench::Rounds rounds(
      {[&] { solve(false); }, [&] { solve(true); },
       [&] {
         hilo::symmetric_eigenvalues(hilo::Uplo::lower, by_columns(a, n), hilo::VectorView<dd_real>{values.data(), n},
                                     {.products = {.threads = threads}});
       },
       [&] {
         hilo::symmetric_eigensystem(hilo::Uplo::lower, by_columns(leading, n), {values_in_double.data(), n},
                                     by_columns(in_double, n), {.products = {.threads = threads}});
       },
       [&] {
         hilo::gemm(dd_real(1), by_columns(a, n), by_columns(a, n), dd_real(0), by_columns(x, n), {.threads = threads});
       }},
      threads, 3);
  solve(true);
  std::ostringstream text;
  text << report;
  std::printf("n = %ld, %d thread%s: %s\n", static_cast<long>(n), threads, threads == 1 ? "" : "s", text.str().c_str());
  constexpr const char* names[] = {"eigensystem in DD", "the same, certified", "values alone", "in double",
                                   "one product in DD"};
  for (std::size_t i = 0; i < 5; ++i) {
    std::printf("  %-20s %8.3f s", names[i], rounds.time(i));
    if (seconds_of_eigen > 0.0 && i < 3)
      std::printf(", Eigen takes %.0f times as long", seconds_of_eigen / rounds.time(i));
    std::printf("\n");
  }
}

double seconds_of_eigen(int64_t n) {
  std::vector<dd_real> a = random_symmetric(n);
  using Matrix = Eigen::Matrix<dd_real, Eigen::Dynamic, Eigen::Dynamic>;
  const Matrix matrix = Eigen::Map<const Matrix>(a.data(), n, n);
  const double time = hilo::bench::seconds(1, [&] {
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(matrix);
    if (solver.info() != Eigen::Success) std::abort();
  });
  std::printf("n = %ld: Eigen::SelfAdjointEigenSolver in DD %.2f s\n", static_cast<long>(n), time);
  return time;
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 1000;
  const int64_t n_of_eigen = argc > 2 ? std::atoll(argv[2]) : 1000;
  const double time = n_of_eigen > 0 ? seconds_of_eigen(n_of_eigen) : 0.0;
  const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
  print_times(n, n == n_of_eigen && threads == 1 ? time : 0.0, threads);
}
