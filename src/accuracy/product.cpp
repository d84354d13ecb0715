// The error of a product, entry by entry.
#include <cmath>
#include <hilo/accuracy.hpp>
#include <string>
#include <vector>

#include "accuracy/number.hpp"
#include "accuracy/sample.hpp"
#include "gemm/arguments.hpp"

namespace hilo::accuracy {
namespace {

// An element of any of the six types, exactly.
struct Element {
  dd_real re, im;
};
Element widen(float x) { return {dd_real(x), dd_real(0)}; }
Element widen(double x) { return {dd_real(x), dd_real(0)}; }
Element widen(std::complex<float> x) { return {dd_real(x.real()), dd_real(x.imag())}; }
Element widen(std::complex<double> x) { return {dd_real(x.real()), dd_real(x.imag())}; }
Element widen(dd_real x) { return {x, dd_real(0)}; }
Element widen(dd_complex x) { return {x.re, x.im}; }

template <class T>
Element element(const MatrixView<const T>& x, std::int64_t i, std::int64_t j) {
  Element e = widen(x(i, j));
  return x.conjugate ? Element{e.re, -e.im} : e;
}

template <class T>
constexpr bool is_complex =
    std::same_as<T, dd_complex> || std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
template <class T>
constexpr bool is_single = std::same_as<T, float> || std::same_as<T, std::complex<float>>;

// What errors are counted in, and the least positive number of a word.
template <class T>
constexpr long double unit = double_double<T> ? 0x1p-106L
                             : is_single<T>   ? 0x1p-24L
                                              : 0x1p-53L;
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
};

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
  if (std::isfinite(computed.hi) && std::isfinite(plain)) return true;
  if (computed.lo != 0.0) return false;
  if (std::isfinite(computed.hi) || std::isfinite(plain)) return false;
  return !SameClass || (std::isnan(computed.hi) ? std::isnan(plain) : computed.hi == static_cast<double>(plain));
}

// Column j of B, converted once for all entries checked in it.
template <class T>
struct Column {
  std::vector<ComplexNumber> values;
  std::vector<long double> magnitudes;

  explicit Column(std::int64_t k) : values(static_cast<std::size_t>(k)), magnitudes(static_cast<std::size_t>(k)) {}

  void load(const MatrixView<const T>& b, std::int64_t j) {
    for (std::int64_t h = 0; h < b.rows; ++h) {
      Element e = element(b, h, j);
      values[static_cast<std::size_t>(h)].template set<is_complex<T>>(e);
      magnitudes[static_cast<std::size_t>(h)] = magnitude<is_complex<T>>(e);
    }
  }
};

template <class T>
class EntryCheck {
 public:
  EntryCheck(const Problem<T>& problem) : problem_(problem) {
    alpha_.set<complex>(alpha());
    beta_.set<complex>(widen(problem.beta));
  }

  void check(const Column<T>& column, Position at, ErrorReport& report) {
    ++report.entries_checked;
    Element computed = element(problem_.c, at.row, at.column);
    long double total = evaluate(column, at);
    double error;
    if (std::isfinite(total) && std::isfinite(computed.re.hi) && std::isfinite(computed.im.hi)) {
      result_.re.subtract(computed.re);
      if constexpr (complex) result_.im.subtract(computed.im);
      error_.set_magnitude(result_.re, result_.im);
      error = in_units(error_.to_long_double(), total);
    } else {
      constexpr bool same_class = !(complex && !double_double<T>);
      auto plain = problem_.plain(at.row, at.column);
      if (non_finite_matches<same_class>(computed.re, plain.re) &&
          non_finite_matches<same_class>(computed.im, plain.im)) {
        error = 0.0;
      } else {
        ++report.non_finite_mismatches;
        error = HUGE_VAL;
      }
    }
    if (report.row < 0 || error > report.max_error_u2) {
      report.max_error_u2 = error;
      report.row = at.row;
      report.column = at.column;
    }
  }

 private:
  static constexpr bool complex = is_complex<T>;

  // 0 where A and B are not read, so that an Inf or NaN in it has no effect.
  Element alpha() const { return widen(problem_.reads_a_and_b() ? problem_.alpha : T(0)); }

