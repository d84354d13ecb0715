// The modular engine on an OpenCL device has the CPU's bits: every accuracy, size, storage and scalar.
// HILO_TEST_PLATFORM and HILO_TEST_DEVICE choose the device. HILO_LONG_TESTS=1 takes more and larger products.
#include "opencl_modular.hpp"

#include <gtest/gtest.h>

#include "modular_hard_problems.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

template <class T>
class OpenclModular : public testing::Test {};
TYPED_TEST_SUITE(OpenclModular, Precisions, PrecisionName);

TYPED_TEST(OpenclModular, EveryAccuracyAndPath) {
  using T = TypeParam;
  for (const auto& x : modular_products<T>()) {
    GemmReport report = expect_as_on_cpu(x.problem, x.options, x.name);
    EXPECT_TRUE(is_modular(report)) << x.name;
    EXPECT_TRUE(x.name != "classic, balanced" || report.plan.path == Path::modular_balanced);
    EXPECT_TRUE(x.name != "classic, with direct entries" || report.entries_direct > 0);
    expect_as_on_cpu(x.problem, x.options, x.name, {}, true);
    if (report.entries_direct == 0) continue;
    for (Fma fma : {Fma::on, Fma::off}) {
      GemmOptions options = x.options;
      options.fma = fma;
      expect_as_on_cpu(x.problem, options, x.name);
    }
  }
}

TYPED_TEST(OpenclModular, EveryStorage) {
  auto all = modular_products<TypeParam>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    // Each product in a sixth of them, and each storage with several products.
    for (int64_t turn = 0; turn < 18; ++turn) {
      if (!is_long() && turn % 6 != static_cast<int64_t>(i % 6)) continue;
      expect_as_on_cpu(all[i].problem, all[i].options, all[i].name, storage_of(turn), turn % 2 == 1);
    }
  }
}

TYPED_TEST(OpenclModular, SizesAroundTheEdgesOfTiles) {
  using T = TypeParam;
  const int64_t sizes[] = {1, 2, 3, 15, 16, 17, 31, 63, 64, 65, 127, 128, 129, 255, 256, 257};
  constexpr int64_t count = std::size(sizes);
  for (int64_t round = 0; round < (is_long() ? count : 2); ++round) {
    for (int64_t i = 0; i < count; ++i) {
      // Every size once in each place of a round, and large ones with small ones.
      int64_t m = sizes[i], n = sizes[(i * 5 + 7 + round) % count], k = sizes[(i * 3 + 8 + 2 * round) % count];
      if (!is_long() && m * n * k > 1'500'000) k = 1 + k % 31;
      auto p = generated<T>(range_kind(1), m, n, k, static_cast<std::uint64_t>(100 * round + i));
      set_scalars(p);
      Accuracy accuracy = i % 3 == 0 ? Accuracy::fast : i % 3 == 1 ? Accuracy::classic : Accuracy::normwise;
      expect_as_on_cpu(p, modular_options(accuracy), "size", storage_of(i + round));
    }
  }
  for (int64_t n : sizes)
    expect_as_on_cpu(generated<T>(uniform_kind, 1, n, 1, 7), modular_options(Accuracy::tight), "row");
}

