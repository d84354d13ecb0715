// What a formatter of dd_real must do, whichever library calls it: fmt_test.cpp and format_test.cpp run these.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <hilo/text.hpp>
#include <limits>
#include <string>
#include <string_view>

#include "decimal_oracle.hpp"
#include "test_size.hpp"

namespace hilo::format_cases {

// In all of these, format(text, arguments…) is fmt::format or std::format for a format string that is known late.

inline void expect_texts(auto format) {
  using namespace hilo::literals;
  const dd_real x = 1.1_dd, gap(1.0, 0x1p-300), infinity = std::numeric_limits<dd_real>::infinity(),
                nan = std::numeric_limits<dd_real>::quiet_NaN();
  struct {
    const char* text;
    dd_real x;
    const char* expected;
  } const cases[] = {
      {"{}", x, "1.1"},
      {"{:}", -x, "-1.1"},
      {"{}<", x, "1.1<"},
      {"{:}<", x, "1.1<"},
      {"{0:}^{0}", x, "1.1^1.1"},
      {"{}", 1e5_dd, "1e+05"},
      {"{:#}", dd_real(3), "3."},
      {"{}", infinity, "inf"},
      {"{:F}", -infinity, "-INF"},
      {"{:E}", nan, "NAN"},
      {"{:l}", infinity, "inf"},
      {"{:la}", nan, "nan"},
      {"{:010}", -infinity, "      -inf"},
      {"{:+010f}", infinity, "      +inf"},
      {"{:<06}", infinity, "inf   "},
      // Digits of both words.
      {"{:.31g}", dd_real(1) / 3, "0.3333333333333333333333333333333"},
      {"{:.40f}", 0.1_dd, "0.0999999999999999999999999999999996918512"},
      {"{:.33e}", dd_real(0x1p106, 1.0), "8.112963841460668169578900514406500e+31"},
      {"{:.0f}", dd_real(0x1p106, 1.0), "81129638414606681695789005144065"},
      {"{:.0f}", dd_real(2.5, -0x1p-1074), "2"},
      {"{:.0f}", dd_real(2.5, 0x1p-1074), "3"},
      {"{:.3}", 1234.5_dd, "1.23e+03"},
      {"{:.0}", 1234.5_dd, "1e+03"},
      {"{:g}", 1234567_dd, "1.23457e+06"},
      {"{:G}", 1234567_dd, "1.23457E+06"},
      {"{:#g}", 1_dd, "1.00000"},
      {"{:#.6}", 1_dd, "1."},
      {"{:#.0f}", 1_dd, "1."},
      {"{:e}", 1_dd, "1.000000e+00"},
      {"{:f}", 1_dd, "1.000000"},
      // Width, alignment, fill, sign.
      {"{:6}", x, "   1.1"},
      {"{:<6}", x, "1.1   "},
      {"{:>6}", x, "   1.1"},
      {"{:^6}", x, " 1.1  "},
      {"{:*^6}", x, "*1.1**"},
      {"{:<<6}", x, "1.1<<<"},
      {"{:^^6}", x, "^1.1^^"},
      {"{:+>+8}", x,
       "++++"
       "+1.1"},
      {"{:0>6}", -x, "00-1.1"},
      {"{:06}", -x, "-001.1"},
      {"{:<06}", -x, "-1.1  "},
      {"{:+06}", x, "+001.1"},
      {"{: 06}", x, " 001.1"},
      {"{:-6}", x, "   1.1"},
      {"{:0}", x, "1.1"},
      {"{:2}", x, "1.1"},
      {"{:\xe2\x86\x92>5}", x,
       "\xe2\x86\x92\xe2\x86\x92"
       "1.1"},
      {"{:\xf0\x9f\x98\x80^5}", x,
       "\xf0\x9f\x98\x80"
       "1.1"
       "\xf0\x9f\x98\x80"},
      {"{:\xc3\xa9<5}", x, "1.1\xc3\xa9\xc3\xa9"},
      // hi+lo.
      {"{:l}", gap, "1+4.909093465297727e-91"},
      {"{:l}", dd_real(-1.0, 0x1p-300), "-1+4.909093465297727e-91"},
      {"{:+l}", dd_real(1.0, -0x1p-300), "+1-4.909093465297727e-91"},
      {"{:l}", dd_real(0.1), "0.1+0"},
      {"{:l}", dd_real(-0.0), "-0+0"},
      {"{:la}", gap, "0x1p+0+0x1p-300"},
      {"{:lA}", dd_real(-0x1.abcp+0, -0x1p-1074), "-0X1.ABCP+0-0X1P-1074"},
      {"{:010l}", dd_real(-3.0), "-0000003+0"},
      {"{:012la}", dd_real(-3.0), "-0x1.8p+1+0x0p+0"},
      {"{:018la}", dd_real(-3.0), "-0x001.8p+1+0x0p+0"},
      {"{:*<9l}", dd_real(3.0), "3+0******"},
  };
  for (const auto& c : cases) EXPECT_EQ(format(c.text, c.x), c.expected) << c.text;
}

// prefix: what the library writes before hexadecimal digits.
inline void expect_hexadecimal(auto format, const std::string& prefix) {
  const dd_real x(0x1.8p+4, 0x1p-60);
  const std::string digits = "1.8000000000000001p+4", rounded = "1.800p+4";
  EXPECT_EQ(format("{:a}", x), prefix + digits);
  EXPECT_EQ(format("{:a}", -x), "-" + prefix + digits);
  EXPECT_EQ(format("{:.3a}", x), prefix + rounded);
  EXPECT_EQ(format("{:a}", dd_real(0x1p-1074)), prefix + "1p-1074");
  EXPECT_EQ(format("{:.0a}", dd_real(0x1.8p0)), prefix + "2p+0");
  EXPECT_EQ(format("{:#.0a}", dd_real(1.0)), prefix + "1.p+0");
  EXPECT_EQ(format("{:+014.3a}", x),
            "+" + prefix + std::string(14 - 1 - prefix.size() - rounded.size(), '0') + rounded);
  EXPECT_EQ(format("{:>20.3a}", x), std::string(20 - prefix.size() - rounded.size(), ' ') + prefix + rounded);
  std::string upper = prefix + "1.ABCP+0";
  if (!prefix.empty()) upper[1] = 'X';
  EXPECT_EQ(format("{:A}", dd_real(0x1.abcp+0)), upper);
}

inline void expect_nested_arguments(auto format) {
  const dd_real x(2.5);
  EXPECT_EQ(format("{:{}}|", x, 6), "   2.5|");
  EXPECT_EQ(format("{:{}.{}f}", x, 8, 2), "    2.50");
  EXPECT_EQ(format("{0:{1}.{2}f} {0:.{1}f}", x, 8, 2), "    2.50 2.50000000");
  EXPECT_EQ(format("{1:*>{0}}", 5, x), "**2.5");
  EXPECT_EQ(format("{:.{}}", x, 1u), "2");
  EXPECT_EQ(format("{:{}}", x, 0), "2.5");
  EXPECT_EQ(format("{:.{}f}", x, std::int64_t{3}), "2.500");
  EXPECT_EQ(format("{:.{}f}", x, std::uint64_t{3}), "2.500");
  EXPECT_EQ(format("{:{}} {:{}}", x, 4, x, 5), " 2.5   2.5");
}

// The message of what a bad format string throws.
template <class Error>
std::string mistake(auto format, std::string_view text, const auto&... arguments) {
  try {
    return "no mistake: " + format(text, arguments...);
  } catch (const Error& e) {
    return e.what();
  }
}

template <class Error>
void expect_mistakes(auto format) {
  const dd_real x(2.5);
  struct {
    const char* text;
    const char* reason;
  } const cases[] = {
      {"{:L}", "L is not supported"},
      {"{:10.3Lf}", "L is not supported"},
      {"{:d}", "not a type"},
      {"{:s}", "not a type"},
      {"{:q}", "not a type"},
      {"{:*}", "not a type"},
      {"{:00}", "not a type"},
      {"{:5+}", "not a type"},
      {"{:ff}", "not a format"},
      {"{:f5}", "not a format"},
      {"{:la5}", "not a format"},
      {"{:le}", "l is followed by"},
      {"{:ll}", "l is followed by"},
      {"{:.3l}", "takes neither # nor a precision"},
      {"{:#la}", "takes neither # nor a precision"},
      {"{:.}", "must follow the point"},
      {"{:.f}", "must follow the point"},
      {"{:.-1f}", "must follow the point"},
      {"{:-1.}", "must follow the point"},
      {"{:{<5}", "{ cannot be the fill"},
      {"{:\xff<5}", "UTF-8"},
      {"{:\xc3(<5}", "UTF-8"},
      {"{:\xe2\x86<<5}", "UTF-8"},
      {"{:\x80<5}", "UTF-8"},
      {"{:2147483648}", "above 2147483647"},
      {"{:.99999999999999999999f}", "above 2147483647"},
      {"{:{x}}", nullptr},
      {"{:{}}", nullptr},
      {"{:{1}}", nullptr},
      {"{0:{}}", nullptr},
      {"{:{:}}", nullptr},
      {"{:{", nullptr},
      {"{:{0", nullptr},
      {"{:{a", nullptr},
      {"{:", nullptr},
      {"{:<", nullptr},
      {"{:*<", nullptr},
      {"{:\xe2", nullptr},
      {"{:5", nullptr},
      {"{:.", nullptr},
      {"{:5.3l", nullptr},
      {"{:l", nullptr},
  };
  for (const auto& c : cases) {
    const std::string message = mistake<Error>(format, c.text, x);
    EXPECT_EQ(message.find("no mistake"), message.npos) << c.text << ": " << message;
    if (c.reason == nullptr) continue;
    EXPECT_EQ(message.find("dd_real: "), 0u) << c.text << ": " << message;
    EXPECT_NE(message.find(c.reason), message.npos) << c.text << ": " << message;
  }
  for (const char* text : {"{:{}}", "{:.{}f}", "{0:{1}}"}) {
    EXPECT_NE(mistake<Error>(format, text, x, -1).find("negative"), std::string::npos) << text;
    EXPECT_NE(mistake<Error>(format, text, x, std::int64_t{1} << 31).find("above 2147483647"), std::string::npos);
    EXPECT_NE(mistake<Error>(format, text, x, ~std::uint64_t{0}).find("above 2147483647"), std::string::npos);
    EXPECT_NE(mistake<Error>(format, text, x, 1.0).find("not an integer"), std::string::npos) << text;
    EXPECT_NE(mistake<Error>(format, text, x, true).find("not an integer"), std::string::npos) << text;
    EXPECT_NE(mistake<Error>(format, text, x, 'c').find("not an integer"), std::string::npos) << text;
    EXPECT_NE(mistake<Error>(format, text, x, "1").find("not an integer"), std::string::npos) << text;
    EXPECT_NE(mistake<Error>(format, text, x, x).find("not an integer"), std::string::npos) << text;
  }
}

struct specification {
  std::string alignment, sign, alternate, zero, width, precision, type;
  std::string text() const { return "{:" + alignment + sign + alternate + zero + width + precision + type + "}"; }
};

// Where lo = 0, and the number of digits does not depend on how far the next number is, the text is that of a double.
// differs(specification, x) leaves out where the library departs from std::format.
inline void expect_as_double(auto format, auto differs) {
  const double infinity = std::numeric_limits<double>::infinity();
  int cases = 0;
  for (const char* alignment : {"", "<", ">", "^", "*<", "*^", "0>", "\xc3\xa9^"})
    for (const char* sign : {"", "+", "-", " "})
      for (const char* alternate : {"", "#"})
        for (const char* zero : {"", "0"})
          for (const char* width : {"", "3", "17"})
            for (const char* precision : {"", ".0", ".1", ".6", ".20"})
              for (const char* type : {"", "e", "E", "f", "F", "g", "G", "a", "A"}) {
                const specification s{alignment, sign, alternate, zero, width, precision, type};
                for (double x : {0.0, -0.0, 1.0, -1.5, 1234567.0, 99999.95, 0.0001, -3.0e-200, 9.5, infinity, -infinity,
                                 std::numeric_limits<double>::quiet_NaN()}) {
                  const bool is_shortest = s.type.empty() && s.precision.empty() && std::isfinite(x);
                  if (is_shortest || differs(s, x)) continue;
                  ASSERT_EQ(format(s.text(), dd_real(x)), format(s.text(), x)) << s.text();
                  ++cases;
                }
              }
  EXPECT_GT(cases, 80000);
}

inline void expect_round_trips(auto format) {
  oracle::numbers random(31);
  const int count = test::is_long() ? 150000 : 3000;
  for (int i = 0; i < count; ++i) {
    const dd_real x = random.any();
    for (const char* text : {"{}", "{:l}", "{:la}", "{:lA}", "{:+}", "{:0400l}"})
      ASSERT_TRUE(oracle::same_bits(parse(format(text, x)), x)) << format(text, x);
    ASSERT_EQ(format("{}", x), to_string(x));
    ASSERT_EQ(format("{:l}", x), to_limb_string(x));
    ASSERT_EQ(format("{:la}", x), to_limb_string(x, std::chars_format::hex));
    const dd_real contiguous = random.contiguous();
    ASSERT_TRUE(oracle::same_bits(parse(format("{:.34}", contiguous)), contiguous)) << format("{}", contiguous);
  }
}

}  // namespace hilo::format_cases
