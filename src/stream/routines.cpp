// Routines on matrices of host memory that devices compute: arguments -> place -> routine.
#include <chrono>
#include <hilo/streaming.hpp>
#include <string>

#include "blas/level3.hpp"
#include "lapack/pivots.hpp"
#include "stream/devices.hpp"
#include "stream/place.hpp"
#include "stream/told.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Argument;
using blas::Arguments;
using stream::StreamPlace;

// What every routine is given beside its matrices, and what a failure leaves undefined, with its verb.
struct Request {
  const char *routine, *results;
  const DeviceGroup& devices;
  const BlockedOptions& options;
  StreamReport* report;
};

// check(arguments), whether there is something to be done; run(place) does it.
template <class T, class Check, class Run>
void door(const Request& request, Check check, Run run) {
  const auto begin = std::chrono::steady_clock::now();
  const Arguments arguments(request.routine, sizeof(T));
  arguments.check_options(precision_of<T>, Backend::opencl, request.options);
  if (request.report) *request.report = {};
  if (!check(arguments)) return;
  const std::string doing = std::string("running ") + request.routine;
  bool has_written = false;
  try {
    opencl::guarded(doing.c_str(), [&] {
      StreamPlace<T> place(stream::devices_of(request.devices), request.options);
      try {
        run(place);
      } catch (...) {
        has_written = place.has_written();
        throw;
      }
      if (!request.report) return;
      *request.report = place.report();
      request.report->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    });
  } catch (const error& failure) {
    throw stream::told(failure, request.routine, request.results, has_written);
  }
}

// As an argument of what may go to a device whole.
template <class View>
Argument counted(const Arguments& check, const char* name, const View& x) {
  check.check_counted(name, x.rows, x.columns);
  return argument(name, x);
}

template <class A, class T>
void check_system(const Arguments& check, const MatrixView<A>& a, const MatrixView<T>& b) {
  check.check_system(counted(check, "A", a), counted(check, "B", b));
}

template <class T>
void update(const Request& request, const blas::SymmetricResult& result, T alpha, const MatrixView<const T>& a, T beta,
            const MatrixView<T>& c) {
  door<T>(
      request,
      [&](const Arguments& check) {
        blas::check_update(check, result, counted(check, "A", a), nullptr, counted(check, "C", c));
        return c.rows > 0;
      },
      [&](StreamPlace<T>& place) { blas::update<StreamPlace<T>>(place, result, alpha, a, nullptr, beta, c); });
}

}  // namespace

template <gemm_scalar T>
void trsm(const DeviceGroup& devices, Side side, Uplo uplo, Diag diag, detail::Scalar<T> alpha,
          const detail::Operand<T>& a, const MatrixView<T>& b, const BlockedOptions& options, StreamReport* report) {
  door<T>(
      {"trsm", "B is", devices, options, report},
      [&](const Arguments& check) {
        blas::check_triangular(check, side, uplo, diag, counted(check, "A", a), counted(check, "B", b));
        return b.rows > 0 && b.columns > 0;
      },
      [&](StreamPlace<T>& place) { blas::solve_sided<StreamPlace<T>>(place, side, uplo, diag, alpha, a, b); });
}

template <gemm_scalar T>
void syrk(const DeviceGroup& devices, Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a,
          detail::Scalar<T> beta, const MatrixView<T>& c, const BlockedOptions& options, StreamReport* report) {
  update<T>({"syrk", "C is", devices, options, report}, {blas::Symmetry::symmetric, uplo}, alpha, a, beta, c);
}

template <gemm_scalar T>
void herk(const DeviceGroup& devices, Uplo uplo, real_type<T> alpha, const detail::Operand<T>& a, real_type<T> beta,
          const MatrixView<T>& c, const BlockedOptions& options, StreamReport* report) {
  update<T>({"herk", "C is", devices, options, report}, {blas::Symmetry::hermitian, uplo}, T(alpha), a, T(beta), c);
}

template <gemm_scalar T>
std::int64_t getrf(const DeviceGroup& devices, const MatrixView<T>& a, std::span<std::int64_t> pivots,
                   const BlockedOptions& options, StreamReport* report) {
  std::int64_t info = 0;
  door<T>(
      {"getrf", "A is", devices, options, report},
      [&](const Arguments& check) {
        check.check_result(counted(check, "A", a));
        const std::int64_t n = std::min(a.rows, a.columns);
        lapack::check_pivot_count(check, pivots, n);
        return n > 0;
      },
      [&](StreamPlace<T>& place) {
        place.set_pivots(pivots);
        place.accept_normwise_products();
        lapack::factor(place, a);
        info = place.info();
      });
  return info;
}

template <gemm_scalar T>
void getrs(const DeviceGroup& devices, Op op, const detail::Operand<T>& lu, std::span<const std::int64_t> pivots,
           const MatrixView<T>& b, const BlockedOptions& options, StreamReport* report) {
  door<T>(
      {"getrs", "B is", devices, options, report},
      [&](const Arguments& check) {
        check.check_enum(static_cast<int>(op), 3, "op");
        check_system(check, lu, b);
        lapack::check_pivots(check, pivots, lu.rows);
        return b.rows > 0 && b.columns > 0;
      },
      [&](StreamPlace<T>& place) {
        place.set_pivots(pivots);
        lapack::solve_with_factors<StreamPlace<T>>(place, op, lu, b);
      });
}

