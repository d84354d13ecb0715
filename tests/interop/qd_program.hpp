// An ordinary program for QD's dd_real, which names nearly all that dd_real.h declares. interop_qd_names_test compiles
// it twice, with QD and with hilo/interop/qd_names.hpp, and compares what it says. QD_PROGRAM is the function's name.
// exact(name, x): the words of x are defined, so that any right implementation gives them; close: up to 10^-30.
#include <cstdlib>
#include <iomanip>
#include <limits>
#include <sstream>

#include "qd_program_says.hpp"

static dd_real agm_pi() {
  dd_real a = 1.0, b = sqrt(dd_real(0.5)), t = 0.25, p;
  p = 1.0;
  for (int i = 0; i < 6; ++i) {
    dd_real next = mul_pwr2(a + b, 0.5);
    t -= p * sqr(a - next);
    b = sqrt(a * b);
    a = next;
    p *= 2.0;
  }
  return sqr(a + b) / (4.0 * t);
}

template <class T>
static T largest(const T* x, int n) {
  T r = -std::numeric_limits<T>::max();
  for (int i = 0; i < n; i++) r = (x[i] > r) ? x[i] : r;
  return r;
}

void QD_PROGRAM(QdProgramSays& say) {
  unsigned int old_cw;
  fpu_fix_start(&old_cw);
  auto exact = [&](const char* name, const dd_real& x) { say.exact(name, x.x[0], x.x[1]); };
  auto close = [&](const char* name, const dd_real& x) { say.close(name, x.x[0], x.x[1]); };

  dd_real zero, x = "1.25", y("-3.5e-1"), third = dd_real(1) / 3, words[2] = {dd_real(3.0, 1e-20), 2};
  double pair[2] = {1.0, 1e-20};
  exact("zero", zero), exact("x", x), exact("y", y), close("third", third), exact("pair", dd_real(pair));
  exact("_2pi", dd_real::_2pi), exact("_pi", dd_real::_pi), exact("_3pi4", dd_real::_3pi4),
      exact("_pi2", dd_real::_pi2);
  exact("_pi4", dd_real::_pi4), exact("_e", dd_real::_e), exact("_log2", dd_real::_log2),
      exact("_log10", dd_real::_log10);
  exact("_max", dd_real::_max), exact("_safe_max", dd_real::_safe_max), exact("_eps", dd_real::_eps);
  exact("_min_normalized", dd_real::_min_normalized), exact("_ndigits", dd_real::_ndigits);
  exact("limits", std::numeric_limits<dd_real>::max()), exact("digits", std::numeric_limits<dd_real>::digits);
  exact("epsilon", std::numeric_limits<dd_real>::epsilon()), exact("min", std::numeric_limits<dd_real>::min());
  double eps = std::numeric_limits<dd_real>::epsilon(), tiny = std::numeric_limits<dd_real>::min();
  double rounding = std::numeric_limits<dd_real>::round_error(), inf = std::numeric_limits<dd_real>::infinity();
  double least = std::numeric_limits<dd_real>::denorm_min(), nan = std::numeric_limits<dd_real>::quiet_NaN();
  exact("limits in double", eps + tiny), exact("round_error", rounding), exact("infinity", inf);
  exact("denorm_min", least), exact("quiet_NaN", nan != nan);
  exact("classes", dd_real::_nan.isnan() + 2 * dd_real::_inf.isinf() + 4 * x.isfinite() + 8 * isnan(x) + 16 * isinf(y) +
                       32 * isfinite(third) + 64 * zero.is_zero() + 128 * words[1].is_one() + 256 * x.is_positive() +
                       512 * y.is_negative());
  exact("comparisons", (x < 2.0) + 2 * (1.25 == x) + 4 * (x != y) + 8 * (y <= x) + 16 * (x > y) + 32 * (2 >= third));
  exact("words", dd_real(words[0].x[1], 0.0) + words[0]._hi() + words[0]._lo());

  exact("add", dd_real::add(0.1, 0.2)), exact("sub", dd_real::sub(0.1, 3e20)), exact("mul", dd_real::mul(0.1, 0.3));
  close("div", dd_real::div(0.1, 0.3)), exact("sqr", dd_real::sqr(0.1)), close("sqrt", dd_real::sqrt(2.0));
  close("ieee_add", dd_real::ieee_add(x, third)), close("sloppy_add", dd_real::sloppy_add(x, third));
  close("sloppy_div", dd_real::sloppy_div(x, third)), close("accurate_div", dd_real::accurate_div(x, third));
  x += 1, x -= 0.5, x *= 2.0, x /= y, x += y, x *= third, x -= third, x /= third;
  close("compound", -x), close("mixed", (1 - x) * (2.0 + y) / (x - 3) + 4 / third), close("power", third ^ -3);

  close("sqr", sqr(x)), close("inv", inv(x)), close("npwr", npwr(x, 5)), close("pow", pow(x * x, third));
  close("pow int", pow(x, -7)), close("nroot", nroot(x * x, 7)), close("odd root", nroot(dd_real(-5), 5));
  exact("mul_pwr2", mul_pwr2(words[0], 0.25)), exact("ldexp", ldexp(words[0], 9)), exact("abs", abs(y) + fabs(-y));
  for (double v : {2.5, -2.5, 0.5, -0.5, 3.0, -3.75, 1e13}) {
    dd_real w = dd_real(v) + 1e-20, n;
    exact("nint", nint(w)), exact("floor", floor(w)), exact("ceil", ceil(w)), exact("aint", aint(w));
    exact("nint of a double", nint(dd_real(v))), close("drem", drem(w, 3.0)),
        close("divrem", divrem(w, 3.0, n) * 10 + n);
  }
  exact("to_int", to_int(words[0]) + to_int(-words[0] / 2.0)), exact("to_double", to_double(third));
  close("fmod", fmod(dd_real("5.5"), dd_real("0.75")));

  close("exp", exp(third)), close("log", log(third)), close("log10", log10(third)), close("atan2", atan2(x, y));
  close("sin", sin(x)), close("cos", cos(x)), close("tan", tan(third)), close("sinh", sinh(x)), close("cosh", cosh(x));
  close("asin", asin(third)), close("acos", acos(third)), close("atan", atan(x)), close("tanh", tanh(third));
  close("asinh", asinh(x)), close("acosh", acosh(1 + sqr(x))), close("atanh", atanh(third));
  dd_real s, c;
  sincos(third, s, c), close("sincos", s - c), sincosh(third, s, c), close("sincosh", s - c), close("pi", agm_pi());

  dd_real coefficients[4] = {-6.0, 11.0, -6.0, 1.0};
  exact("polyeval", polyeval(coefficients, 3, 4.0)), close("polyroot", polyroot(coefficients, 3, 3.3));
  std::srand(7), exact("rand", dd_real::rand()), exact("ddrand", ddrand()), exact("largest", largest(coefficients, 4));

  std::ostringstream out;
  out << x << ' ' << std::setprecision(20) << third << ' ' << std::fixed << std::setw(30) << std::setfill('*') << y
      << ' ';
  out << std::showpos << std::setprecision(3) << std::left << std::setw(12) << dd_real(1234.5) << std::scientific
      << zero;
  out << std::uppercase << dd_real::_inf << std::internal << std::setw(16) << dd_real("-1e-200") << dd_real::_nan;
  out << third.to_string(25) << third.to_string(5, 20, std::ios_base::fixed, true, true, '.');
  char digits[40], text[40];
  int expn;
  dd_real read, streamed;
  (third * 1000).to_digits(digits, expn, 20), third.write(text, 30, 12, true, true);
  out << digits << expn << text << read.read("2.5", read);
  std::istringstream("  -0.75 1") >> streamed;
  exact("read", read), exact("streamed", streamed), say.text("text", out.str());
  fpu_fix_end(&old_cw);
}
