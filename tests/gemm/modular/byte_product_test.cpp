// Products of bytes: the plain loops against sums in 64 bits, and what else multiplies here against the plain loops.
#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "gemm/modular/cpu/amx.hpp"
#include "gemm/modular/cpu/bytes.hpp"
#include "host/workspace.hpp"

namespace hilo::modular {
namespace {

using std::int32_t;
using std::int64_t;

constexpr int32_t guard = 0x5aa55aa5;

struct Shape {
  int64_t rows, columns, depth;
};

// Operands stored in one of the two orders, with leading dimensions of `pad` more than needed. What lies between the
// lines is of values that would be seen in a sum.
struct Problem {
  Shape shape;
  bool first_transposed, second_transposed;
  int64_t pad;
  std::vector<std::uint8_t> first;
  std::vector<std::int8_t> second;

  Problem(Shape s, bool transposes_first, bool transposes_second, int64_t p)
      : shape(s), first_transposed(transposes_first), second_transposed(transposes_second), pad(p) {
    first.resize(elements(s.rows, s.depth, transposes_first), 255);
    second.resize(elements(s.depth, s.columns, transposes_second), -128);
  }
  std::size_t elements(int64_t lines, int64_t others, bool transposed) const {
    return static_cast<std::size_t>(transposed ? others * (lines + pad) : lines * (others + pad));
  }
  ByteMatrix<std::uint8_t> a() const {
    return {first.data(), (first_transposed ? shape.rows : shape.depth) + pad, first_transposed};
  }
  ByteMatrix<std::int8_t> b() const {
    return {second.data(), (second_transposed ? shape.depth : shape.columns) + pad, second_transposed};
  }
  template <class Byte>
  static std::size_t at(ByteMatrix<Byte> x, int64_t i, int64_t j) {
    return static_cast<std::size_t>(x.transposed ? j * x.leading + i : i * x.leading + j);
  }
  template <class First, class Second>
  void fill(First first_value, Second second_value) {
    for (int64_t h = 0; h < shape.depth; ++h) {
      for (int64_t i = 0; i < shape.rows; ++i) first[at(a(), i, h)] = static_cast<std::uint8_t>(first_value(i, h));
      for (int64_t j = 0; j < shape.columns; ++j) second[at(b(), h, j)] = static_cast<std::int8_t>(second_value(h, j));
    }
  }
  void fill_randomly(std::uint64_t seed) {
    auto random = [&seed](int64_t, int64_t) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      return static_cast<std::uint8_t>(seed >> 56);
    };
    fill(random, random);
  }

