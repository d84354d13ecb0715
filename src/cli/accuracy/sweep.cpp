#include "cli/accuracy/sweep.hpp"

#include <algorithm>
#include <cstdio>
#include <hilo/accuracy.hpp>

#include "data/generate.hpp"
#include "data/matrix.hpp"

namespace hilo::cli {
namespace {

using data::Matrix;

constexpr double most_terms_in_full = 1 << 19;  // about 0.2 s of MPFR for a method

// The same for all rows, as the largest error of more entries is larger.
accuracy::Sample sample_of(const SweepRequest& r) {
  std::int64_t k = std::max(k_over_phi, *std::max_element(r.k.begin(), r.k.end()));
  bool is_small = static_cast<double>(r.n) * static_cast<double>(r.n) * static_cast<double>(k) <= most_terms_in_full;
  return is_small ? accuracy::Sample::full : accuracy::Sample::some;
}

template <class T>
Matrix<T> generated(const SweepRequest& r, double phi, char which, std::int64_t rows, std::int64_t columns) {
  Matrix<T> x = data::zero_matrix<T>(rows, columns, Layout::column, std::string(1, which));
  data::generate({{data::Init::range, phi}, data::seed_of_matrix(r.seed, which)}, Layout::column, rows, columns,
                 x.entries.data(), x.leading());
  return x;
}

// How much of all products is done, in terms of their sums.
struct Work {
  Progress& progress;
  double all;
  double done = 0.0;

  void at(const std::string& what) const { progress.at(done / all, what); }
};

template <class T>
SweepRow row(const SweepRequest& r, double phi, std::int64_t k, Work& work) {
  SweepRow row{phi, k, 0, {}};
  char problem[64];
  std::snprintf(problem, sizeof problem, "phi = %g, k = %lld: ", phi, static_cast<long long>(k));
  work.at(std::string(problem) + "generating");
  Matrix<T> c = data::zero_matrix<T>(r.n, r.n, Layout::column, "C");
  Matrix<T> a = generated<T>(r, phi, 'A', r.n, k), b = generated<T>(r, phi, 'B', k, r.n);
  for (std::size_t i = 0; i < methods.size(); ++i) {
    work.at(std::string(problem) + methods[i].title);
    work.done += static_cast<double>(k);
    GemmOptions options;
    options.engine = methods[i].engine;
    options.accuracy = methods[i].accuracy;
    options.threads = r.threads;
    Observation& o = row.observations[i];
    try {
      o.report = gemm(Layout::column, Op::none, Op::none, r.n, r.n, k, T(1), a.entries.data(), a.leading(),
                      b.entries.data(), b.leading(), T(0), c.entries.data(), c.leading(), options);
    } catch (const error& e) {
      if (e.code() != errc::unsupported) throw;
      o.refusal = e.what();
      continue;
    }
    const T* none = nullptr;
    auto found = accuracy::gemm_error(Layout::column, Op::none, Op::none, r.n, r.n, k, T(1), a.entries.data(),
                                      a.leading(), b.entries.data(), b.leading(), T(0), none, c.entries.data(),
                                      c.leading(), sample_of(r), o.report.plan.measure);
    o.max_error_u2 = found.max_error_u2;
    row.entries_checked = found.entries_checked;
  }
  return row;
}

template <class T>
void run(const SweepRequest& r, Progress& progress, const std::function<void(const Sweep&)>& tell) {
  Sweep sweep;
  double terms = static_cast<double>(k_over_phi) * static_cast<double>(r.phi.size());
  for (std::int64_t k : r.k) terms += static_cast<double>(k);
  Work work{progress, terms * static_cast<double>(methods.size())};
  auto append = [&](std::vector<SweepRow>& rows, double phi, std::int64_t k) {
    rows.push_back(row<T>(r, phi, k, work));
    progress.at("");
    tell(sweep);
  };
  for (double phi : r.phi) append(sweep.over_phi, phi, k_over_phi);
  for (std::int64_t k : r.k) append(sweep.over_k, phi_over_k, k);
}

bool hold(const std::vector<SweepRow>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const SweepRow& row) {
    return std::all_of(row.observations.begin(), row.observations.end(),
                       [](const Observation& o) { return o.holds(); });
  });
}

}  // namespace

bool Observation::holds() const { return !refusal.empty() || max_error_u2 <= report.plan.error_bound_u2; }

bool Sweep::holds() const { return hold(over_phi) && hold(over_k); }

void sweep(const SweepRequest& request, Progress& progress, const std::function<void(const Sweep&)>& tell) {
  switch (request.precision) {
    case Precision::d:
      return run<double>(request, progress, tell);
    case Precision::z:
      return run<std::complex<double>>(request, progress, tell);
    case Precision::dd:
      return run<dd_real>(request, progress, tell);
    case Precision::zdd:
      return run<dd_complex>(request, progress, tell);
    default:
      throw error(errc::invalid_argument, "accuracy: no engines to compare in single precision");
  }
}

}  // namespace hilo::cli
