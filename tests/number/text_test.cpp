// Text of numbers: literals, parse, and what is written in all forms; streams are in text_stream_test.
#include <gtest/gtest.h>

#include <cstdlib>
#include <hilo/error.hpp>
#include <hilo/text.hpp>
#include <iomanip>
#include <sstream>

#include "comma_locale.hpp"
#include "decimal_oracle.hpp"
#include "test_size.hpp"

using hilo::dd_real;
using hilo::oracle::same_bits;
using namespace hilo::literals;

namespace {

// A tenth to 106 bits: the double and what it misses.
constexpr dd_real tenth(0x1.999999999999ap-4, -0x1.999999999999ap-58);

static_assert(0.1_dd == tenth);
static_assert(1e-1_dd == tenth);
static_assert(.1_dd == tenth);
static_assert(0.100'000'000'000'000'000'000'000'000'000'000'000'000'000'000'000'000'000'000'000'000'000'000'1_dd ==
              tenth);
static_assert(1'000'000_dd == dd_real(1000000));
static_assert(123456789012345678901234567890_dd - 123456789012345678901234567889_dd == dd_real(1));
static_assert(0_dd == dd_real(0) && 0.0_dd == dd_real(0) && 010.5_dd == dd_real(10.5));
static_assert(0x1.8p3_dd == dd_real(12) && 0XFF_dd == dd_real(255));
static_assert(0x1.00000000000000000000000001p0_dd == dd_real(1.0, 0x1p-104));
static_assert(5e-324_dd == std::numeric_limits<dd_real>::denorm_min());
static_assert(1e308_dd < std::numeric_limits<dd_real>::max() && 1e-400_dd == dd_real(0));
static_assert(
    3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651_dd ==
    dd_real(0x1.921fb54442d18p1, 0x1.1a62633145c07p-53));

TEST(Text, LiteralsAreWhatParseGets) {
  EXPECT_TRUE(same_bits(1.1_dd, hilo::parse("1.1")));
  EXPECT_TRUE(same_bits(6.02214076e23_dd, hilo::parse("6.02214076e23")));
  EXPECT_TRUE(same_bits(1.6e-305_dd, hilo::parse("1.6e-305")));
  EXPECT_TRUE(same_bits(-1.7e308_dd, hilo::parse("-1.7e308")));
}

TEST(Text, ParseTakesTheWholeText) {
  EXPECT_EQ(hilo::parse("0.1"), tenth);
  EXPECT_EQ(hilo::parse("+0.1"), tenth);
  EXPECT_EQ(hilo::parse("-1E2"), dd_real(-100));
  EXPECT_EQ(hilo::parse("0x1.8p+3"), dd_real(12));
  EXPECT_EQ(hilo::parse("-0X.8"), dd_real(-0.5));
  EXPECT_TRUE(same_bits(hilo::parse("-0x0"), dd_real(-0.0)));
  EXPECT_TRUE(same_bits(hilo::parse("1+1e-300"), dd_real(1.0, 1e-300)));
  EXPECT_TRUE(same_bits(hilo::parse("+1-1E-300"), dd_real(1.0, -1e-300)));
  EXPECT_TRUE(same_bits(hilo::parse("-0x1p0-0x.8P-99"), dd_real(-1.0, -0x1p-100)));
  EXPECT_TRUE(same_bits(hilo::parse("0x1p0+1e-300"), dd_real(1.0, 1e-300)));
  EXPECT_TRUE(same_bits(hilo::parse("0.1+0"), dd_real(0.1)));
  EXPECT_TRUE(same_bits(hilo::parse("-0+0"), dd_real(-0.0)));
  EXPECT_TRUE(same_bits(hilo::parse("1.5-0"), dd_real(1.5)));
  EXPECT_TRUE(same_bits(hilo::parse("1+1e-999"), dd_real(1.0)));
  // Half an ulp of an even hi.
  EXPECT_TRUE(same_bits(hilo::parse("9007199254740992+1"), dd_real(0x1p53, 1.0)));
  EXPECT_TRUE(same_bits(hilo::parse("-0"), dd_real(-0.0)));
  EXPECT_EQ(hilo::parse("-Infinity").hi, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(hilo::parse("nan").hi));
}

TEST(Text, ParseNamesWhatIsWrong) {
  const std::string long_text = std::string(1000000, '7') + ";";
  struct {
    std::string text;
    const char* reasons[2];
  } const cases[] = {
      {"", {"\"\"", "empty"}},
      {"abc", {"\"abc\"", "does not begin with a number"}},
      {" 1", {"\" 1\"", "does not begin with a number"}},
      {"1 ", {"\"1 \"", "characters after the number"}},
      {"1\n", {"\"1?\"", "characters after the number"}},
      {"1,5", {"\"1,5\"", "comma"}},
      {"1.5.2", {"\"1.5.2\"", "characters after the number"}},
      {"1e", {"\"1e\"", "characters after the number"}},
      {"+", {"\"+\"", "does not begin with a number"}},
      {"+-1", {"\"+-1\"", "does not begin with a number"}},
      {"++1", {"\"++1\"", "does not begin with a number"}},
      {"0x", {"\"0x\"", "does not begin with a number"}},
      {"0x-1", {"\"0x-1\"", "does not begin with a number"}},
      {"0xinf", {"\"0xinf\"", "does not begin with a number"}},
      {"1e309", {"\"1e309\"", "out of the range"}},
      {"-1.7976931348623159e308", {"1.7976931348623159e308", "out of the range"}},
      {"1+", {"\"1+\"", "characters after the number"}},
      {"1+-1e-30", {"\"1+-1e-30\"", "characters after the number"}},
      {"1-+1e-30", {"\"1-+1e-30\"", "characters after the number"}},
      {"1--1e-30", {"\"1--1e-30\"", "characters after the number"}},
      {"1+1e-30+1e-60", {"\"1+1e-30+1e-60\"", "characters after the number"}},
      {"1+1e-30i", {"\"1+1e-30i\"", "characters after the number"}},
      {"1+0x", {"\"1+0x\"", "characters after the number"}},
      {"1+inf", {"\"1+inf\"", "characters after the number"}},
      {"inf+0", {"\"inf+0\"", "characters after the number"}},
      {"1+nan", {"\"1+nan\"", "characters after the number"}},
      {"1e5+3", {"\"1e5+3\"", "words overlap"}},
      {"1-1", {"\"1-1\"", "words overlap"}},
      {"0+1", {"\"0+1\"", "words overlap"}},
      {"0-1", {"\"0-1\"", "words overlap"}},
      {"-0+1", {"\"-0+1\"", "words overlap"}},
      {"1e-300+1", {"\"1e-300+1\"", "words overlap"}},
      {"9007199254740991+.5", {"\"9007199254740991+.5\"", "words overlap"}},
      {"1+1e999", {"\"1+1e999\"", "out of the range"}},
      {"1e999+1", {"\"1e999+1\"", "out of the range"}},
      {"1'000", {"\"1'000\"", "characters after the number"}},
      {std::string("1\0", 2), {"\"1?\"", "characters after the number"}},
      {long_text, {"7777777777777777777777777777777777777777... (1000001 characters)\"", "characters after"}},
  };
  for (const auto& c : cases) {
    try {
      hilo::parse(c.text);
      ADD_FAILURE() << c.text.substr(0, 50) << " was accepted";
    } catch (const hilo::error& e) {
      EXPECT_EQ(e.code(), hilo::errc::parse);
      const std::string message = e.what();
      EXPECT_LT(message.size(), 200u);
      for (const char* reason : c.reasons) EXPECT_NE(message.find(reason), message.npos) << message;
    }
  }
}

TEST(Text, ToString) {
  EXPECT_EQ(hilo::to_string(tenth), "0.1");
  EXPECT_EQ(hilo::to_string(tenth, 5), "0.1");
  EXPECT_EQ(hilo::to_string(dd_real(0.1)), "0.1000000000000000055511151231257827021181583404541015625");
  EXPECT_EQ(hilo::to_string(dd_real(2) / 3, 20), "0.66666666666666666667");
  EXPECT_EQ(hilo::to_string(dd_real(2e10) / 3, 3), "6.67e+09");
  EXPECT_EQ(hilo::to_string(dd_real(7), 0), "7");
  EXPECT_EQ(hilo::to_string(dd_real(1e23)), "99999999999999991611392");
  EXPECT_EQ(hilo::to_string(hilo::parse("1e23")), "1e+23");
  dd_real gap(1.0, 0x1p-1000);
  EXPECT_EQ(hilo::to_string(gap).size(), 319u);
  EXPECT_TRUE(same_bits(hilo::parse(hilo::to_string(gap)), gap));
  dd_real longest(0x1.fffffffffffffp-1000, 0x1p-1074);
  EXPECT_TRUE(same_bits(hilo::parse(hilo::to_string(longest, 2000)), longest));
  dd_real widest(0x1.fffffffffffffp1023, -0x1p-1074);
  EXPECT_TRUE(same_bits(hilo::parse(hilo::to_string(widest, 2000)), widest));
  EXPECT_EQ(hilo::to_string(widest, 2000).size(), 1384u);
}

TEST(Text, ToHexString) {
  EXPECT_EQ(hilo::to_hex_string(dd_real(-1.5)), "-0x1.8p+0");
  EXPECT_EQ(hilo::to_hex_string(dd_real(1.0, 0x1p-60)), "0x1.000000000000001p+0");
  EXPECT_EQ(hilo::to_hex_string(dd_real(-0.0)), "-0x0p+0");
  EXPECT_EQ(hilo::to_hex_string(dd_real(0x1p-1074)), "0x1p-1074");
  EXPECT_EQ(hilo::to_hex_string(-std::numeric_limits<dd_real>::infinity()), "-inf");
  EXPECT_EQ(hilo::to_hex_string(std::numeric_limits<dd_real>::quiet_NaN()), "nan");
}

TEST(Text, ToLimbString) {
  const dd_real gap(1.0, 0x1p-1000);
  EXPECT_EQ(hilo::to_limb_string(gap), "1+9.332636185032189e-302");
  EXPECT_EQ(hilo::to_limb_string(-gap), "-1-9.332636185032189e-302");
  EXPECT_EQ(hilo::to_limb_string(gap, std::chars_format::hex), "0x1p+0+0x1p-1000");
  EXPECT_EQ(hilo::to_limb_string(gap, std::chars_format::scientific), "1e+00+9.332636185032189e-302");
  EXPECT_EQ(hilo::to_limb_string(tenth), "0.1-5.551115123125783e-18");
  EXPECT_EQ(hilo::to_limb_string(tenth, std::chars_format::fixed), "0.1-0.000000000000000005551115123125783");
  EXPECT_EQ(hilo::to_limb_string(dd_real(0.1)), "0.1+0");
  EXPECT_EQ(hilo::to_limb_string(dd_real(0.1, -0.0)), "0.1+0");
  EXPECT_EQ(hilo::to_limb_string(dd_real(-0.0)), "-0+0");
  EXPECT_EQ(hilo::to_limb_string(dd_real(0x1p-1074), std::chars_format::hex), "0x1p-1074+0x0p+0");
  EXPECT_EQ(hilo::to_limb_string(-std::numeric_limits<dd_real>::infinity()), "-inf");
  EXPECT_EQ(hilo::to_limb_string(std::numeric_limits<dd_real>::quiet_NaN(), std::chars_format::hex), "nan");
  // Words that are not canonical are written as their sum.
  EXPECT_EQ(hilo::to_limb_string(dd_real(1.0, 2.0)), "3+0");
  EXPECT_EQ(hilo::to_limb_string(dd_real(0.0, -1.0)), "-1+0");
  EXPECT_EQ(hilo::to_string(dd_real(-0.0, 1.0)), "1");
}

TEST(Text, EveryStringReadsBack) {
  using limits = std::numeric_limits<dd_real>;
  auto check = [](dd_real x) {
    const std::string texts[] = {hilo::to_string(x),
                                 hilo::to_hex_string(x),
                                 hilo::to_limb_string(x),
                                 hilo::to_limb_string(x, std::chars_format::hex),
                                 hilo::to_limb_string(x, std::chars_format::fixed),
                                 hilo::to_limb_string(x, std::chars_format::scientific),
                                 hilo::to_limb_string(x, std::chars_format::general)};
    for (const auto& text : texts) ASSERT_TRUE(same_bits(hilo::parse(text), x)) << text;
  };
  for (dd_real x : {limits::max(), limits::lowest(), limits::min(), limits::denorm_min(), -limits::denorm_min(),
                    limits::infinity(), dd_real(-0.0), dd_real(0x1p1023, 0x1p-1074), dd_real(0x1p1023, -0x1p-1074),
                    dd_real(0x1.fffffffffffffp1023, -0x1p-1074), dd_real(0x1.fffffffffffffp-1000, 0x1p-1074)})
    check(x);
  hilo::oracle::numbers random(22);
  for (int i = 0; i < (hilo::test::is_long() ? 200000 : 4000); ++i) check(random.any());
}

TEST(Text, NoLocaleChangesTheText) {
  const hilo::test::CommaLocale comma;
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << 1234567.5 << ' ' << dd_real(1234567.5);
  EXPECT_EQ(out.str(), "1.234.567,5 1234567.5");
  std::istringstream in("1234.5 2,5");
  dd_real x, y;
  in >> x >> y;
  EXPECT_EQ(x, dd_real(1234.5));
  EXPECT_EQ(y, dd_real(2));
  EXPECT_EQ(in.peek(), ',');
  EXPECT_EQ(hilo::parse("1.5"), dd_real(1.5));
  EXPECT_EQ(hilo::parse("1.5+1.5e-20"), dd_real(1.5, 1.5e-20));
  EXPECT_THROW(hilo::parse("1,5"), hilo::error);
  EXPECT_EQ(hilo::to_string(dd_real(1234567.5)), "1234567.5");
  EXPECT_EQ(hilo::to_string(dd_real(1234567.5), 20), "1234567.5");
  EXPECT_EQ(hilo::to_hex_string(dd_real(1.5)), "0x1.8p+0");
  EXPECT_EQ(hilo::to_limb_string(dd_real(1234567.5, 1.5e-20)), "1234567.5+1.5e-20");
  if (!comma.is_in_c()) GTEST_SKIP() << "no locale with a comma for setlocale: the package locales is missing";
}

}  // namespace
