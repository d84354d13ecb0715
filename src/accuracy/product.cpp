// The error of a product, entry by entry.
#include <cmath>
#include <hilo/accuracy.hpp>
#include <ostream>
#include <vector>

#include "accuracy/problem.hpp"

namespace hilo::accuracy {
namespace {

// Column j of B, converted once for all entries checked in it.
template <class T>
struct Column {
  std::vector<ComplexNumber> values;
  std::vector<long double> magnitudes;
  long double norm = 0;

  explicit Column(std::int64_t k) : values(static_cast<std::size_t>(k)), magnitudes(static_cast<std::size_t>(k)) {}

  void load(const MatrixView<const T>& b, std::int64_t j) {
    long double squares = 0;
    for (std::int64_t h = 0; h < b.rows; ++h) {
      Element e = element(b, h, j);
      long double size = magnitude<is_complex<T>>(e);
      values[static_cast<std::size_t>(h)].template set<is_complex<T>>(e);
      magnitudes[static_cast<std::size_t>(h)] = size;
      squares += size * size;
    }
    norm = std::sqrt(squares);
  }
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

template <class T>
class EntryCheck {
 public:
  EntryCheck(const Problem<T>& problem, Measure measure)
      : problem_(problem), measure_(measure), column_(problem.reads_a_and_b() ? problem.a.columns : 0) {
    alpha_.set<complex>(alpha());
    beta_.set<complex>(widen(problem.beta));
  }

  void load(std::int64_t j) { column_.load(problem_.b, j); }

  void check(Position at) {
    ++report_.entries_checked;
    Element computed = element(problem_.c, at.row, at.column);
    long double total = evaluate(at);
    double error = 0.0;
    if (std::isfinite(total) && is_finite(computed)) {
      result_.re.subtract(computed.re);
      if constexpr (complex) result_.im.subtract(computed.im);
      error_.set_magnitude(result_.re, result_.im);
      error = in_units(error_.to_long_double(), total);
    } else if (!non_finite_matches(problem_, at, computed) && !overflows_to(computed, total)) {
      ++report_.non_finite_mismatches;
      error = HUGE_VAL;
    }
    if (report_.row < 0 || error > report_.max_error_u2) {
      report_.max_error_u2 = error;
      report_.row = at.row;
      report_.column = at.column;
    }
  }

  void merge_into(ErrorReport& report) const { merge(report, report_); }

 private:
  static constexpr bool complex = is_complex<T>;
  using Word = typename Problem<T>::Word;

  // 0 where A and B are not read, so that an Inf or NaN in it has no effect.
  Element alpha() const { return widen(problem_.reads_a_and_b() ? problem_.alpha : T(0)); }

  // result_ = alpha · sum + beta · c0; returns what its error is relative to, not finite if an operand is not.
  long double evaluate(Position at) {
    long double sum_of_sizes = 0, squares = 0;
    sum_.set_zero();
    result_.set_zero();
    for (std::int64_t h = 0; problem_.reads_a_and_b() && h < problem_.a.columns; ++h) {
      Element e = element(problem_.a, at.row, h);
      auto index = static_cast<std::size_t>(h);
      left_.set<complex>(e);
      sum_.add_product<complex>(left_, column_.values[index]);
      long double size = magnitude<complex>(e);
      sum_of_sizes += size * column_.magnitudes[index];
      squares += size * size;
    }
    result_.add_product<complex>(alpha_, sum_);
    long double product = measure_ == Measure::normwise ? std::sqrt(squares) * column_.norm : sum_of_sizes;
    long double total = product * magnitude<complex>(alpha());
    if (problem_.reads_c0()) {
      Element e = element(problem_.c0, at.row, at.column);
      left_.set<complex>(e);
      result_.add_product<complex>(beta_, left_);
      total += magnitude<complex>(widen(problem_.beta)) * magnitude<complex>(e);
    }
    return total;
  }

  // Whether operands are finite and each part that is not is the Inf that rounding result_ gives.
  bool overflows_to(const Element& computed, long double total) const {
    const auto is_right = [](dd_real part, const Number& exact) {
      constexpr long double least = std::is_same_v<Word, float> ? 0x1.ffffffp127L : 0x1.fffffffffffff8p1023L;
      const long double x = exact.to_long_double();
      if (is_finite(part)) return std::fabs(x) < least;
      return part.lo == 0.0 && std::isinf(part.hi) && std::fabs(x) >= least && std::signbit(x) == std::signbit(part.hi);
    };
    return std::isfinite(total) && is_right(computed.re, result_.re) && (!complex || is_right(computed.im, result_.im));
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
  Measure measure_;
  Column<T> column_;
  ComplexNumber alpha_, beta_, left_, sum_, result_;
  Number error_;
  ErrorReport report_;
};

}  // namespace

template <gemm_scalar T>
ErrorReport gemm_error(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                       std::type_identity_t<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                       std::type_identity_t<T> beta, const T* c0, const T* c, std::int64_t ldc, Sample sample,
                       Measure measure) {
  return host::door(no_memory_to_check(m, n, k), [&] {
    Problem<T> problem =
        checked_problem({layout, opa, opb, m, n, k, lda, ldb, ldc, sizeof(T)}, alpha, a, b, beta, c0, c);
    ErrorReport report;
    check_entries(problem, sample, Number::precision, report, [&] { return EntryCheck<T>(problem, measure); });
    return report;
  });
}

std::ostream& operator<<(std::ostream& out, const ErrorReport& report) {
  out << "largest error " << report.max_error_u2 << " units";
  if (report.row >= 0) out << " at (" << report.row << ", " << report.column << ')';
  out << ", " << report.entries_checked << (report.entries_checked == 1 ? " entry" : " entries") << " checked";
  if (report.non_finite_mismatches > 0) out << ", Inf or NaN wrong in " << report.non_finite_mismatches;
  return out << '\n';
}

#define HILO_INSTANTIATE(T)                                                                                     \
  template ErrorReport gemm_error<T>(Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const T*,     \
                                     std::int64_t, const T*, std::int64_t, T, const T*, const T*, std::int64_t, \
                                     Sample, Measure);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::accuracy
