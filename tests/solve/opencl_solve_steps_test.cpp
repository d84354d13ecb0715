// What systems in device memory are solved by: residuals with the host's bits, and solves by inverses of blocks.
#include "blas/opencl/arguments.hpp"
#include "on_device.hpp"
#include "opencl/native.hpp"
#include "solve/exact_matrix.hpp"
#include "solve/opencl/device_system.hpp"

namespace hilo::test {
namespace {

template <class T>
class OpenclSolveSteps : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclSolveSteps, AllPrecisions, NameOfPrecision);

// Terms that cancel, a rest beside x, and rows of all sizes.
TYPED_TEST(OpenclSolveSteps, HasTheHostsResiduals) {
  using T = TypeParam;
  using X = solver::Solution<T>;
  Queue& q = queue();
  for (const std::int64_t n : {1, 7, 33, 100}) {
    Random random(static_cast<std::uint64_t>(n));
    const StoredMatrix<T> a(Layout::row, n, n, static_cast<std::uint64_t>(n));
    const OnDevice<T> on_device(q, a);
    solver::Scaling scaling{std::vector<int>(static_cast<std::size_t>(n)),
                            std::vector<int>(static_cast<std::size_t>(n))};
    for (int& e : scaling.rows) e = static_cast<int>(random.between(-60, 60));
    for (int& e : scaling.columns) e = static_cast<int>(random.between(-60, 60));
    const solver::ExactMatrix<solver::Exact<T>> exact(1, scaling, a.read());
    solver::DeviceMatrix matrix(*q.state(), precision_of<T>, blas::device_view(on_device.view), solver::Part::all, {},
                                {});
    matrix.take(scaling);
    solver::Unknowns<X> unknowns(1, n, 0, n);
    for (std::int64_t i = 0; i < n; ++i) {
      unknowns.d.put(i, 0, random_element<X>(random));
      unknowns.b.put(i, 0, random_element<X>(random));
    }
    unknowns.start(0);
    unknowns.correct(0);
    for (const bool has_rest : {false, true}) {
      if (has_rest) unknowns.correct_with_rest(0);
      for (const int words : {2, 3, 4, 6}) {
        unknowns.find_residuals({0}, words, [&](const auto& y, const auto& sums) {
          exact.subtract_products(1, solver::kernel_set(""), Op::none, y, sums);
        });
        const std::int64_t line = blas::word_count<X> * unknowns.x.pitch();
        std::vector<double> lines;
        for (const solver::Vectors<X>* v : {static_cast<const solver::Vectors<X>*>(&unknowns.b),
                                            static_cast<const solver::Vectors<X>*>(&unknowns.x), unknowns.rest(0)}) {
          if (v) lines.insert(lines.end(), v->line(0), v->line(0) + line);
        }
        // Two of them at once.
        const std::vector<double> once = lines;
        lines.insert(lines.end(), once.begin(), once.end());
        std::vector<double> r = matrix.residuals(words, lines, unknowns.x.pitch(), has_rest);
        const blas::Lines<X> of_r(r.data(), n);
        for (std::int64_t i = 0; i < 2 * n; ++i) {
          ASSERT_EQ(of_r.get(i % n, i / n), unknowns.r.get(i % n, 0))
              << n << ' ' << words << ' ' << has_rest << ' ' << i;
        }
      }
    }
  }
}

// Both ways to solve with the same factors, and what the condition estimate says of which.
template <class F>
void expect_inverses_of_blocks(Queue& q, SolvePath path) {
  const std::int64_t n = 1100;
  Random random(6);
  std::vector<F> a(static_cast<std::size_t>(n * n)), x(static_cast<std::size_t>(n)), y;
  for (F& e : a) e = random_element<F>(random);
  for (F& e : x) e = random_element<F>(random);
  for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * (n + 1))] = F(static_cast<double>(n));
  y = x;
  Buffer<F> buffer(q.context(), n * n);
  buffer.write(q, a.data(), 0, n * n);
  const std::vector<int> zeros(static_cast<std::size_t>(n));
  solver::DeviceMatrix matrix(*q.state(), precision_of<F>, {cl::Buffer(buffer.native(), true), 0, n, n, 1, n},
                              path == SolvePath::double_cholesky ? solver::Part::lower : solver::Part::all, {}, {});
  matrix.take({zeros, zeros});
  solver::DeviceFactors<F> factors(matrix, {});
  ASSERT_TRUE(factors.factor(path));
  const double condition = factors.condition(2.0 * static_cast<double>(n));
  EXPECT_LE(condition, 100.0);
  ASSERT_TRUE(factors.has_inverses());
  factors.solve(view(Layout::column, Op::none, x.data(), n, 1, n));
  factors.drop_inverses();
  EXPECT_NEAR(factors.condition(2.0 * static_cast<double>(n)) / condition, 1.0, 1e-12);
  factors.solve(view(Layout::column, Op::none, y.data(), n, 1, n));
  double size = 0.0, difference = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    size = std::max(size, magnitude(y[i]));
    difference = std::max(difference, magnitude(F(x[i] - y[i])));
  }
  EXPECT_LE(difference, 8.0 * epsilon_of<F> * size);
  matrix.finish();
}

class OpenclSolveBlocks : public OpenclSolveSteps<double> {};

TEST_F(OpenclSolveBlocks, SolveByInversesOrSubstitution) {
  expect_inverses_of_blocks<double>(queue(), SolvePath::double_lu);
  expect_inverses_of_blocks<std::complex<double>>(queue(), SolvePath::double_lu);
  expect_inverses_of_blocks<std::complex<double>>(queue(), SolvePath::double_cholesky);
  expect_inverses_of_blocks<dd_real>(queue(), SolvePath::double_double_lu);
}

}  // namespace
}  // namespace hilo::test
