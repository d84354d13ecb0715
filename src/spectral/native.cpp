#include "spectral/native.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>

#include "gemm/native/cblas.hpp"
#include "solve/precision.hpp"
#include "spectral/jacobi.hpp"

#if HILO_HAS_LAPACK
// Fortran's, with the lengths of texts behind the arguments.
#define HILO_REAL(routine, T)                                                                                         \
  extern "C" void routine(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*, const int*, \
                          int*, std::size_t, std::size_t);
#define HILO_COMPLEX(routine, T)                                                                                    \
  extern "C" void routine(const char*, const char*, const int*, std::complex<T>*, const int*, T*, std::complex<T>*, \
                          const int*, T*, const int*, int*, const int*, int*, std::size_t, std::size_t);
HILO_REAL(ssyevd_, float)
HILO_REAL(dsyevd_, double)
HILO_COMPLEX(cheevd_, float)
HILO_COMPLEX(zheevd_, double)
#undef HILO_REAL
#undef HILO_COMPLEX
#endif

namespace hilo::spectral {
namespace {

// By columns of D and Z: A becomes its eigenvectors.
template <class T>
std::vector<double> jacobi_eigenvalues(Dense<T>& a) {
  const std::int64_t n = a.rows();
  double most = 0.0;
  for (std::int64_t j = 0; j < n; ++j) {
    a(j, j) = T(real_part(a(j, j)));
    for (std::int64_t i = j; i < n; ++i) most = std::max(most, solver::size_of(a(i, j)));
  }
  const int exponent = most > 0.0 ? -std::ilogb(most) : 0;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = j; i < n; ++i) {
      a(i, j) = solver::scaled(a(i, j), exponent);
      a(j, i) = blas::conjugated(a(i, j), true);
    }
  }
  Dense<T> x = identity<T>(n);
  rotate_to_diagonal(a, x, 0x1p-54 / static_cast<double>(std::max<std::int64_t>(n, 1)));
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::int64_t i, std::int64_t j) { return real_part(a(i, i)) < real_part(a(j, j)); });
  std::vector<double> values;
  for (const std::int64_t j : order) values.push_back(solver::scaled(real_part(a(j, j)), -exponent));
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = 0; i < n; ++i) a(i, k) = x(i, order[static_cast<std::size_t>(k)]);
  }
  return values;
}

#if HILO_HAS_LAPACK
// 2n² + 6n + 1 elements of workspace are counted by 32-bit integers.
constexpr std::int64_t largest_order = 32766;
#endif

}  // namespace

bool has_lapack() {
#if HILO_HAS_LAPACK
  return true;
#else
  return false;
#endif
}

void check_order(const char* routine, std::int64_t n) {
#if HILO_HAS_LAPACK
  if (n <= largest_order) return;
  throw error(errc::unsupported, std::string(routine) + ": n = " + std::to_string(n) +
                                     " is more than this build's LAPACK takes (" + std::to_string(largest_order) + ")");
#else
  (void)routine, (void)n;
#endif
}

template <gemm_scalar T>
std::vector<real_type<T>> native_eigenvalues(int threads, Dense<T>& a) {
  using Real = real_type<T>;
#if HILO_HAS_LAPACK
  const int n = static_cast<int>(a.rows());
  std::vector<Real> values(static_cast<std::size_t>(n));
  std::vector<T> work(1);
  std::vector<Real> real_work(1);
  std::vector<int> integer_work(1);
  // Values alone ("N") come from xSTERF, which loses all digits where couplings are tiny: of a 4 x 4 matrix 0.71, 0.82
  // true.
  const char* const job = "V";
  int info = 0;
  const auto call = [&](bool asks) {
    const auto size = [asks](const auto& x) { return asks ? -1 : static_cast<int>(x.size()); };
    const int of_work = size(work), of_integers = size(integer_work);
    [[maybe_unused]] const int of_reals = size(real_work);
    T* const data = a.view().data;
    if constexpr (std::same_as<T, float>) {
      ssyevd_(job, "L", &n, data, &n, values.data(), work.data(), &of_work, integer_work.data(), &of_integers, &info, 1,
              1);
    } else if constexpr (std::same_as<T, double>) {
      dsyevd_(job, "L", &n, data, &n, values.data(), work.data(), &of_work, integer_work.data(), &of_integers, &info, 1,
              1);
    } else if constexpr (std::same_as<T, std::complex<float>>) {
      cheevd_(job, "L", &n, data, &n, values.data(), work.data(), &of_work, real_work.data(), &of_reals,
              integer_work.data(), &of_integers, &info, 1, 1);
    } else {
      zheevd_(job, "L", &n, data, &n, values.data(), work.data(), &of_work, real_work.data(), &of_reals,
              integer_work.data(), &of_integers, &info, 1, 1);
    }
  };
  // What it asks for, and no less than its documentation says: a float does not hold large sizes.
  const auto order = static_cast<std::size_t>(n);
  const std::size_t least = 2 * order * order + 6 * order + 1;
  native::on_blas_threads(threads, [&] {
    call(true);
    work.resize(std::max(static_cast<std::size_t>(std::real(work[0])), least));
    real_work.resize(std::max(static_cast<std::size_t>(real_work[0]), least));
    integer_work.resize(static_cast<std::size_t>(std::max(integer_work[0], 1)));
    call(false);
  });
  if (info != 0) values.clear();
  return values;
#else
  (void)threads;
  using D = solver::Leading<T>;
  Dense<D> x(a, [](const T& e) { return D(e); });
  const std::vector<double> values = jacobi_eigenvalues(x);
  a = Dense<T>(x, [](const D& e) { return T(e); });
  std::vector<Real> rounded;
  for (const double value : values) rounded.push_back(static_cast<Real>(value));
  return rounded;
#endif
}

template <gemm_scalar T>
Dense<T> eigenvectors_in_double(int threads, const Dense<T>& a) {
  Dense<T> x = a;
  if (native_eigenvalues(threads, x).empty() && a.rows() > 0) {
    x = a;
    jacobi_eigenvalues(x);
  }
  return x;
}

template std::vector<float> native_eigenvalues(int, Dense<float>&);
template std::vector<double> native_eigenvalues(int, Dense<double>&);
template std::vector<float> native_eigenvalues(int, Dense<std::complex<float>>&);
template std::vector<double> native_eigenvalues(int, Dense<std::complex<double>>&);
template Dense<double> eigenvectors_in_double(int, const Dense<double>&);
template Dense<std::complex<double>> eigenvectors_in_double(int, const Dense<std::complex<double>>&);

}  // namespace hilo::spectral
