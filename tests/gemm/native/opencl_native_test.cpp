// Products in S, D, C and Z on an OpenCL device in its own arithmetic, against sums in long double, CBLAS and MPFR, and
// where all sums are exact against what they are.
#include "native_problem.hpp"

namespace {

using namespace hilo;
using namespace hilo::test::native;
using std::int64_t;

template <class T>
class OpenclNative : public NativeTest<T> {};
TYPED_TEST_SUITE(OpenclNative, Elements);

TYPED_TEST(OpenclNative, IsWithinTheBoundForEveryLayoutAndTranspose) {
  using T = TypeParam;
  const int64_t sizes[] = {1, 2, 3, 5, 7, 31, 33, 64, 65, 97, 130};
  std::uint64_t turn = 0;
  for (Layout layout : layouts) {
    for (Op opa : ops) {
      for (Op opb : ops) {
        for (int repeat = 0; repeat < (is_long() ? 40 : 6); ++repeat, ++turn) {
          if (is_small() && turn % 31) continue;
          const auto size = [&](std::uint64_t by) {
            const int64_t x = sizes[(by * turn + turn / 11) % 11];
            return is_small() ? std::min<int64_t>(x, 19) : x;
          };
          Problem<T> p({.layout = layout, .opa = opa, .opb = opb, .pad = repeat % 3}, size(1), size(3), size(7), turn);
          GemmReport report{};
          const std::vector<T> got = turn % 2 ? from_host(p, &report) : in_buffers(p, &report);
          EXPECT_EQ(report.plan.engine, Engine::direct);
          EXPECT_LE(report.plan.error_bound_u2, bound_of(p));
          expect_product(p, got, "device", report.plan.error_bound_u2);

          std::vector<T> cpu = p.c;
          GemmReport cpu_report = gemm(layout, opa, opb, p.m, p.n, p.k, p.alpha, p.a.data(), p.lda, p.b.data(), p.ldb,
                                       p.beta, cpu.data(), p.ldc, {.engine = Engine::direct, .threads = 1});
          EXPECT_EQ(cpu_report.plan.backend, Backend::cpu);
          for (int64_t j = 0; j < p.n; ++j) {
            for (int64_t i = 0; i < p.m; ++i) {
              const auto x = std::complex<double>(got[at(p.index_c(i, j))]),
                         y = std::complex<double>(cpu[at(p.index_c(i, j))]);
              const double most =
                  2 * report.plan.error_bound_u2 * unit_of<T> * static_cast<double>(p.expected(0, i, j).magnitude);
              ASSERT_TRUE(std::abs(x.real() - y.real()) <= most && std::abs(x.imag() - y.imag()) <= most)
                  << p.text() << ": entry (" << i << ", " << j << ") is " << x << ", on the CPU " << y;
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(OpenclNative, IsExactForIntegersOfEverySize) {
  using T = TypeParam;
  const Tile tile = tile::tile_for(device(), {precision_of<T>, true, true, tile::SizeClass::small});
  std::vector<int64_t> rows = {1, 2}, columns = {1, 2};
  for (int64_t panels : {1, 2}) {
    for (int64_t beside : {-1, 0, 1}) {
      rows.push_back(panels * tile.panel_rows() + beside);
      columns.push_back(panels * tile.panel_columns() + beside);
    }
  }
  std::uint64_t seed = 0;
  for (int64_t m : rows) {
    for (int64_t n : columns) {
      ++seed;
      if (is_small() && seed % 9) continue;
      Storage s = seed % 2 ? aligned_storage : Storage{};
      s.layout = layouts[seed / 2 % 2];
      const int64_t k = tile.depth * static_cast<int64_t>(1 + seed % 3) + static_cast<int64_t>(seed % 2);
      Problem<T> p(s, std::max<int64_t>(m, 1), std::max<int64_t>(n, 1), k, seed, Entries::whole);
      expect_product(p, in_buffers(p), "in buffers");
    }
  }
  if (is_small()) return;
  const int64_t shapes[][3] = {{1, 1, 5000}, {1, 700, 3},   {700, 1, 3},  {1, 300, 300}, {300, 1, 300}, {1500, 2, 1},
                               {2, 1500, 1}, {300, 300, 1}, {5, 4, 4096}, {1, 1, 1},     {257, 3, 129}, {3, 257, 1024}};
  for (const auto& [m, n, k] : shapes) {
    for (Layout layout : layouts) {
      Problem<T> p({.layout = layout, .opa = ops[seed % 3], .opb = ops[seed / 3 % 3]}, m, n, k, seed, Entries::whole);
      ++seed;
      expect_product(p, from_host(p), "from the host");
    }
  }
}

TYPED_TEST(OpenclNative, IsWithinTheBoundOfMpfr) {
  using T = TypeParam;
  if (is_small()) GTEST_SKIP() << "its time is the measurement's";
  for (Layout layout : layouts) {
    Problem<T> p({.layout = layout, .opa = Op::conjugate_transpose, .opb = Op::transpose}, 45, 38, 150, 77);
    GemmReport report{};
    const std::vector<T> got = from_host(p, &report);
    const accuracy::ErrorReport found =
        accuracy::gemm_error(layout, p.s.opa, p.s.opb, p.m, p.n, p.k, p.alpha, p.a.data(), p.lda, p.b.data(), p.ldb,
                             p.beta, p.c.data(), got.data(), p.ldc, accuracy::Sample::full);
    EXPECT_EQ(found.entries_checked, p.m * p.n);
    EXPECT_EQ(found.non_finite_mismatches, 0);
    EXPECT_GT(found.max_error_u2, 0.0);
    EXPECT_LE(found.max_error_u2, report.plan.error_bound_u2) << found.row << ", " << found.column;
  }
}

TYPED_TEST(OpenclNative, TakesSpecialAlphaAndBeta) {
  using T = TypeParam;
  const T values[] = {T(0), T(1), T(-1), number<T>(3, 0), number<T>(-2, 5), number<T>(0, 1)};
  for (Layout layout : layouts) {
    for (T alpha : values) {
      for (T beta : values) {
        Problem<T> p({.layout = layout, .opa = Op::transpose}, 9, 37, 20, 13, Entries::whole);
        p.alpha = alpha;
        p.beta = beta;
        std::ostringstream what;
        what << "alpha = " << alpha << ", beta = " << beta;
        expect_product(p, from_host(p), what.str());
        expect_product(p, in_buffers(p), what.str());
      }
    }
  }
}

TYPED_TEST(OpenclNative, NeverReadsCWhereBetaIsZeroNorAAndBWhereAlphaIsZero) {
  using T = TypeParam;
  for (double value : {quiet_nan, inf}) {
    for (Layout layout : layouts) {
      const T infinite = number<T>(value, -value);
      Problem<T> p({.layout = layout}, 33, 26, 20, 14, Entries::whole);
      p.beta = T(0);
      std::fill(p.c.begin(), p.c.end(), infinite);
      expect_product(p, from_host(p), "beta = 0");
      expect_product(p, in_buffers(p), "beta = 0");
      Problem<T> q({.layout = layout, .opb = Op::transpose}, 33, 26, 20, 15, Entries::whole);
      q.alpha = T(0);
      std::fill(q.a.begin(), q.a.end(), infinite);
      std::fill(q.b.begin(), q.b.end(), infinite);
      for (T beta : {T(0), T(1), number<T>(2, 1)}) {
        q.beta = beta;
        expect_product(q, from_host(q), "alpha = 0");
        expect_product(q, in_buffers(q), "alpha = 0");
        Problem<T> none({.layout = layout}, 33, 26, 0, 16, Entries::whole);
        none.alpha = infinite;
        none.beta = beta;
        if (beta == T(0)) std::fill(none.c.begin(), none.c.end(), infinite);
        expect_product(none, from_host(none), "k = 0");
        expect_product(none, in_buffers(none), "k = 0");
        std::vector<T> c = q.c;
        gemm<T>(queue(), layout, q.s.opa, q.s.opb, q.m, q.n, q.k, T(0), nullptr, q.lda, nullptr, q.ldb, beta, c.data(),
                q.ldc, direct_options<T>());
        expect_product(q, c, "A and B are null");
      }
    }
  }
}

// NaN, Inf, -Inf or finite; the sign of a NaN does not count.
int class_of(long double x) { return x != x ? 3 : std::isinf(x) ? (x < 0 ? 1 : 2) : 0; }

TYPED_TEST(OpenclNative, NaNAndInfinitySpreadAsInPlainSums) {
  using T = TypeParam;
  for (Layout layout : layouts) {
    for (T beta : {T(0), T(1)}) {
      Problem<T> p({.layout = layout, .opa = Op::transpose, .opb = Op::none}, 40, 34, 90, 16, Entries::whole);
      // No scalar mixes the parts of a complex number.
      p.alpha = T(1);
      p.beta = beta;
      p.a[at(p.index_a(3, 0))] = number<T>(inf, 0);
      p.a[at(p.index_a(3, 89))] = number<T>(1, -inf);
      p.a[at(p.index_a(17, 44))] = number<T>(-inf, 2);
      p.b[at(p.index_b(44, 6))] = number<T>(0, 0);
      p.b[at(p.index_b(45, 7))] = number<T>(quiet_nan, 1);
      p.b[at(p.index_b(89, 33))] = number<T>(inf, 1);
      p.c[at(p.index_c(20, 20))] = number<T>(inf, 3);
      p.c[at(p.index_c(21, 20))] = number<T>(1, quiet_nan);
      for (const tile::Choice& choice : {tile::Choice{}, tile::Choice{.tile = {}, .workspace = 0}}) {
        const std::vector<T> got = with_choice(p, choice);
        for (int64_t j = 0; j < p.n; ++j) {
          for (int64_t i = 0; i < p.m; ++i) {
            const bool has_none =
                i != 3 && i != 17 && j != 7 && j != 33 && (beta == T(0) || j != 20 || (i != 20 && i != 21));
            const T x = got[at(p.index_c(i, j))];
            const Expected e = p.expected(0, i, j);
            if (has_none) {
              ASSERT_TRUE(re_of(x) == e.re && (!is_complex<T> || im_of(x) == e.im))
                  << p.text() << ": (" << i << ", " << j << ") is " << x;
            } else {
              ASSERT_EQ(class_of(re_of(x)), class_of(e.re))
                  << p.text() << ": (" << i << ", " << j << ") is " << x << ", beta = " << beta
                  << (choice.workspace ? ", in slices" : "");
              if (is_complex<T>) {
                ASSERT_EQ(class_of(im_of(x)), class_of(e.im))
                    << p.text() << ": (" << i << ", " << j << ") is " << x << ", beta = " << beta
                    << (choice.workspace ? ", in slices" : "");
              }
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(OpenclNative, TakesBatches) {
  using T = TypeParam;
  std::uint64_t seed = 300;
  for (Layout layout : layouts) {
    for (bool shares_a : {false, true}) {
      for (bool shares_b : {false, true}) {
        for (int64_t batch : {0, 1, 2, 7}) {
          ++seed;
          Problem<T> p({.layout = layout, .opa = ops[seed % 3], .opb = ops[seed / 3 % 3]}, 1 + seed % 40, 35, 21, seed,
                       Entries::whole, batch, shares_a, shares_b);
          expect_product(p, in_buffers(p), "in buffers");
          expect_product(p, from_host(p), "from the host");
        }
        for (T alpha : {T(0), T(1)}) {
          for (T beta : {T(0), T(1), number<T>(2, 1)}) {
            Problem<T> p({.layout = layout, .opa = Op::transpose}, 5, 3, 4, seed, Entries::whole, 3, shares_a,
                         shares_b);
            p.alpha = alpha;
            p.beta = beta;
            if (alpha == T(0)) std::fill(p.a.begin(), p.a.end(), number<T>(quiet_nan, inf));
            if (beta == T(0)) std::fill(p.c.begin(), p.c.end(), number<T>(quiet_nan, inf));
            expect_product(p, in_buffers(p), "in buffers");
          }
        }
      }
    }
  }
  // The columns of one matrix are the products' Cs.
  Problem<T> p({.pad = 0}, 6, 1, 4, 9, Entries::whole, 11, true, false);
  p.ldc = 17;
  expect_product(p, in_buffers(p), "columns");
}

TYPED_TEST(OpenclNative, TakesMoreProductsThanALaunch) {
  using T = TypeParam;
  if (is_small() || !has_time<T>()) GTEST_SKIP() << "HILO_LONG_TESTS";
  for (Layout layout : layouts) {
    const bool is_row = layout == Layout::row;
    const Storage s = {
        .layout = layout, .opa = is_row ? Op::transpose : Op::none, .opb = is_row ? Op::none : Op::transpose, .pad = 1};
    Problem<T> p(s, 3, 2, 2, 40, Entries::whole, 2 * 32768 + 5, false, is_row);
    // With a tile of its own it is not what gemm/batch/ takes.
    const Choice choice{.tile = in_place(local_tile(8)), .workspace = {}};
    expect_product(p, with_choice(p, choice), "in place");
    p.alpha = T(0);
    expect_product(p, with_choice(p, choice), "alpha = 0");
  }
  Problem<T> p({.opb = Op::transpose}, 33, 2, 2, 41, Entries::whole, is_long() ? 32768 + 5 : 900);
  expect_product(p, in_buffers(p), "the device's tile");
}

}  // namespace
