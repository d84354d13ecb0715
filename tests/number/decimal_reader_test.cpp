#include <gtest/gtest.h>

#include <hilo/detail/decimal_reader.hpp>

#include "decimal_oracle.hpp"
#include "test_size.hpp"

using hilo::dd_real;
using hilo::oracle::number;
using hilo::oracle::same_bits;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct reading {
  dd_real value;
  std::errc error;
  std::size_t length;
};

reading read(const std::string& text, std::chars_format format = std::chars_format::general) {
  reading r{dd_real(42), {}, 0};
  auto result = hilo::detail::read_number(text.data(), text.data() + text.size(), r.value, format, false);
  r.error = result.ec;
  r.length = static_cast<std::size_t>(result.ptr - text.data());
  return r;
}

std::string excerpt(const std::string& text) {
  return text.size() < 200 ? text : text.substr(0, 100) + "..." + text.substr(text.size() - 100);
}

// The reader's result is that of MPFR.
void expect_nearest(const std::string& text) {
  dd_real expected = number(text).nearest();
  reading r = read(text);
  ASSERT_EQ(r.length, text.size()) << excerpt(text);
  if (std::isinf(expected.hi)) {
    ASSERT_EQ(r.error, std::errc::result_out_of_range) << excerpt(text);
    ASSERT_TRUE(same_bits(r.value, dd_real(42)));
  } else {
    ASSERT_EQ(r.error, std::errc()) << excerpt(text);
    ASSERT_TRUE(same_bits(r.value, expected)) << excerpt(text) << std::hexfloat << "\nread     " << r.value.hi << ' '
                                              << r.value.lo << "\nexpected " << expected.hi << ' ' << expected.lo;
  }
}

int many(int count) { return hilo::test::is_long() ? 50 * count : count; }

TEST(DecimalReader, RandomDigitsAndExponents) {
  hilo::oracle::numbers random(1);
  for (int i = 0; i < many(20000); ++i) {
    auto before = static_cast<std::size_t>(random.uniform(0, 40)),
         after = static_cast<std::size_t>(random.uniform(0, 40));
    std::string text = (i % 2 != 0 ? "-" : "") + random.digits(before);
    if (before == 0 || i % 3 != 0) text += '.' + random.digits(before == 0 ? after + 1 : after);
    if (i % 5 != 0) text += "e" + std::to_string(random.uniform(-345, 310));
    expect_nearest(text);
    if (HasFatalFailure()) return;
  }
}

TEST(DecimalReader, RandomHexadecimal) {
  hilo::oracle::numbers random(2);
  for (int i = 0; i < many(2000); ++i) {
    std::string text = i % 2 != 0 ? "-" : "";
    for (int j = random.uniform(1, i % 100 == 0 ? 1500 : 40); j > 0; --j)
      text += "0123456789abcdefABCDEF"[random.uniform(0, 21)];
    text.insert(static_cast<std::size_t>(random.uniform(i % 2, static_cast<int>(text.size()))), 1, '.');
    text += "p" + std::to_string(random.uniform(-1150, 1000));
    dd_real expected = number(text, 16).nearest();
    reading r = read(text, std::chars_format::hex);
    ASSERT_EQ(r.length, text.size());
    if (std::isinf(expected.hi)) {
      ASSERT_EQ(r.error, std::errc::result_out_of_range);
    } else {
      ASSERT_TRUE(same_bits(r.value, expected)) << text;
    }
  }
}

