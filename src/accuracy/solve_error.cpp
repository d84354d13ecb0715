// The errors of a system's solution: of the system that it solves, and of its entries.
#include <algorithm>
#include <cmath>
#include <hilo/accuracy.hpp>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/exact_system.hpp"
#include "host/door.hpp"
#include "host/team.hpp"

namespace hilo::accuracy {
namespace {

constexpr mpfr_prec_t first_bits = 512, last_bits = 4096;
constexpr long double determined = 0x1p-150L;  // of an entry of A⁻¹ · b: its error relative to itself

// What an entry may lose where it underflows, in either part.
template <class T>
constexpr long double underflow = (is_complex<T> ? 2 : 1) * least_positive<T>;

template <bool Complex>
void set_precision(ComplexNumber& x, mpfr_prec_t bits) {
  x.re.set_precision(bits);
  x.im.set_precision(Complex ? bits : MPFR_PREC_MIN);
}

template <bool Complex>
std::vector<ComplexNumber> numbers(std::int64_t count, mpfr_prec_t bits) {
  std::vector<ComplexNumber> x(static_cast<std::size_t>(count));
  for (ComplexNumber& e : x) set_precision<Complex>(e, bits);
  return x;
}

// LU with partial pivoting, by rows.
template <bool Complex>
class Elimination {
 public:
  Elimination(std::int64_t n, mpfr_prec_t bits)
      : n_(n), bits_(bits), entries_(numbers<Complex>(n * n, bits)), rows_(static_cast<std::size_t>(n)) {
    std::iota(rows_.begin(), rows_.end(), std::int64_t{0});
  }

  ComplexNumber& operator()(std::int64_t i, std::int64_t j) {
    return entries_[static_cast<std::size_t>(rows_[static_cast<std::size_t>(i)] * n_ + j)];
  }

  // False where a pivot is 0.
  bool factor() {
    ComplexNumber reciprocal;
    set_precision<Complex>(reciprocal, bits_);
    for (std::int64_t k = 0; k < n_; ++k) {
      std::int64_t pivot = k;
      for (std::int64_t i = k + 1; i < n_; ++i) {
        if (mpfr_cmpabs(larger_part(entry(i, k)), larger_part(entry(pivot, k))) > 0) pivot = i;
      }
      std::swap(rows_[static_cast<std::size_t>(k)], rows_[static_cast<std::size_t>(pivot)]);
      if (mpfr_zero_p(larger_part(entry(k, k)))) return false;
      invert(entry(k, k), reciprocal);
      const std::int64_t below = n_ - k - 1;
      host::for_parts(below > 60 ? host::default_threads() : 1, below, [&](std::int64_t first, std::int64_t last) {
        ThreadCache cache;
        for (std::int64_t i = k + 1 + first; i < k + 1 + last; ++i) eliminate(i, k, reciprocal);
      });
    }
    return true;
  }

  // x = A⁻¹ · b.
  void solve(const std::vector<ComplexNumber>& b, std::vector<ComplexNumber>& x) const {
    for (std::int64_t i = 0; i < n_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const ComplexNumber& of_b = b[static_cast<std::size_t>(rows_[at])];
      mpfr_set(x[at].re.get(), of_b.re.get(), MPFR_RNDN);
      if constexpr (Complex) mpfr_set(x[at].im.get(), of_b.im.get(), MPFR_RNDN);
      for (std::int64_t j = 0; j < i; ++j) {
        x[at].template subtract_product<Complex>(entry(i, j), x[static_cast<std::size_t>(j)]);
      }
    }
    ComplexNumber reciprocal, sum;
    set_precision<Complex>(reciprocal, bits_);
    set_precision<Complex>(sum, bits_);
    for (std::int64_t i = n_; i-- > 0;) {
      const auto at = static_cast<std::size_t>(i);
      for (std::int64_t j = i + 1; j < n_; ++j) {
        x[at].template subtract_product<Complex>(entry(i, j), x[static_cast<std::size_t>(j)]);
      }
      invert(entry(i, i), reciprocal);
      multiply(x[at], reciprocal, sum);
    }
  }

