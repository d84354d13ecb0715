// The bits of the modular engine: those of its definition, and the same for every number of threads, workspace, depth,
// levels, int8 library, instruction set, storage and batch.
#include <gtest/gtest.h>

#include <functional>

#include "error_message.hpp"
#include "exact_entry.hpp"
#include "gemm/direct/cpu/kernels.hpp"
#include "modular_problems.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

template <class T>
class ModularBits : public testing::Test {
 protected:
  // Every product with each variation of its options has the bits of the product without it.
  template <class Vary>
  static void expect_same(const std::vector<NamedProduct<T>>& all, const std::vector<Vary>& variations) {
    for (const NamedProduct<T>& x : all) {
      auto expected = x.problem.multiply(x.options);
      for (const Vary& vary : variations) {
        GemmOptions options = x.options;
        std::string what = vary(options);
        EXPECT_EQ(first_difference(x.problem.multiply(options), expected), -1) << x.name << ": " << what;
      }
    }
  }
};
TYPED_TEST_SUITE(ModularBits, Precisions, PrecisionName);

using Variation = std::function<std::string(GemmOptions&)>;

Variation threads(int count) {
  return [=](GemmOptions& o) { return std::to_string(o.threads = count) + " threads"; };
}
Variation workspace(int64_t bytes) {
  return [=](GemmOptions& o) { return "workspace " + std::to_string(o.workspace_bytes = bytes); };
}
Variation depth(int64_t terms) {
  return [=](GemmOptions& o) { return "depth " + std::to_string(o.depth = terms); };
}
Variation operator+(const Variation& x, const Variation& y) {
  return [=](GemmOptions& o) { return x(o) + ", " + y(o); };
}

bool has_onednn() {
  try {
    double x = 1, y = 0;
    gemm(Layout::column, Op::none, Op::none, 1, 1, 1, 1.0, &x, 1, &x, 1, 0.0, &y, 1,
         {.engine = Engine::modular, .int8_library = Int8Library::onednn});
    return true;
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::unsupported) << e.what();
    return false;
  }
}

TYPED_TEST(ModularBits, ProductsTakeThePathsTheyAreFor) {
  for (const auto& x : modular_products<TypeParam>()) {
    GemmReport report;
    x.problem.multiply(x.options, &report);
    EXPECT_TRUE(is_modular(report)) << x.name;
    EXPECT_TRUE(x.name != "classic, balanced" || report.plan.path == Path::modular_balanced);
    EXPECT_TRUE(x.name != "classic, with direct entries" || report.entries_direct > 0);
  }
}

TYPED_TEST(ModularBits, AreThoseOfTheDefinition) {
  using T = TypeParam;
  for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast, Accuracy::tight, Accuracy::normwise, Accuracy::bits}) {
    for (int bits : {1, 2, 41, 42, 43, 60, 83, 84, 85, 107, 126, 127, 141, 165}) {
      if (accuracy != Accuracy::bits && bits > 1) continue;
      auto p = bits % 2 ? generated<T>(uniform_kind, 9, 7, 11, 17) : generated<T>(range_kind(4), 7, 9, 11, 18);
      // Ties between integers, once the row is scaled by 2^(bits − 1), and los that break them.
      for (int64_t i = 0; i < p.m; ++i) {
        p.left(i, 0) = number<T>(1 - 0x1p-53, 0.5);
        for (int64_t h = 1; h < 5; ++h) {
          double tie = std::ldexp(static_cast<double>(i + h) + 0.5, -bits), lo = std::ldexp(tie, -60 - 20 * (bits % 4));
          p.left(i, h) = number<T>(dd_real(tie, h == 1 ? 0.0 : h == 2 ? lo : -lo), dd_real(-tie, lo));
        }
      }
      GemmReport report;
      GemmOptions options = {.engine = Engine::modular, .accuracy = accuracy, .threads = 1};
      if (accuracy == Accuracy::bits) options.bits = bits;
      auto c = p.multiply(options, &report);
      EXPECT_EQ(report.entries_direct, 0);
      if (report.plan.path != Path::modular) continue;
      EXPECT_EQ(first_difference(c, defined_product(p, report.plan.bits)), -1) << name(accuracy) << ' ' << bits;
    }
  }
}

TYPED_TEST(ModularBits, TheLeastWorkspace) {
  for (const auto& x : modular_products<TypeParam>()) {
    GemmOptions options = x.options;
    options.workspace_bytes = 1;
    std::string message = message_of(errc::invalid_argument, [&] { x.problem.multiply(options); });
    std::string before = "is less than ";
    std::size_t at = message.find(before);
    ASSERT_NE(at, std::string::npos) << message;
    options.workspace_bytes = std::stoll(message.substr(at + before.size()));
    EXPECT_LE(options.workspace_bytes, 64 << 10) << x.name;
    EXPECT_EQ(first_difference(x.problem.multiply(options), x.problem.multiply(x.options)), -1) << x.name;
  }
}