// Numbers half way between two adjacent dd_real, and a digit beside them however far to the right.
TEST(DecimalReader, Midpoints) {
  hilo::oracle::numbers random(3);
  for (int i = 0; i < many(1500); ++i) {
    dd_real x = random.any();
    double next = std::nextafter(x.lo, i % 2 != 0 ? infinity : -infinity);
    if (i % 3 == 0) next = 3 * x.lo - 2 * next;
    number middle(x);
    number half(dd_real::sum(next, -x.lo));
    mpfr_div_2ui(half.get(), half.get(), 1, MPFR_RNDN);
    mpfr_add(middle.get(), middle.get(), half.get(), MPFR_RNDN);
    std::string exact = middle.print_exactly();
    std::size_t e = exact.find('e');
    std::string digits = exact.substr(0, e);
    long exponent = std::stol(exact.substr(e + 1));
    std::size_t zeros = i % 100 == 0 ? 100000 : static_cast<std::size_t>(random.uniform(0, 1600));
    auto with_tail = [&](std::string head, char fill, const char* last) {
      return head + std::string(zeros, fill) + last + "e" + std::to_string(exponent - static_cast<long>(zeros) - 1);
    };
    expect_nearest(exact);
    expect_nearest(with_tail(digits, '0', "0"));
    expect_nearest(with_tail(digits, '0', "1"));
    std::string below = digits;
    if (below.back() != '0') {
      --below.back();
      expect_nearest(with_tail(below, '9', "9"));
    }
    if (HasFatalFailure()) return;
  }
}

// The neighbourhood of the ties that decide hi, where lo is near half an ulp of hi.
TEST(DecimalReader, TiesOfTheHighWord) {
  hilo::oracle::numbers random(4);
  for (int i = 0; i < many(500); ++i) {
    double hi = random.any().hi;
    if (hi == 0.0 || !std::isfinite(hi)) continue;
    number tie{dd_real(hi)};
    mpfr_add_d(tie.get(), tie.get(), std::ldexp(1.0, std::max(std::ilogb(hi) - 53, -1074)), MPFR_RNDN);
    number offset{dd_real(std::ldexp(i % 2 != 0 ? 1.0 : -1.0, std::max(std::ilogb(hi), -1021)))};
    mpfr_div_2ui(offset.get(), offset.get(), static_cast<unsigned>(random.uniform(104, 112)), MPFR_RNDN);
    if (i % 5 != 0) mpfr_add(tie.get(), tie.get(), offset.get(), MPFR_RNDN);
    expect_nearest(tie.print_exactly());
    if (HasFatalFailure()) return;
  }
}

// high · 2^bits + low, an integer of 105 to 109 bits.
std::string integer(std::uint64_t high, int bits, std::int64_t low) {
  __extension__ using wide = __int128;
  wide x = (static_cast<wide>(high) << bits) + low;
  std::string s;
  for (; x != 0; x /= 10) s.insert(s.begin(), static_cast<char>('0' + static_cast<int>(x % 10)));
  return s;
}

// Integers half way between two adjacent dd_real: lo would need a 54th bit, or is half an ulp of hi.
TEST(DecimalReader, TiesOf107Bits) {
  constexpr std::uint64_t even = std::uint64_t{1} << 52, odd = even + 1;
  constexpr std::int64_t half = std::int64_t{1} << 53;
  struct {
    std::uint64_t high;
    int bits;
    std::int64_t low;
    double hi, lo;
  } const cases[] = {
      {even, 54, half, 0x1p106, 0x1p53},                                   // hi stays even
      {odd, 54, half, 0x1.0000000000002p106, -0x1p53},                     // hi goes to even
      {even, 55, half + 1, 0x1p107, 0x1p53},                               // lo stays even
      {even, 55, half + 3, 0x1p107, 0x1.0000000000002p53},                 // lo goes to even
      {odd, 55, half + 1, 0x1.0000000000001p107, 0x1p53},                  //
      {odd, 55, -half - 3, 0x1.0000000000001p107, -0x1.0000000000002p53},  //
      {even, 55, 2 * half - 1, 0x1p107, 0x1p54},                           // lo up to half an ulp of an even hi
      {odd, 55, 2 * half - 1, 0x1.0000000000002p107, -0x1p54},             // and of an odd one
      {odd, 55, 1 - 2 * half, 0x1p107, 0x1p54},                            //
      {2 * even - 1, 55, 2 * half - 1, 0x1p108, -0x1p54},                  // into the next binade
      {even, 55, 1 - half, 0x1p107, -0x1.fffffffffffffp52},                // below a power of two
  };
  const std::string zeros(100000, '0'), nines(100000, '9');
  for (const auto& c : cases) {
    const std::string tie = integer(c.high, c.bits, c.low);
    EXPECT_TRUE(same_bits(read(tie).value, dd_real(c.hi, c.lo))) << tie;
    EXPECT_TRUE(same_bits(read("-" + tie).value, dd_real(-c.hi, -c.lo))) << tie;
    expect_nearest(tie + ".0" + zeros);
    expect_nearest(tie + "." + zeros + "1");
    expect_nearest(integer(c.high, c.bits, c.low - 1) + "." + nines);
    expect_nearest("." + zeros + tie + "e100003");
  }
  hilo::oracle::numbers random(6);
  for (int i = 0; i < many(2000); ++i) {
    const auto high = even + static_cast<std::uint64_t>(random.uniform(0, 1 << 30)) * (i % 3 == 0 ? 1 : 4194301) % even;
    const std::int64_t low = (std::int64_t{random.uniform(-(1 << 30), 1 << 30)} << random.uniform(0, 25)) | 1;
    const std::string text = integer(high, random.uniform(53, 57), low);
    const std::size_t tail = i % 200 == 0 ? 100000 : 10;
    const std::string exponent = "e" + std::to_string(random.uniform(-300, 200));
    expect_nearest(text + exponent);
    expect_nearest(text + "." + std::string(tail, '0') + "1");
    if (HasFatalFailure()) return;
  }
}

