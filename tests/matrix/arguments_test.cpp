// Bad arguments of gemm: a message that names what was wrong, C untouched, and the next call works.
#include "matrix/arguments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <hilo/gemm.hpp>
#include <limits>
#include <string>
#include <vector>

namespace hilo {
namespace {

using std::int64_t;

constexpr int64_t huge = std::numeric_limits<int64_t>::max();

struct Call {
  Layout layout = Layout::column;
  Op opa = Op::none, opb = Op::none;
  int64_t m = 3, n = 4, k = 5, lda = 3, ldb = 5, ldc = 3;
  const dd_real* a;
  const dd_real* b;
  dd_real* c;
  GemmOptions options = {};
};

class ArgumentsTest : public testing::Test {
 protected:
  std::vector<dd_real> a = std::vector<dd_real>(64, 2), b = std::vector<dd_real>(64, 3),
                       c = std::vector<dd_real>(64, 7);

  void run(const Call& x) {
    ddgemm(x.layout, x.opa, x.opb, x.m, x.n, x.k, 1, x.a, x.lda, x.b, x.ldb, 1, x.c, x.ldc, x.options);
  }

  // Each word must be in the message.
  void rejects(errc code, const std::vector<std::string>& words, const std::function<void(Call&)>& change) {
    Call call{.a = a.data(), .b = b.data(), .c = c.data()};
    change(call);
    auto before = c;
    try {
      run(call);
      ADD_FAILURE() << "not rejected: " << words.front();
    } catch (const error& e) {
      EXPECT_EQ(e.code(), code) << e.what();
      for (const std::string& word : words) {
        EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << "no \"" << word << "\" in: " << e.what();
      }
    }
    EXPECT_TRUE(c == before) << words.front();
    std::vector<dd_real> fresh(12, 0);
    ddgemm(Layout::column, Op::none, Op::none, 3, 4, 5, 1, a.data(), 3, b.data(), 5, 0, fresh.data(), 3);
    EXPECT_TRUE(fresh == std::vector<dd_real>(12, 30));
  }
};

TEST_F(ArgumentsTest, NegativeSizes) {
  rejects(errc::invalid_argument, {"m = -1", "negative"}, [](Call& x) { x.m = -1; });
  rejects(errc::invalid_argument, {"n = -2", "negative"}, [](Call& x) { x.n = -2; });
  rejects(errc::invalid_argument, {"k = -3", "negative"}, [](Call& x) { x.k = -3; });
  rejects(errc::invalid_argument, {"options.threads = -4"}, [](Call& x) { x.options.threads = -4; });
  rejects(errc::invalid_argument, {"options.threads = 2000", "1024"}, [](Call& x) { x.options.threads = 2000; });
  rejects(errc::invalid_argument, {"options.tile_rows = -5"}, [](Call& x) { x.options.tile_rows = -5; });
}

TEST_F(ArgumentsTest, ShortLeadingDimensions) {
  rejects(errc::invalid_argument, {"lda = 2", "m = 3", "column layout"}, [](Call& x) { x.lda = 2; });
  rejects(errc::invalid_argument, {"ldb = 4", "k = 5"}, [](Call& x) { x.ldb = 4; });
  rejects(errc::invalid_argument, {"ldc = 0", "m = 3"}, [](Call& x) { x.ldc = 0; });
  rejects(errc::invalid_argument, {"lda = 4", "k = 5"}, [](Call& x) { x.opa = Op::transpose, x.lda = 4; });
  rejects(errc::invalid_argument, {"ldb = 3", "n = 4", "row layout"},
          [](Call& x) { x.layout = Layout::row, x.lda = 5, x.ldb = 3, x.ldc = 4; });
  rejects(errc::invalid_argument, {"lda = 0", "less than 1"}, [](Call& x) { x.m = 0, x.lda = 0; });
}

TEST_F(ArgumentsTest, OverflowingSizes) {
  rejects(errc::overflow, {"extent of A"}, [](Call& x) { x.k = huge / 2, x.lda = 100, x.ldb = huge / 2; });
  rejects(errc::overflow, {"extent of A"}, [](Call& x) { x.lda = huge; });
  rejects(errc::overflow, {"extent of C"}, [](Call& x) { x.k = 0, x.n = huge / 2, x.ldb = 1, x.ldc = 1 << 20; });
}

TEST_F(ArgumentsTest, NullPointers) {
  rejects(errc::invalid_argument, {"A is null", "m = 3", "k = 5"}, [](Call& x) { x.a = nullptr; });
  rejects(errc::invalid_argument, {"B is null"}, [](Call& x) { x.b = nullptr; });
  rejects(errc::invalid_argument, {"C is null", "n = 4"}, [](Call& x) { x.c = nullptr; });
}

TEST_F(ArgumentsTest, OverlapOfCWithAOrB) {
  rejects(errc::invalid_argument, {"C overlaps A"}, [this](Call& x) { x.a = c.data() + 11; });
  rejects(errc::invalid_argument, {"C overlaps B"}, [this](Call& x) { x.b = c.data(); });
  // Nor is a block of C's matrix an overlap where it has none of C's elements: each trailing update of an LU.
  constexpr int64_t n = 7, width = 2;
  std::vector<dd_real> x(n * n, 1);
  dd_real *below = &x[width], *right = &x[width * n], *trailing = &x[width * n + width];
  auto update = [&](dd_real* out, int64_t rows) {
    ddgemm(Layout::column, Op::none, Op::none, rows, n - width, width, -1, below, n, right, n, 1, out, n);
  };
  update(trailing, n - width);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < n; ++i) {
      EXPECT_TRUE(x[static_cast<std::size_t>(i + j * n)] == (i < width || j < width ? 1 : -1)) << i << ", " << j;
    }
  }
  for (dd_real* out : {trailing - 1, trailing - n, below, right, right + 1}) {
    EXPECT_THROW(update(out, n - width), error) << out - x.data();
  }
  // Neighbours do not overlap.
  std::vector<dd_real> all(12 + 15, 1);
  EXPECT_NO_THROW(
      ddgemm(Layout::column, Op::none, Op::none, 3, 4, 5, 1, all.data() + 12, 3, b.data(), 5, 0, all.data(), 3));
}

