// Whether a product is the exact one, rounded once.
#include <algorithm>
#include <bit>
#include <cmath>
#include <hilo/accuracy.hpp>
#include <vector>

#include "accuracy/problem.hpp"

namespace hilo::accuracy {
namespace {

// Where the bits of some finite numbers are: each is a multiple of 2^bottom, less than 2^top in magnitude, and has at
// most `width` bits.
struct BitRange {
  int bottom = 0, top = 0, width = 1;
  bool is_empty = true;

  void include(dd_real x) {
    BitRange words;
    for (double word : {x.hi, x.lo}) {
      if (word == 0.0 || !std::isfinite(word)) continue;
      int exponent;
      auto integer = static_cast<std::int64_t>(std::ldexp(std::frexp(word, &exponent), 53));
      int last = exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(integer));
      words.bottom = words.is_empty ? last : std::min(words.bottom, last);
      words.top = words.is_empty ? exponent + 1 : std::max(words.top, exponent + 1);  // of hi + lo
      words.is_empty = false;
    }
    if (words.is_empty) return;
    bottom = is_empty ? words.bottom : std::min(bottom, words.bottom);
    top = is_empty ? words.top : std::max(top, words.top);
    width = std::max(width, words.top - words.bottom);
    is_empty = false;
  }
  void include(Element x) {
    include(x.re);
    include(x.im);
  }
  int bits() const { return top - bottom; }
};

template <class T>
BitRange bits_of(const MatrixView<const T>& x) {
  BitRange range;
  for (std::int64_t j = 0; j < x.columns; ++j) {
    for (std::int64_t i = 0; i < x.rows; ++i) range.include(element(x, i, j));
  }
  return range;
}

// How many bits hold every entry of A, of B, every partial sum of A · B, and alpha times it, exactly.
struct Precisions {
  mpfr_prec_t a, b, sum, result;
};

template <class T>
Precisions precisions(const Problem<T>& problem) {
  if (!problem.reads_a_and_b()) return {2, 2, 2, 2};
  BitRange a = bits_of(problem.a), b = bits_of(problem.b), alpha;
  alpha.include(widen(problem.alpha));
  int terms = 1 + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(problem.a.columns)));
  mpfr_prec_t sum = a.bits() + b.bits() + terms + 1;
  return {a.width + 1, b.width + 1, sum, sum + alpha.bits() + 2};
}

template <class T>
class ExactCheck {
 public:
  // `problem` and `bits` are the same for all threads.
  ExactCheck(const Problem<T>& problem, const Precisions& bits)
      : problem_(problem), column_(problem.reads_a_and_b() ? static_cast<std::size_t>(problem.a.columns) : 0) {
    for (ComplexNumber& x : column_) x.set_precision(bits.b);
    left_.set_precision(bits.a);
    sum_.set_precision(bits.sum);
    alpha_.set_precision(bits.result);
    result_.set_precision(bits.result);
    rest_.set_precision(bits.result);
    alpha_.template set<complex>(widen(problem.alpha));
  }

  void load(std::int64_t j) {
    column_is_finite_ = true;
    for (std::int64_t h = 0; h < problem_.b.rows; ++h) {
      Element e = element(problem_.b, h, j);
      column_[static_cast<std::size_t>(h)].template set<complex>(e);
      column_is_finite_ = column_is_finite_ && is_finite(e);
    }
  }

  void check(Position at) {
    Element computed = element(problem_.c, at.row, at.column);
    bool right = evaluate(at) ? same(computed.re, rounded(result_.re)) && same(computed.im, rounded(result_.im))
                              : non_finite_matches(problem_, at, computed);
    if (!right) ++mismatches_;
  }

  void merge_into(std::int64_t& mismatches) const { mismatches += mismatches_; }

 private:
  static constexpr bool complex = is_complex<T>;

  // result_ = alpha · sum, exactly. False where an operand is not finite.
  bool evaluate(Position at) {
    sum_.set_zero();
    result_.set_zero();
    if (!problem_.reads_a_and_b()) return true;
    if (!column_is_finite_ || !is_finite(widen(problem_.alpha))) return false;
    for (std::int64_t h = 0; h < problem_.a.columns; ++h) {
      Element e = element(problem_.a, at.row, h);
      if (!is_finite(e)) return false;
      left_.template set<complex>(e);
      sum_.template add_product<complex>(left_, column_[static_cast<std::size_t>(h)]);
    }
    result_.template add_product<complex>(alpha_, sum_);
    return true;
  }

  // hi = RN(x), lo = RN(x − hi), made canonical, for DD; RN(x) in the words' own precision for the others.
  dd_real rounded(const Number& x) {
    if constexpr (is_single<T>) return {static_cast<double>(mpfr_get_flt(x.get(), MPFR_RNDN)), 0.0};
    double hi = mpfr_get_d(x.get(), MPFR_RNDN);
    if (!double_double<T> || !std::isfinite(hi)) return {hi, 0.0};
    mpfr_sub_d(rest_.get(), x.get(), hi, MPFR_RNDN);
    double lo = mpfr_get_d(rest_.get(), MPFR_RNDN);
    double sum = hi + lo;
    return {sum, std::isfinite(sum) ? lo - (sum - hi) : 0.0};
  }

  // By value: the signs of zeros do not count.
  static bool same(dd_real x, dd_real y) { return x.hi == y.hi && x.lo == y.lo; }

  const Problem<T>& problem_;
  std::vector<ComplexNumber> column_;
  bool column_is_finite_ = true;
  ComplexNumber alpha_, left_, sum_, result_;
  Number rest_;
  std::int64_t mismatches_ = 0;
};

}  // namespace

template <gemm_scalar T>
std::int64_t gemm_exact_mismatches(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                                   std::type_identity_t<T> alpha, const T* a, std::int64_t lda, const T* b,
                                   std::int64_t ldb, const T* c, std::int64_t ldc, Sample sample) {
  return host::door(no_memory_to_check(m, n, k), [&] {
    const T* none = nullptr;
    Problem<T> problem =
        checked_problem({layout, opa, opb, m, n, k, lda, ldb, ldc, sizeof(T)}, alpha, a, b, T(0), none, c);
    std::int64_t mismatches = 0;
    if (m == 0 || n == 0) return mismatches;
    Precisions bits = precisions(problem);
    check_entries(problem, sample, bits.result, mismatches, [&] { return ExactCheck<T>(problem, bits); });
    return mismatches;
  });
}

#define HILO_INSTANTIATE(T)                                                                                   \
  template std::int64_t gemm_exact_mismatches<T>(Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, \
                                                 const T*, std::int64_t, const T*, std::int64_t, const T*,    \
                                                 std::int64_t, Sample);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::accuracy
