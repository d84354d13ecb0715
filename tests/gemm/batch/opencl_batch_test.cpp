// Batches of small products in one launch on OpenCL, against single products by the definition: every bit in DD and
// ZDD, small integers in S, D, C and Z.
#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "batch.hpp"
#include "error_message.hpp"
#include "test_size.hpp"

namespace hilo {
namespace {

using namespace test::batched;
using test::is_small;

// A program takes a CPU's compiler a second. In short, few precisions do for what is the same text in all.
template <class T>
bool has_time() {
  return test::is_long() || precision_of<T> == Precision::s || precision_of<T> == Precision::dd;
}

template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!is_same(got[i], want[i])) {
      ADD_FAILURE() << what << ": element " << i << " differs";
      return;
    }
  }
}

template <class T>
class OpenclBatch : public testing::Test {
 protected:
  void SetUp() override {
    constexpr bool has_doubles = precision_of<T> != Precision::s && precision_of<T> != Precision::c;
    if (has_doubles && !queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
using Elements = testing::Types<float, double, std::complex<float>, std::complex<double>, dd_real, dd_complex>;
TYPED_TEST_SUITE(OpenclBatch, Elements);

template <class T>
void check(const Batch<T>& batch, const std::string& kernel = "multiply_batch") {
  std::vector<std::string> launched;
  const std::vector<T> got = batch.on_device(launched);
  expect_same(got, batch.expected(), batch.text());
  EXPECT_EQ(launched, std::vector<std::string>{kernel}) << batch.text();
}

constexpr Op ops[] = {Op::none, Op::transpose, Op::conjugate_transpose};

TYPED_TEST(OpenclBatch, IsOneLaunchWithTheBitsOfSingleProducts) {
  // By one program, and one for matrices in no order.
  const int64_t sides[][3] = {{8, 8, 8}, {7, 8, 5}, {8, 5, 8}, {8, 8, 7}, {5, 7, 6}};
  std::uint64_t turn = 0;
  for (Layout layout : {Layout::column, Layout::row}) {
    for (Op opa : ops) {
      for (Op opb : ops) {
        ++turn;
        if (is_small() && turn % 6 != 1) continue;
        const auto& [m, n, k] = sides[turn % 5];
        const auto count = 2 + static_cast<int64_t>(turn % 30), pad = static_cast<int64_t>(turn % 3);
        for (bool is_shuffled : {false, true}) {
          Batch<TypeParam> batch({layout, opa, opb, m, n, k, count, pad, turn % 5 == 0, turn % 7 == 0, is_shuffled},
                                 turn);
          if (turn % 4 == 1) batch.alpha = number<TypeParam>(1, 0);
          if (turn % 4 == 2) batch.beta = number<TypeParam>(1, 0);
          check(batch);
        }
      }
    }
  }
}

TYPED_TEST(OpenclBatch, TakesLinesOfAnyLength) {
  // Tiles with few rows or columns, and several of them; several stages, chunks in DD, and a last one of few terms.
  const int64_t sides[][3] = {{2, 33, 5}, {3, 2, 71}, {1, 1, 1}, {1, 9, 3}, {37, 2, 9}, {18, 17, 10}};
  std::uint64_t turn = 100;
  if (!has_time<TypeParam>() || (!test::is_long() && !double_double<TypeParam>)) GTEST_SKIP() << "the same text";
  for (const auto& [m, n, k] : sides) {
    ++turn;
    if (!test::is_long() && turn > (is_small() ? 101 : 102)) continue;
    check(Batch<TypeParam>({turn % 2 ? Layout::row : Layout::column, ops[turn % 3], Op::none, m, n, k, 5,
                            static_cast<int64_t>(turn % 2), false, false, true},
                           turn));
  }
}

TYPED_TEST(OpenclBatch, IsTheSameForEveryTile) {
  if (!has_time<TypeParam>() || (!test::is_long() && double_double<TypeParam>)) GTEST_SKIP() << "the same text";
  const tile::BatchTile tiles[] = {{3, 2, 1, 4, 3, 8}, {5, 2, 3, 2, 2, 4}, {1, 4, 1, 1, 1, 16}, {7, 1, 3, 2, 4, 8}};
  for (const tile::BatchTile& t : tiles) {
    if (!test::is_long() && t.products != 3 && t.products != 5) continue;
    const int64_t k = t.depth == 4 ? 4 : 19;
    for (bool is_shuffled : {false, true}) {
      if (is_shuffled && !test::is_long()) continue;
      Batch<TypeParam> batch({.m = 7, .n = 9, .k = k, .count = 11, .is_shuffled = is_shuffled}, 200);
      std::vector<std::string> launched;
      expect_same(batch.on_device(launched, t), batch.expected(), batch.text());
      EXPECT_EQ(launched.size(), 1u);
    }
  }
}

TYPED_TEST(OpenclBatch, ScalesCWhereNothingIsMultiplied) {
  using T = TypeParam;
  if (!has_time<T>() && precision_of<T> != Precision::zdd) GTEST_SKIP() << "the same text";
  for (bool is_shuffled : {false, true}) {
    for (int turn = 0; turn < 4; ++turn) {
      Batch<T> batch({.layout = turn % 2 ? Layout::row : Layout::column,
                      .m = 5,
                      .n = 8,
                      .k = turn < 2 && has_time<T>() ? 0 : 8,
                      .count = 13,
                      .pad = 1,
                      .is_shuffled = is_shuffled},
                     300);
      if (batch.s.k > 0) batch.alpha = T(0);
      // A and B are not read.
      if (batch.s.k > 0) std::fill(batch.a.begin(), batch.a.end(), marker<T>());
      if (turn == 3) batch.beta = T(0);
      std::vector<std::string> launched;
      expect_same(batch.on_device(launched), batch.expected(), batch.text());
      EXPECT_EQ(launched.size(), 1u);
      batch.beta = T(1);
      launched.clear();
      expect_same(batch.on_device(launched), batch.c, batch.text());
      EXPECT_EQ(launched.size(), 0u);
    }
  }
}

TYPED_TEST(OpenclBatch, DoesNotReadCWhereBetaIsZero) {
  using T = TypeParam;
  Batch<T> batch({.m = 8, .n = 8, .k = 8, .count = 9}, 400);
  batch.beta = T(0);
  std::fill(batch.c.begin(), batch.c.end(), marker<T>());
  check(batch);
}

TYPED_TEST(OpenclBatch, SpreadsInfinityAndNan) {
  using T = TypeParam;
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (bool fma : {true, false}) {
    if (!fma && !(double_double<T> && has_time<T>())) continue;
    Batch<T> batch({.m = 8, .n = 8, .k = 8, .count = 9}, 500);
    batch.fma = fma;
    batch.alpha = T(1);
    batch.beta = T(0);
    batch.a[3] = number<T>(inf, 0);
    batch.a[140] = number<T>(nan, 0);
    batch.b[270] = number<T>(-inf, 0);
    // What splitting makes NaN of, without FMA.
    batch.a[385] = number<T>(0x1.8p1000, 0);
    if constexpr (double_double<T>) {
      check(batch);
      int64_t recomputed = 0;
      batch.expected(&recomputed);
      EXPECT_GT(recomputed, 0);
    } else {
      // Complex libraries spread them in ways of their own.
      std::vector<std::string> launched;
      const std::vector<T> got = batch.on_device(launched), want = batch.expected();
      for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(std::isfinite(std::abs(got[i])), std::isfinite(std::abs(want[i]))) << i;
      }
    }
  }
}

TYPED_TEST(OpenclBatch, TakesEverySequenceOfDoubleDouble) {
  constexpr bool is_zdd = precision_of<TypeParam> == Precision::zdd;
  if (!double_double<TypeParam>) GTEST_SKIP() << "one sequence";
  for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast}) {
    for (bool fma : {true, false}) {
      for (int64_t k : {7, is_zdd ? 40 : 70}) {
        // In short without FMA, one of them in ZDD.
        const bool is_short = !fma && (accuracy == Accuracy::fast) == (k > 7) && is_zdd == (k == 7);
        if (!test::is_long() && !is_short) continue;
        Batch<TypeParam> batch({.m = 2, .n = 2, .k = k, .count = 10}, 600);
        batch.accuracy = accuracy;
        batch.fma = fma;
        check(batch);
      }
    }
  }
}