TEST_F(ArgumentsTest, OverlapsAreThoseOfTheBytes) {
  // Every pair of small footprints, byte by byte; exact where the pitch is the same or one has a single run.
  auto bytes = [](const Footprint& x) {
    std::vector<bool> covered(64);
    for (int64_t j = 0; j < x.runs; ++j) {
      for (int64_t i = 0; i < x.run; ++i) covered[static_cast<std::size_t>(x.begin + j * x.pitch + i)] = true;
    }
    return covered;
  };
  int64_t overlaps = 0;
  for (int64_t pitch : {4, 5}) {
    for (int64_t code = 0; code < 25 * 5 * 4 * 5 * 4; ++code) {
      int64_t rest = code;
      auto next = [&](int64_t values) {
        int64_t digit = rest % values;
        rest /= values;
        return digit;
      };
      Footprint x{12, next(5), next(4), pitch}, y{next(25), next(5), next(4), pitch};
      auto in_x = bytes(x), in_y = bytes(y);
      bool expected = false;
      for (std::size_t i = 0; i < in_x.size(); ++i) expected |= in_x[i] && in_y[i];
      ASSERT_EQ(overlap(x, y), expected) << x.run << " x " << x.runs << ", " << y.run << " x " << y.runs << " at "
                                         << y.begin << ", pitch " << pitch;
      if (y.runs == 1) {
        y.pitch = 31;
        ASSERT_EQ(overlap(x, y), expected);
      }
      overlaps += expected;
    }
  }
  EXPECT_GT(overlaps, 1000);
}

TEST_F(ArgumentsTest, OptionsOutOfRange) {
  rejects(errc::invalid_argument, {"options.accuracy = 9"},
          [](Call& x) { x.options.accuracy = static_cast<Accuracy>(9); });
  rejects(errc::invalid_argument, {"opa = 7"}, [](Call& x) { x.opa = static_cast<Op>(7); });
  rejects(errc::invalid_argument, {"layout = 3"}, [](Call& x) { x.layout = static_cast<Layout>(3); });
  rejects(errc::unsupported, {"options.target = \"AVX9\""}, [](Call& x) { x.options.target = "AVX9"; });
}