TYPED_TEST(OpenclModular, ManyTerms) {
  using T = TypeParam;
  // Past the most that is summed before a reduction, with few moduli; and a length of terms that is no multiple.
  for (int64_t k : {65536, 65537, 70'000}) {
    if (k != 65537 && !is_long()) continue;
    auto p = generated<T>(uniform_kind, 3, 2, k, 11);
    GemmOptions options = modular_options(Accuracy::bits);
    options.bits = 2;
    expect_as_on_cpu(p, options, "many terms");
    if (is_long()) expect_as_on_cpu(p, modular_options(Accuracy::classic), "many terms");
    // The largest sums of bytes that there can be.
    std::fill(p.a.begin(), p.a.end(), number<T>(1, 1));
    std::fill(p.b.begin(), p.b.end(), number<T>(-1, 1));
    expect_as_on_cpu(p, options, "many terms alike");
  }
}

TYPED_TEST(OpenclModular, AlphaAndBeta) {
  using T = TypeParam;
  auto third = dd_real(1) / 3;
  const T values[] = {T(0),           T(1), T(-1), number<T>(0x1p-3), number<T>(third), number<T>(third, -third),
                      number<T>(0, 1)};
  int64_t turn = 0;
  for (T alpha : values) {
    for (T beta : values) {
      auto p = generated<T>(uniform_kind, 9, 6, 20, 13);
      p.alpha = alpha;
      p.beta = beta;
      // What is not read may be anything.
      if (beta == T(0)) p.c0.assign(p.c0.size(), number<T>(hard::nan, hard::infinity));
      if (alpha == T(0)) p.a.assign(p.a.size(), number<T>(hard::nan));
      expect_as_on_cpu(p, modular_options(turn % 2 ? Accuracy::classic : Accuracy::tight), "scalars", storage_of(turn),
                       turn % 3 == 0);
      ++turn;
    }
  }
}

TYPED_TEST(OpenclModular, NothingToMultiply) {
  using T = TypeParam;
  for (Accuracy accuracy : {Accuracy::classic, Accuracy::tight, Accuracy::normwise, Accuracy::exact, Accuracy::bits}) {
    GemmOptions options = modular_options(accuracy);
    T* none = nullptr;
    gemm<T>(queue(), Layout::column, Op::none, Op::none, 0, 5, 3, T(1), none, 1, none, 3, T(0), none, 1, options);
    gemm<T>(queue(), Layout::column, Op::none, Op::none, 5, 0, 3, T(1), none, 5, none, 3, T(0), none, 5, options);
    for (bool in_buffers : {false, true}) {
      for (T beta : {T(0), T(1), number<T>(2, 1)}) {
        if (accuracy == Accuracy::exact && !(beta == T(0))) continue;
        auto p = generated<T>(uniform_kind, 4, 3, 0, 14);
        p.beta = beta;
        expect_as_on_cpu(p, options, "k = 0", {}, in_buffers);
        p = generated<T>(uniform_kind, 4, 3, 5, 15);
        p.alpha = T(0);
        p.beta = beta;
        expect_as_on_cpu(p, options, "alpha = 0", {}, in_buffers);
      }
      expect_as_on_cpu(generated<T>(uniform_kind, 0, 3, 5, 16), options, "m = 0", {}, in_buffers);
      expect_as_on_cpu(generated<T>(uniform_kind, 3, 0, 5, 16), options, "n = 0", {}, in_buffers);
    }
    if (accuracy == Accuracy::exact) continue;
    std::vector<T> c(6, number<T>(3, 4)), expected = c;
    gemm<T>(queue(), Layout::column, Op::none, Op::none, 2, 3, 4, T(0), none, 2, none, 4, number<T>(2), c.data(), 2,
            options);
    gemm<T>(Layout::column, Op::none, Op::none, 2, 3, 4, T(0), none, 2, none, 4, number<T>(2), expected.data(), 2,
            options);
    EXPECT_EQ(first_difference(c, expected), -1);
  }
}

TYPED_TEST(OpenclModular, EveryKindAndAccuracy) {
  using T = TypeParam;
  int64_t turn = 0;
  for (const Kind& kind : kinds) {
    for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast, Accuracy::tight, Accuracy::normwise, Accuracy::bits}) {
      for (int64_t k : {33, 200, 1000}) {
        if (k == 1000 && !is_long()) continue;
        auto p = generated<T>(kind, 33, 27, k, static_cast<std::uint64_t>(17 + turn));
        set_scalars(p);
        expect_as_on_cpu(p, modular_options(accuracy), kind.name, storage_of(turn++));
      }
    }
  }
}

TYPED_TEST(OpenclModular, EveryNumberOfBits) {
  using T = TypeParam;
  // Each four moduli more are another program, which takes time to build.
  const int edges[] = {1, 2, 42, 62, 63, 107, 126, 127, 165};
  for (int bits = 1; bits <= 165; ++bits) {
    bool is_edge = std::find(std::begin(edges), std::end(edges), bits) != std::end(edges);
    if (!is_edge && !is_long() && (!std::same_as<T, dd_real> || bits % 4)) continue;
    auto p = bits % 2 ? generated<T>(uniform_kind, 9, 7, 11, 17) : generated<T>(range_kind(4), 7, 9, 11, 18);
    // Ties between integers, once the row is scaled by 2^(bits − 1), and los that break them.
    for (int64_t i = 0; i < p.m; ++i) {
      p.left(i, 0) = number<T>(1 - 0x1p-53, 0.5);
      for (int64_t h = 1; h < 5; ++h) {
        double tie = std::ldexp(static_cast<double>(i + h) + 0.5, -bits), lo = std::ldexp(tie, -60 - 20 * (bits % 4));
        p.left(i, h) = number<T>(dd_real(tie, h == 1 ? 0.0 : h == 2 ? lo : -lo), dd_real(-tie, lo));
      }
    }
    GemmOptions options = modular_options(Accuracy::bits);
    options.bits = bits;
    expect_as_on_cpu(p, options, std::to_string(bits) + " bits");
  }
}

