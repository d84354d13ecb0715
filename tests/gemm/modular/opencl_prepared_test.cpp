// Products of prepared matrices (hilo/prepared.hpp): the bits and reports of the same products of views, whatever was
// multiplied before. HILO_TEST_PLATFORM and HILO_TEST_DEVICE choose the device.
#include <gtest/gtest.h>

#include <hilo/prepared.hpp>

#include "modular_hard_problems.hpp"
#include "opencl_modular.hpp"
#include "stored_in_buffer.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

enum class Which : std::uint8_t { a, b, both };

// A product of views, and the same of prepared operands: twice, the second time with what the first has left.
template <class T>
GemmReport expect_as_of_views(const Problem<T>& p, const GemmOptions& options, const std::string& what, Which which,
                              const Storage& s = {}, const PreparedMatrix<T>* kept_a = nullptr) {
  const std::string text = what + ", " + p.text() + ", " + s.text() + ", " + std::string(name(options.accuracy)) +
                           ", prepared " + std::to_string(static_cast<int>(which));
  Queue& q = queue();
  const StoredInBuffer<T> a(q, p.a, p.m, p.k, s, s.opa), b(q, p.b, p.k, p.n, s, s.opb);
  const PreparedMatrix<T> ready_a = kept_a ? *kept_a : prepare(q, a.view), ready_b = prepare(q, b.view);
  GemmReport want{}, got{};
  std::vector<T> expected;
  std::optional<error> refusal;
  try {
    StoredInBuffer<T> c(q, p.c0, p.m, p.n, s);
    GemmEvent done = gemm(q, p.alpha, a.view, b.view, p.beta, c.view, {}, options);
    want = done.report;
    expected = c.read(q, {done});
  } catch (const error& e) {
    refusal = e;
  }
  for (int time = 0; time < 2; ++time) {
    StoredInBuffer<T> c(q, p.c0, p.m, p.n, s);
    const auto multiply = [&] {
      return which == Which::a   ? gemm(q, p.alpha, ready_a, b.view, p.beta, c.view, {}, options)
             : which == Which::b ? gemm(q, p.alpha, a.view, ready_b, p.beta, c.view, {}, options)
                                 : gemm(q, p.alpha, ready_a, ready_b, p.beta, c.view, {}, options);
    };
    if (refusal) {
      EXPECT_EQ(message_of(refusal->code(), multiply), refusal->what()) << text;
      EXPECT_EQ(first_difference(c.read(q), p.c0), -1) << text;
      continue;
    }
    GemmEvent done = multiply();
    got = done.report;
    EXPECT_EQ(first_difference(c.read(q, {done}), expected), -1) << text << ", time " << time;
    expect_same_report(got, want, text);
    EXPECT_EQ(got.plan.levels, want.plan.levels) << text;
    EXPECT_EQ(got.plan.tile_rows, want.plan.tile_rows) << text;
    EXPECT_EQ(got.plan.tile_columns, want.plan.tile_columns) << text;
    EXPECT_EQ(got.plan.depth, want.plan.depth) << text;
    EXPECT_EQ(got.plan.workspace_bytes, want.plan.workspace_bytes) << text;
    EXPECT_EQ(got.entries_recomputed, want.entries_recomputed) << text;
  }
  return got;
}

constexpr Which all_of_them[] = {Which::a, Which::b, Which::both};

template <class T>
class OpenclPrepared : public testing::Test {};
TYPED_TEST_SUITE(OpenclPrepared, Precisions, PrecisionName);

TYPED_TEST(OpenclPrepared, ProductsOfAllKinds) {
  using T = TypeParam;
  int64_t turn = 0;
  for (const auto& x : modular_products<T>()) {
    expect_as_of_views(x.problem, x.options, x.name, all_of_them[turn % 3], storage_of(turn));
    ++turn;
  }
}

TYPED_TEST(OpenclPrepared, ShapesAndAccuracies) {
  using T = TypeParam;
  constexpr int64_t sizes[][3] = {{1, 1, 1}, {1, 70, 33}, {150, 210, 70}, {210, 150, 64}, {33, 1, 200}, {64, 128, 31}};
  int64_t turn = 0;
  for (const auto& [m, n, k] : sizes) {
    for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast, Accuracy::tight, Accuracy::normwise}) {
      auto p = generated<T>(range_kind(1), m, n, k, 41 + static_cast<std::uint64_t>(turn));
      if (turn % 2) set_scalars(p);
      GemmOptions options = modular_options(accuracy);
      if (turn % 5 == 4) options.engine = Engine::automatic;
      expect_as_of_views(p, options, "shape", all_of_them[turn % 3], storage_of(turn));
      ++turn;
    }
  }
}