template <gemm_scalar T>
std::int64_t gesv(const DeviceGroup& devices, const MatrixView<T>& a, std::span<std::int64_t> pivots,
                  const MatrixView<T>& b, const BlockedOptions& options, StreamReport* report) {
  std::int64_t info = 0;
  door<T>(
      {"gesv", "A and B are", devices, options, report},
      [&](const Arguments& check) {
        check_system(check, a, b);
        check.check_result(counted(check, "A", a));
        lapack::check_pivot_count(check, pivots, a.rows);
        return a.rows > 0;
      },
      [&](StreamPlace<T>& place) {
        place.set_pivots(pivots);
        place.accept_normwise_products();
        lapack::factor(place, a);
        place.accept_normwise_products(false);
        info = place.info();
        if (info == 0 && b.columns > 0) lapack::solve_with_factors<StreamPlace<T>>(place, Op::none, a, b);
      });
  return info;
}

template <gemm_scalar T>
std::int64_t potrf(const DeviceGroup& devices, Uplo uplo, const MatrixView<T>& a, const BlockedOptions& options,
                   StreamReport* report) {
  std::int64_t info = 0;
  door<T>(
      {"potrf", "A is", devices, options, report},
      [&](const Arguments& check) {
        check.check_enum(static_cast<int>(uplo), 1, "uplo");
        check.check_result(counted(check, "A", a));
        check.check_square(counted(check, "A", a));
        return a.rows > 0;
      },
      [&](StreamPlace<T>& place) {
        place.accept_normwise_products();
        lapack::factor_positive(place, lapack::as_lower(uplo, a));
        info = place.info();
      });
  return info;
}

template <gemm_scalar T>
void potrs(const DeviceGroup& devices, Uplo uplo, const detail::Operand<T>& factor, const MatrixView<T>& b,
           const BlockedOptions& options, StreamReport* report) {
  door<T>(
      {"potrs", "B is", devices, options, report},
      [&](const Arguments& check) {
        check.check_enum(static_cast<int>(uplo), 1, "uplo");
        check_system(check, factor, b);
        return b.rows > 0 && b.columns > 0;
      },
      [&](StreamPlace<T>& place) { lapack::solve_positive<StreamPlace<T>>(place, uplo, factor, b); });
}

template <gemm_scalar T>
std::int64_t posv(const DeviceGroup& devices, Uplo uplo, const MatrixView<T>& a, const MatrixView<T>& b,
                  const BlockedOptions& options, StreamReport* report) {
  std::int64_t info = 0;
  door<T>(
      {"posv", "A and B are", devices, options, report},
      [&](const Arguments& check) {
        check.check_enum(static_cast<int>(uplo), 1, "uplo");
        check_system(check, a, b);
        check.check_result(counted(check, "A", a));
        return a.rows > 0;
      },
      [&](StreamPlace<T>& place) {
        place.accept_normwise_products();
        lapack::factor_positive(place, lapack::as_lower(uplo, a));
        place.accept_normwise_products(false);
        info = place.info();
        if (info == 0 && b.columns > 0) lapack::solve_positive<StreamPlace<T>>(place, uplo, a, b);
      });
  return info;
}

#define HILO_INSTANTIATE(T)                                                                                        \
  template void trsm<T>(const DeviceGroup&, Side, Uplo, Diag, T, const MatrixView<const T>&, const MatrixView<T>&, \
                        const BlockedOptions&, StreamReport*);                                                     \
  template void syrk<T>(const DeviceGroup&, Uplo, T, const MatrixView<const T>&, T, const MatrixView<T>&,          \
                        const BlockedOptions&, StreamReport*);                                                     \
  template void herk<T>(const DeviceGroup&, Uplo, real_type<T>, const MatrixView<const T>&, real_type<T>,          \
                        const MatrixView<T>&, const BlockedOptions&, StreamReport*);                               \
  template std::int64_t getrf<T>(const DeviceGroup&, const MatrixView<T>&, std::span<std::int64_t>,                \
                                 const BlockedOptions&, StreamReport*);                                            \
  template void getrs<T>(const DeviceGroup&, Op, const MatrixView<const T>&, std::span<const std::int64_t>,        \
                         const MatrixView<T>&, const BlockedOptions&, StreamReport*);                              \
  template std::int64_t gesv<T>(const DeviceGroup&, const MatrixView<T>&, std::span<std::int64_t>,                 \
                                const MatrixView<T>&, const BlockedOptions&, StreamReport*);                       \
  template std::int64_t potrf<T>(const DeviceGroup&, Uplo, const MatrixView<T>&, const BlockedOptions&,            \
                                 StreamReport*);                                                                   \
  template void potrs<T>(const DeviceGroup&, Uplo, const MatrixView<const T>&, const MatrixView<T>&,               \
                         const BlockedOptions&, StreamReport*);                                                    \
  template std::int64_t posv<T>(const DeviceGroup&, Uplo, const MatrixView<T>&, const MatrixView<T>&,              \
                                const BlockedOptions&, StreamReport*);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