// A row's largest entry, and ties between integers whose lo, scaled as the row is, is next to nothing or less.
TYPED_TEST(OpenclModular, LosThatAreNextToNothingBreakTies) {
  using T = TypeParam;
  const bool is_large = is_long() || queue().context().device().type == DeviceType::gpu;
  for (const int64_t n : {4, 300}) {
    if (n > 4 && !is_large) continue;
    for (const int least : {-960, -1074}) {
      auto p = generated<T>(uniform_kind, n, n, n, 23);
      for (int64_t i = 0; i < n; ++i) {
        p.left(i, i) = number<T>(0x1p200, 0x1p199);
        for (int64_t h = 0; h < 3; ++h) {
          const double tie = std::ldexp(static_cast<double>(h) + 0.5, 121), lo = std::ldexp(1.0, least);
          if (h != i) p.left(i, h) = number<T>(dd_real(i % 2 ? -tie : tie, h % 2 ? lo : -lo), dd_real(tie, lo));
        }
      }
      GemmOptions options = modular_options(Accuracy::bits);
      options.bits = 80;
      for (const int levels : {0, 1, 2}) {
        options.levels = levels;
        expect_as_on_cpu(p, options, std::to_string(levels) + " levels, lo 2^" + std::to_string(least));
      }
    }
  }
}

TYPED_TEST(OpenclModular, Exact) {
  using T = TypeParam;
  GemmOptions exact = modular_options(Accuracy::exact);
  for (int64_t k : {1, 17, 100}) {
    for (double alpha : {1.0, -1.0, 0x1p-3, -0x1p900, 0x1p1000, 0x1p1023, -0x1p-1000, 0x1p-1022}) {
      Problem<T> p = k == 17 ? generated<T>(kinds[7], 6, 7, k, 19) : generated<T>(uniform_kind, 7, 5, k, 20);
      p.alpha = number<T>(alpha);
      GemmReport report = expect_as_on_cpu(p, exact, hard::named("exact, alpha", alpha));
      EXPECT_EQ(report.plan.path, Path::modular);
      for (T& x : p.a) x = scaled(x, -80);
      expect_as_on_cpu(p, exact, hard::named("exact and small, alpha", alpha));
    }
  }
  // Integers all of whose bytes are large, as their sums are: -1 beside an element that takes this many bits.
  for (int bits : {100, 150, 300}) {
    Problem<T> p(3, 4, 70);
    std::fill(p.a.begin(), p.a.end(), number<T>(-1, -1));
    std::fill(p.b.begin(), p.b.end(), number<T>(-1, 1));
    for (int64_t i = 0; i < p.m; ++i) p.left(i, 2) = scaled(number<T>(1, -1), bits);
    expect_as_on_cpu(p, exact, "-1 beside 2^" + std::to_string(bits));
  }
  // Two bits each in a row, so many bits apart: up to the most that there is room for, and beyond.
  Problem<T> p(3, 4, 8);
  std::fill(p.a.begin(), p.a.end(), number<T>(1));
  std::fill(p.b.begin(), p.b.end(), number<T>(1));
  for (int bits : {3, 42, 43, 60, 168, 169, 170, 171, 300, 330, 333, 334, 335, 336, 337, 338, 500}) {
    for (int total : {335, 336, 337, 338, 600}) {
      if (bits > total) continue;
      for (int64_t i = 0; i < p.m; ++i) p.left(i, 2) = scaled(number<T>(1, -1), bits - 1);
      for (int64_t j = 0; j < p.n; ++j) p.right(5, j) = scaled(number<T>(-1, 1), std::max(total - bits - 1, 0));
      expect_as_on_cpu(p, exact, std::to_string(bits) + " of " + std::to_string(total) + " bits");
    }
  }
  auto q = generated<T>(uniform_kind, 6, 7, 20, 21);
  for (T alpha : {number<T>(3), number<T>(1 + 0x1p-52), number<T>(dd_real(1, 0x1p-60), 1), number<T>(hard::nan)}) {
    q.alpha = alpha;
    expect_as_on_cpu(q, exact, "exact, other alpha");
    expect_as_on_cpu(q, exact, "exact, other alpha", {}, true);
  }
  q.alpha = T(1);
  q.beta = T(1);
  expect_as_on_cpu(q, exact, "exact, beta 1");
}

