#include "cli/solve/result.hpp"

#include <ostream>
#include <sstream>

#include "cli/json.hpp"
#include "cli/machine.hpp"
#include "cli/text.hpp"

namespace hilo::cli {
namespace {

void print_solution(std::ostream& out, const SolveReport& r) {
  out << wrapped("solved     ", 11,
                 "to " + std::string(name(r.accuracy)) + " accuracy, " + std::string(name(r.path)) + ", " +
                     count(r.steps, "correction", "corrections"));
  out << "condition  about " << digits(r.condition) << ", growth of pivots " << digits(r.growth) << '\n';
  out << "residual   " << digits(r.backward_error_u2) << " u^2 (|A||x| + |b|), u^2 = 2^-106\n";
  out << "error      ";
  if (r.is_certified) {
    out << "at most " << digits(r.error_bound) << " of the largest entry of x, proved\n";
  } else {
    out << "about " << digits(r.error_estimate) << " of the largest entry of x, not proved\n";
  }
}

void print_verification(std::ostream& out, Precision precision, const SolveVerification& v) {
  out << "verified   " << (v.verified ? "yes" : "NO");
  if (v.backward_error_u2) {
    out << ": residual against MPFR " << digits(*v.backward_error_u2) << " (|A||x| + |b|)\n";
  } else {
    out << ", against MPFR\n";
  }
  if (v.errors && v.errors->is_singular) {
    out << "           A is " << (v.backward_error_u2 ? "singular" : "not of full rank")
        << ", or nearly so to thousands of bits\n";
  } else if (v.errors) {
    out << "           largest error " << digits(v.errors->largest_u2) << " of the largest entry of x,\n"
        << "           " << digits(v.errors->largest_of_entry_u2) << " of an entry itself\n";
    if (v.errors->bounds_violated) {
      out << "           " << count(*v.errors->bounds_violated, "entry lies", "entries lie")
          << " outside its proved bound\n";
    }
  } else {
    out << "           the errors of x by --verify=full\n";
  }
  out << "           (in " << error_unit_name(precision) << ")\n";
}

}  // namespace

std::string_view name(SystemKind kind) {
  constexpr std::string_view names[] = {"general", "positive definite", "symmetric", "Hermitian", "least squares"};
  return names[static_cast<int>(kind)];
}

void print_table(std::ostream& out, const SolveResult& result) {
  std::ostringstream system;
  system << name(result.precision) << ", " << result.m << " x " << result.n;
  if (result.kind != SystemKind::general) system << ' ' << name(result.kind);
  system << ", " << count(result.nrhs, "right-hand side", "right-hand sides") << ", " << name(result.layout)
         << " layout";
  out << wrapped("system     ", 11, system.str());
  if (result.report.is_solved) {
    print_solution(out, result.report);
  } else {
    out << wrapped("solved     ", 11, "NO: " + result.report.reason);
  }
  print_run(out, result.run);
  if (result.verification) print_verification(out, result.precision, *result.verification);
  print_written(out, result);
}

void print_json(std::ostream& out, const SolveResult& result) {
  const SolveReport& r = result.report;
  nlohmann::ordered_json j;
  j["precision"] = name(result.precision);
  j["m"] = result.m;
  j["n"] = result.n;
  j["nrhs"] = result.nrhs;
  j["kind"] = name(result.kind);
  j["layout"] = name(result.layout);
  j["engine"] = name(result.options.products.engine);
  j["accuracy"] = name(result.options.accuracy);
  j["solved"] = r.is_solved;
  add_nulls(j, {"accuracy_delivered", "path", "steps", "condition", "growth", "backward_error_u2", "error_estimate",
                "certified", "error_bound", "failure"});
  if (r.condition > 0.0) j["condition"] = finite_or_null(r.condition);
  if (r.is_solved) {
    j["accuracy_delivered"] = name(r.accuracy);
    j["path"] = name(r.path);
    j["steps"] = r.steps;
    j["growth"] = finite_or_null(r.growth);
    j["backward_error_u2"] = finite_or_null(r.backward_error_u2);
    j["error_estimate"] = finite_or_null(r.error_estimate);
  }
  j["certified"] = r.is_certified;
  if (r.is_certified) j["error_bound"] = finite_or_null(r.error_bound);
  add_run(j, result.failure, result.run);
  add_nulls(j, {"verified", "max_backward_error_u2", "max_error_u2", "max_entry_error_u2", "bounds_violated"});
  if (result.verification) {
    const SolveVerification& v = *result.verification;
    j["verified"] = v.verified;
    if (v.backward_error_u2) j["max_backward_error_u2"] = finite_or_null(*v.backward_error_u2);
    if (v.errors) {
      j["max_error_u2"] = finite_or_null(v.errors->largest_u2);
      j["max_entry_error_u2"] = finite_or_null(v.errors->largest_of_entry_u2);
      if (v.errors->bounds_violated) j["bounds_violated"] = *v.errors->bounds_violated;
    }
  }
  print_object(out, j);
}

}  // namespace hilo::cli
