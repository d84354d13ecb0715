// Which factors a system is solved with, when an answer is taken, and when the next ones are: one text for every place.
//
// The rungs: factors in double, in double-double, QR in double-double where pivots have grown. On each, x is
// corrected by what the factors make of its residual, until corrections tell that nothing is to be gained, and accepted
// where its residual says that it solves a system next to the one given. Numbers: docs/solve.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <hilo/solve.hpp>
#include <string>
#include <utility>
#include <vector>

#include "solve/factors.hpp"
#include "solve/unknowns.hpp"

namespace hilo::solver {

inline constexpr double u = 0x1p-53, u2 = 0x1p-106;

/// Corrections in double that cost as much as factors in double-double do.
inline double steps_worthwhile(std::int64_t n) { return std::max(3.0, static_cast<double>(n) / 20.0); }

/// What becomes of one right-hand side.
struct Progress {
  double correction = 0.0;   ///< the last one, relative to x
  double rate = 1.0;         ///< to the one before
  double contraction = 0.0;  ///< of the error by a step, from all steps
  double slowest = 0.0;      ///< the largest rate that was none of a standstill
  double component = 0.0;    ///< the largest of an entry, relative to it
  int steps = 0, words = 2;  ///< words of the last residual
  int least_words = 2;       ///< that still tell something
  bool has_rest = false;
  bool is_solved = false;
  double backward_error = std::numeric_limits<double>::infinity(), error = 0.0;
  SolveAccuracy accuracy = SolveAccuracy::backward;
  SolvePath path = SolvePath::none;
};

template <class System>
class Ladder {
 public:
  Ladder(System& system, const SolveOptions& options)
      : system_(system), options_(options), progress_(static_cast<std::size_t>(system.columns())) {}

  SolveReport climb() {
    for (const SolvePath path : system_.paths()) {
      const SolveFactors other = is_in_double(path) ? SolveFactors::in_double_double : SolveFactors::in_double;
      if (options_.factors == other) continue;
      if (system_.is_for_growth(path) && !is_too_large(growth_)) continue;
      try_factors(path);
      if (is_done()) break;
    }
    return report();
  }

 private:
  static bool is_too_large(double growth) { return !(growth <= 0x1p20); }
  static double unit_of(SolvePath path) { return is_in_double(path) ? u : u2; }

  void try_factors(SolvePath path) {
    const std::string factors(name(path));
    if (!system_.factor(path)) {
      condition_ = std::numeric_limits<double>::infinity();
      growth_ = 0.0;
      reason_ = std::string("A is ") + system_.flaw() + (is_in_double(path) ? " to double" : " to double-double");
      return;
    }
    growth_ = system_.growth();
    condition_ = system_.condition();
    if (is_in_double(path)) {
      if (is_too_large(growth_)) {
        reason_ = "the pivots of " + factors + " have grown too much";
      } else if (!(condition_ * u <= most_of_condition())) {
        reason_ = "A is singular to double, or nearly so";
      } else {
        const bool is_automatic = options_.factors == SolveFactors::automatic;
        refine_with_care(
            path, is_automatic ? std::min(steps_worthwhile(system_.rows()), System::most_worthwhile) : most_steps);
        reason_ = "corrections by " + factors + " do not converge";
      }
    } else {
      is_last_ = system_.is_for_growth(path) || !is_too_large(growth_);
      const bool is_nearly_singular = System::takes_condition && !(condition_ * u2 <= 0.125);
      if (!is_nearly_singular) refine_with_care(path, most_steps);
      reason_ = std::string(is_nearly_singular ? "" : "corrections do not converge: ") +
                "A is singular to double-double, or nearly so";
    }
  }

  // By the factors' unit, in double: what is beyond would not be accepted.
  double most_of_condition() const {
    if (System::takes_condition) return 0.125;
    return options_.accuracy == SolveAccuracy::full ? most_credible : 8.0;
  }

