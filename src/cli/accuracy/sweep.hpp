// Errors of products of one size over ranges of entries and lengths of sums, in all engines and beside plain double and
// another library; and what is compared over conditions.
#pragma once

#include <array>
#include <functional>
#include <hilo/gemm.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/accuracy/conditions.hpp"
#include "cli/accuracy/request.hpp"
#include "cli/progress.hpp"

namespace hilo::cli {

/// An engine with an accuracy, as `hilo accuracy` compares them.
struct Method {
  const char* key;    ///< in the JSON object
  const char* title;  ///< for a person
  const char* colour;
  Engine engine;
  Accuracy accuracy;
};
inline constexpr std::array<Method, 5> methods = {{
    {"direct_classic", "direct classic", "#e69f00", Engine::direct, Accuracy::classic},
    {"direct_fast", "direct fast", "#d55e00", Engine::direct, Accuracy::fast},
    {"modular_classic", "modular classic", "#0072b2", Engine::modular, Accuracy::classic},
    {"modular_fast", "modular fast", "#56b4e9", Engine::modular, Accuracy::fast},
    {"modular_tight", "modular tight", "#009e73", Engine::modular, Accuracy::tight},
}};

/// What one method made of one problem.
struct Observation {
  std::string refusal;  ///< why the method does not compute it; empty where it does, and only then the rest counts
  GemmReport report;
  double max_error_u2;

  /// Whether the error is within what the plan guarantees, where it guarantees anything.
  bool holds() const;
};

struct SweepRow {
  double phi;
  std::int64_t k, entries_checked;
  std::array<Observation, methods.size()> observations;
  std::optional<double> double_error_u2;     ///< of the leading words' product in double; of DD and ZDD alone
  std::optional<double> reference_error_u2;  ///< where there is a reference; NaN where its product has a NaN
  std::string reference_failure;             ///< which entries those are: "NaN in 2 of 9 entries, the first C(1, 3)"
};

/// The k of the rows over phi, and the phi of those over k.
inline constexpr std::int64_t k_over_phi = 512;
inline constexpr double phi_over_k = 1.0;

struct Sweep {
  std::vector<SweepRow> over_phi, over_k;    ///< in the request's order, the latter after the former
  std::vector<ConditionRow> over_condition;  ///< after those, of factors before those of solutions
  bool is_interrupted = false;

  std::size_t rows() const { return over_phi.size() + over_k.size() + over_condition.size(); }
  /// Whether every error is within its bound, or what is promised.
  bool holds() const;
};

/// n × n products of generated matrices (data::Init::range), their entries against MPFR, then factors and solutions.
/// `tell` has what is done after every row. Throws hilo::error; std::runtime_error where the reference fails.
void sweep(const AccuracyRequest& request, Progress& progress, const std::function<void(const Sweep&)>& tell);

}  // namespace hilo::cli
