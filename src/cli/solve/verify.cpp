#include "cli/solve/verify.hpp"

#if HILO_HAS_ACCURACY
#include <hilo/accuracy.hpp>
#endif

namespace hilo::cli {

#if HILO_HAS_ACCURACY
namespace {

constexpr std::int64_t most_eliminated = 256;  // about a second, in complex precisions three, on one core

template <class T>
MatrixView<const T> view_of(const data::Matrix<T>& x) {
  return view(x.layout, Op::none, x.entries.data(), x.rows, x.columns, x.leading());
}

}  // namespace

void check_verifiable(Verify verify, SystemKind kind, std::int64_t m, std::int64_t n) {
  if (verify == Verify::full || kind != SystemKind::least_squares || m + n <= most_eliminated) return;
  throw error(errc::unsupported, "--verify: least squares of " + std::to_string(m) + " rows and " + std::to_string(n) +
                                     " columns are verified by --verify=full; up to " +
                                     std::to_string(most_eliminated) + " of both by --verify");
}

template <class T>
SolveVerification verify_solution(Verify verify, SystemKind kind, const data::Matrix<T>& a, const data::Matrix<T>& b,
                                  const data::Matrix<T>& x, const SolveReport& report, Progress& progress) {
  progress.at("verifying");
  if (kind == SystemKind::least_squares) {
    const auto found = accuracy::least_squares_error<T>(view_of(a), view_of(b), view_of(x));
    return {found.bits != 0 && found.max_entry_error_u2 <= promised_u2<T>,
            {},
            SolveVerification::Errors{found.bits == 0, found.max_error_u2, found.max_entry_error_u2, {}}};
  }
  SolveVerification v{true, accuracy::solve_backward_error<T>(view_of(a), view_of(b), view_of(x)), {}};
  v.verified = *v.backward_error_u2 <= promised_u2<T>;
  if (verify != Verify::full && a.rows > most_eliminated) return v;
  const auto found = accuracy::solve_error<T>(view_of(a), view_of(b), view_of(x), report.bounds);
  v.errors = {found.bits == 0, found.max_error_u2, found.max_entry_error_u2, {}};
  if (report.is_certified) v.errors->bounds_violated = found.bounds_violated;
  const bool is_full = report.accuracy == SolveAccuracy::full;
  v.verified = v.verified && found.bits != 0 && found.bounds_violated == 0 &&
               (!is_full || found.max_entry_error_u2 <= promised_u2<T>);
  return v;
}
#else
void check_verifiable(Verify, SystemKind, std::int64_t, std::int64_t) {}

template <class T>
SolveVerification verify_solution(Verify, SystemKind, const data::Matrix<T>&, const data::Matrix<T>&,
                                  const data::Matrix<T>&, const SolveReport&, Progress&) {
  throw error(errc::unsupported, "--verify: this build of hilo has no hilo::accuracy (MPFR)");
}
#endif

#define HILO_INSTANTIATE(T)                                                                                         \
  template SolveVerification verify_solution<T>(Verify, SystemKind, const data::Matrix<T>&, const data::Matrix<T>&, \
                                                const data::Matrix<T>&, const SolveReport&, Progress&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::cli
