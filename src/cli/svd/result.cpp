#include "cli/svd/result.hpp"

#include <cmath>
#include <ostream>

#include "cli/json.hpp"
#include "cli/machine.hpp"
#include "cli/text.hpp"

namespace hilo::cli {
namespace {

const char* parts_name(const SvdResult& result) {
  if (result.has_left) return result.has_right ? "values and vectors" : "values and left vectors";
  return result.has_right ? "values and right vectors" : "values alone";
}

void print_solution(std::ostream& out, const SvdResult& result) {
  const SingularValueReport& r = result.report;
  const bool has_rotated = r.path == SingularValuePath::jacobi || r.path == SingularValuePath::jacobi_in_double_double;
  out << "solved     by " << name(r.path) << ", "
      << (has_rotated ? count(r.updates, "sweep", "sweeps") : count(r.updates, "update", "updates")) << '\n';
  out << "values     from " << digits(result.largest) << " to " << digits(result.smallest) << '\n';
  if (std::isfinite(r.residual_u2)) {
    out << "residual   " << digits(r.residual_u2) << " u^2 of the largest value, u^2 = 2^-106\n";
    out << "vectors    orthogonal to " << digits(r.left_orthogonality_u2) << " u^2 on the left, "
        << digits(r.right_orthogonality_u2) << " u^2 on the right\n";
  }
  if (r.is_certified) {
    out << "error      of each value at most " << digits(r.bound) << ", proved\n";
  } else {
    out << "error      not proved" << (result.options.certify ? "" : " (--certify)") << '\n';
  }
}

}  // namespace

void print_table(std::ostream& out, const SvdResult& result) {
  out << "matrix     " << name(result.precision) << ", " << result.m << " x " << result.n << ", " << parts_name(result)
      << ", " << name(result.layout) << " layout\n";
  if (result.report.is_solved) {
    print_solution(out, result);
  } else {
    out << wrapped("solved     ", 11, "NO: " + result.report.reason);
  }
  print_run(out, result.run);
  print_written(out, result);
}

void print_json(std::ostream& out, const SvdResult& result) {
  const SingularValueReport& r = result.report;
  nlohmann::ordered_json j;
  j["precision"] = name(result.precision);
  j["m"] = result.m;
  j["n"] = result.n;
  j["left"] = result.has_left;
  j["right"] = result.has_right;
  j["relative"] = result.options.relative;
  j["layout"] = name(result.layout);
  j["engine"] = name(result.options.products.engine);
  j["solved"] = r.is_solved;
  add_nulls(j, {"path", "updates", "largest", "smallest", "residual_u2", "left_orthogonality_u2",
                "right_orthogonality_u2", "certified", "error_bound", "failure"});
  if (r.is_solved) {
    j["path"] = name(r.path);
    j["updates"] = r.updates;
    j["largest"] = finite_or_null(result.largest);
    j["smallest"] = finite_or_null(result.smallest);
    j["residual_u2"] = finite_or_null(r.residual_u2);
    j["left_orthogonality_u2"] = finite_or_null(r.left_orthogonality_u2);
    j["right_orthogonality_u2"] = finite_or_null(r.right_orthogonality_u2);
  }
  j["certified"] = r.is_certified;
  if (r.is_certified) j["error_bound"] = finite_or_null(r.bound);
  add_run(j, result.failure, result.run);
  print_object(out, j);
}

}  // namespace hilo::cli