TYPED_TEST(OpenclBatch, TakesNoneOneAndMany) {
  using T = TypeParam;
  Batch<T> none({.m = 4, .n = 4, .k = 4, .count = 0, .is_shuffled = true}, 700);
  none.c.assign(16, T(7));
  std::vector<std::string> launched;
  EXPECT_EQ(none.on_device(launched), none.c);
  EXPECT_TRUE(launched.empty());
  check(Batch<T>({.m = 8, .n = 8, .k = 8, .count = is_small() ? 37 : 1009, .is_shuffled = true}, 702));
  if (!has_time<T>()) return;
  Batch<T> one({.m = 8, .n = 8, .k = 8, .count = 1, .is_shuffled = true}, 701);
  expect_same(one.on_device(launched), one.expected(), one.text());
}

TYPED_TEST(OpenclBatch, GoesOneByOneWhereProductsAreLarge) {
  if (is_small() || !has_time<TypeParam>()) GTEST_SKIP() << "the same text";
  Batch<TypeParam> batch({.m = 70, .n = 70, .k = 70, .count = 2, .is_shuffled = true}, 800);
  std::vector<std::string> launched;
  const std::vector<TypeParam> got = batch.on_device(launched);
  if (queue().context().device().type == DeviceType::cpu) {
    EXPECT_GE(launched.size(), 2u);
  }
  expect_same(got, batch.expected(), batch.text());
}

