#include "data/generate.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace hilo::data {
namespace {

template <class T>
std::vector<T> made(Init init, double phi, std::uint64_t seed, std::int64_t rows, std::int64_t columns,
                    Layout layout = Layout::column, Terms terms = Terms::along_columns) {
  std::vector<T> x(static_cast<std::size_t>(rows * columns));
  generate({{init, phi}, seed, terms}, layout, rows, columns, x.data(), layout == Layout::column ? rows : columns);
  return x;
}

// FNV-1a over 64-bit words, folded so that sign bits spread too.
template <class T>
std::uint64_t hash(const std::vector<T>& x) {
  std::vector<std::uint64_t> words(x.size() * sizeof(T) / 8);
  std::memcpy(words.data(), x.data(), words.size() * 8);
  std::uint64_t h = 0xcbf29ce484222325u;
  for (std::uint64_t w : words) {
    h = (h ^ w) * 0x100000001b3u;
    h ^= h >> 29;
  }
  return h;
}

struct Golden {
  Init init;
  double phi;
  std::uint64_t real, complex, single;
};

// The bits are part of what `--seed` promises: these numbers may never change.
TEST(Generate, GoldenBits) {
  const Golden golden[] = {{Init::uniform, 0, 6334896325445601831u, 14608632067679565630u, 14510379655213959615u},
                           {Init::positive, 0, 6026337922712847131u, 12546172530550638314u, 730676918020048180u},
                           {Init::range, 4, 6631111060319934797u, 4480057672166113197u, 16613140813898924354u},
                           {Init::range, 13.5, 15496068973548590634u, 1171404830308531722u, 13145313150409948107u},
                           {Init::dominant, 0, 1603928220490197522u, 12309727766550872745u, 13885644972496472526u},
                           {Init::hilbert, 0, 13598587267942075058u, 755120130154261040u, 10133278354991372420u}};
  for (const Golden& g : golden) {
    SCOPED_TRACE(static_cast<int>(g.init));
    EXPECT_EQ(hash(made<dd_real>(g.init, g.phi, 7, 19, 23)), g.real);
    EXPECT_EQ(hash(made<dd_complex>(g.init, g.phi, 7, 19, 23)), g.complex);
    EXPECT_EQ(hash(made<float>(g.init, g.phi, 7, 18, 23)), g.single);
  }
}

TEST(Generate, LayoutAndThreadsDoNotMatter) {
  int threads = omp_get_max_threads();
  for (Init init : {Init::uniform, Init::range, Init::dominant, Init::hilbert}) {
    omp_set_num_threads(1);
    auto a = made<dd_real>(init, 2, 3, 17, 31);
    omp_set_num_threads(4);
    auto b = made<dd_real>(init, 2, 3, 17, 31, Layout::row);
    for (std::size_t i = 0; i < 17; ++i) {
      for (std::size_t j = 0; j < 31; ++j) ASSERT_EQ(a[i + 17 * j], b[31 * i + j]);
    }
  }
  omp_set_num_threads(threads);
}

TEST(Generate, EntriesAreCanonicalAndFull) {
  for (Init init : {Init::uniform, Init::positive, Init::range, Init::dominant}) {
    SCOPED_TRACE(static_cast<int>(init));
    int full = 0;
    for (dd_real x : made<dd_real>(init, 4, 11, 100, 100)) {
      ASSERT_EQ(x.hi, x.hi + x.lo);
      ASSERT_NE(x.lo, 0.0);
      // Full: lo reaches within 56 to 64 bits of 2^-106 of the number in all but one of 256 cases.
      full += std::fabs(x.lo) > std::ldexp(std::fabs(x.hi), -62);
    }
    EXPECT_GT(full, 9800);
  }
}

TEST(Generate, Ranges) {
  double smallest = 1, largest = 0, mean = 0;
  for (dd_real x : made<dd_real>(Init::uniform, 0, 5, 200, 200)) {
    ASSERT_LT(std::fabs(x.hi), 1.0);
    smallest = std::min(smallest, std::fabs(x.hi));
    largest = std::max(largest, std::fabs(x.hi));
    mean += x.hi / 40000;
  }
  EXPECT_LT(smallest, 1e-3);
  EXPECT_GT(largest, 0.999);
  EXPECT_LT(std::fabs(mean), 0.015);
  for (dd_real x : made<dd_real>(Init::positive, 0, 5, 100, 100)) ASSERT_TRUE(x.hi > 0.0 && x.hi < 1.0);
  EXPECT_EQ(made<dd_real>(Init::hilbert, 0, 5, 3, 3)[5], dd_real(1) / 4);
}

// (rand − ½)·exp(phi·normal): the mean square of ln|x| is that of ln|rand − ½| and phi² together.
TEST(Generate, RangeSpreadsByPhi) {
  auto spread = [](double phi) {
    double mean = 0, square = 0;
    for (dd_real x : made<dd_real>(Init::range, phi, 9, 200, 200)) {
      double y = std::log(std::fabs(x.hi));
      mean += y / 40000;
      square += y * y / 40000;
    }
    return square - mean * mean;
  };
  double plain = spread(0);
  EXPECT_NEAR(plain, 1.0, 0.1);  // the variance of the logarithm of a uniform number is 1
  EXPECT_NEAR(spread(4) - plain, 16.0, 0.8);
}

TEST(Generate, DominantFirstTermWhicheverWayTheTermsRun) {
  auto a = made<dd_real>(Init::dominant, 0, 1, 8, 50, Layout::row, Terms::along_columns);
  auto b = made<dd_real>(Init::dominant, 0, 2, 8, 50, Layout::row, Terms::along_rows);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 50; ++j) {
      double x = a[50 * i + j].hi, y = b[50 * i + j].hi;
      EXPECT_TRUE(j == 0 ? std::fabs(x - 1) < 0x1p-10 : std::fabs(x) < 0x1p-13);
      EXPECT_TRUE(i == 0 ? std::fabs(y - 1) < 0x1p-10 : std::fabs(y) < 0x1p-13);
    }
  }
}

