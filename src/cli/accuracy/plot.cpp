#include "cli/accuracy/plot.hpp"

#include <algorithm>

#include "cli/text.hpp"

namespace hilo::cli {
namespace {

constexpr const char* double_colour = "#cc79a7";
constexpr const char* reference_colour = "#555555";

// A curve of an error that not every row has; `x` is the place of a row.
template <class Place>
Curve compared(const char* title, const char* colour, const std::vector<SweepRow>& rows, Place x,
               std::optional<double> SweepRow::*error) {
  Curve curve{title, colour, false, {}};
  for (const SweepRow& row : rows) {
    if (row.*error) curve.points.push_back({x(row), *(row.*error)});
  }
  return curve;
}

// Every method's errors and, behind them, its bounds, then what they are compared with.
template <class Place>
std::vector<Curve> curves(const std::vector<SweepRow>& rows, Place x) {
  std::vector<Curve> all;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    Curve errors{methods[i].title, methods[i].colour, false, {}}, bounds{"", methods[i].colour, true, {}};
    for (const SweepRow& row : rows) {
      const Observation& o = row.observations[i];
      if (!o.refusal.empty()) continue;
      errors.points.push_back({x(row), o.max_error_u2});
      bounds.points.push_back({x(row), o.report.plan.error_bound_u2});
    }
    all.push_back(errors);
    all.push_back(bounds);
  }
  all.push_back(compared("double", double_colour, rows, x, &SweepRow::double_error_u2));
  all.push_back(compared("reference", reference_colour, rows, x, &SweepRow::reference_error_u2));
  return all;
}

// One error of every method over the condition.
Panel condition_panel(const Sweep& sweep, bool of_solutions, const std::string& title, const std::string& label,
                      double ConditionFinding::*error) {
  Panel panel{title, "condition", label, Axis::powers_of_ten, Axis::exponents, {}};
  for (const ConditionRow& row : sweep.over_condition) {
    if (row.is_of_solutions != of_solutions) continue;
    panel.curves.resize(row.findings.size());
    for (std::size_t i = 0; i < row.findings.size(); ++i) {
      const ConditionFinding& f = row.findings[i];
      Curve& curve = panel.curves[i];
      curve.title = f.method->title;
      curve.colour = f.method->colour;
      if (f.failure.empty()) curve.points.push_back({row.condition, f.*error});
    }
  }
  return panel;
}

}  // namespace

std::string title(const AccuracyRequest& request) {
  const std::string precision(name(request.precision));
  if (request.conditions.empty()) {
    return "Errors of " + precision + "gemm (marks) and their guaranteed bounds (dashed)";
  }
  return "Errors in " + precision + (request.has(Routine::gemm) ? ", of products with guaranteed bounds (dashed)" : "");
}

std::vector<Panel> panels(const AccuracyRequest& request, const Sweep& sweep) {
  const std::string unit = "2^{" + std::to_string(precisions::error_unit(request.precision)) + "}",
                    epsilon = "2^{" + std::to_string(precisions::error_unit(request.precision) + 1) + "}",
                    error = "largest error, in " + unit + " |A||B|";
  std::vector<Panel> all;
  if (!sweep.over_phi.empty()) {
    all.push_back({"k = " + std::to_string(k_over_phi), "φ: entries are (rand - 1/2) exp(φ normal)", error,
                   Axis::linear, Axis::exponents, curves(sweep.over_phi, [](const SweepRow& row) { return row.phi; })});
  }
  if (!sweep.over_k.empty()) {
    all.push_back({"φ = " + digits(phi_over_k), "k", error, Axis::log2, Axis::exponents,
                   curves(sweep.over_k, [](const SweepRow& row) { return static_cast<double>(row.k); })});
  }
  const Panel factors =
      condition_panel(sweep, false, "Factors", "residual, in " + epsilon + " n‖A‖", &ConditionFinding::residual_ratio);
  if (!factors.curves.empty()) all.push_back(factors);
  const Panel solutions = condition_panel(sweep, true, "Solutions", "error, in " + unit + " of the largest entry",
                                          &ConditionFinding::max_error_u2);
  if (!solutions.curves.empty()) {
    all.push_back(solutions);
    all.push_back(
        condition_panel(sweep, true, "Solutions", "backward error, in " + unit, &ConditionFinding::backward_error_u2));
  }
  return all;
}

}  // namespace hilo::cli