TYPED_TEST(ModularBits, ThreadsWorkspaceAndDepth) {
  std::vector<Variation> variations;
  for (int count : {1, 2, 3, 4}) variations.push_back(threads(count));
  for (int64_t bytes : {64 << 10, 256 << 10, 1 << 20, 16 << 20}) variations.push_back(workspace(bytes));
  for (int64_t terms : {1, 7, 64, 100, 65536}) variations.push_back(depth(terms));
  variations.push_back(threads(4) + workspace(64 << 10) + depth(7));
  variations.push_back(threads(3) + workspace(256 << 10) + depth(100));
  this->expect_same(modular_products<TypeParam>(), variations);
}

TYPED_TEST(ModularBits, TermsBeyondAPanel) {
  using T = TypeParam;
  auto p = generated<T>(uniform_kind, 8, 5, 70'000, 11);
  set_scalars(p);
  std::vector<Variation> variations = {threads(1),   threads(4),  workspace(1 << 20),
                                       depth(65536), depth(1000), depth(65535)};
  this->expect_same({{"70000 terms", p, {.engine = Engine::modular, .threads = 1}}}, variations);
}

// Blocks of several tiles.
TYPED_TEST(ModularBits, LevelsOfManyTiles) {
  using T = TypeParam;
  const auto p = generated<T>(uniform_kind, 1100, 1090, 70, 5);
  GemmOptions options{.engine = Engine::modular, .threads = 2, .levels = 0};
  const auto want = p.multiply(options);
  options.levels = 1;
  GemmReport report;
  EXPECT_EQ(first_difference(p.multiply(options, &report), want), -1);
  EXPECT_EQ(report.plan.levels, 1);
}

// Blocks that are full, that end before their last line, and less memory than they take whole: panels, or fewer levels.
TYPED_TEST(ModularBits, Levels) {
  using T = TypeParam;
  const int64_t sizes[][3] = {{256, 256, 128}, {200, 193, 51}, {133, 300, 211}, {310, 197, 65}};
  std::uint64_t seed = 1;
  for (const auto& [m, n, k] : sizes) {
    for (const Layout layout : {Layout::column, Layout::row}) {
      for (const Op op : {Op::none, Op::conjugate_transpose}) {
        Storage storage;
        storage.layout = layout;
        storage.opa = op;
        storage.opb = seed % 2 ? Op::none : Op::transpose;
        Problem<T> p = generated<T>(seed % 3 ? range_kind(1) : range_kind(4), m, n, k, seed);
        ++seed;
        GemmOptions options{.engine = Engine::modular, .threads = 1, .levels = 0};
        GemmReport report;
        const auto want = p.multiply(options, &report, storage);
        EXPECT_EQ(report.plan.levels, 0);
        for (int levels : {1, 2}) {
          for (int threads : {1, 3}) {
            for (const int64_t depth : {0, 64}) {
              if (threads == 3 && depth == 64) continue;
              options.levels = levels;
              options.threads = threads;
              options.depth = depth;
              EXPECT_EQ(first_difference(p.multiply(options, &report, storage), want), -1)
                  << m << " x " << n << " x " << k << ", " << levels << " levels";
              EXPECT_GT(report.plan.levels, 0) << m << " x " << n << " x " << k;
            }
          }
          options.depth = 0;
          for (const int64_t bytes : {int64_t{3} << 20, int64_t{12} << 20, int64_t{40} << 20}) {
            options.workspace_bytes = bytes;
            EXPECT_EQ(first_difference(p.multiply(options, &report, storage), want), -1) << bytes;
            EXPECT_LE(report.plan.workspace_bytes, bytes);
          }
          options.workspace_bytes = 0;
        }
      }
    }
  }
}

TYPED_TEST(ModularBits, Int8Libraries) {
  auto plain = [](GemmOptions& o) {
    o.int8_library = Int8Library::plain;
    return std::string("plain");
  };
  auto onednn = [](GemmOptions& o) {
    o.int8_library = Int8Library::onednn;
    return std::string("oneDNN");
  };
  std::vector<Variation> variations = {plain, Variation(plain) + depth(33)};
  if (has_onednn()) {
    variations.insert(variations.end(),
                      {onednn, Variation(onednn) + depth(7), Variation(onednn) + workspace(64 << 10)});
  }
  this->expect_same(modular_products<TypeParam>(), variations);
}

// Some tiles both ways.
TYPED_TEST(ModularBits, SomeTiles) {
  using T = TypeParam;
  auto p = generated<T>(uniform_kind, 570, 540, 70, 19);
  set_scalars(p);
  auto plain = [](GemmOptions& o) {
    o.int8_library = Int8Library::plain;
    return std::string("plain");
  };
  const std::vector<Variation> variations = {plain, threads(4), depth(33), workspace(4 << 20),
                                             threads(3) + depth(64) + workspace(16 << 20)};
  this->expect_same({{"some tiles", p, {.engine = Engine::modular, .threads = 1}}}, variations);
}

TYPED_TEST(ModularBits, InstructionSets) {
  std::vector<Variation> variations;
  for (const direct::KernelSet* set : direct::kernel_sets()) {
    variations.push_back([=](GemmOptions& o) {
      // Entries of the direct engine have its bits, with FMA or without.
      o.fma = Fma::on;
      return std::string(o.target = set->target);
    });
  }
  auto all = modular_products<TypeParam>();
  for (auto& x : all) x.options.fma = Fma::on;
  this->expect_same(all, variations);
}

TYPED_TEST(ModularBits, Storage) {
  for (const auto& x : modular_products<TypeParam>()) {
    auto expected = x.problem.multiply(x.options);
    for (Layout layout : {Layout::column, Layout::row}) {
      for (Op opa : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        for (Op opb : {Op::none, Op::transpose, Op::conjugate_transpose}) {
          Storage storage{layout, opa, opb, opa == opb ? 0 : 5};
          EXPECT_EQ(first_difference(x.problem.multiply(x.options, nullptr, storage), expected), -1)
              << x.name << ": " << storage.text();
        }
      }
    }
  }
}

// Without spread a plan says before what the report says afterwards.
TYPED_TEST(ModularBits, ThePlanIsTheReport) {
  using T = TypeParam;
  auto p = flat<T>(20, 24, 30, 3);
  const std::pair<Accuracy, int> cases[] = {{Accuracy::classic, 0}, {Accuracy::tight, 0}, {Accuracy::normwise, 0},
                                            {Accuracy::bits, 1},    {Accuracy::bits, 10}, {Accuracy::bits, 60}};
  for (auto [accuracy, bits] : cases) {
    GemmOptions options{.engine = Engine::modular, .accuracy = accuracy, .threads = 1, .bits = bits};
    GemmReport report;
    p.multiply(options, &report);
    auto plan = plan_gemm<T>(Layout::column, Op::none, Op::none, p.m, p.n, p.k, options);
    EXPECT_EQ(to_string(report.plan), to_string(plan));
    EXPECT_EQ(report.plan.error_bound_u2, plan.error_bound_u2);
  }
}

TYPED_TEST(ModularBits, ABatchIsItsProducts) {
  using T = TypeParam;
  // Each has its own exponents, number of moduli and path. B is shared, then not.
  for (bool shared : {true, false}) {
    std::vector<Problem<T>> problems = {generated<T>(uniform_kind, 14, 19, 40, 12),
                                        generated<T>(range_kind(4), 14, 19, 40, 13), guarded_problem<T>(14, 19, 40, 14),
                                        balanced_problem<T>(14, 19, 40, 15),
                                        generated<T>(uniform_kind, 14, 19, 40, 16)};
    problems[4].left(3, 3) = number<T>(std::numeric_limits<double>::infinity());
    std::vector<T> a, b, c, expected;
    for (Problem<T>& p : problems) {
      if (shared) p.b = problems[0].b;
      set_scalars(p);
      a.insert(a.end(), p.a.begin(), p.a.end());
      if (!shared || b.empty()) b.insert(b.end(), p.b.begin(), p.b.end());
      c.insert(c.end(), p.c0.begin(), p.c0.end());
      auto single = p.multiply({.engine = Engine::modular, .threads = 1});
      expected.insert(expected.end(), single.begin(), single.end());
    }
    for (int count : {1, 3}) {
      auto batched = c;
      gemm_strided_batch(Layout::column, Op::none, Op::none, 14, 19, 40, problems[0].alpha, a.data(), 14, 14 * 40,
                         b.data(), 40, shared ? 0 : 40 * 19, problems[0].beta, batched.data(), 14, 14 * 19,
                         static_cast<int64_t>(problems.size()), {.engine = Engine::modular, .threads = count});
      EXPECT_EQ(first_difference(batched, expected), -1) << count << " threads, B shared: " << shared;
    }
  }
}

}  // namespace
}  // namespace hilo::test