  // result_ = alpha · sum + beta · c0; returns |alpha||A||B| + |beta||C|, not finite if an operand is not.
  long double evaluate(const Column<T>& column, Position at) {
    long double total = 0;
    set_zero(sum_);
    set_zero(result_);
    for (std::int64_t h = 0; problem_.reads_a_and_b() && h < problem_.a.columns; ++h) {
      Element e = element(problem_.a, at.row, h);
      auto index = static_cast<std::size_t>(h);
      left_.set<complex>(e);
      sum_.add_product<complex>(left_, column.values[index]);
      total += magnitude<complex>(e) * column.magnitudes[index];
    }
    result_.add_product<complex>(alpha_, sum_);
    total *= magnitude<complex>(alpha());
    if (problem_.reads_c0()) {
      Element e = element(problem_.c0, at.row, at.column);
      left_.set<complex>(e);
      result_.add_product<complex>(beta_, left_);
      total += magnitude<complex>(widen(problem_.beta)) * magnitude<complex>(e);
    }
    return total;
  }

  static void set_zero(ComplexNumber& x) {
    x.re.set(0.0);
    x.im.set(0.0);
  }

  // What is left of an error after the underflow term of docs/error-bounds.md, in u²·total.
  double in_units(long double error, long double total) const {
    auto k = static_cast<long double>(problem_.a.columns);
    long double terms = magnitude<complex>(alpha()) * 4 * k + 4;
    error -= (complex ? 3 : 1) * terms * least_positive<T>;
    if (!(error > 0)) return 0.0;
    return total > 0 ? static_cast<double>(error / (unit<T> * total)) : HUGE_VAL;
  }

  const Problem<T>& problem_;
  ComplexNumber alpha_, beta_, left_, sum_, result_;
  Number error_;
};

void merge(ErrorReport& into, const ErrorReport& from) {
  into.entries_checked += from.entries_checked;
  into.non_finite_mismatches += from.non_finite_mismatches;
  if (from.row < 0) return;
  bool worse = into.row < 0 || from.max_error_u2 > into.max_error_u2;
  bool earlier = from.max_error_u2 == into.max_error_u2 &&
                 (from.column != into.column ? from.column < into.column : from.row < into.row);
  if (worse || earlier) {
    into.max_error_u2 = from.max_error_u2;
    into.row = from.row;
    into.column = from.column;
  }
}

}  // namespace

template <gemm_scalar T>
ErrorReport gemm_error(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
                       const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta, const T* c0, const T* c,
                       std::int64_t ldc, Sample sample) {
  GemmShape shape{layout, opa, opb, m, n, k, lda, ldb, ldc, sizeof(T)};
  check_shape(shape);
  check_pointers(shape, {}, a, b, c, !(alpha == T(0)));
  if (!c0 && !(beta == T(0)) && m && n) {
    throw error(errc::invalid_argument, "gemm_error: c0 is null, but beta is not 0");
  }
  Problem<T> problem{view(layout, opa, a, m, k, lda),
                     view(layout, opb, b, k, n, ldb),
                     view(layout, Op::none, c0, m, n, ldc),
                     view(layout, Op::none, c, m, n, ldc),
                     alpha,
                     beta};
  std::vector<Position> list = positions(m, n, sample);
  auto count = static_cast<std::int64_t>(list.size());
  ErrorReport report;
  bool is_large = static_cast<double>(count) * static_cast<double>(k) > 30000.0;
#pragma omp parallel if (is_large)
  {
    ErrorReport mine;
    {
      Column<T> column(problem.reads_a_and_b() ? k : 0);
      EntryCheck<T> entry(problem);
      std::int64_t loaded = -1;
#pragma omp for schedule(dynamic, 16)
      for (std::int64_t i = 0; i < count; ++i) {
        Position at = list[static_cast<std::size_t>(i)];
        if (problem.reads_a_and_b() && at.column != loaded) column.load(problem.b, loaded = at.column);
        entry.check(column, at, mine);
      }
    }
    mpfr_free_cache();
#pragma omp critical
    merge(report, mine);
  }
  return report;
}

#define HILO_INSTANTIATE(T)                                                                                     \
  template ErrorReport gemm_error<T>(Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const T*,     \
                                     std::int64_t, const T*, std::int64_t, T, const T*, const T*, std::int64_t, \
                                     Sample);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::accuracy
