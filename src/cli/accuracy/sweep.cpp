#include "cli/accuracy/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <hilo/accuracy.hpp>
#include <limits>

#include "cli/accuracy/leading_words.hpp"
#include "cli/text.hpp"
#include "cli/words.hpp"
#include "data/generate.hpp"
#include "data/matrix.hpp"

namespace hilo::cli {
namespace {

using data::Matrix;

constexpr double most_terms_in_full = 1 << 19;  // about 0.2 s of MPFR for a method

// The same for all rows, as the largest error of more entries is larger.
accuracy::Sample sample_of(const AccuracyRequest& r) {
  std::int64_t k = std::max(k_over_phi, *std::max_element(r.k.begin(), r.k.end()));
  bool is_small = static_cast<double>(r.n) * static_cast<double>(r.n) * static_cast<double>(k) <= most_terms_in_full;
  return is_small ? accuracy::Sample::full : accuracy::Sample::some;
}

template <class T>
Matrix<T> generated(const AccuracyRequest& r, double phi, char which, std::int64_t rows, std::int64_t columns) {
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

// A and B, by columns.
template <class T>
struct Factors {
  Matrix<T> a, b;
};

template <class T>
GemmReport multiply(const Factors<T>& f, Matrix<T>& c, const GemmOptions& options) {
  return gemm(Layout::column, Op::none, Op::none, c.rows, c.columns, f.a.columns, T(1), f.a.entries.data(),
              f.a.leading(), f.b.entries.data(), f.b.leading(), T(0), c.entries.data(), c.leading(), options);
}

template <class T>
accuracy::ErrorReport error_of(const Factors<T>& f, const Matrix<T>& c, accuracy::Sample sample, Measure measure) {
  const T* none = nullptr;
  return accuracy::gemm_error(Layout::column, Op::none, Op::none, c.rows, c.columns, f.a.columns, T(1),
                              f.a.entries.data(), f.a.leading(), f.b.entries.data(), f.b.leading(), T(0), none,
                              c.entries.data(), c.leading(), sample, measure);
}

// What double makes of the leading words.
template <double_double T>
Matrix<T> product_in_double(const Factors<T>& f, int threads) {
  const Factors<Leading<T>> leading{leading_words(f.a), leading_words(f.b)};
  auto c = data::zero_matrix<Leading<T>>(f.a.rows, f.b.columns, Layout::column, "C");
  GemmOptions options;
  options.engine = Engine::direct;
  options.threads = threads;
  multiply(leading, c, options);
  return converted<T>(c);
}

// "NaN in 2 of 9 entries, the first C(1, 3)", counted from 1, among all and not only those that are checked; empty
// where there is none, as should be: the operands are finite, and what overflows is an Inf.
template <class T>
std::string nan_entries(const Matrix<T>& c) {
  constexpr std::int64_t words = sizeof(T) / sizeof(double);
  const auto* word = reinterpret_cast<const double*>(c.entries.data());
  std::int64_t found = 0, first = 0;
  for (std::int64_t i = 0; i < std::ssize(c.entries); ++i, word += words) {
    if (std::none_of(word, word + words, [](double x) { return std::isnan(x); })) continue;
    if (found++ == 0) first = i;
  }
  if (found == 0) return "";
  return "NaN in " + std::to_string(found) + " of " + count(std::ssize(c.entries), "entry", "entries") +
         ", the first C(" + std::to_string(first % c.rows + 1) + ", " + std::to_string(first / c.rows + 1) + ")";
}

template <class T>
SweepRow row(const AccuracyRequest& r, double phi, std::int64_t k, Work& work) {
  SweepRow row{phi, k, 0, {}, {}, {}, {}};
  char problem[64];
  std::snprintf(problem, sizeof problem, "phi = %g, k = %lld: ", phi, static_cast<long long>(k));
  work.at(std::string(problem) + "generating");
  Matrix<T> c = data::zero_matrix<T>(r.n, r.n, Layout::column, "C");
  const Factors<T> factors{generated<T>(r, phi, 'A', r.n, k), generated<T>(r, phi, 'B', k, r.n)};
  const accuracy::Sample sample = sample_of(r);
  for (std::size_t i = 0; i < methods.size(); ++i) {
    work.at(std::string(problem) + methods[i].title);
    work.done += static_cast<double>(k);
    GemmOptions options;
    options.engine = methods[i].engine;
    options.accuracy = methods[i].accuracy;
    options.threads = r.threads;
    Observation& o = row.observations[i];
    try {
      o.report = multiply(factors, c, options);
    } catch (const error& e) {
      if (e.code() != errc::unsupported) throw;
      o.refusal = e.what();
      continue;
    }
    const accuracy::ErrorReport found = error_of(factors, c, sample, o.report.plan.measure);
    o.max_error_u2 = found.max_error_u2;
    row.entries_checked = found.entries_checked;
  }
  const auto compared = [&](const Matrix<T>& product) {
    return error_of(factors, product, sample, Measure::componentwise).max_error_u2;
  };
  if constexpr (double_double<T>) {
    work.at(std::string(problem) + "double");
    row.double_error_u2 = compared(product_in_double(factors, r.threads));
  }
  if (r.reference) {
    work.at(std::string(problem) + "the reference");
    const Matrix<T> product = r.reference->multiply(factors.a, factors.b);
    row.reference_failure = nan_entries(product);
    row.reference_error_u2 =
        row.reference_failure.empty() ? compared(product) : std::numeric_limits<double>::quiet_NaN();
  }
  return row;
}

template <class T>
void sweep_products(const AccuracyRequest& r, Progress& progress, Sweep& sweep, const std::function<void()>& tell) {
  double terms = static_cast<double>(k_over_phi) * static_cast<double>(r.phi.size());
  for (std::int64_t k : r.k) terms += static_cast<double>(k);
  Work work{progress, terms * static_cast<double>(methods.size())};
  auto append = [&](std::vector<SweepRow>& rows, double phi, std::int64_t k) {
    rows.push_back(row<T>(r, phi, k, work));
    progress.at("");
    tell();
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

bool hold(const std::vector<ConditionRow>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const ConditionRow& row) {
    return std::all_of(row.findings.begin(), row.findings.end(), [](const ConditionFinding& f) { return f.holds; });
  });
}

}  // namespace

bool Observation::holds() const { return !refusal.empty() || max_error_u2 <= report.plan.error_bound_u2; }

bool Sweep::holds() const { return hold(over_phi) && hold(over_k) && hold(over_condition); }

void sweep(const AccuracyRequest& request, Progress& progress, const std::function<void(const Sweep&)>& tell) {
  Sweep sweep;
  if (request.has(Routine::gemm)) {
    with_type_of(request.precision, [&]<class T>(std::type_identity<T>) {
      if constexpr (!is_single(precision_of<T>)) sweep_products<T>(request, progress, sweep, [&] { tell(sweep); });
    });
  }
  sweep_conditions(request, progress, [&](ConditionRow row) {
    sweep.over_condition.push_back(std::move(row));
    progress.at("");
    tell(sweep);
  });
}

}  // namespace hilo::cli