  // The sums with guards around them: a line before, a line after, and `pad` after every row.
  int64_t leading() const { return shape.columns + pad; }
  std::vector<int32_t> guarded() const {
    return std::vector<int32_t>(static_cast<std::size_t>((shape.rows + 2) * leading()), guard);
  }
  std::vector<int32_t> product(Int8Library library) const {
    auto sums = guarded();
    multiply_bytes(int8_library(library), shape.rows, shape.columns, shape.depth, a(), b(), sums.data() + leading(),
                   leading());
    return sums;
  }
  // Of operands that are packed part by part, by strips of rows and of columns, and of terms.
  std::vector<int32_t> packed_product() const {
    std::vector<int32_t> sums;
    const int64_t depth = shape.depth;
    const host::Workspace memory(packed_bytes(shape.rows, depth) + packed_bytes(shape.columns, depth));
    auto* const packed_a = reinterpret_cast<std::uint8_t*>(memory.data());
    std::uint8_t* const packed_b = packed_a + packed_bytes(shape.rows, depth);
    for (int64_t h = 0; h < depth; h += packed_side) {
      const int64_t terms = std::min(packed_side, depth - h);
      for (int64_t i = 0; i < shape.rows; i += packed_side) {
        pack_bytes(ByteMatrix<std::uint8_t>{first.data() + at(a(), i, h), a().leading, first_transposed},
                   std::min(packed_side, shape.rows - i), terms, depth, packed_a + packed_at(i, h, depth));
      }
      for (int64_t j = 0; j < shape.columns; j += packed_side) {
        pack_bytes(ByteMatrix<std::int8_t>{second.data() + at(b(), h, j), b().leading, second_transposed},
                   std::min(packed_side, shape.columns - j), terms, depth, packed_b + packed_at(j, h, depth));
      }
    }
    const int64_t rows = 2 * packed_side, columns = 11 * packed_side, most_terms = 41 * packed_side;
    for (int64_t h = 0; h < depth; h += most_terms) {
      auto part = guarded();
      for (int64_t i = 0; i < shape.rows; i += rows) {
        for (int64_t j = 0; j < shape.columns; j += columns) {
          multiply_packed_bytes(std::min(rows, shape.rows - i), std::min(columns, shape.columns - j),
                                std::min(most_terms, depth - h), depth, packed_a + packed_at(i, h, depth),
                                packed_b + packed_at(j, h, depth), part.data() + (i + 1) * leading() + j, leading(),
                                {packed_a, j / columns});
        }
      }
      if (h > 0) {
        for (std::size_t i = 0; i < sums.size(); ++i) part[i] = sums[i] == guard ? part[i] : part[i] + sums[i];
      }
      sums = part;
    }
    return sums;
  }
  std::vector<int32_t> exact() const {
    auto sums = guarded();
    for (int64_t i = 0; i < shape.rows; ++i) {
      for (int64_t j = 0; j < shape.columns; ++j) {
        int64_t sum = 0;
        for (int64_t h = 0; h < shape.depth; ++h) sum += int64_t{first[at(a(), i, h)]} * second[at(b(), h, j)];
        EXPECT_EQ(sum, static_cast<int32_t>(sum));
        sums[static_cast<std::size_t>((i + 1) * leading() + j)] = static_cast<int32_t>(sum);
      }
    }
    return sums;
  }
};

std::ostream& operator<<(std::ostream& out, const Problem& p) {
  return out << p.shape.rows << " × " << p.shape.columns << " × " << p.shape.depth << (p.first_transposed ? " T" : " N")
             << (p.second_transposed ? 'T' : 'N') << ", " << p.pad << " more than needed";
}

class ByteProductTest : public testing::TestWithParam<Int8Library> {
 protected:
  void SetUp() override {
    if (GetParam() == Int8Library::onednn && !int8_obstacle().empty()) GTEST_SKIP() << int8_obstacle();
    if (GetParam() == Int8Library::amx && !has_amx()) GTEST_SKIP() << "no AMX";
  }
  // Every sum, and nothing beside them.
  void expect_exact(const Problem& problem) { expect_equal(problem, problem.exact()); }
  void expect_equal(const Problem& problem, const std::vector<int32_t>& exact) {
    EXPECT_TRUE(problem.product(GetParam()) == exact) << problem;
    if (packs_bytes(int8_library(GetParam())) && problem.shape.depth > 0) {
      EXPECT_TRUE(problem.packed_product() == exact) << problem << ", packed";
    }
  }

