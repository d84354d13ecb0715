#include "cli/eig/result.hpp"

#include <cmath>
#include <ostream>

#include "cli/json.hpp"
#include "cli/machine.hpp"
#include "cli/text.hpp"

namespace hilo::cli {
namespace {

void print_solution(std::ostream& out, const EigResult& result) {
  const EigenvalueReport& r = result.report;
  out << "solved     by " << name(r.path) << ", " << count(r.updates, "update", "updates") << '\n';
  out << "values     from " << digits(result.smallest) << " to " << digits(result.largest) << '\n';
  if (std::isfinite(r.residual_u2)) {
    out << "residual   " << digits(r.residual_u2) << " u^2 of the largest |value|, u^2 = 2^-106\n";
    out << "vectors    orthogonal to " << digits(r.orthogonality_u2) << " u^2\n";
  }
  if (r.is_certified) {
    out << "error      of each value at most " << digits(r.bound) << ", proved\n";
  } else {
    out << "error      not proved" << (result.options.certify ? "" : " (--certify)") << '\n';
  }
}

}  // namespace

void print_table(std::ostream& out, const EigResult& result) {
  out << "matrix     " << name(result.precision) << ", " << result.n << " x " << result.n << ' ' << name(result.kind)
      << ", " << (result.has_vectors ? "values and vectors" : "values alone") << ", " << name(result.layout)
      << " layout\n";
  if (result.report.is_solved) {
    print_solution(out, result);
  } else {
    out << wrapped("solved     ", 11, "NO: " + result.report.reason);
  }
  print_run(out, result.run);
  print_written(out, result);
}

void print_json(std::ostream& out, const EigResult& result) {
  const EigenvalueReport& r = result.report;
  nlohmann::ordered_json j;
  j["precision"] = name(result.precision);
  j["n"] = result.n;
  j["kind"] = name(result.kind);
  j["vectors"] = result.has_vectors;
  j["layout"] = name(result.layout);
  j["engine"] = name(result.options.products.engine);
  j["solved"] = r.is_solved;
  add_nulls(j, {"path", "updates", "smallest", "largest", "residual_u2", "orthogonality_u2", "certified", "error_bound",
                "failure"});
  if (r.is_solved) {
    j["path"] = name(r.path);
    j["updates"] = r.updates;
    j["smallest"] = finite_or_null(result.smallest);
    j["largest"] = finite_or_null(result.largest);
    j["residual_u2"] = finite_or_null(r.residual_u2);
    j["orthogonality_u2"] = finite_or_null(r.orthogonality_u2);
  }
  j["certified"] = r.is_certified;
  if (r.is_certified) j["error_bound"] = finite_or_null(r.bound);
  add_run(j, result.failure, result.run);
  print_object(out, j);
}

}  // namespace hilo::cli