TEST_F(ArgumentsTest, Batches) {
  auto run_batch = [&](int64_t stride_a, int64_t stride_c, int64_t batch) {
    gemm_strided_batch(Layout::column, Op::none, Op::none, 2, 2, 2, dd_real(1), a.data(), 2, stride_a, b.data(), 2, 4,
                       dd_real(0), c.data(), 2, stride_c, batch);
  };
  auto before = c;
  EXPECT_THROW(run_batch(4, 4, -1), error);
  EXPECT_THROW(run_batch(-4, 4, 2), error);
  EXPECT_THROW(run_batch(4, 3, 2), error);
  EXPECT_THROW(run_batch(huge, 4, 3), error);
  EXPECT_TRUE(c == before);
  EXPECT_NO_THROW(run_batch(0, 4, 3));
  EXPECT_NO_THROW(run_batch(4, 4, 0));
  // No stride of a single product is used.
  EXPECT_NO_THROW(run_batch(huge, huge, 1));
  EXPECT_TRUE(std::equal(c.begin(), c.begin() + 4, std::vector<dd_real>(4, 12).begin()));
  // Matrices of 2 × 2 side by side in rows of 6, an A and a C in turn, and then shifted onto each other.
  auto side_by_side = [&](int64_t shift, int64_t stride_a) {
    gemm_strided_batch(Layout::row, Op::none, Op::none, 2, 2, 2, dd_real(1), c.data() + 2 + shift, 6, stride_a,
                       b.data(), 2, 4, dd_real(0), c.data(), 6, 12, 3);
  };
  EXPECT_NO_THROW(side_by_side(0, 12));
  EXPECT_NO_THROW(side_by_side(12, 0));
  EXPECT_THROW(side_by_side(-1, 12), error);
  EXPECT_THROW(side_by_side(11, 0), error);
}

TEST_F(ArgumentsTest, EmptyProductsReturnAtOnce) {
  EXPECT_NO_THROW(ddgemm(Layout::column, Op::none, Op::none, 0, 4, 5, 1, nullptr, 1, nullptr, 5, 0, nullptr, 1));
  EXPECT_NO_THROW(ddgemm(Layout::column, Op::none, Op::none, 3, 0, 7, 1, nullptr, 3, nullptr, 7, 0, nullptr, 3));
}

TEST_F(ArgumentsTest, TheWorkspaceOfAPlanIsBounded) {
  GemmPlan plan = plan_gemm<dd_real>(Layout::column, Op::none, Op::none, 1, 1, int64_t{1} << 55);
  EXPECT_GT(plan.error_bound_u2, 0.0);
  EXPECT_LT(plan.workspace_bytes, int64_t{1} << 30);
  for (int64_t n : {int64_t{1} << 20, int64_t{1} << 28}) {
    GemmOptions options{.threads = 1024, .tile_rows = huge, .tile_columns = huge};
    plan = plan_gemm<dd_complex>(Layout::row, Op::none, Op::none, n, n, 1, options);
    EXPECT_GT(plan.workspace_bytes, 0);
    EXPECT_LT(plan.workspace_bytes, int64_t{1} << 42);
  }
}

TEST_F(ArgumentsTest, AnEmptyProductMayHaveAnyOtherSize) {
  for (Layout layout : {Layout::column, Layout::row}) {
    const int64_t sizes[][3] = {{0, huge, 0}, {huge, 0, 0}, {0, 0, huge}};
    for (const auto& [m, n, k] : sizes) {
      EXPECT_GE(plan_gemm<dd_complex>(layout, Op::none, Op::none, m, n, k).workspace_bytes, 0);
      EXPECT_NO_THROW(ddgemm(layout, Op::none, Op::none, m, n, k, 1, nullptr, huge, nullptr, huge, 0, nullptr, huge));
    }
  }
}

}  // namespace
}  // namespace hilo
