// What eigenproblems on the host and on a device return, and their reports.
#pragma once

#include <hilo/eigenvalues.hpp>
#include <string>
#include <vector>

#include "spectral/arguments.hpp"
#include "spectral/eigenvalue_bound.hpp"
#include "spectral/hermitian_refinement.hpp"

namespace hilo::spectral {

/// Of A, which has been scaled by 2^exponent, in ascending order.
template <double_double T>
struct Eigensystem {
  EigenvalueReport report;
  int exponent = 0;
  Dense<T> matrix, vectors;
  std::vector<dd_real> values;

  dd_real value_as_given(std::int64_t j) const {
    return solver::scaled_back(values[static_cast<std::size_t>(j)], -exponent);
  }
  /// Why they cannot be returned; empty where they can.
  std::string obstacle() const {
    return overflow_among(std::ssize(values), [this](std::int64_t j) { return value_as_given(j); });
  }
};

/// Of a matrix without rows.
inline EigenvalueReport report_of_nothing(bool is_certified) {
  EigenvalueReport report;
  report.is_solved = true;
  report.residual_u2 = report.orthogonality_u2 = 0.0;
  if (is_certified) report.is_certified = true, report.bound = 0.0;
  return report;
}

inline EigenvalueReport refusal(std::string reason) {
  EigenvalueReport report;
  report.reason = std::move(reason);
  return report;
}

/// Refines what the place has started with, or rotates. `wants_figures`: of vectors.
template <class Place>
EigenvalueReport refined(HermitianRefinement<Place>& refinement, bool wants_vectors, bool wants_figures) {
  EigenvalueReport report;
  report.path = EigenvaluePath::refinement;
  if (refinement.refine(wants_vectors)) {
    report.updates = refinement.updates();
  } else {
    report.path = EigenvaluePath::jacobi_in_double_double;
    report.updates = refinement.rotate();
  }
  if (wants_figures) {
    const auto norms = refinement.norms();
    report.residual_u2 = norms.residual_u2;
    report.orthogonality_u2 = norms.orthogonality_u2;
  }
  report.is_solved = true;
  return report;
}

template <double_double T>
void certify(const std::optional<EigenvalueBounds>& bounds, const Eigensystem<T>& system, EigenvalueReport& report) {
  if (!bounds) return;
  double size = 0.0;
  for (const dd_real& value : system.values) size = std::max(size, std::fabs(value.hi));
  report.residual_u2 = size > 0.0 ? bounds->residual / size * 0x1p106 : 0.0;
  report.orthogonality_u2 = bounds->orthogonality * 0x1p106;
  report.is_certified = true;
  report.bound = bound_as_given(bounds->of_order, system.exponent);
  for (const double bound : bounds->of_each) report.bounds.push_back(bound_as_given(bound, system.exponent));
}
template <double_double T>
void certify(const Eigensystem<T>& system, const EigenvalueOptions& options, EigenvalueReport& report) {
  certify(eigenvalue_bounds(system.matrix, system.vectors, system.values, options.products), system, report);
}

}  // namespace hilo::spectral