 private:
  const ComplexNumber& entry(std::int64_t i, std::int64_t j) const {
    return entries_[static_cast<std::size_t>(rows_[static_cast<std::size_t>(i)] * n_ + j)];
  }
  static mpfr_srcptr larger_part(const ComplexNumber& x) {
    if (!Complex || mpfr_cmpabs(x.re.get(), x.im.get()) >= 0) return x.re.get();
    return x.im.get();
  }

  static void invert(const ComplexNumber& x, ComplexNumber& reciprocal) {
    if constexpr (!Complex) {
      mpfr_ui_div(reciprocal.re.get(), 1, x.re.get(), MPFR_RNDN);
    } else {
      Number square;
      square.set_precision(mpfr_get_prec(x.re.get()));
      mpfr_fmma(square.get(), x.re.get(), x.re.get(), x.im.get(), x.im.get(), MPFR_RNDN);
      mpfr_div(reciprocal.re.get(), x.re.get(), square.get(), MPFR_RNDN);
      mpfr_div(reciprocal.im.get(), x.im.get(), square.get(), MPFR_RNDN);
      mpfr_neg(reciprocal.im.get(), reciprocal.im.get(), MPFR_RNDN);
    }
  }

  // x *= y, by way of `product`.
  static void multiply(ComplexNumber& x, const ComplexNumber& y, ComplexNumber& product) {
    product.set_zero();
    product.template add_product<Complex>(x, y);
    mpfr_swap(x.re.get(), product.re.get());
    if constexpr (Complex) mpfr_swap(x.im.get(), product.im.get());
  }

  void eliminate(std::int64_t i, std::int64_t k, const ComplexNumber& reciprocal) {
    ComplexNumber& factor = (*this)(i, k);
    if (mpfr_zero_p(larger_part(factor))) return;
    ComplexNumber product;
    set_precision<Complex>(product, bits_);
    multiply(factor, reciprocal, product);
    for (std::int64_t j = k + 1; j < n_; ++j) (*this)(i, j).template subtract_product<Complex>(factor, entry(k, j));
  }

  std::int64_t n_;
  mpfr_prec_t bits_;
  std::vector<ComplexNumber> entries_;
  std::vector<std::int64_t> rows_;
};

// Columns of A⁻¹ · B, and how far those of X are from them.
template <class T>
class ColumnCheck {
 public:
  ColumnCheck(const System<T>& system, const Elimination<is_complex<T>>& factors, mpfr_prec_t bits)
      : system_(system),
        factors_(factors),
        bits_(bits),
        b_(numbers<complex>(system.order(), bits)),
        exact_(numbers<complex>(system.order(), bits)),
        correction_(numbers<complex>(system.order(), bits)) {
    set_precision<complex>(sum_, 2 * bits);
    set_precision<complex>(entry_, bits);
  }

  // False where more bits are needed.
  bool check(std::int64_t j, std::span<const double> bounds, SolveErrorReport& report) {
    find_solution(j);
    long double largest = 0, error = 0;
    for (std::int64_t i = 0; i < system_.x.rows; ++i) {
      largest = std::max(largest, magnitude<complex>(exact_[static_cast<std::size_t>(system_.first() + i)]));
    }
    for (std::int64_t i = 0; i < system_.x.rows; ++i) {
      const auto of_bound = static_cast<std::size_t>(i), at = static_cast<std::size_t>(system_.first() + i);
      const long double size = magnitude<complex>(exact_[at]), d = magnitude<complex>(correction_[at]);
      const bool is_zero = d > determined * size || size == 0;
      if (d > determined * size && !(bits_ > first_bits && size <= 0x1p-256L * largest && d <= 0x1p-256L * largest)) {
        return false;
      }
      const long double off = difference(i, j), unsure = is_zero ? size : determined * size;
      const long double counted = std::max(off - underflow<T>, 0.0L);
      error = std::max(error, counted);
      const long double whole = std::max(size, 0x1p-53L * largest);
      report.max_entry_error_u2 = std::max(report.max_entry_error_u2, quotient(counted, whole * unit<T>));
      if (!bounds.empty() && !(off <= bounds[of_bound] + unsure)) ++report.bounds_violated;
    }
    report.max_error_u2 = std::max(report.max_error_u2, quotient(error, largest * unit<T>));
    return true;
  }

