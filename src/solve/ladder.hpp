// Which factors a system is solved with, when an answer is taken, and when the next ones are: one text for every place.
//
// The rungs: LU in double, LU in double-double, QR in double-double where LU's pivots have grown. On each, x is
// corrected by what the factors make of its residual, until corrections tell that nothing is to be gained, and accepted
// where its residual says that it solves a system next to the one given. Numbers: docs/solve.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <hilo/solve.hpp>
#include <vector>

namespace hilo::solver {

inline constexpr double u = 0x1p-53, u2 = 0x1p-106;

/// Corrections in double that cost as much as factors in double-double do.
inline double steps_worthwhile(std::int64_t n) { return std::max(3.0, static_cast<double>(n) / 20.0); }

/// What becomes of one right-hand side.
struct Progress {
  double correction = 0.0;  ///< the last one, relative to x
  double rate = 1.0;        ///< to the one before
  int steps = 0;
  bool is_solved = false;
  double backward_error = 0.0, error = 0.0;
  SolveAccuracy accuracy = SolveAccuracy::backward;
  SolvePath path = SolvePath::none;
};

template <class System>
class Ladder {
 public:
  Ladder(System& system, const SolveOptions& options)
      : system_(system), options_(options), progress_(static_cast<std::size_t>(system.columns())) {}

  SolveReport climb() {
    const bool is_automatic = options_.factors == SolveFactors::automatic;
    if (options_.factors != SolveFactors::in_double_double) try_double(is_automatic);
    if (options_.factors != SolveFactors::in_double && !is_done()) try_double_double();
    return report();
  }

 private:
  static bool is_too_large(double growth) { return !(growth <= 0x1p20); }

  void try_double(bool is_automatic) {
    if (!system_.factor_in_double()) {
      condition_ = std::numeric_limits<double>::infinity();
      reason_ = "LU in double has a pivot of 0";
      return;
    }
    growth_ = system_.growth();
    condition_ = system_.condition();
    if (is_too_large(growth_)) {
      reason_ = "the pivots of LU in double have grown too much";
    } else if (!(condition_ * u <= 8.0)) {
      reason_ = "A is singular to double";
    } else {
      refine(SolvePath::double_lu, is_automatic ? steps_worthwhile(system_.rows()) : most_steps);
      if (!is_done()) reason_ = "corrections by LU in double do not converge";
    }
  }

  void try_double_double() {
    const bool has_factors = system_.factor();
    if (!has_factors) {
      condition_ = std::numeric_limits<double>::infinity();
      reason_ = "LU has a pivot of 0: A is singular to double-double";
      return;
    }
    growth_ = system_.growth();
    condition_ = system_.condition();
    is_last_ = !is_too_large(growth_);
    refine(SolvePath::double_double_lu, most_steps);
    if (is_done()) return;
    reason_ = "corrections do not converge: A is singular to double-double, or nearly so";
    if (is_last_ || !system_.factor_orthogonally()) return;
    is_last_ = true;
    condition_ = system_.condition();
    refine(SolvePath::double_double_qr, most_steps);
  }

  // Corrections of all that is not solved yet.
  void refine(SolvePath path, double worthwhile) {
    std::vector<std::int64_t> lines;
    for (std::size_t j = 0; j < progress_.size(); ++j) {
      if (progress_[j].is_solved) continue;
      progress_[j] = {};
      progress_[j].path = path;
      lines.push_back(static_cast<std::int64_t>(j));
    }
    system_.start(lines);
    system_.find_corrections(lines);
    for (const std::int64_t j : lines) system_.correct(j);
    while (!lines.empty()) {
      system_.find_residuals(lines, words(lines, path));
      system_.find_corrections(lines);
      std::erase_if(lines, [&](std::int64_t j) { return !goes_on(j, worthwhile); });
      for (const std::int64_t j : lines) {
        system_.correct(j);
        ++progress_[static_cast<std::size_t>(j)].steps;
      }
    }
  }