TEST(DecimalReader, HundredThousandDigits) {
  hilo::oracle::numbers random(7);
  for (int i = 0; i < many(20); ++i) {
    std::string text = random.digits(100000);
    text.insert(static_cast<std::size_t>(random.uniform(0, 300)), ".");
    expect_nearest(text);
    expect_nearest("-" + text + "e-" + std::to_string(random.uniform(0, 600)));
    // Ten thousand digits before the point that the exponent takes back.
    text = random.digits(100000);
    expect_nearest(text.insert(10000, ".") + "e-" + std::to_string(random.uniform(9700, 10330)));
    if (HasFatalFailure()) return;
  }
}

TEST(DecimalReader, EndsOfTheRange) {
  const std::string largest = number(std::numeric_limits<dd_real>::max()).print_exactly();
  expect_nearest(largest);
  EXPECT_TRUE(same_bits(read(largest).value, std::numeric_limits<dd_real>::max()));

  number beyond(std::numeric_limits<dd_real>::max());
  mpfr_add_d(beyond.get(), beyond.get(), 0x1p916, MPFR_RNDN);
  const std::string tie = beyond.print_exactly();
  EXPECT_EQ(read(tie).error, std::errc::result_out_of_range);
  EXPECT_EQ(read("-" + tie).error, std::errc::result_out_of_range);
  mpfr_sub_d(beyond.get(), beyond.get(), 0x1p-1074, MPFR_RNDN);
  EXPECT_TRUE(same_bits(read(beyond.print_exactly()).value, std::numeric_limits<dd_real>::max()));

  number half(dd_real(0x1p-1074));
  mpfr_div_2ui(half.get(), half.get(), 1, MPFR_RNDN);
  const std::string least = half.print_exactly();
  EXPECT_TRUE(same_bits(read(least).value, dd_real(0.0)));
  EXPECT_TRUE(same_bits(read("-" + least).value, dd_real(-0.0)));
  EXPECT_TRUE(same_bits(read("0." + std::string(2000, '0') + "1" + least.substr(0, 4)).value, dd_real(0.0)));
  std::string more = least;
  more.insert(more.find('e'), std::string(100000, '0') + "1");
  more.replace(more.find('e') + 1, more.npos, std::to_string(std::stol(least.substr(least.find('e') + 1)) - 100001));
  EXPECT_TRUE(same_bits(read(more).value, dd_real(0x1p-1074)));
}

