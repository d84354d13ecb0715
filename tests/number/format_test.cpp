#include <gtest/gtest.h>

#include <hilo/format.hpp>

#ifdef __cpp_lib_format

#include "comma_locale.hpp"
#include "format_cases.hpp"

using hilo::dd_complex;
using hilo::dd_real;
using namespace hilo::literals;

namespace {

constexpr auto format = [](std::string_view text, const auto&... arguments) {
  return std::vformat(text, std::make_format_args(arguments...));
};

TEST(Format, Texts) { hilo::format_cases::expect_texts(format); }
TEST(Format, Hexadecimal) { hilo::format_cases::expect_hexadecimal(format, ""); }
TEST(Format, NestedArguments) { hilo::format_cases::expect_nested_arguments(format); }
TEST(Format, Mistakes) { hilo::format_cases::expect_mistakes<std::format_error>(format); }
TEST(Format, RoundTrips) { hilo::format_cases::expect_round_trips(format); }
TEST(Format, AsDouble) {
  hilo::format_cases::expect_as_double(format, [](const hilo::format_cases::specification& s, double x) {
#ifdef _LIBCPP_VERSION
    // libc++ 19 writes 0.0001 as 0.00010 where printf has 0.000100000.
    return s.alternate == "#" && (s.type == "g" || s.type == "G") && std::abs(x) < 0.1;
#else
    static_cast<void>(s), static_cast<void>(x);
    return false;
#endif
  });
}

TEST(Format, EveryWayToCall) {
  const dd_real x(2.5);
  EXPECT_EQ(std::format("{:{}.{}f}", x, 6, 2), "  2.50");
  EXPECT_EQ(std::formatted_size("{:10}", x), 10u);
  char text[8] = "1234567";
  EXPECT_EQ(std::format_to_n(text, 3, "{:.4f}", x).size, 6);
  EXPECT_STREQ(text, "2.54567");
  EXPECT_EQ(std::format("{:+.2f}", dd_complex(1.5_dd, -2_dd)), "(+1.50,-2.00)");
}

TEST(Format, NoLocaleChangesTheText) {
  const hilo::test::CommaLocale comma;
  const dd_real x(1234567.5);
  EXPECT_EQ(std::format(std::locale(), "{:.1f} {:l}", x, x), "1234567.5 1234567.5+0");
  EXPECT_EQ(std::format("{} {:.1f}", x, x), "1234567.5 1234567.5");
  if (!comma.is_in_c()) GTEST_SKIP() << "no locale with a comma for setlocale: the package locales is missing";
}

}  // namespace

#else

TEST(Format, NeedsTheStandardLibrary) { GTEST_SKIP() << "this standard library has no std::format"; }

#endif