  // As few as leave most bits of the residual right. It is about as small as x's error by the condition.
  int words(const std::vector<std::int64_t>& lines, SolvePath path) const {
    if (options_.accuracy == SolveAccuracy::backward) return 2;
    double least = 1.0;
    for (const std::int64_t j : lines) {
      const Progress& p = progress_[static_cast<std::size_t>(j)];
      least = std::min(least, p.steps == 0 ? u : p.correction * std::min(p.rate, 0.5));
    }
    if (path == SolvePath::double_lu && least > condition_ * 0x1p-90) return 2;
    return path == SolvePath::double_lu && condition_ <= 1e15 ? 3 : 4;
  }

  bool goes_on(std::int64_t line, double worthwhile) {
    Progress& p = progress_[static_cast<std::size_t>(line)];
    const double d = system_.size_of_correction(line), x = system_.size(line);
    const double correction = d == 0.0 ? 0.0 : d / x;
    // Not a number where x or d overflowed.
    if (!(correction < std::numeric_limits<double>::infinity()) || !std::isfinite(x)) return false;
    p.rate = p.steps == 0 ? std::min(correction, 1.0) : correction / p.correction;
    const bool has_stalled = p.steps > 0 && !(p.rate <= 0.5);
    p.correction = correction;
    if (correction == 0.0) {
      accept(p, line, true);
      return false;
    }
    if (options_.accuracy == SolveAccuracy::backward) {
      if (!has_stalled && may_go_on(p, worthwhile)) return true;
      // Where x has no digit, A is singular even if x solves a system next to it.
      if (correction <= 0x1p-6) accept(p, line, false);
      return false;
    }
    if ((correction <= u2 && has_stalled) || system_.relative_correction(line) <= u2 / 2) {
      accept(p, line, true);
      return false;
    }
    return !has_stalled && may_go_on(p, worthwhile);
  }

  // Steps that are left to go, as the last two corrections foretell them.
  static bool may_go_on(const Progress& p, double worthwhile) {
    if (p.steps == 0) return true;
    const double left = std::log2(std::max(p.correction / u2, 1.0)) / -std::log2(std::max(p.rate, u2));
    return p.steps + left <= worthwhile + 3.0;
  }

  void accept(Progress& p, std::int64_t line, bool is_full) {
    p.backward_error = system_.backward_error(line);
    const bool wants_full = options_.accuracy == SolveAccuracy::full;
    p.accuracy = is_full && wants_full && p.backward_error <= 2.0 * u2 ? SolveAccuracy::full : SolveAccuracy::backward;
    p.is_solved = p.backward_error <= 4.0 * u2 && (is_last_ || p.accuracy == options_.accuracy);
    const double rate = std::clamp(p.rate, u2, 1.0);
    p.error = (is_full ? p.correction / (1.0 - std::min(rate, 0.5)) : 2.0 * p.correction / rate) + u2 / 2;
  }

  bool is_done() const {
    return std::all_of(progress_.begin(), progress_.end(), [](const Progress& p) { return p.is_solved; });
  }

  SolveReport report() const {
    SolveReport r;
    r.is_solved = is_done();
    r.condition = condition_;
    r.growth = growth_;
    if (!r.is_solved) {
      r.reason = reason_;
      for (const Progress& p : progress_) r.path = std::max(r.path, p.path);
      return r;
    }
    r.accuracy = options_.accuracy;
    r.error_estimate = 0.0;
    for (const Progress& p : progress_) {
      r.accuracy = std::min(r.accuracy, p.accuracy);
      r.path = std::max(r.path, p.path);
      r.steps = std::max(r.steps, p.steps);
      r.backward_error_u2 = std::max(r.backward_error_u2, p.backward_error / u2);
      r.error_estimate = std::max(r.error_estimate, p.error);
    }
    return r;
  }

  static constexpr double most_steps = 60.0;

  System& system_;
  const SolveOptions& options_;
  std::vector<Progress> progress_;
  double condition_ = 0.0, growth_ = 0.0;
  bool is_last_ = false;  // no better factors are to be had
  std::string reason_;
};

}  // namespace hilo::solver
