#include <fmt/compile.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <hilo/fmt.hpp>
#include <type_traits>
#include <vector>

#include "comma_locale.hpp"
#include "format_cases.hpp"

using hilo::dd_complex;
using hilo::dd_real;
using namespace hilo::literals;

namespace {

constexpr auto format = [](std::string_view text, const auto&... arguments) {
  return fmt::vformat(fmt::string_view(text.data(), text.size()), fmt::make_format_args(arguments...));
};

TEST(Fmt, Texts) { hilo::format_cases::expect_texts(format); }
TEST(Fmt, Hexadecimal) { hilo::format_cases::expect_hexadecimal(format, "0x"); }
TEST(Fmt, NestedArguments) {
  hilo::format_cases::expect_nested_arguments(format);
  EXPECT_EQ(fmt::format("{:{width}.{places}f}", dd_real(2.5), fmt::arg("width", 6), fmt::arg("places", 2)), "  2.50");
}
TEST(Fmt, Mistakes) {
  hilo::format_cases::expect_mistakes<fmt::format_error>(format);
  const dd_real x(1);
  EXPECT_THROW(format("{:{width}}", x, fmt::arg("widths", 6)), fmt::format_error);
}
TEST(Fmt, RoundTrips) { hilo::format_cases::expect_round_trips(format); }

TEST(Fmt, AsDouble) {
  hilo::format_cases::expect_as_double(format, [](const hilo::format_cases::specification& s, double x) {
    const bool is_hex = s.type == "a" || s.type == "A", is_general = s.type == "" || s.type == "g" || s.type == "G";
    // {fmt} aligns infinities to the left and never fills them up with zeros, puts zeros before 0x, lets zeros overrule
    // an alignment, and writes 1.0 for the 1. of #; version 12 writes zero as 0x0p-1022.
    if (!std::isfinite(x)) return s.alignment.empty() || s.alignment == "0>" || !s.zero.empty();
    return (!s.zero.empty() && (is_hex || !s.alignment.empty())) || (is_hex && x == 0.0) ||
           (is_general && !s.alternate.empty());
  });
}

// Constant format strings are checked while compiling.
template <std::size_t N>
struct Literal {
  char text[N];
  constexpr Literal(const char (&s)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = s[i];
  }
};
template <Literal Specification>
constexpr bool parse() {
  fmt::format_parse_context context(fmt::string_view(Specification.text, sizeof Specification.text - 1));
  fmt::formatter<dd_real>().parse(context);
  return true;
}
template <Literal Specification>
concept compiles = requires {
  typename std::bool_constant<parse<Specification>()>;
};

static_assert(compiles<"}"> && compiles<"*^+#030.31e}"> && compiles<"la}">);
static_assert(!compiles<"L}"> && !compiles<"d}"> && !compiles<".3l}"> && !compiles<".}"> &&
              !compiles<"5"
                        "+}">);

TEST(Fmt, EveryWayToCall) {
  const dd_real x(2.5);
  EXPECT_EQ(fmt::format("{:.2f}", x), "2.50");
  EXPECT_EQ(fmt::to_string(x), "2.5");
  EXPECT_EQ(fmt::formatted_size("{:10}", x), 10u);
  EXPECT_EQ(fmt::format(FMT_COMPILE("{:6.2f}|{:<{}}|"), x, x, 5), "  2.50|2.5  |");
  char text[8] = "1234567";
  const auto r = fmt::format_to_n(text, 3, "{:.4f}", x);
  EXPECT_EQ(r.size, 6u);
  EXPECT_STREQ(text, "2.54567");
  const std::vector<dd_real> xs{1.1_dd, dd_real(2)};
  EXPECT_EQ(fmt::format("{}", xs), "[1.1, 2]");
  EXPECT_EQ(fmt::format("{::.2f}", xs), "[1.10, 2.00]");
  EXPECT_EQ(fmt::format("{:5.1f}", fmt::join(xs, ";")), "  1.1;  2.0");
  // A page of zeros needs no memory but that of the result.
  EXPECT_EQ(fmt::formatted_size("{:.2000000f}", x), 2000002u);
}

TEST(Fmt, Complex) {
  const dd_complex z(1.5_dd, -2_dd);
  EXPECT_EQ(fmt::format("{}", z), "(1.5,-2)");
  EXPECT_EQ(fmt::format("{:+.2f}", z), "(+1.50,-2.00)");
  EXPECT_EQ(fmt::format("{:{}.{}f}", z, 6, 1), "(   1.5,  -2.0)");
  EXPECT_EQ(fmt::format("{:l}", z), "(1.5+0,-2+0)");
  EXPECT_EQ(fmt::format("{}", std::vector{z, z}), "[(1.5,-2), (1.5,-2)]");
  EXPECT_THROW(format("{:d}", z), fmt::format_error);
}

TEST(Fmt, NoLocaleChangesTheText) {
  const hilo::test::CommaLocale comma;
  const dd_real x(1234567.5);
  EXPECT_EQ(fmt::format(std::locale(), "{:L}", 1234567.5), "1.234.567,5");
  for (const auto& locale : {std::locale(), std::locale::classic()}) {
    EXPECT_EQ(fmt::format(locale, "{}", x), "1234567.5");
    EXPECT_EQ(fmt::format(locale, "{:.2f} {:l}", x, x), "1234567.50 1234567.5+0");
  }
  EXPECT_EQ(fmt::format("{} {:.1f} {:g} {:e} {:a} {:l}", x, x, x, x, x, x),
            "1234567.5 1234567.5 1.23457e+06 1.234568e+06 0x1.2d6878p+20 1234567.5+0");
  if (!comma.is_in_c()) GTEST_SKIP() << "no locale with a comma for setlocale: the package locales is missing";
}

}  // namespace
