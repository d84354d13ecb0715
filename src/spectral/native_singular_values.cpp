#include "spectral/native_singular_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "gemm/native/cblas.hpp"
#include "spectral/one_sided_jacobi.hpp"

#if HILO_HAS_LAPACK
// Fortran's, with the length of a text behind the arguments.
#define HILO_REAL(routine, T)                                                                                          \
  extern "C" void routine(const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*, \
                          const int*, int*, int*, std::size_t);
#define HILO_COMPLEX(routine, T)                                                                                   \
  extern "C" void routine(const char*, const int*, const int*, std::complex<T>*, const int*, T*, std::complex<T>*, \
                          const int*, std::complex<T>*, const int*, std::complex<T>*, const int*, T*, int*, int*,  \
                          std::size_t);
HILO_REAL(sgesdd_, float)
HILO_REAL(dgesdd_, double)
HILO_COMPLEX(cgesdd_, float)
HILO_COMPLEX(zgesdd_, double)
#undef HILO_REAL
#undef HILO_COMPLEX
#endif

namespace hilo::spectral {
namespace {

// A value of a scaled matrix as that of the matrix, rounded once.
template <class T>
real_type<T> value_as_given(double value, int exponent) {
  return static_cast<real_type<T>>(solver::scaled(value, -exponent));
}

// Rotations are made in double, so that floats' small values stay beside large ones.
template <class T>
Decomposition<T> by_rotations(int threads, const Dense<solver::Leading<T>>& a, LeftVectors left, int exponent) {
  using D = solver::Leading<T>;
  BlockedOptions options;
  options.threads = threads;
  const Decomposition<D> x = jacobi_decomposition(a, left, options);
  const auto convert = [](const D& e) { return T(e); };
  Decomposition<T> rounded{{}, Dense<T>(x.u, convert), Dense<T>(x.v, convert), x.sweeps};
  for (const double value : x.values) rounded.values.push_back(value_as_given<T>(value, exponent));
  return rounded;
}

#if HILO_HAS_LAPACK
// 7n² + 5n elements of workspace or less are counted by 32-bit integers.
constexpr std::int64_t largest_order = 17500;

// Whether it converged.
template <class T>
bool by_lapack(int threads, Dense<T> a, LeftVectors left, Decomposition<T>& found) {
  using Real = real_type<T>;
  const auto m = static_cast<int>(a.rows()), n = static_cast<int>(a.columns());
  const char* const job = left == LeftVectors::none ? "N" : left == LeftVectors::thin ? "S" : "A";
  const bool wants_vectors = left != LeftVectors::none;
  const auto rows = static_cast<std::size_t>(m), columns = static_cast<std::size_t>(n);
  found.values.resize(columns);
  found.u = Dense<T>(wants_vectors ? m : 0, left == LeftVectors::thin ? n : wants_vectors ? m : 0);
  Dense<T> turned(wants_vectors ? n : 0, wants_vectors ? n : 0);
  // Leading dimensions of what is not read, too.
  const int ld_turned = wants_vectors ? n : 1, ld_u = wants_vectors ? m : 1;
  std::vector<int> integer_work(8 * columns);
  [[maybe_unused]] std::vector<Real> real_work;
  if constexpr (precisions::is_complex(precision_of<T>)) {
    real_work.resize(
        std::max(5 * columns * columns + 7 * columns, 2 * rows * columns + 2 * columns * columns + columns));
  }
  std::vector<T> work(1);
  int info = 0;
  const auto call = [&](bool asks) {
    const int size = asks ? -1 : static_cast<int>(work.size());
    T* const data = a.view().data;
    T *const u = found.u.view().data, *const vt = turned.view().data;
    Real* const s = found.values.data();
    if constexpr (std::same_as<T, float>) {
      sgesdd_(job, &m, &n, data, &m, s, u, &ld_u, vt, &ld_turned, work.data(), &size, integer_work.data(), &info, 1);
    } else if constexpr (std::same_as<T, double>) {
      dgesdd_(job, &m, &n, data, &m, s, u, &ld_u, vt, &ld_turned, work.data(), &size, integer_work.data(), &info, 1);
    } else if constexpr (std::same_as<T, std::complex<float>>) {
      cgesdd_(job, &m, &n, data, &m, s, u, &ld_u, vt, &ld_turned, work.data(), &size, real_work.data(),
              integer_work.data(), &info, 1);
    } else {
      zgesdd_(job, &m, &n, data, &m, s, u, &ld_u, vt, &ld_turned, work.data(), &size, real_work.data(),
              integer_work.data(), &info, 1);
    }
  };
  native::on_blas_threads(threads, [&] {
    call(true);
    // A float does not hold large sizes.
    work.resize(static_cast<std::size_t>(std::real(work[0]) * 1.001) + 64);
    call(false);
  });
  if (info != 0) return false;
  found.v = Dense<T>(turned.rows(), turned.columns());
  for (std::int64_t j = 0; j < turned.columns(); ++j) {
    for (std::int64_t i = 0; i < turned.rows(); ++i) found.v(j, i) = blas::conjugated(turned(i, j), true);
  }
  for (Real& value : found.values) {
    if (!(value >= Real(0))) return false;
    value = std::fabs(value);  // of −0
  }
  return true;
}
#endif

}  // namespace

void check_shape(const char* routine, std::int64_t m, std::int64_t n) {
#if HILO_HAS_LAPACK
  constexpr std::int64_t most = 2147483647;
  const auto reject = [routine](const char* what, std::int64_t x, std::int64_t limit) {
    throw error(errc::unsupported, std::string(routine) + ": " + what + " = " + std::to_string(x) +
                                       " is more than this build's LAPACK takes (" + std::to_string(limit) + ")");
  };
  if (std::min(m, n) > largest_order) reject("min(m, n)", std::min(m, n), largest_order);
  if (m > most) reject("m", m, most);
  if (n > most) reject("n", n, most);
#else
  (void)routine, (void)m, (void)n;
#endif
}

template <gemm_scalar T>
Decomposition<T> native_decomposition(int threads, const Dense<solver::Leading<T>>& a, LeftVectors left, bool relative,
                                      int exponent) {
#if HILO_HAS_LAPACK
  Decomposition<T> found;
  if (!relative && by_lapack(threads, Dense<T>(a, [](const solver::Leading<T>& e) { return T(e); }), left, found)) {
    for (auto& value : found.values) value = value_as_given<T>(static_cast<double>(value), exponent);
    return found;
  }
#else
  (void)relative;
#endif
  return by_rotations<T>(threads, a, left, exponent);
}

#define HILO_INSTANTIATE(T) \
  template Decomposition<T> native_decomposition<T>(int, const Dense<solver::Leading<T>>&, LeftVectors, bool, int);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
#undef HILO_INSTANTIATE

}  // namespace hilo::spectral
