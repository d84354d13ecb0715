// Products of Eigen's matrices by Eigen's own loops, as `hilo bench --reference` runs them: of float, double and
// complex ones, and of hilo::dd_real numbers.
//
//   eigen_gemm_bench [--precision s|d|c|z|dd] N [REPEATS]     dd unless given
//
// Builds with the other benchmarks where CMake finds Eigen, or alone:
//   g++ -O3 -march=native -std=c++20 -I/usr/include/eigen3 -Iinclude -o eigen_gemm_bench bench/eigen_gemm_bench.cpp
// With -fopenmp Eigen shares its products among OMP_NUM_THREADS threads.
#include <Eigen/Core>
#include <hilo/interop/eigen.hpp>
#include <limits>

#include "reference_program.hpp"

namespace {

using hilo::dd_real;
using hilo::bench::ReferenceRequest;

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

void fill(float& e, hilo::bench::Uniform& uniform) { e = static_cast<float>(uniform()); }
void fill(double& e, hilo::bench::Uniform& uniform) { e = uniform(); }
void fill(dd_real& e, hilo::bench::Uniform& uniform) {
  const double hi = uniform();
  e = dd_real::sum(hi, 0x1p-54 * hi * uniform());
}
template <class Part>
void fill(std::complex<Part>& e, hilo::bench::Uniform& uniform) {
  Part re, im;
  fill(re, uniform);
  fill(im, uniform);
  e = {re, im};
}

template <class T>
std::complex<long double> wide(const T& x) {
  return std::complex<long double>(x);
}
std::complex<long double> wide(const dd_real& x) {
  return static_cast<long double>(x.hi) + static_cast<long double>(x.lo);
}

template <class T>
void run(const ReferenceRequest& r, double epsilon, bool is_complex) {
  const auto n = static_cast<Eigen::Index>(r.n);
  Matrix<T> a(n, n), b(n, n), c(n, n);
  hilo::bench::Uniform uniform(1);
  for (Matrix<T>* x : {&a, &b}) {
    for (Eigen::Index i = 0; i < x->size(); ++i) fill(x->data()[i], uniform);
  }
  const double seconds = hilo::bench::median_seconds(r, [&] { c.noalias() = a * b; });
  check_product(
      r, [&](auto i, auto k) { return wide(a(i, k)); }, [&](auto k, auto j) { return wide(b(k, j)); },
      [&](auto i, auto j) { return wide(c(i, j)); }, epsilon);
  const std::string version = std::to_string(EIGEN_WORLD_VERSION) + '.' + std::to_string(EIGEN_MAJOR_VERSION) + '.' +
                              std::to_string(EIGEN_MINOR_VERSION);
  hilo::bench::print_reference(
      r, "Eigen " + version + ", product in " + r.precision + ", threads " + std::to_string(Eigen::nbThreads()),
      is_complex, seconds);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr double of_float = std::numeric_limits<float>::epsilon(), of_double = std::numeric_limits<double>::epsilon();
  const ReferenceRequest r =
      hilo::bench::read_reference_request(argc, argv, "eigen_gemm_bench", " s d c z dd ", "dd", false);
  if (r.precision == "s") run<float>(r, of_float, false);
  if (r.precision == "d") run<double>(r, of_double, false);
  if (r.precision == "c") run<std::complex<float>>(r, of_float, true);
  if (r.precision == "z") run<std::complex<double>>(r, of_double, true);
  if (r.precision == "dd") run<dd_real>(r, static_cast<double>(std::numeric_limits<long double>::epsilon()), false);
}