TYPED_TEST(OpenclPrepared, LevelsAndSmallWorkspaces) {
  using T = TypeParam;
  auto p = generated<T>(uniform_kind, 140, 135, 130, 42);
  set_scalars(p);
  for (Which which : all_of_them) {
    GemmOptions options = modular_options(Accuracy::classic);
    for (int levels : {1, 2}) {
      options.levels = levels;
      expect_as_of_views(p, options, "levels", which);
    }
    options.levels = 0;
    for (int64_t bytes : {1 << 20, 2 << 20, 4 << 20}) {
      options.workspace_bytes = bytes;
      expect_as_of_views(p, options, "workspace " + std::to_string(bytes), which);
    }
    options.workspace_bytes = 0;
    options.depth = 64;
    expect_as_of_views(p, options, "depth", which);
  }
}

// One A with many B: of other sizes, magnitudes that ask for other moduli, layouts of C, accuracies, with Inf and NaN.
TYPED_TEST(OpenclPrepared, ManyProductsOfOneMatrix) {
  using T = TypeParam;
  const auto first = generated<T>(range_kind(1), 90, 40, 70, 43);
  const StoredInBuffer<T> a(queue(), first.a, 90, 70);
  const PreparedMatrix<T> ready = prepare(queue(), a.view);
  EXPECT_EQ(ready.bytes(), 0);
  int64_t turn = 0;
  std::vector<int> moduli;
  for (int64_t n : {40, 1, 300, 40, 129, 40}) {
    for (double phi : {1.0, 0.0, 3.0}) {
      auto p = generated<T>(range_kind(phi), 90, n, 70, 44 + static_cast<std::uint64_t>(turn));
      p.a = first.a;
      if (turn % 4 == 3) p.right(5, n / 2) = number<T>(turn % 8 == 3 ? hard::nan : hard::infinity);
      GemmOptions options = modular_options(turn % 5 == 2 ? Accuracy::fast : Accuracy::classic);
      const Storage s{turn % 2 ? Layout::row : Layout::column};
      moduli.push_back(expect_as_of_views(p, options, "one A", Which::a, s, &ready).plan.moduli);
      ++turn;
    }
  }
  EXPECT_NE(*std::ranges::min_element(moduli), *std::ranges::max_element(moduli));
  EXPECT_GT(ready.bytes(), 0);
}

// The tile of products, and with it how magnitudes of B lie, is another where they have few rows.
TYPED_TEST(OpenclPrepared, ManyProductsOfOneB) {
  using T = TypeParam;
  auto first = generated<T>(uniform_kind, 8, 128, 70, 50);
  // One entry asks for more than others do.
  for (int64_t h = 0; h < 70; ++h) first.right(h, 100) = h == 0 ? scaled(T(1), -7) : T(1);
  const StoredInBuffer<T> b(queue(), first.b, 70, 128);
  const PreparedMatrix<T> ready = prepare(queue(), b.view);
  for (int64_t m : {8, 600, 8, 33, 600}) {
    auto p = generated<T>(uniform_kind, m, 128, 70, 51 + static_cast<std::uint64_t>(m));
    for (int64_t h = 0; h < 70; ++h) p.left(3, h) = h == 0 ? T(1) : scaled(T(1), -7);
    const StoredInBuffer<T> a(queue(), p.a, m, 70);
    StoredInBuffer<T> want(queue(), p.c0, m, 128), c(queue(), p.c0, m, 128);
    const GemmEvent of_views = gemm(queue(), T(1), a.view, b.view, T(0), want.view, {}, {.engine = Engine::modular}),
                    prepared = gemm(queue(), T(1), a.view, ready, T(0), c.view, {}, {.engine = Engine::modular});
    expect_same_report(prepared.report, of_views.report, std::to_string(m));
    EXPECT_EQ(first_difference(c.read(queue(), {prepared}), want.read(queue(), {of_views})), -1) << m;
  }
}

TYPED_TEST(OpenclPrepared, OneMatrixAsBothOperands) {
  using T = TypeParam;
  const auto p = generated<T>(uniform_kind, 80, 80, 80, 45);
  const StoredInBuffer<T> a(queue(), p.a, 80, 80);
  const PreparedMatrix<T> ready = prepare(queue(), a.view), turned = prepare(queue(), a.view.turned(Op::transpose));
  for (const auto& [left, right] : {std::pair{ready, ready}, {ready, turned}, {turned, ready}, {ready, ready}}) {
    StoredInBuffer<T> c(queue(), p.c0, 80, 80), want(queue(), p.c0, 80, 80);
    gemm(queue(), T(1), left.view(), right.view(), T(0), want.view, {}, {.engine = Engine::modular}).wait();
    gemm(queue(), T(1), left, right, T(0), c.view, {}, {.engine = Engine::modular}).wait();
    EXPECT_EQ(first_difference(c.read(queue()), want.read(queue())), -1);
  }
}

}  // namespace
}  // namespace hilo::test