  // Once more where the system has been solved with less accurately than the factors allow.
  void refine_with_care(SolvePath path, double worthwhile) {
    do refine(path, worthwhile);
    while (!is_done() && system_.takes_more_care());
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
    Unknowns<typename System::X>& unknowns = system_.unknowns();
    for (const std::int64_t j : lines) unknowns.start(j);
    system_.find_corrections(lines);
    for (const std::int64_t j : lines) unknowns.correct(j);
    while (!lines.empty()) {
      find_residuals(lines, path);
      system_.find_corrections(lines);
      std::erase_if(lines, [&](std::int64_t j) { return !goes_on(j, worthwhile); });
      for (const std::int64_t j : lines) {
        Progress& p = progress_[static_cast<std::size_t>(j)];
        p.has_rest ? unknowns.correct_with_rest(j) : unknowns.correct(j);
        ++p.steps;
      }
    }
  }

  // Those that take as many words together.
  void find_residuals(const std::vector<std::int64_t>& lines, SolvePath path) {
    for (int count = 2; count <= most_words; ++count) {
      std::vector<std::int64_t> some;
      for (const std::int64_t j : lines) {
        Progress& p = progress_[static_cast<std::size_t>(j)];
        if (words(p, path) == count) some.push_back(j);
      }
      for (const std::int64_t j : some) progress_[static_cast<std::size_t>(j)].words = count;
      if (!some.empty()) system_.find_residuals(some, count);
    }
  }

  // As few as leave most bits of the residual right. It is about as small as x's error by the condition.
  int words(const Progress& p, SolvePath path) const {
    if (options_.accuracy == SolveAccuracy::backward) return 2;
    if (p.has_rest) return most_words;
    const double next = p.steps == 0 ? u : p.correction * std::min(p.rate, 0.5);
    if (is_in_double(path) && p.least_words == 2 && next > condition_ * 0x1p-90) return 2;
    return std::max(condition_ <= 1e11 ? 3 : 4, p.least_words);
  }

  bool goes_on(std::int64_t line, double worthwhile) {
    Progress& p = progress_[static_cast<std::size_t>(line)];
    const Unknowns<typename System::X>& unknowns = system_.unknowns();
    const double d = unknowns.size_of_correction(line), x = unknowns.size(line);
    const double correction = d == 0.0 ? 0.0 : d / x;
    // Not a number where x or d overflowed.
    if (!(correction < std::numeric_limits<double>::infinity()) || !std::isfinite(x)) return false;
    p.rate = p.steps == 0 ? std::min(correction, 1.0) : correction / p.correction;
    const bool has_stalled = p.steps > 0 && !(p.rate <= 0.5);
    p.correction = correction;
    if (correction == 0.0) return is_there(p, line);
    if (options_.accuracy == SolveAccuracy::backward) {
      if (!has_stalled && may_go_on(p, worthwhile)) return true;
      // Where x has no digit, A is singular even if x solves a system next to it; of least squares not even that is
      // sure.
      return correction <= (System::takes_condition ? 0x1p-13 : 0x1p-6) && !accept(p, line, false);
    }
    // Corrections err as the factors do: by that much of the largest.
    if (!has_stalled) p.contraction = std::pow(std::min(correction, 0.5), 1.0 / (p.steps + 1));
    // Where A is nearly singular to the factors, one direction may lag behind.
    if (!has_stalled && p.steps > 0 && condition_ * unit_of(p.path) > 0.125) p.slowest = std::max(p.slowest, p.rate);
    const double left = 2.0 * std::max(p.contraction, p.slowest);
    const double component =
        unknowns.relative_correction(line, left * d + system_.noise(line, unit_of(p.path), condition_));
    const double before = std::exchange(p.component, component);
    if (component <= u2 / 2) return is_there(p, line);
    const bool may_have_rest = p.steps < 2.0 * most_steps;
    if (!has_stalled) return p.has_rest ? may_have_rest : may_go_on(p, worthwhile);
    if (correction > u2) return false;
    // What large entries cannot hold stands in the way of small ones, and what residuals in fewer words did not tell:
    // the next correction finds that error first, which is no standstill.
    if (!p.has_rest) {
      p.has_rest = true;
      p.correction = 1.0;
      p.component = std::numeric_limits<double>::infinity();
      return true;
    }
    if (component <= before / 2 && may_have_rest) return true;
    return !accept(p, line, component <= 2.0 * u2);
  }