TEST(DecimalReader, ManyDigits) {
  const std::string thousand(1000, '0'), million(1000000, '0');
  struct {
    std::string text;
    const char* same;
  } const cases[] = {
      {million + "1.25" + million, "1.25"},
      {"." + million + "125e1000001", "1.25"},
      {"1" + million + "e-1000000", "1"},
      {"125" + million + "." + million + "e-1000002", "1.25"},
      {"." + million + "1", "0"},
      {"0" + million + "e" + million + "7", "0"},
      {"1.5e" + million + "7", "1.5e7"},
      {"1.5e-" + million + "7", "1.5e-7"},
      {"1.5e-9" + million, "0"},
      {"-" + million + "." + million, "-0"},
  };
  for (const auto& c : cases) {
    reading r = read(c.text);
    EXPECT_EQ(r.error, std::errc());
    EXPECT_EQ(r.length, c.text.size());
    EXPECT_TRUE(same_bits(r.value, read(c.same).value)) << excerpt(c.text);
  }
  EXPECT_EQ(read("1" + million).error, std::errc::result_out_of_range);
  EXPECT_EQ(read("1e9" + million).error, std::errc::result_out_of_range);
  // 2^1021 + 2^-1075, the longest tie in hexadecimal, and a little more.
  const std::string tie = "1" + std::string(523, '0') + "1";
  EXPECT_EQ(read(tie + "p-1075", std::chars_format::hex).value, dd_real(0x1p1021));
  EXPECT_EQ(read(tie + thousand + "1p-5079", std::chars_format::hex).value, dd_real(0x1p1021, 0x1p-1074));
  hilo::oracle::numbers random(5);
  expect_nearest("0." + random.digits(1000000));
  expect_nearest(random.digits(1000000) + "e-1000123");
}

TEST(DecimalReader, Words) {
  for (const char* text : {"inf", "INF", "Infinity", "iNfInItY"}) {
    EXPECT_EQ(read(text).value.hi, infinity) << text;
    EXPECT_EQ(read(text).length, std::string(text).size()) << text;
    EXPECT_EQ(read(std::string("-") + text).value.hi, -infinity) << text;
  }
  for (const char* text : {"nan", "NaN", "nan()", "nan(0x7ff_A)", "-NAN"}) {
    EXPECT_TRUE(std::isnan(read(text).value.hi)) << text;
    EXPECT_EQ(read(text).length, std::string(text).size()) << text;
  }
  EXPECT_TRUE(std::signbit(read("-nan").value.hi));
}

// Where std::from_chars stops, and what it refuses, for every format.
TEST(DecimalReader, StopsAndRefusesAsForDouble) {
  const char* const texts[] = {
      "",      "-",    "+",   "+1",    " 1",      ".",     "-.",     ".e5",   "e5",           "1e",    "1e+",  "1e-x",
      "1ex",   "1.e5", ".5",  "-.5e1", "1..2",    "1.2.3", "1,5",    "0x10",  "1_0",          "1'0",   "--1",  "-+1",
      "in",    "i",    "na",  "n",     "infinit", "nan(",  "nan(-)", "1p5",   "1.8p-3",       "ffp2",  "a.8",  "1e5",
      "1e5e5", "12 ",  "1\n", "1e 5",  "infx",    "-x",    "-inf",   "1e+-5", "\xef\xbc\x91", "1\xc3", "0.5f", "7d0"};
  for (auto format :
       {std::chars_format::general, std::chars_format::fixed, std::chars_format::scientific, std::chars_format::hex}) {
    for (std::string text : texts) {
      double value = 42;
      auto expected = std::from_chars(text.data(), text.data() + text.size(), value, format);
      reading r = read(text, format);
      EXPECT_EQ(r.error, expected.ec) << text << " format " << static_cast<int>(format);
      EXPECT_EQ(r.length, static_cast<std::size_t>(expected.ptr - text.data()))
          << text << " format " << static_cast<int>(format);
      if (value == value) {
        EXPECT_EQ(r.value.hi, value) << text;
      }
    }
  }
}

}  // namespace
