// The entries of a product as numbers of MPFR, and what the words' own precision makes of Inf and NaN.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <hilo/accuracy.hpp>
#include <mutex>
#include <string>
#include <vector>

#include "accuracy/number.hpp"
#include "accuracy/sample.hpp"
#include "host/door.hpp"
#include "host/team.hpp"
#include "matrix/arguments.hpp"

namespace hilo::accuracy {

// An element of any of the six types, exactly.
struct Element {
  dd_real re, im;
};
inline Element widen(float x) { return {dd_real(x), dd_real(0)}; }
inline Element widen(double x) { return {dd_real(x), dd_real(0)}; }
inline Element widen(std::complex<float> x) { return {dd_real(x.real()), dd_real(x.imag())}; }
inline Element widen(std::complex<double> x) { return {dd_real(x.real()), dd_real(x.imag())}; }
inline Element widen(dd_real x) { return {x, dd_real(0)}; }
inline Element widen(dd_complex x) { return {x.re, x.im}; }

// In both words: a low one alone is Inf or NaN where something went wrong.
inline bool is_finite(dd_real x) { return std::isfinite(x.hi) && std::isfinite(x.lo); }
inline bool is_finite(Element x) { return is_finite(x.re) && is_finite(x.im); }

template <class T>
Element element(const MatrixView<const T>& x, std::int64_t i, std::int64_t j) {
  Element e = widen(x(i, j));
  return x.conjugate ? Element{e.re, -e.im} : e;
}

template <class T>
inline constexpr bool is_complex =
    std::same_as<T, dd_complex> || std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
template <class T>
inline constexpr bool is_single = std::same_as<T, float> || std::same_as<T, std::complex<float>>;

// What errors are counted in.
template <class T>
constexpr long double unit = double_double<T> ? 0x1p-106L
                             : is_single<T>   ? 0x1p-24L
                                              : 0x1p-53L;

// The least positive number of a word.
template <class T>
constexpr long double least_positive = is_single<T> ? 0x1p-149L : 0x1p-1074L;

template <bool Complex>
long double magnitude(Element x) {
  long double re = static_cast<long double>(x.re.hi) + x.re.lo;
  if constexpr (!Complex) return std::fabs(re);
  long double im = static_cast<long double>(x.im.hi) + x.im.lo;
  return std::sqrt(re * re + im * im);
}

struct ComplexNumber {
  Number re, im;

  void set_precision(mpfr_prec_t bits) {
    re.set_precision(bits);
    im.set_precision(bits);
  }
  void set_zero() {
    re.set(0.0);
    im.set(0.0);
  }
  template <bool Complex>
  void set(Element x) {
    re.set(x.re);
    if constexpr (Complex) im.set(x.im);
  }
  template <bool Complex>
  void add_product(const ComplexNumber& x, const ComplexNumber& y) {
    re.add_product(x.re, y.re);
    if constexpr (Complex) {
      re.subtract_product(x.im, y.im);
      im.add_product(x.re, y.im);
      im.add_product(x.im, y.re);
    }
  }
  template <bool Complex>
  void subtract_product(const ComplexNumber& x, const ComplexNumber& y) {
    re.subtract_product(x.re, y.re);
    if constexpr (Complex) {
      re.add_product(x.im, y.im);
      im.subtract_product(x.re, y.im);
      im.subtract_product(x.im, y.re);
    }
  }
};

template <bool Complex>
long double magnitude(const ComplexNumber& x) {
  if constexpr (!Complex) return std::fabs(x.re.to_long_double());
  Number size;
  size.set_magnitude(x.re, x.im);
  return size.to_long_double();
}

// The product as words of one precision give it: the classes of its Inf and NaN are those expected.
template <class W>
struct Plain {
  W re, im;

