#include "cli/verify.hpp"

#include <algorithm>
#include <cmath>
#if HILO_HAS_ACCURACY
#include <hilo/accuracy.hpp>
#endif

namespace hilo::cli {

#if HILO_HAS_ACCURACY
namespace {

constexpr double terms_at_a_time = 1e6;  // about a third of a second on one core

// Some columns of C, and what they are made of.
template <class T>
struct Columns {
  std::int64_t count;
  const T *b, *c0, *c;
};

template <class T>
Columns<T> columns(const GemmRequest& r, const Operands<T>& o, std::int64_t first, std::int64_t count) {
  const bool columns_apart = (r.layout == Layout::column) == (r.opb == Op::none);
  const std::int64_t of_b = columns_apart ? o.b.leading() : 1, of_c = r.layout == Layout::column ? o.c.leading() : 1;
  return {count, o.b.entries.data() + first * of_b, o.c0.entries.empty() ? nullptr : o.c0.entries.data() + first * of_c,
          o.c.entries.data() + first * of_c};
}

}  // namespace

template <class T>
Verification verify(const GemmRequest& r, T alpha, const Operands<T>& o, T beta, const GemmPlan& plan,
                    Progress& progress) {
  const bool is_full = r.verify == Verify::full, is_exact = r.options.accuracy == Accuracy::exact;
  const auto sample = is_full ? accuracy::Sample::full : accuracy::Sample::some;
  const double terms = static_cast<double>(plan.m) * static_cast<double>(plan.k);
  const auto wide = static_cast<std::int64_t>(terms_at_a_time / std::max(terms, 1.0));
  const std::int64_t step = is_full ? std::clamp<std::int64_t>(wide, 1, std::max<std::int64_t>(plan.n, 1)) : plan.n;
  const T* a = o.a.entries.data();
  Verification v{{}, 0, 0, 0.0, {}};
  if (is_exact) v.mismatches = 0;
  std::int64_t first = 0;
  do {
    const Columns<T> x = columns(r, o, first, std::min(step, plan.n - first));
    progress.at(plan.n ? static_cast<double>(first) / static_cast<double>(plan.n) : 0.0, "verifying");
    const auto found = accuracy::gemm_error(r.layout, r.opa, r.opb, plan.m, x.count, plan.k, alpha, a, o.a.leading(),
                                            x.b, o.b.leading(), beta, x.c0, x.c, o.c.leading(), sample, plan.measure);
    v.entries_checked += found.entries_checked;
    v.non_finite_mismatches += found.non_finite_mismatches;
    v.max_error_u2 = std::max(v.max_error_u2, found.max_error_u2);
    if (is_exact) {
      *v.mismatches += accuracy::gemm_exact_mismatches(r.layout, r.opa, r.opb, plan.m, x.count, plan.k, alpha, a,
                                                       o.a.leading(), x.b, o.b.leading(), x.c, o.c.leading(), sample);
    }
    first += x.count;
  } while (first < plan.n && plan.m > 0);
  if (is_exact) {
    v.verified = *v.mismatches == 0;
  } else if (std::isfinite(plan.error_bound_u2) || v.non_finite_mismatches) {
    v.verified = v.max_error_u2 <= plan.error_bound_u2 && v.non_finite_mismatches == 0;
  }
  return v;
}
#else
template <class T>
Verification verify(const GemmRequest&, T, const Operands<T>&, T, const GemmPlan&, Progress&) {
  throw error(errc::unsupported, "--verify: this build of hilo has no hilo::accuracy (MPFR)");
}
#endif

#define HILO_INSTANTIATE(T) \
  template Verification verify<T>(const GemmRequest&, T, const Operands<T>&, T, const GemmPlan&, Progress&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::cli