 private:
  static constexpr bool complex = is_complex<T>;

  // exact = A⁻¹ b, and how much A⁻¹ (b − A · exact) would correct it.
  void find_solution(std::int64_t j) {
    const std::int64_t n = system_.order();
    for (std::int64_t i = 0; i < n; ++i) {
      b_[static_cast<std::size_t>(i)].template set<complex>(system_.right_hand_side(i, j));
    }
    factors_.solve(b_, exact_);
    for (std::int64_t i = 0; i < n; ++i) {
      sum_.template set<complex>(system_.right_hand_side(i, j));
      for (std::int64_t k = 0; k < n; ++k) {
        entry_.template set<complex>(system_.entry(i, k));
        sum_.template subtract_product<complex>(entry_, exact_[static_cast<std::size_t>(k)]);
      }
      ComplexNumber& r = b_[static_cast<std::size_t>(i)];
      mpfr_set(r.re.get(), sum_.re.get(), MPFR_RNDN);
      if constexpr (complex) mpfr_set(r.im.get(), sum_.im.get(), MPFR_RNDN);
    }
    factors_.solve(b_, correction_);
  }

  long double difference(std::int64_t i, std::int64_t j) {
    const Element x = element(system_.x, i, j);
    if (!is_finite(x)) return std::numeric_limits<long double>::infinity();
    entry_.template set<complex>(x);
    const ComplexNumber& exact = exact_[static_cast<std::size_t>(system_.first() + i)];
    mpfr_sub(entry_.re.get(), exact.re.get(), entry_.re.get(), MPFR_RNDN);
    if constexpr (complex) mpfr_sub(entry_.im.get(), exact.im.get(), entry_.im.get(), MPFR_RNDN);
    return magnitude<complex>(entry_);
  }

  const System<T>& system_;
  const Elimination<complex>& factors_;
  mpfr_prec_t bits_;
  std::vector<ComplexNumber> b_, exact_, correction_;
  ComplexNumber sum_, entry_;
};

// Nothing where so many bits are too few.
template <class T>
std::optional<SolveErrorReport> errors_by(const System<T>& system, std::span<const double> bounds, mpfr_prec_t bits) {
  constexpr bool complex = is_complex<T>;
  const std::int64_t n = system.order(), columns = system.b.columns;
  ThreadCache cache;
  ask_for_numbers(2 * n * n + 64, bits);
  Elimination<complex> factors(n, bits);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) factors(i, j).template set<complex>(system.entry(i, j));
  }
  if (!factors.factor()) return {};
  SolveErrorReport report;
  report.bits = static_cast<int>(bits);
  bool suffices = true;
  std::mutex mutex;
  host::for_parts(n > 30 ? host::default_threads() : 1, columns, [&](std::int64_t first, std::int64_t last) {
    ThreadCache own_cache;
    SolveErrorReport own;
    bool is_determined = true;
    auto worker = [&] {
      const std::lock_guard lock(mutex);
      ask_for_numbers(6 * n + 64, 2 * bits);
      return ColumnCheck<T>(system, factors, bits);
    }();
    for (std::int64_t j = first; j < last && is_determined; ++j) {
      const auto of_column =
          bounds.empty() ? bounds : bounds.subspan(static_cast<std::size_t>(j * n), static_cast<std::size_t>(n));
      is_determined = worker.check(j, of_column, own);
    }
    const std::lock_guard lock(mutex);
    suffices = suffices && is_determined;
    report.max_error_u2 = std::max(report.max_error_u2, own.max_error_u2);
    report.max_entry_error_u2 = std::max(report.max_entry_error_u2, own.max_entry_error_u2);
    report.bounds_violated += own.bounds_violated;
  });
  if (!suffices) return {};
  return report;
}

