// LU, Cholesky, QR and inverses in DD on the CPU against products of the same run, and against Eigen's.
//
//   cpu_factorisation_bench [n [n_of_eigen]]     2000 and 1000 unless given
//
// Products are of two random matrices: with the large diagonal that the factorisations' matrix has, `classic` asks for
// more moduli than pay. Those inside a factorisation promise what `normwise` does.
//
// Candidates take turns; figures are medians over rounds, ratios those within a round. Rates count 2n³ operations of a
// product, 2n³/3 of LU, n³/3 of Cholesky, 4n³/3 of QR; of inverses with their factors 2n³ by LU, n³ by
// Cholesky and by L D Lᵀ, whose matrix has a diagonal of zeros.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <cstdio>
#include <cstdlib>
#include <hilo/interop/eigen.hpp>
#include <hilo/lapack.hpp>

#include "random.hpp"
#include "rounds.hpp"

namespace {

using hilo::dd_real;
using std::int64_t;
using Matrix = Eigen::Matrix<dd_real, Eigen::Dynamic, Eigen::Dynamic>;

std::vector<dd_real> random_matrix(int64_t n) { return hilo::bench::random<dd_real>(n * n, 1); }

// With a diagonal of n, positive definite by its lower triangle.
std::vector<dd_real> definite_matrix(int64_t n) {
  std::vector<dd_real> x = random_matrix(n);
  for (int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i * (n + 1))] = dd_real(static_cast<double>(n));
  return x;
}

struct Problem {
  int64_t n;
  std::vector<dd_real> factor, a, work, tau;
  std::vector<int64_t> pivots;
  hilo::BlockedOptions options;

  Problem(int64_t size, const hilo::BlockedOptions& o)
      : n(size),
        factor(random_matrix(n)),
        a(definite_matrix(n)),
        work(a),
        tau(static_cast<std::size_t>(n)),
        pivots(static_cast<std::size_t>(n)),
        options(o) {}
  hilo::MatrixView<dd_real> view(std::vector<dd_real>& x) const {
    return hilo::view(hilo::Layout::column, hilo::Op::none, x.data(), n, n, n);
  }
  void product(hilo::Accuracy accuracy) {
    hilo::GemmOptions own = options;
    own.accuracy = accuracy;
    hilo::gemm(1, view(factor), view(factor), 0, view(work), own);
  }
  void lu() {
    work = a;
    hilo::getrf(view(work), pivots, options);
  }
  void cholesky() {
    work = a;
    if (hilo::potrf(hilo::Uplo::lower, view(work), options) != 0) std::abort();
  }
  void qr() {
    work = a;
    hilo::geqrf(view(work), tau, options);
  }
  void inverse_by_lu() {
    lu();
    if (hilo::getri(view(work), pivots, options) != 0) std::abort();
  }
  void inverse_by_cholesky() {
    cholesky();
    if (hilo::potri(hilo::Uplo::lower, view(work), options) != 0) std::abort();
  }
  void inverse_of_indefinite() {
    work = a;
    for (int64_t i = 0; i < n; ++i) work[static_cast<std::size_t>(i * (n + 1))] = dd_real(0);
    hilo::sytrf(hilo::Uplo::lower, view(work), pivots, options);
    if (hilo::sytri(hilo::Uplo::lower, view(work), pivots, options) != 0) std::abort();
  }
};

constexpr const char* names[] = {"gemm", "LU", "Cholesky", "QR", "getri", "potri", "sytri", "normwise"};
constexpr double operations[] = {2.0, 2.0 / 3.0, 1.0 / 3.0, 4.0 / 3.0, 2.0, 1.0, 1.0, 2.0};

std::vector<std::function<void()>> candidates(Problem& p) {
  return {[&p] { p.product(hilo::Accuracy::classic); }, [&p] { p.lu(); }, [&p] { p.cholesky(); }, [&p] { p.qr(); }};
}

std::vector<std::function<void()>> with_inverses(Problem& p) {
  auto all = candidates(p);
  all.push_back([&p] { p.inverse_by_lu(); });
  all.push_back([&p] { p.inverse_by_cholesky(); });
  all.push_back([&p] { p.inverse_of_indefinite(); });
  return all;
}

void against_products(int64_t n, hilo::Engine engine) {
  const double cube = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) * 1e-9;
  Problem one(n, {.engine = engine, .threads = 1}), two(n, {.engine = engine, .threads = 2});
  auto of_one = with_inverses(one), of_two = with_inverses(two);
  if (engine == hilo::Engine::automatic) {
    of_one.push_back([&one] { one.product(hilo::Accuracy::normwise); });
    of_two.push_back([&two] { two.product(hilo::Accuracy::normwise); });
  }
  const hilo::bench::Rounds single(of_one, 1, 3), both(of_two, 2, 3);
  std::printf("n = %ld, engine %s\n", static_cast<long>(n), std::string(hilo::name(engine)).c_str());
  for (std::size_t i = 0; i < of_one.size(); ++i) {
    const double ratio = single.over_rounds([&](const auto& t) { return operations[i] / operations[0] * t[0] / t[i]; });
    std::printf("  %-8s 1 thread %6.2f GFlop/s, %.2f of gemm; 2 threads %.2f times\n", names[i],
                operations[i] * cube / single.time(i), ratio, single.time(i) / both.time(i));
  }
}

void against_eigen(int64_t n) {
  Problem p(n, {.threads = 1});
  const Matrix a = Eigen::Map<const Matrix>(p.a.data(), n, n);
  auto all = candidates(p);
  all.push_back([&a] { Eigen::PartialPivLU<Matrix> lu(a); });
  all.push_back([&a] { Eigen::LLT<Matrix> cholesky(a); });
  all.push_back([&a] { Eigen::HouseholderQR<Matrix> qr(a); });
  const hilo::bench::Rounds rounds(all, 1, 3);
  std::printf("n = %ld, 1 thread, Eigen %d.%d.%d with hilo/interop/eigen.hpp\n", static_cast<long>(n),
              EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
  for (std::size_t i = 1; i < 4; ++i) {
    std::printf("  %-8s hilo %.3f s, Eigen %.3f s: %.1f times\n", names[i], rounds.time(i), rounds.time(i + 3),
                rounds.ratio(i + 3, i));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 2000;
  against_products(n, hilo::Engine::direct);
  against_products(n, hilo::Engine::automatic);
  against_eigen(argc > 2 ? std::atoll(argv[2]) : 1000);
}