  static Plain of(Element x) { return {static_cast<W>(x.re.hi), static_cast<W>(x.im.hi)}; }
};

template <bool Complex, class W>
Plain<W> times(Plain<W> x, Plain<W> y) {
  if constexpr (!Complex) return {x.re * y.re, W(0)};
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

template <class T>
struct Problem {
  MatrixView<const T> a, b, c0, c;
  T alpha, beta;

  using Word = std::conditional_t<is_single<T>, float, double>;
  static constexpr bool complex = is_complex<T>;

  bool reads_a_and_b() const { return !(alpha == T(0)) && a.columns != 0; }
  bool reads_c0() const { return !(beta == T(0)); }

  Plain<Word> plain(std::int64_t i, std::int64_t j) const {
    using P = Plain<Word>;
    P sum = {Word(0), Word(0)};
    for (std::int64_t h = 0; reads_a_and_b() && h < a.columns; ++h) {
      P x = P::of(element(a, i, h)), y = P::of(element(b, h, j));
      sum.re += x.re * y.re;
      if constexpr (complex) {
        sum.re += -x.im * y.im;
        sum.im += x.re * y.im;
        sum.im += x.im * y.re;
      }
    }
    P r = !reads_a_and_b() || alpha == T(1) ? sum : times<complex>(P::of(widen(alpha)), sum);
    if (!reads_c0()) return r;
    P z = P::of(element(c0, i, j));
    if (!(beta == T(1))) z = times<complex>(P::of(widen(beta)), z);
    return {r.re + z.re, r.im + z.im};
  }
};

// One part of an entry against the plain one: same value class, and lo = 0 where it is not finite.
template <bool SameClass, class W>
bool non_finite_matches(dd_real computed, W plain) {
  if (is_finite(computed) && std::isfinite(plain)) return true;
  if (computed.lo != 0.0) return false;
  if (std::isfinite(computed.hi) || std::isfinite(plain)) return false;
  return !SameClass || (std::isnan(computed.hi) ? std::isnan(plain) : computed.hi == static_cast<double>(plain));
}

// An entry, Inf and NaN told apart except in C and Z, whose libraries differ there.
template <class T>
bool non_finite_matches(const Problem<T>& problem, Position at, Element computed) {
  constexpr bool same_class = !(is_complex<T> && !double_double<T>);
  auto plain = problem.plain(at.row, at.column);
  return non_finite_matches<same_class>(computed.re, plain.re) && non_finite_matches<same_class>(computed.im, plain.im);
}

// Throws where gemm would, and if c0 is null while beta is not 0.
template <class T>
Problem<T> checked_problem(const GemmShape& s, T alpha, const T* a, const T* b, T beta, const T* c0, const T* c) {
  check_shape(s);
  check_pointers(s, {}, a, b, c, !(alpha == T(0)));
  if (!c0 && !(beta == T(0)) && s.m && s.n) {
    throw error(errc::invalid_argument, "gemm_error: c0 is null, but beta is not 0");
  }
  return {view(s.layout, s.opa, a, s.m, s.k, s.lda),
          view(s.layout, s.opb, b, s.k, s.n, s.ldb),
          view(s.layout, Op::none, c0, s.m, s.n, s.ldc),
          view(s.layout, Op::none, c, s.m, s.n, s.ldc),
          alpha,
          beta};
}

// What a call says that finds no memory.
inline auto no_memory_to_check(std::int64_t m, std::int64_t n, std::int64_t k) {
  return [=] {
    return "accuracy: no memory to check a product of " + std::to_string(m) + " x " + std::to_string(n) + " x " +
           std::to_string(k);
  };
}

// Checks entries on all threads, each with a worker that `make` gives it: load(j) reads column j of B, check(at) looks
// at an entry in it, merge_into(found) hands over what all its checks found. Its numbers have up to `bits` bits.
template <class T, class Found, class Make>
void check_entries(const Problem<T>& problem, Sample sample, mpfr_prec_t bits, Found& found, Make make) {
  std::vector<Position> list = positions(problem.c.rows, problem.c.columns, sample);
  if (list.empty()) return;  // and no columns are made, however long
  auto count = static_cast<std::int64_t>(list.size());
  bool is_large = static_cast<double>(count) * static_cast<double>(problem.a.columns) > 30000.0;
  constexpr std::int64_t at_once = 16;
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  const int threads = is_large ? host::default_threads() : 1;
  // Of a column of B, complex, and some more.
  const std::int64_t numbers = 2 * problem.a.columns + 64;
  host::on_team(threads, [&](int) {
    ThreadCache cache;
    try {
      auto worker = [&] {
        std::lock_guard lock(mutex);
        ask_for_numbers(numbers, bits);
        return make();
      }();
      std::int64_t loaded = -1;
      for (std::int64_t first; (first = next.fetch_add(at_once)) < count;) {
        for (std::int64_t i = first; i < std::min(first + at_once, count); ++i) {
          Position at = list[static_cast<std::size_t>(i)];
          if (problem.reads_a_and_b() && at.column != loaded) worker.load(loaded = at.column);
          worker.check(at);
        }
      }
      std::lock_guard lock(mutex);
      worker.merge_into(found);
    } catch (...) {
      next = count;
      throw;
    }
  });
}

}  // namespace hilo::accuracy