template <class T>
double backward_error(const System<T>& system) {
  constexpr bool complex = is_complex<T>;
  const std::int64_t n = system.a.rows, columns = system.b.columns;
  if (n == 0 || columns == 0) return 0.0;
  if (!is_finite(system.a) || !is_finite(system.b) || !is_finite(system.x)) return HUGE_VAL;
  double most = 0.0;
  std::mutex mutex;
  host::for_parts(n > 100 ? host::default_threads() : 1, n, [&](std::int64_t first, std::int64_t last) {
    ThreadCache cache;
    std::unique_lock lock(mutex);
    ask_for_numbers(16, Number::precision);
    ComplexNumber sum, left, right;
    lock.unlock();
    double own = 0.0;
    for (std::int64_t i = first; i < last; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        const Element b = element(system.b, i, j);
        long double sizes = magnitude<complex>(b), lost = 0;
        sum.template set<complex>(b);
        for (std::int64_t k = 0; k < n; ++k) {
          const Element a = element(system.a, i, k), x = element(system.x, k, j);
          left.template set<complex>(a);
          right.template set<complex>(x);
          sum.template subtract_product<complex>(left, right);
          sizes += magnitude<complex>(a) * magnitude<complex>(x);
          lost += magnitude<complex>(a) * underflow<T>;
        }
        const long double residual = std::max(magnitude<complex>(sum) - lost, 0.0L);
        own = std::max(own, quotient(residual, sizes * unit<T>));
      }
    }
    lock.lock();
    most = std::max(most, own);
  });
  return most;
}

// What a call says that finds no memory.
auto no_memory(std::int64_t n) {
  return [n] { return "accuracy: no memory to check the solution of a system of " + std::to_string(n) + " rows"; };
}

template <class T>
SolveErrorReport errors(const char* routine, const System<T>& system, std::span<const double> bounds) {
  const std::int64_t entries = system.x.rows * system.x.columns;
  if (!bounds.empty() && std::ssize(bounds) != entries) {
    throw error(errc::invalid_argument, std::string(routine) + ": there are " + std::to_string(bounds.size()) +
                                            " bounds of " + std::to_string(entries) + " entries");
  }
  for (const auto& [name, matrix] : {std::pair{"A", &system.a}, {"B", &system.b}}) {
    if (is_finite(*matrix)) continue;
    throw error(errc::invalid_argument, std::string(routine) + ": " + name + " has an entry that is not finite");
  }
  for (mpfr_prec_t bits = first_bits; bits <= last_bits; bits *= 2) {
    if (const auto report = errors_by(system, bounds, bits)) return *report;
  }
  return {HUGE_VAL, HUGE_VAL, bounds.empty() ? 0 : entries, 0};
}

}  // namespace

template <gemm_scalar T>
double solve_backward_error(const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<const T>& x) {
  return host::door(no_memory(a.rows),
                    [&] { return backward_error(System<T>("solve_backward_error", a, b, x, false)); });
}

template <gemm_scalar T>
SolveErrorReport solve_error(const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<const T>& x,
                             std::span<const double> bounds) {
  constexpr const char* routine = "solve_error";
  return host::door(no_memory(a.rows), [&] { return errors(routine, System<T>(routine, a, b, x, false), bounds); });
}

template <gemm_scalar T>
SolveErrorReport least_squares_error(const detail::Operand<T>& a, const detail::Operand<T>& b,
                                     const MatrixView<const T>& x) {
  constexpr const char* routine = "least_squares_error";
  return host::door(no_memory(a.rows + a.columns),
                    [&] { return errors(routine, System<T>(routine, a, b, x, true), {}); });
}

#define HILO_INSTANTIATE(T)                                                                              \
  template double solve_backward_error<T>(const detail::Operand<T>&, const detail::Operand<T>&,          \
                                          const MatrixView<const T>&);                                   \
  template SolveErrorReport solve_error<T>(const detail::Operand<T>&, const detail::Operand<T>&,         \
                                           const MatrixView<const T>&, std::span<const double>);         \
  template SolveErrorReport least_squares_error<T>(const detail::Operand<T>&, const detail::Operand<T>&, \
                                                   const MatrixView<const T>&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::accuracy
