// Products at the edges of the modular engine's definition have the CPU's bits and reports on an OpenCL device: what
// goes to the direct engine, entry by entry or whole, and exponents, zeros and words of every pattern.
// HILO_LONG_TESTS=1 takes each in several storages and with both sequences of the direct step.
#include <gtest/gtest.h>

#include <random>

#include "modular_hard_problems.hpp"
#include "opencl_modular.hpp"

namespace hilo::test {
namespace {

template <class T>
void expect_all_as_on_cpu(const std::vector<HardProduct<T>>& all) {
  const Storage storages[] = {{},
                              {Layout::row, Op::none, Op::none, 2},
                              {Layout::column, Op::transpose, Op::conjugate_transpose, 0},
                              {Layout::row, Op::conjugate_transpose, Op::transpose, 1},
                              {Layout::column, Op::none, Op::transpose, 5}};
  std::size_t turn = 0;
  for (const HardProduct<T>& x : all) {
    auto expect = [&](Fma fma, const Storage& storage, bool in_buffers) {
      GemmOptions options = x.options;
      options.fma = fma;
      GemmReport report = expect_as_on_cpu(x.problem, options, x.name, storage, in_buffers);
      if (!x.path || x.is_refused) return;
      EXPECT_EQ(name(report.plan.path), name(*x.path)) << x.name;
      EXPECT_EQ(report.entries_direct, x.entries_direct) << x.name;
    };
    if (is_long()) {
      for (const Storage& storage : storages) {
        for (Fma fma : {Fma::on, Fma::off}) expect(fma, storage, fma == Fma::off);
      }
    }
    expect(turn % 3 == 2 ? Fma::off : Fma::automatic, storages[turn % std::size(storages)], turn % 4 == 1);
    ++turn;
  }
}

template <class T>
class OpenclModularEntries : public testing::Test {};
TYPED_TEST_SUITE(OpenclModularEntries, Precisions, PrecisionName);

TYPED_TEST(OpenclModularEntries, OfTheDirectEngine) { expect_all_as_on_cpu(direct_products<TypeParam>()); }

TYPED_TEST(OpenclModularEntries, ExponentsAndZerosInEveryPattern) {
  expect_all_as_on_cpu(graded_products<TypeParam>());
}

TYPED_TEST(OpenclModularEntries, WordsThatAreNoDoubleDouble) {
  if constexpr (double_double<TypeParam>) expect_all_as_on_cpu(products_of_any_words<TypeParam>());
}

// Lines of zeros, and of words that cancel, have no sums: neither uneven lines across nor their own last bits ask for
// moduli. The CPU once did ask.
TYPED_TEST(OpenclModularEntries, LinesOfZerosAskForNothing) {
  using T = TypeParam;
  // Fewer terms than the sum test takes.
  auto p = flat<T>(9, 2, 60, 7);
  for (std::int64_t h = 0; h < p.k; ++h) {
    p.left(8, h) = T(0);
    p.right(h, 1) = T(0);
  }
  for (std::int64_t i = 0; i < 9; ++i) p.left(i, 59) = T(0);
  p.right(59, 0) = T(0);
  p.right(59, 1) = number<T>(1.0);
  GemmReport all = expect_as_on_cpu(p, {.engine = Engine::modular}, "a row of zeros, an uneven column");
  GemmReport few = expect_as_on_cpu(flat<T>(9, 1, 60, 7), {.engine = Engine::modular}, "without them");
  EXPECT_EQ(all.plan.moduli, few.plan.moduli);
  if constexpr (double_double<T>) {
    auto q = flat<T>(1, 1, 1, 8);
    q.left(0, 0) = T(dd_real(0x1p-400, -0x1p-400));
    q.right(0, 0) = number<T>(1.0);
    expect_as_on_cpu(q, {.engine = Engine::modular, .accuracy = Accuracy::exact}, "words that cancel");
  }
}

TYPED_TEST(OpenclModularEntries, ARowAndAColumnOfALargeC) {
  using T = TypeParam;
  // 520 + 519 entries of the 1056 that may be.
  if (!is_long()) GTEST_SKIP() << "HILO_LONG_TESTS";
  auto p = flat<T>(520, 520, 3, 3);
  p.left(519, 0) = number<T>(hard::infinity);
  p.right(2, 0) = number<T>(hard::nan);
  set_scalars(p);
  GemmReport report = expect_as_on_cpu(p, modular_options(Accuracy::classic), "a row and a column");
  EXPECT_EQ(report.entries_direct, 1039);
}

TYPED_TEST(OpenclModularEntries, SmallWorkspacesAndDepthsSeeTheSameEntries) {
  using T = TypeParam;
  auto p = guarded_problem<T>(100, 70, 200, 31);
  set_scalars(p);
  GemmOptions options = modular_options(Accuracy::classic);
  GemmReport report = expect_as_on_cpu(p, options, "all at once");
  EXPECT_GT(report.entries_direct, 0);
  for (std::int64_t depth : {16, 100}) {
    for (std::int64_t bytes : {0, 4 << 20}) {
      options.depth = depth;
      options.workspace_bytes = bytes;
      expect_as_on_cpu(p, options, "depth " + std::to_string(depth) + ", workspace " + std::to_string(bytes));
    }
  }
}

// Above 2^24 elements exponents tell first which lines may be uneven: here a third of them cannot, a third are, and a
// third only look as if they were.
TEST(OpenclModularLines, ThatMayBeUnevenAreLookedAtTwice) {
  Problem<double> p(1050, 3, 16000);
  std::mt19937_64 engine(33);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const double scale[] = {1.0, 0x1p-8, 0.005};
  for (std::int64_t h = 0; h < p.k; ++h) {
    for (std::int64_t i = 0; i < p.m; ++i) p.left(i, h) = h == i % 7 ? 1.0 : scale[i % 3] * uniform(engine);
    for (std::int64_t j = 0; j < p.n; ++j) p.right(h, j) = uniform(engine);
  }
  expect_as_on_cpu(p, modular_options(Accuracy::classic), "columns");
  expect_as_on_cpu(p, modular_options(Accuracy::classic), "rows", {Layout::row, Op::none, Op::transpose, 1});
}

// What one product leaves in the workspace does not reach the next: the same shapes, other entries.
TYPED_TEST(OpenclModularEntries, OneProductAfterAnother) {
  using T = TypeParam;
  GemmOptions options = modular_options(Accuracy::classic);
  auto finite = flat<T>(40, 30, 20, 32), special = finite, zero = finite;
  special.left(39, 19) = number<T>(hard::nan);
  for (std::int64_t h = 0; h < zero.k; ++h) zero.left(3, h) = zero.right(h, 4) = T(0);
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (const auto* p : {&finite, &special, &zero}) expect_as_on_cpu(*p, options, "after another");
    expect_as_on_cpu(wide_entries<T>(3), options, "after another");
  }
}

}  // namespace
}  // namespace hilo::test
