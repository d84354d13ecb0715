#include "data/decimal.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <hilo/dd_real.hpp>
#include <hilo/text.hpp>
#include <limits>
#include <system_error>

#include "data/quoted.hpp"

namespace hilo::data {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// [+-] digits with at most one point and at least one digit [eE [+-] digits]: what every from_chars takes alike.
bool is_decimal(std::string_view s) {
  std::size_t i = !s.empty() && (s[0] == '+' || s[0] == '-') ? 1 : 0, digits = 0;
  bool has_point = false;
  for (; i < s.size() && (is_digit(s[i]) || (s[i] == '.' && !has_point)); ++i) {
    if (s[i] == '.')
      has_point = true;
    else
      ++digits;
  }
  if (digits == 0) return false;
  if (i == s.size()) return true;
  if (s[i] != 'e' && s[i] != 'E') return false;
  ++i;
  if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
  if (i == s.size()) return false;
  for (; i < s.size(); ++i) {
    if (!is_digit(s[i])) return false;
  }
  return true;
}

std::string complaint(std::string_view s) {
  std::string_view word = s.substr(!s.empty() && (s[0] == '+' || s[0] == '-') ? 1 : 0);
  char first = word.empty() ? '\0' : static_cast<char>(word[0] | 0x20);
  if (s.empty()) return "a number is missing";
  if ((first == 'n' || first == 'i') && word.size() >= 3) return quoted(s) + " is not a finite number";
  if (s.find(',') != s.npos) return quoted(s) + " is not a number: the decimal point is '.', not ','";
  return quoted(s) + " is not a number";
}

std::errc parse(const char* first, const char* last, dd_real& value) {
  std::errc status = from_chars(first, last, value).ec;
  if (status == std::errc::result_out_of_range) value = std::numeric_limits<dd_real>::infinity();
  return status;
}

// std::from_chars leaves the value alone where it rounds to zero or infinity, and strtod minds the locale.
template <std::floating_point Real>
std::errc parse(const char* first, const char* last, Real& value) {
  const std::errc status = std::from_chars(first, last, value).ec;
  if (status == std::errc::result_out_of_range) {
    dd_real wide;
    parse(first, last, wide);
    const Real magnitude = std::fabs(wide.hi) < 1.0 ? Real(0) : std::numeric_limits<Real>::infinity();
    value = *first == '-' ? -magnitude : magnitude;
  }
  return status;
}

bool is_finite(dd_real x) { return std::isfinite(x.hi); }
bool is_finite(double x) { return std::isfinite(x); }

}  // namespace

template <class Real>
std::string read_decimal(std::string_view text, Real& value) {
  if (!is_decimal(text)) return complaint(text);
  std::string_view digits = text[0] == '+' ? text.substr(1) : text;
  Real parsed(0);
  std::errc status = parse(digits.data(), digits.data() + digits.size(), parsed);
  if (status != std::errc{} && status != std::errc::result_out_of_range) return complaint(text);
  if (!is_finite(parsed)) return quoted(text) + " is too large for this precision";
  value = parsed;
  return {};
}

template <class Real>
void append_decimal(std::string& out, Real value) {
  using std::to_chars;
  // A dd_real with a wide gap between hi and lo takes up to some 1100 digits.
  std::array<char, 2048> buffer;
  out.append(buffer.data(), to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr);
}

template std::string read_decimal<float>(std::string_view, float&);
template std::string read_decimal<double>(std::string_view, double&);
template std::string read_decimal<dd_real>(std::string_view, dd_real&);
template void append_decimal<float>(std::string&, float);
template void append_decimal<double>(std::string&, double);
template void append_decimal<dd_real>(std::string&, dd_real);

}  // namespace hilo::data