TEST(OpenclBatchCall, NamesTheOffsetThatIsWrongBeforeAnythingIsWritten) {
  Queue& q = queue();
  const std::vector<float> before(32, 3.0f);
  Buffer<float> a(q.context(), 32), b(q.context(), 32), c(q.context(), 32);
  for (Buffer<float>* x : {&a, &b, &c}) x->write(q, before.data(), 0, 32);
  auto multiply = [&](const std::vector<int64_t>& of_a, const int64_t* of_b, const std::vector<int64_t>& of_c) {
    return message_of(errc::invalid_argument, [&] {
      gemm_batch(q, Layout::column, Op::none, Op::none, 4, 4, 4, 1.0f, a, of_a.data(), 4, b, of_b, 4, 0.0f, c,
                 of_c.data(), 4, 2);
    });
  };
  const int64_t good[] = {0, 16};
  EXPECT_EQ(multiply({0, 17}, good, {0, 16}),
            "gemm: matrix 1 of A covers 16 elements from offset 17, but its buffer has 32");
  EXPECT_EQ(multiply({0, 16}, good, {-1, 16}),
            "gemm: matrix 0 of C covers 16 elements from offset -1, but its buffer has 32");
  EXPECT_EQ(multiply({0, 16}, nullptr, {0, 16}), "gemm: the array of offsets of B is null, but batch = 2");
  std::vector<float> after(32);
  c.read(q, after.data(), 0, 32);
  EXPECT_EQ(after, before);
}

TYPED_TEST(OpenclBatch, OnTheHostHasTheBitsOfSingleProductsByAnyNumberOfThreads) {
  using T = TypeParam;
  // So many that libraries' products are shared out.
  for (int threads : {1, 2}) {
    Batch<T> batch(
        {.opb = Op::conjugate_transpose, .m = 15, .n = 16, .k = 17, .count = 1031, .pad = 1, .is_shuffled = true}, 900);
    std::vector<const T*> a, b;
    std::vector<T> got = batch.c;
    std::vector<T*> c;
    for (std::size_t i = 0; i < size(batch.s.count); ++i) {
      a.push_back(batch.a.data() + batch.at_a[i]);
      b.push_back(batch.b.data() + batch.at_b[i]);
      c.push_back(got.data() + batch.at_c[i]);
    }
    GemmOptions options = batch.options();
    options.threads = threads;
    gemm_batch(Layout::column, Op::none, Op::conjugate_transpose, 15, 16, 17, batch.alpha, a.data(), batch.lda,
               b.data(), batch.ldb, batch.beta, c.data(), batch.ldc, batch.s.count, options);
    expect_same(got, batch.expected(), batch.text());
    a[100] = nullptr;
    const std::vector<T> before = got;
    EXPECT_EQ(message_of(errc::invalid_argument,
                         [&] {
                           gemm_batch(Layout::column, Op::none, Op::conjugate_transpose, 15, 16, 17, batch.alpha,
                                      a.data(), batch.lda, b.data(), batch.ldb, batch.beta, c.data(), batch.ldc,
                                      batch.s.count, options);
                         }),
              "gemm: matrix 100 of A is null, but m = 15 and k = 17");
    expect_same(got, before, "after an error");
  }
}

}  // namespace
}  // namespace hilo
