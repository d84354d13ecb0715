// Eigen's factorisations of dd_real matrices with hilo's engines against Eigen's own loops, on one core, and products
// and factorisations from size to size, which tell where a call pays. Built twice: eigen_bench for any CPU of the kind,
// and eigen_bench_native with -march=native.
//
//   eigen_bench [n]     1000 unless given
//
// Candidates take turns; times are processor time, medians over three rounds.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <cstdio>
#include <cstdlib>
#include <hilo/interop/eigen_products.hpp>
#include <string>

#include "rounds.hpp"

namespace {

using Eigen::Index;
using hilo::dd_real;
template <class Scalar>
using MatrixOf = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

// The same work by the engines and by Eigen's loops.
class Both {
 public:
  void add(const std::string& name, std::function<void()> work) {
    names_.push_back(name);
    candidates_.push_back([work] {
      hilo::use_engines_in_eigen(true);
      work();
    });
    candidates_.push_back([work] {
      hilo::use_engines_in_eigen(false);
      work();
    });
  }
  void print(int rounds, double least) const {
    const hilo::bench::Rounds times(candidates_, 1, rounds, least);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      std::printf("  %-28s engines %10.3g ms, Eigen's loops %10.3g ms: %.2f times\n", names_[i].c_str(),
                  1e3 * times.time(2 * i), 1e3 * times.time(2 * i + 1), times.ratio(2 * i + 1, 2 * i));
    }
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::function<void()>> candidates_;
};

template <class Scalar>
void factorisations(const char* name, Index n, double least) {
  using Matrix = MatrixOf<Scalar>;
  const Matrix a = Matrix::Random(n, n);
  const Matrix definite = a * a.adjoint() + Matrix::Identity(n, n);
  Matrix c(n, n);
  Both both;
  both.add("product", [&] { c.noalias() = a * a; });
  both.add("PartialPivLU", [&] { Eigen::PartialPivLU<Matrix> lu(a); });
  both.add("LLT", [&] { Eigen::LLT<Matrix> cholesky(definite); });
  both.add("HouseholderQR", [&] { Eigen::HouseholderQR<Matrix> qr(a); });
  std::printf("%s, n = %ld\n", name, static_cast<long>(n));
  both.print(3, least);
}

template <class Scalar>
void crossover(const char* name) {
  using Matrix = MatrixOf<Scalar>;
  std::printf("%s, small products\n", name);
  for (Index n : {4, 6, 8, 10, 12, 16, 24, 32, 64}) {
    const Matrix a = Matrix::Random(n, n);
    Matrix b = Matrix::Random(n, n), c = Matrix::Zero(n, n), l = Matrix::Identity(n, n) * Scalar(2), x = b, y = b;
    Both both;
    const std::string of = " n = " + std::to_string(n);
    both.add("product" + of, [&] { c.noalias() += a * b; });
    both.add("triangular product" + of, [&] { y.noalias() = a.template triangularView<Eigen::Lower>() * b; });
    both.add("rank update" + of, [&] { c.template selfadjointView<Eigen::Lower>().rankUpdate(a); });
    both.add("solve" + of, [&] { l.template triangularView<Eigen::Lower>().solveInPlace(x); });
    both.add("matrix and vector" + of, [&] { y.col(0).noalias() += a * b.col(0); });
    both.add("transpose and vector" + of, [&] { y.col(0).noalias() += a.transpose() * b.col(0); });
    both.print(3, 0.01);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Index n = argc > 1 ? std::atoll(argv[1]) : 1000;
  hilo::set_eigen_options({.threads = 1});
  crossover<dd_real>("dd_real");
  crossover<std::complex<dd_real>>("std::complex<dd_real>");
  for (Index small : {16, 24, 32, 48, 64}) factorisations<dd_real>("dd_real", small, 0.01);
  factorisations<dd_real>("dd_real", n, 0);
}
