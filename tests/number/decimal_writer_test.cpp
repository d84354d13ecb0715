#include <gtest/gtest.h>

#include <hilo/text.hpp>
#include <iomanip>
#include <sstream>
#include <vector>

#include "decimal_oracle.hpp"
#include "rounding_modes.hpp"
#include "test_size.hpp"

using hilo::dd_real;
using hilo::oracle::number;
using hilo::oracle::same_bits;

namespace {

template <class... Arguments>
std::string print(dd_real x, Arguments... arguments) {
  std::string text(3000, '?');
  auto r = hilo::to_chars(text.data(), text.data() + text.size(), x, arguments...);
  EXPECT_EQ(r.ec, std::errc());
  text.resize(static_cast<std::size_t>(r.ptr - text.data()));
  return text;
}

template <class... Arguments>
std::string print_double(double x, Arguments... arguments) {
  std::string text(3000, '?');
  text.resize(static_cast<std::size_t>(std::to_chars(text.data(), text.data() + text.size(), x, arguments...).ptr -
                                       text.data()));
  return text;
}

dd_real read(const std::string& text, std::chars_format format = std::chars_format::general) {
  dd_real x(std::numeric_limits<double>::quiet_NaN());
  auto r = hilo::from_chars(text.data(), text.data() + text.size(), x, format);
  EXPECT_TRUE(r.ec == std::errc() && r.ptr == text.data() + text.size()) << text;
  return x;
}

int many(int count) { return hilo::test::is_long() ? 50 * count : count; }

TEST(DecimalWriter, ShortestReadsBack) {
  hilo::oracle::numbers random(11);
  using std::chars_format;
  for (int i = 0; i < many(10000); ++i) {
    dd_real x = random.any();
    std::string text = print(x);
    ASSERT_TRUE(same_bits(read(text), x)) << text << std::hexfloat << ' ' << x.hi << ' ' << x.lo;
    if (i % 10 != 0) continue;
    for (auto format : {chars_format::scientific, chars_format::fixed, chars_format::general})
      ASSERT_TRUE(same_bits(read(print(x, format)), x)) << text;
    ASSERT_TRUE(same_bits(read(print(x, chars_format::hex), chars_format::hex), x)) << text;
  }
  using limits = std::numeric_limits<dd_real>;
  for (dd_real x : {limits::max(), limits::lowest(), limits::min(), limits::denorm_min(), dd_real(1.0, 0x1p-1074),
                    dd_real(0x1p1023, 0x1p-1074), dd_real(0x1p1023, -0x1p969), dd_real(-0.0), dd_real(0.0)})
    EXPECT_TRUE(same_bits(read(print(x)), x)) << print(x);
}

// A short decimal may be the midpoint of two adjacent numbers: it identifies the even one, and only that.
TEST(DecimalWriter, ShortestMayBeATie) {
  int ties = 0;
  for (int exponent = 38; exponent <= 46; ++exponent) {
    for (int leading = 1; leading < 3000; leading += 2) {
      if (leading % 5 == 0) continue;
      std::string text = std::to_string(leading) + "e+" + std::to_string(exponent);
      dd_real x = read(text);
      number rest(text);
      mpfr_sub(rest.get(), rest.get(), number(x).get(), MPFR_RNDN);
      double half_gap = std::ldexp(1.0, std::ilogb(x.lo) - 53);
      if (std::abs(mpfr_get_d(rest.get(), MPFR_RNDN)) != half_gap) continue;
      ++ties;
      std::size_t digits = std::to_string(leading).size();
      std::string shortest = print(x, std::chars_format::scientific);
      ASSERT_LE(shortest.find('e'), digits + (digits > 1)) << text;
      for (double away : {-1e300, 1e300}) {
        dd_real neighbour(x.hi, std::nextafter(x.lo, away));
        ASSERT_TRUE(same_bits(read(print(neighbour)), neighbour)) << text;
      }
    }
  }
  EXPECT_GT(ties, 100);
}

// No decimal of one digit less reads as x, and among those of the same length none is closer to x.
TEST(DecimalWriter, ShortestIsShortestAndClosest) {
  hilo::oracle::numbers random(12);
  for (int i = 0; i < many(1000); ++i) {
    dd_real x = random.any();
    std::string text = print(x, std::chars_format::scientific);
    int decimals = static_cast<int>(text.find('e')) - (x.hi < 0.0) - 2;
    number exact(x);
    if (decimals > 0) {
      for (auto rounding : {MPFR_RNDD, MPFR_RNDU}) {
        std::string shorter = exact.print('e', decimals - 1, rounding);
        dd_real y = number(shorter).nearest();
        ASSERT_FALSE(same_bits(y, x)) << shorter << " is shorter than " << text;
      }
    }
    std::string closest = exact.print('e', std::max(decimals, 0));
    if (same_bits(number(closest).nearest(), x)) {
      ASSERT_EQ(read(text), read(closest));
      ASSERT_EQ(text, closest);
    }
  }
}

TEST(DecimalWriter, MaxDigits10ReadsBackWithoutGap) {
  hilo::oracle::numbers random(13);
  constexpr int digits = std::numeric_limits<dd_real>::max_digits10;
  for (int i = 0; i < many(100000); ++i) {
    dd_real x = random.contiguous();
    ASSERT_TRUE(same_bits(read(print(x, std::chars_format::scientific, digits - 1)), x)) << print(x);
  }
}

// 34 digits identify every number whose lo is at least an eighth of an ulp of hi, and not all below that.
TEST(DecimalWriter, MaxDigits10AtItsBound) {
  constexpr int digits = std::numeric_limits<dd_real>::max_digits10;
  hilo::oracle::numbers random(17);
  auto reads_back = [](dd_real x) { return same_bits(read(print(x, std::chars_format::scientific, digits - 1)), x); };
  int failures_below = 0;
  for (int exponent = -1022; exponent <= 1023; ++exponent) {
    for (double leading : {1.0, 0x1.0000000000001p0, 1.5, 0x1.ffffffffffffep0, 0x1.fffffffffffffp0}) {
      for (double trailing : {1.0, 0x1.0000000000001p0, 0x1.8000000000001p0, 0x1.fffffffffffffp0,
                              1.0 + random.uniform(0, 1 << 30) * 0x1p-30 + random.uniform(0, 1 << 22) * 0x1p-52}) {
        for (double sign : {1.0, -1.0}) {
          for (int gap = 54; gap <= 57; ++gap) {
            const double hi = std::ldexp(leading, exponent), lo = std::ldexp(sign * trailing, exponent - gap);
            const dd_real x = dd_real::sum(hi, lo);
            if (!std::isfinite(x.hi) || x.lo == 0.0) continue;
            if (std::ilogb(x.lo) >= std::ilogb(x.hi) - 55) {
              ASSERT_TRUE(reads_back(x)) << print(x);
            } else {
              failures_below += !reads_back(x);
            }
          }
        }
      }
    }
  }
  EXPECT_GT(failures_below, 0);
}

TEST(DecimalWriter, PrecisionAsMpfr) {
  hilo::oracle::numbers random(14);
  for (int i = 0; i < many(2000); ++i) {
    dd_real x = random.any();
    number exact(x);
    int precision = i % 20 == 0 ? random.uniform(100, 1600) : random.uniform(0, 50);
    ASSERT_EQ(print(x, std::chars_format::scientific, precision), exact.print('e', precision));
    ASSERT_EQ(print(x, std::chars_format::fixed, precision), exact.print('f', precision));
    ASSERT_EQ(print(x, std::chars_format::general, precision), exact.print('g', precision));
  }
}

TEST(DecimalWriter, TiesGoToEven) {
  auto fixed = [](dd_real x, int precision) { return print(x, std::chars_format::fixed, precision); };
  EXPECT_EQ(fixed(0.5, 0), "0");
  EXPECT_EQ(fixed(1.5, 0), "2");
  EXPECT_EQ(fixed(2.5, 0), "2");
  EXPECT_EQ(fixed(-2.5, 0), "-2");
  EXPECT_EQ(fixed({2.5, 0x1p-1074}, 0), "3");
  EXPECT_EQ(fixed({2.5, -0x1p-1074}, 0), "2");
  EXPECT_EQ(fixed({3.5, -0x1p-1074}, 0), "3");
  EXPECT_EQ(fixed({0.5, 0x1p-1074}, 0), "1");
  EXPECT_EQ(fixed({0x1p70, 0.5}, 0), "1180591620717411303424");
  EXPECT_EQ(fixed({0x1p70, 1.5}, 0), "1180591620717411303426");
  EXPECT_EQ(fixed(999.5, 0), "1000");
  EXPECT_EQ(fixed(0.05, 0), "0");
  EXPECT_EQ(fixed(0.000999, 5), "0.00100");
  EXPECT_EQ(fixed(0.000999, 1), "0.0");
  EXPECT_EQ(print(99.5, std::chars_format::scientific, 1), "1.0e+02");
  EXPECT_EQ(print(99.5, std::chars_format::general, 2), "1e+02");
}

// Where lo = 0 the rounding, the layout and the choice of notation are those of std::to_chars for double.
TEST(DecimalWriter, DoublesAsTheStandardLibrary) {
  hilo::oracle::numbers random(15);
  using std::chars_format;
  for (int i = 0; i < many(3000); ++i) {
    // Few digits and moderate exponents as well, which general notation tells apart.
    double x = i % 2 != 0 ? random.any().hi : random.uniform(-20000, 20000) * std::ldexp(1.0, random.uniform(-30, 30));
    int precision = random.uniform(-1, 25);
    for (auto format : {chars_format::scientific, chars_format::fixed, chars_format::general})
      ASSERT_EQ(print(x, format, precision), print_double(x, format, precision));
    // Subnormal doubles keep the exponent -1022 there, and have none here.
    if (std::abs(x) < std::numeric_limits<double>::min()) continue;
    ASSERT_EQ(print(x, chars_format::hex), print_double(x, chars_format::hex));
    ASSERT_EQ(print(x, chars_format::hex, std::abs(precision)),
              print_double(x, chars_format::hex, std::abs(precision)));
  }
  for (double x : {0.0, -0.0, 1.0, -1.0, 0.5, 1e5, 999999.0, 1e6, 123456.0, 1234567.0, 0.0001220703125,
                   0.00006103515625, 65536.0, -1048576.0, std::numeric_limits<double>::infinity(),
                   -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(print(x), print_double(x));
    for (auto format : {chars_format::scientific, chars_format::fixed, chars_format::general, chars_format::hex}) {
      EXPECT_EQ(print(x, format), print_double(x, format)) << static_cast<int>(format);
      for (int precision : {0, 1, 3, 10})
        EXPECT_EQ(print(x, format, precision), print_double(x, format, precision)) << static_cast<int>(format);
    }
  }
}

TEST(DecimalWriter, RoomToTheCharacter) {
  hilo::oracle::numbers random(16);
  auto expect_tight = [](const std::string& expected, auto write) {
    std::string room(expected.size() + 1, '!');
    auto exact = write(room.data(), room.data() + expected.size());
    EXPECT_EQ(exact.ec, std::errc());
    EXPECT_EQ(room, expected + '!');
    for (std::size_t less = 0; less < expected.size(); ++less) {
      room.assign(expected.size() + 1, '!');
      auto r = write(room.data(), room.data() + less);
      ASSERT_EQ(r.ec, std::errc::value_too_large);
      ASSERT_EQ(r.ptr, room.data() + less);
      ASSERT_EQ(room.substr(less), std::string(room.size() - less, '!')) << "written past the end";
    }
  };
  using std::chars_format;
  for (dd_real x : {dd_real(0.0), dd_real(-0.0), dd_real(std::numeric_limits<double>::infinity()), dd_real(-1e22),
                    random.contiguous(), random.contiguous(), random.any(), dd_real(0.001), dd_real(12345.0)}) {
    expect_tight(print(x), [&](char* first, char* last) { return hilo::to_chars(first, last, x); });
    for (auto format : {chars_format::scientific, chars_format::fixed, chars_format::general, chars_format::hex}) {
      expect_tight(print(x, format), [&](char* first, char* last) { return hilo::to_chars(first, last, x, format); });
      expect_tight(print(x, format, 40),
                   [&](char* first, char* last) { return hilo::to_chars(first, last, x, format, 40); });
    }
  }
  char small[10];
  auto r = hilo::to_chars(small, small + 10, dd_real(1), chars_format::fixed, std::numeric_limits<int>::max());
  EXPECT_EQ(r.ec, std::errc::value_too_large);
}

TEST(DecimalWriter, WordsThatAreNotCanonical) {
  EXPECT_EQ(print({1.0, -2.0}), "-1");
  EXPECT_EQ(print({1.0, 2.0}), "3");
  EXPECT_EQ(print({1.0, -1.0}), "0");
  EXPECT_EQ(print({0x1.fffffffffffffp1023, 0x1p1023}), "inf");
}

std::vector<std::string> texts_of(dd_real x) {
  std::ostringstream stream;
  stream << std::setprecision(40) << x << ' ' << std::hexfloat << x;
  return {hilo::to_string(x), hilo::to_string(x, 31), hilo::to_hex_string(x), hilo::to_limb_string(x), stream.str()};
}

// hi and lo of each text, read in all ways.
std::vector<dd_real> numbers_of(const std::vector<std::string>& texts) {
  std::vector<dd_real> numbers;
  for (const std::string& text : texts) {
    numbers.push_back(hilo::parse(text));
    hilo::from_chars(text.data(), text.data() + text.size(), numbers.emplace_back());
    std::istringstream(text) >> numbers.emplace_back();
  }
  return numbers;
}

// And what reads them.
TEST(DecimalWriter, IsTheSameInEveryRoundingMode) {
  hilo::oracle::numbers random(7);
  for (int i = 0; i < many(400); ++i) {
    const dd_real x = random.any(), sum{1.0 + x.hi, x.hi};
    const std::string digits = random.digits(static_cast<std::size_t>(random.uniform(1, 50)));
    // In the last lo rounds up to half a unit of an odd hi.
    const std::vector<std::string> texts = {"0",
                                            "-0",
                                            "0.1",
                                            "0+0",
                                            "inf",
                                            "-nan",
                                            "0x1.00000000000017ffffffffffffffffff",
                                            digits + "e" + std::to_string(random.uniform(-320, 250)),
                                            hilo::to_string(x),
                                            hilo::to_limb_string(x)};
    const auto written = texts_of(x), written_sum = texts_of(sum);
    const auto read = numbers_of(texts);
    for (auto mode : hilo::testing::rounding_modes) {
      ASSERT_EQ(hilo::testing::rounded_by(mode, [&] { return texts_of(x); }), written) << mode.name;
      ASSERT_EQ(hilo::testing::rounded_by(mode, [&] { return texts_of(sum); }), written_sum) << mode.name;
      const auto got = hilo::testing::rounded_by(mode, [&] { return numbers_of(texts); });
      for (std::size_t k = 0; k < read.size(); ++k)
        ASSERT_TRUE(same_bits(got[k], read[k]))
            << mode.name << ", " << texts[k / 3] << std::hexfloat << ": " << got[k].hi << ' ' << got[k].lo << ", not "
            << read[k].hi << ' ' << read[k].lo;
    }
  }
}

}  // namespace