  // Corrections vanish. That may be the residual's error, which the condition makes larger, beside the smallest entry:
  // then more words are asked, and whether x goes on is said. Nothing is known of its error so far.
  bool is_there(Progress& p, std::int64_t line) {
    if (options_.accuracy != SolveAccuracy::full) return !accept(p, line, true);
    const double right = u2 * system_.unknowns().smallest_share(line) / system_.sensitivity(line, condition_);
    const auto suffice = [right](int words, double margin) { return std::pow(u, words) <= right / margin; };
    const int needed = p.words == 2 ? 3 : suffice(p.words, 0x1p10) ? p.words : p.words == 3 ? 4 : most_words;
    if (needed > p.words) {
      p.least_words = needed;
      p.correction = 1.0;
      return true;
    }
    return !accept(p, line, suffice(p.words, 1.0));
  }

  // Steps that are left to go, as the last two corrections foretell them.
  static bool may_go_on(const Progress& p, double worthwhile) {
    if (p.steps == 0) return true;
    const double left = std::log2(std::max(p.correction / u2, 1.0)) / -std::log2(std::max(p.rate, u2));
    return p.steps + left <= worthwhile + 3.0;
  }

  // Whether no step more helps: what is not accepted gets another one as long as that halves the backward error, as
  // where one of two equations lags behind.
  bool accept(Progress& p, std::int64_t line, bool is_full) {
    if (p.has_rest) {
      system_.unknowns().drop_rest(line);
      system_.find_residuals({line}, 4);
    }
    const bool wants_full = options_.accuracy == SolveAccuracy::full;
    const double before = std::exchange(p.backward_error, system_.backward_error(line, wants_full ? u : 1.0));
    const bool is_proper = is_full && wants_full && p.backward_error <= 2.0 * u2 && is_credible(p);
    p.accuracy = is_proper ? SolveAccuracy::full : SolveAccuracy::backward;
    p.is_solved = p.backward_error <= 4.0 * u2 && (is_last_ || p.accuracy == options_.accuracy) &&
                  (is_last_ || !System::takes_condition || is_credible(p));
    const double rate = std::clamp(p.rate, u2, 1.0);
    p.error = (is_full ? p.correction / (1.0 - std::min(rate, 0.5)) : 2.0 * p.correction / rate) + u2 / 2;
    if (system_.unknowns().are_zero(line)) p.error = 0.0;
    const double most = wants_full ? 2.0 * u2 : 4.0 * u2;
    return p.backward_error <= most || !(p.backward_error <= before / 2) || p.steps >= 2.0 * most_steps;
  }

  // Factors to which A is nearly singular may take directions for others in which A is still smaller, and make nothing
  // of an error there. What converges faster than their condition allows has not been seen by them.
  bool is_credible(const Progress& p) const {
    const double ratio = condition_ * unit_of(p.path);
    return ratio <= 0.125 || (ratio <= most_credible && p.steps >= 6 && !System::takes_condition);
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
  static constexpr double most_credible = 2.0;  // of the condition times the factors' unit, of full accuracy

  System& system_;
  const SolveOptions& options_;
  std::vector<Progress> progress_;
  double condition_ = 0.0, growth_ = 0.0;
  bool is_last_ = false;  // no better factors are to be had
  std::string reason_;
};

}  // namespace hilo::solver
