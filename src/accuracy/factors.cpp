// The residual of a matrix's factors.
#include <cmath>
#include <hilo/accuracy.hpp>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/exact_system.hpp"
#include "host/door.hpp"
#include "host/team.hpp"

namespace hilo::accuracy {
namespace {

template <class T>
void check(const MatrixView<const T>& a, const MatrixView<const T>& b, const MatrixView<const T>& c) {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw error(errc::invalid_argument, "factor_residual: " + message);
  };
  const auto size = [](const MatrixView<const T>& m) {
    return std::to_string(m.rows) + " x " + std::to_string(m.columns);
  };
  for (const auto& [name, m] : {std::pair{"A", &a}, {"B", &b}, {"C", &c}}) {
    require(m->rows >= 0 && m->columns >= 0, std::string(name) + " is " + size(*m));
    require(m->data || m->rows == 0 || m->columns == 0, std::string(name) + " is null");
  }
  require(a.columns == b.rows, "A is " + size(a) + ", B " + size(b));
  require(c.rows == a.rows && c.columns == b.columns, "C is " + size(c) + ", A " + size(a) + ", B " + size(b));
}

// ‖C − A · B‖∞ and ‖C‖∞.
struct Norms {
  long double of_difference = 0, of_c = 0;
};

template <class T>
Norms norms(const MatrixView<const T>& a, const MatrixView<const T>& b, const MatrixView<const T>& c) {
  constexpr bool complex = is_complex<T>;
  constexpr double least_terms = 30000.0;  // a thread is not worth fewer
  const std::int64_t m = c.rows, n = c.columns, k = a.columns;
  const bool is_large = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) > least_terms;
  Norms all;
  std::mutex mutex;
  host::for_parts(is_large ? host::default_threads() : 1, m, [&](std::int64_t first, std::int64_t last) {
    ThreadCache cache;
    std::unique_lock lock(mutex);
    ask_for_numbers(2 * k + 16, Number::precision);
    std::vector<ComplexNumber> row(static_cast<std::size_t>(k));
    ComplexNumber difference, entry;
    lock.unlock();
    Norms own;
    for (std::int64_t i = first; i < last; ++i) {
      Norms of_row;
      for (std::int64_t h = 0; h < k; ++h) row[static_cast<std::size_t>(h)].template set<complex>(element(a, i, h));
      for (std::int64_t j = 0; j < n; ++j) {
        const Element of_c = element(c, i, j);
        difference.template set<complex>(of_c);
        for (std::int64_t h = 0; h < k; ++h) {
          entry.template set<complex>(element(b, h, j));
          difference.template subtract_product<complex>(row[static_cast<std::size_t>(h)], entry);
        }
        of_row.of_difference += magnitude<complex>(difference);
        of_row.of_c += magnitude<complex>(of_c);
      }
      own.of_difference = std::max(own.of_difference, of_row.of_difference);
      own.of_c = std::max(own.of_c, of_row.of_c);
    }
    lock.lock();
    all.of_difference = std::max(all.of_difference, own.of_difference);
    all.of_c = std::max(all.of_c, own.of_c);
  });
  return all;
}

}  // namespace

template <gemm_scalar T>
double factor_residual(const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<const T>& c) {
  return host::door(no_memory_to_check(c.rows, c.columns, a.columns), [&] {
    check<T>(a, b, c);
    if (c.rows == 0 || c.columns == 0) return 0.0;
    if (!is_finite(a) || !is_finite(b) || !is_finite(c)) return HUGE_VAL;
    const Norms found = norms<T>(a, b, c);
    const auto terms = static_cast<long double>(std::max<std::int64_t>(a.columns, 1));
    return quotient(found.of_difference, terms * 2 * unit<T> * found.of_c);
  });
}

#define HILO_INSTANTIATE(T) \
  template double factor_residual<T>(const detail::Operand<T>&, const detail::Operand<T>&, const MatrixView<const T>&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::accuracy
