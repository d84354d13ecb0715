// A program written for QD compiles with QD's names in hilo and computes the same.
#include <gtest/gtest.h>

#include <hilo/interop/qd_names.hpp>
using namespace hilo::qd_names;
#define QD_PROGRAM qd_program_with_hilo
#include "qd_program.hpp"

void qd_program_with_qd(QdProgramSays& say);

namespace {

TEST(QdNames, ProgramForQdComputesTheSame) {
  QdProgramSays with_qd, with_hilo;
  qd_program_with_qd(with_qd);
  qd_program_with_hilo(with_hilo);
  ASSERT_EQ(with_hilo.lines.size(), with_qd.lines.size());
  EXPECT_GE(with_qd.lines.size(), 120u);
  for (std::size_t i = 0; i < with_qd.lines.size(); ++i) {
    const auto &want = with_qd.lines[i], &got = with_hilo.lines[i];
    EXPECT_EQ(got.name, want.name);
    EXPECT_EQ(got.text, want.text);
    if (want.is_exact) {
      EXPECT_TRUE(got.hi == want.hi && got.lo == want.lo)
          << want.name << ": " << got.hi << " + " << got.lo << ", QD's " << want.hi << " + " << want.lo;
    } else {
      const hilo::dd_real difference = hilo::dd_real(got.hi, got.lo) - hilo::dd_real::sum(want.hi, want.lo);
      EXPECT_LE(std::abs(difference.hi), 1e-30 * std::abs(want.hi)) << want.name;
    }
  }
}

TEST(QdNames, GoToHiloAndBack) {
  dd_real x = "0.1";
  hilo::dd_real y = x;
  const dd_real z = y * x + x / y;
  EXPECT_TRUE(z == hilo::parse("0.1") * hilo::parse("0.1") + 1);
  EXPECT_TRUE(dd_real(hilo::erf(x)) == hilo::erf(y));
  std::vector<dd_real> a(3, x);
  hilo::dd_real* in_place = as_hilo(a.data());
  in_place[1] = 7;
  EXPECT_TRUE(as_qd_names(in_place)[1] == 7 && a[1].x[0] == 7.0 && a[2] == x);
}

TEST(QdNames, RefuseTextThatIsNoNumber) {
  EXPECT_THROW(dd_real("1.2.3"), hilo::error);
  dd_real x = 5;
  EXPECT_EQ(dd_real::read("five", x), -1);
  EXPECT_TRUE(x == 5);
}

TEST(QdNames, RootsOfAllDegrees) {
  const dd_real x = "1234.5678";
  for (int n = 1; n <= 40; ++n) {
    const hilo::dd_real back = hilo::pow(nroot(x, n), n);
    EXPECT_LE(std::abs(to_double((back - x) / x)), 1.1 * n * 0x1p-105) << n;
  }
  EXPECT_TRUE(isnan(nroot(x, 0)) && isnan(nroot(-x, 4)) && nroot(-x, 3) == -nroot(x, 3));
  EXPECT_TRUE(nroot(dd_real(), 5) == 0 && nroot(dd_real::_inf, 7).isinf());
  EXPECT_FALSE(isnan(nroot(dd_real::_max, 9)));
  // Where low words of powers would be subnormal.
  EXPECT_TRUE(nroot(dd_real(0x1p-1000), 5) == 0x1p-200);
  EXPECT_TRUE(nroot(dd_real(0x1p-1070), 5) == 0x1p-214);
  EXPECT_TRUE(nroot(dd_real(0x1p-1074), 6) == 0x1p-179);
  EXPECT_TRUE(nroot(dd_real(0x1p1022), 7) == 0x1p146);
  EXPECT_LE(std::abs(to_double(nroot(dd_real(0x1p-1000), 1000) - 0.5)), 0x1p-106);
}

}  // namespace