TYPED_TEST(OpenclModular, ReproducibleAndAutomatic) {
  using T = TypeParam;
  auto p = generated<T>(range_kind(1), 12, 11, 40, 23);
  set_scalars(p);
  GemmOptions options = {.engine = Engine::reproducible};
  for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast, Accuracy::tight, Accuracy::normwise}) {
    options.accuracy = accuracy;
    expect_as_on_cpu(p, options, "reproducible");
  }
  // Large enough for the modular engine, with entries that are not.
  auto large = generated<T>(uniform_kind, 256, 257, is_long() ? 300 : 256, 24);
  large.left(100, 17) = number<T>(hard::infinity);
  options.accuracy = Accuracy::classic;
  if (double_double<T> || is_long()) expect_as_on_cpu(large, options, "reproducible");

  // Of the two engines, the one that the report names.
  for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast, Accuracy::normwise, Accuracy::tight, Accuracy::exact}) {
    for (const Kind& kind : {uniform_kind, range_kind(4)}) {
      auto q = generated<T>(kind, 40, 30, 50, 25);
      GemmReport report;
      GemmOptions named = modular_options(accuracy);
      try {
        auto c = multiply_from_host(queue(), q, {.accuracy = accuracy}, &report);
        EXPECT_EQ(report.plan.engine, is_modular(report) ? Engine::modular : Engine::direct);
        if (!is_modular(report)) named.engine = Engine::direct;
        // In its own arithmetic a device has bits of its own.
        if (!is_modular(report) && !double_double<T>) continue;
        EXPECT_EQ(first_difference(c, q.multiply(on_cpu<T>(named))), -1) << name(accuracy) << ' ' << kind.name;
      } catch (const error& e) {
        EXPECT_EQ(message_of(errc::unsupported, [&] { q.multiply(on_cpu<T>(named)); }), e.what());
      }
    }
  }
}

// Anything, by chance.
TYPED_TEST(OpenclModular, RandomProducts) {
  using T = TypeParam;
  Random random(26);
  constexpr Accuracy accuracies[] = {Accuracy::classic,  Accuracy::fast,  Accuracy::tight,
                                     Accuracy::normwise, Accuracy::exact, Accuracy::bits};
  for (int round = 0; round < (is_long() ? 1000 : 25); ++round) {
    auto size = [&] { return random.below(4) ? 1 + random.below(50) : 1 + random.below(is_long() ? 400 : 140); };
    int64_t m = size(), n = size(), k = size();
    auto p = generated<T>(kinds[random.below(std::size(kinds))], m, n, k, random.bits());
    GemmOptions options = modular_options(accuracies[random.below(6)]);
    if (options.accuracy == Accuracy::bits) options.bits = static_cast<int>(1 + random.below(150));
    if (options.accuracy != Accuracy::exact && random.below(2)) set_scalars(p);
    options.fma = random.below(2) ? Fma::on : Fma::off;
    options.depth = random.below(2) ? 0 : 1 + random.below(200);
    for (std::vector<T>* x : {&p.a, &p.b}) {
      for (int64_t i = random.below(3) ? 0 : random.below(20); i > 0; --i) {
        T& e = (*x)[static_cast<std::size_t>(random.below(std::ssize(*x)))];
        e = random.below(8) == 0 ? number<T>(hard::infinity) : scaled(e, static_cast<int>(random.between(-1100, 900)));
      }
      for (int64_t i = random.below(3) ? 0 : std::ssize(*x); i > 0; --i) {
        if (random.below(3)) (*x)[static_cast<std::size_t>(i - 1)] = T(0);
      }
    }
    Storage storage = storage_of(random.below(18), random.below(20));
    expect_as_on_cpu(p, options, "random " + std::to_string(round), storage, random.below(2) == 1);
  }
}

}  // namespace
}  // namespace hilo::test