TEST(Generate, SeedsAndPartsAndMatricesDiffer) {
  auto a = made<dd_complex>(Init::uniform, 0, 1, 40, 40);
  auto b = made<dd_complex>(Init::uniform, 0, 2, 40, 40);
  EXPECT_NE(seed_of_matrix(1, 'A'), seed_of_matrix(1, 'B'));
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_NE(a[i].re, b[i].re);
    ASSERT_NE(a[i].re, a[i].im);
    if (i) {
      ASSERT_NE(a[i].re, a[i - 1].re);
    }
  }
}

TEST(Generate, OtherPrecisionsAreTheSameNumbersRounded) {
  auto a = made<dd_real>(Init::range, 3, 4, 30, 30);
  auto d = made<double>(Init::range, 3, 4, 30, 30);
  auto s = made<float>(Init::range, 3, 4, 30, 30);
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(d[i], a[i].hi);
    ASSERT_EQ(s[i], static_cast<float>(a[i]));
  }
}

TEST(Generate, PaddingIsLeftAlone) {
  std::vector<double> x(5 * 3, -7.0);
  generate({{Init::positive, 0}, 1}, Layout::column, 4, 3, x.data(), 5);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_GT(x[5 * j + 3], 0.0);
    EXPECT_EQ(x[5 * j + 4], -7.0);
  }
}

errc code_of(auto call) {
  try {
    call();
  } catch (const error& e) {
    return e.code();
  }
  return errc::io;
}

TEST(Generate, WrongArguments) {
  dd_real x[4];
  float y[4];
  auto bad = errc::invalid_argument;
  EXPECT_EQ(code_of([&] { generate({{Init::uniform, 0}, 1}, Layout::column, -1, 2, x, 2); }), bad);
  EXPECT_EQ(code_of([&] { generate({{Init::uniform, 0}, 1}, Layout::row, 1, -2, x, 2); }), bad);
  EXPECT_EQ(code_of([&] { generate({{Init::uniform, 0}, 1}, Layout::column, 2, 2, x, 1); }), bad);
  EXPECT_EQ(code_of([&] {
              generate({{Init::uniform, 0}, 1}, Layout::column, 2, 2, static_cast<dd_real*>(nullptr), 2);
            }),
            bad);
  EXPECT_EQ(code_of([&] { generate({{Init::range, -1}, 1}, Layout::column, 2, 2, x, 2); }), bad);
  EXPECT_EQ(code_of([&] { generate({{Init::range, 101}, 1}, Layout::column, 2, 2, x, 2); }), bad);
  EXPECT_EQ(code_of([&] { generate({{Init::range, 15}, 1}, Layout::column, 2, 2, y, 2); }), bad);
}

TEST(ParseGenerator, NamesAndErrors) {
  EXPECT_EQ(parse_generator("uniform").init, Init::uniform);
  EXPECT_EQ(parse_generator("hilbert").init, Init::hilbert);
  EXPECT_EQ(parse_generator("range:2.5").init, Init::range);
  EXPECT_EQ(parse_generator("range:2.5").phi, 2.5);
  for (const char* text :
       {"", "Uniform", "range", "range:", "range:x", "range:1x", "range:-1", "range:nan", "range:1e9", "uniform:3"}) {
    EXPECT_EQ(code_of([&] { parse_generator(text); }), errc::parse) << text;
  }
}

}  // namespace
}  // namespace hilo::data