  template <class Fill>
  void expect_exact_in_every_order(Shape shape, Fill fill) {
    for (int64_t pad : {0, 3}) {
      // Of the first order: the others have the same entries.
      std::vector<int32_t> exact;
      for (bool first_transposed : {false, true}) {
        for (bool second_transposed : {false, true}) {
          Problem problem(shape, first_transposed, second_transposed, pad);
          fill(problem);
          if (exact.empty()) exact = problem.exact();
          expect_equal(problem, exact);
        }
      }
    }
  }
};

TEST_P(ByteProductTest, RandomBytes) {
  // Around the edges of vectors (8, 16), tiles (4, 48) and blocks (32, 64, 512) of each library.
  for (int64_t rows : {1, 2, 7, 33, 65}) {
    for (int64_t columns : {1, 2, 16, 17, 65, 100}) {
      for (int64_t depth : {1, 2, 7, 17, 64, 65}) {
        expect_exact_in_every_order({rows, columns, depth}, [](Problem& p) { p.fill_randomly(3); });
      }
    }
  }
  for (Shape shape : {Shape{5, 70, 511},
                      {70, 5, 512},
                      {1, 9, 513},
                      {33, 49, 1537},
                      {9, 1, 3100},
                      {40, 1041, 530},
                      {131, 150, 1100},
                      {37, 70, 2100},
                      {37, 40, 4096}}) {
    expect_exact_in_every_order(shape, [](Problem& p) { p.fill_randomly(4); });
  }
}

TEST_P(ByteProductTest, ExtremesThatSaturateSixteenBits) {
  for (Shape shape : {Shape{1, 1, 2}, {1, 50, 64}, {50, 1, 64}, {9, 50, 4}, {50, 9, 129}, {16, 64, 1030}}) {
    for (int second : {-128, 127}) {
      expect_exact_in_every_order(shape, [second](Problem& p) {
        p.fill([](int64_t, int64_t) { return 255; }, [second](int64_t, int64_t) { return second; });
      });
    }
    expect_exact_in_every_order(shape, [](Problem& p) {
      p.fill([](int64_t i, int64_t h) { return (i + h) % 3 ? 255 : 0; },
             [](int64_t h, int64_t j) { return (h / 2 + j) % 2 ? -128 : 127; });
    });
  }
}

TEST_P(ByteProductTest, SumsThatFillTheLastBit) {
  for (int second : {-128, 127}) {
    for (Shape shape : {Shape{1, 1, max_byte_depth}, {3, 5, max_byte_depth}, {5, 3, 65793}}) {
      expect_exact_in_every_order(shape, [second](Problem& p) {
        p.fill([](int64_t, int64_t) { return 255; }, [second](int64_t, int64_t) { return second; });
      });
    }
  }
}

TEST_P(ByteProductTest, NoTermsGiveZerosAndEmptySumsNothing) {
  Problem no_terms({3, 5, 0}, false, false, 2);
  expect_exact(no_terms);
  std::uint8_t a = 1;
  std::int8_t b = 1;
  int32_t sum = guard;
  multiply_bytes(int8_library(GetParam()), 0, 1, 1, {&a, 1, false}, {&b, 1, false}, &sum, 1);
  multiply_bytes(int8_library(GetParam()), 1, 0, 1, {&a, 1, false}, {&b, 1, false}, &sum, 1);
  multiply_bytes(int8_library(GetParam()), 0, 0, 0, {nullptr, 1, false}, {nullptr, 1, false}, nullptr, 1);
  EXPECT_EQ(sum, guard);
}

TEST_P(ByteProductTest, PlainLoopsServeWhereOnednnRefuses) {
  // oneDNN refuses a leading dimension below the length of a line even of a single one, which does not need it.
  const std::vector<std::uint8_t> a(20, 255);
  const std::vector<std::int8_t> b(20, -128);
  int32_t sum = guard;
  multiply_bytes(int8_library(GetParam()), 1, 1, 20, {a.data(), 1, false}, {b.data(), 1, true}, &sum, 1);
  EXPECT_EQ(sum, 20 * 255 * -128);
}

TEST_P(ByteProductTest, LeavesTheNumberOfThreadsAlone) {
  int before = omp_get_max_threads();
  Problem problem({300, 300, 300}, false, false, 0);
  problem.fill_randomly(5);
  for (int threads : {3, 1}) {
    omp_set_num_threads(threads);
    problem.product(GetParam());
    EXPECT_EQ(omp_get_max_threads(), threads);
  }
  omp_set_num_threads(before);
}

TEST_P(ByteProductTest, StartsNoThreads) {
  const std::filesystem::path tasks = "/proc/self/task";
  if (!std::filesystem::exists(tasks)) GTEST_SKIP() << "no " << tasks;
  auto threads = [&tasks] {
    return std::distance(std::filesystem::directory_iterator(tasks), std::filesystem::directory_iterator());
  };
  // A new thread has no team of its own yet, and one that a product started would stay.
  std::thread([&] {
    Problem problem({300, 300, 300}, false, false, 0);
    problem.fill_randomly(5);
    omp_set_num_threads(3);
    auto before = threads();
    problem.product(GetParam());
    EXPECT_LE(threads(), before);  // a thread of another test may have been on its way out
  }).join();
}

TEST_P(ByteProductTest, SeveralCallersAtOnce) {
  Problem problem({65, 130, 700}, true, false, 1);
  problem.fill_randomly(6);
  auto expected = problem.exact();
  std::array<int, 4> wrong{};
  std::vector<std::thread> callers;
  for (int& mine : wrong) {
    callers.emplace_back([&] {
      for (int round = 0; round < 10; ++round) mine += problem.product(GetParam()) != expected;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, (std::array<int, 4>{}));

  int in_region = 0;
#pragma omp parallel num_threads(4) reduction(+ : in_region)
  in_region += problem.product(GetParam()) != expected;
  EXPECT_EQ(in_region, 0);
}

INSTANTIATE_TEST_SUITE_P(Libraries, ByteProductTest,
                         testing::Values(Int8Library::plain, Int8Library::onednn, Int8Library::amx,
                                         Int8Library::automatic),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST(ByteProductLibrary, AutomaticIsWhatCanBeUsed) {
  EXPECT_EQ(int8_library(Int8Library::plain), Int8Library::plain);
  EXPECT_EQ(int8_library_name(Int8Library::plain), "plain loops");
  const std::pair<Int8Library, std::string> obstacles[] = {
      {Int8Library::amx, has_amx() ? "" : "no AMX for bytes"},
      {Int8Library::onednn, int8_obstacle()},
  };
  Int8Library best = Int8Library::plain;
  for (const auto& [library, obstacle] : obstacles) {
    if (obstacle.empty()) {
      EXPECT_EQ(int8_library(library), library);
      if (best == Int8Library::plain) best = library;
      continue;
    }
    try {
      int8_library(library);
      FAIL() << "accepted " << name(library);
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::unsupported);
      EXPECT_TRUE(std::string(e.what()).ends_with(obstacle)) << e.what();
    }
  }
  EXPECT_EQ(int8_library(Int8Library::automatic), best);
  EXPECT_EQ(int8_library_name(Int8Library::automatic), int8_library_name(best));
  if (int8_obstacle().empty()) {
    EXPECT_TRUE(int8_library_name(Int8Library::onednn).starts_with("oneDNN "));
  }
}

TEST(ByteProductLibrary, ItsPathIsOneThatTablesOfRatesKnow) {
  EXPECT_EQ(int8_path(Int8Library::plain), "plain");
  EXPECT_EQ(int8_path(Int8Library::automatic), int8_path(int8_library(Int8Library::automatic)));
  if (has_amx()) {
    EXPECT_EQ(int8_path(Int8Library::amx), "amx");
  }
  if (!int8_obstacle().empty()) return;
  const std::string_view path = int8_path(Int8Library::onednn);
  EXPECT_TRUE(path.starts_with("onednn")) << path;
  const char* held_back = std::getenv("ONEDNN_MAX_CPU_ISA");
  if (held_back && std::string_view(held_back) == "AVX2_VNNI") {
    EXPECT_EQ(path, "onednn-avx2-vnni");
  }
}

TEST(ByteProductLibrary, OnednnPassesItsCheckOnCpusWithVnni) {
#if defined(__x86_64__)
  if (int8_obstacle() == "not in this build") GTEST_SKIP() << int8_obstacle();
  if (std::getenv("ONEDNN_MAX_CPU_ISA") || std::getenv("DNNL_MAX_CPU_ISA")) GTEST_SKIP() << "held back";
  if (!__builtin_cpu_supports("avx512vnni")) GTEST_SKIP() << "a CPU without VNNI";
  EXPECT_EQ(int8_obstacle(), "");
#else
  GTEST_SKIP() << "not x86-64";
#endif
}

// Is there before the libraries, outlives what they made, and fails the program where it cannot multiply any more.
struct MultipliesAtExit {
  ~MultipliesAtExit() {
    Problem problem({9, 50, 70}, false, true, 0);
    problem.fill([](int64_t, int64_t) { return 255; }, [](int64_t, int64_t) { return -128; });
    if (problem.product(Int8Library::automatic) != problem.exact()) std::_Exit(1);
  }
} multiplies_at_exit;

}  // namespace
}  // namespace hilo::modular
