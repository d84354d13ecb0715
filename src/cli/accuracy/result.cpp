#include "cli/accuracy/result.hpp"

#include "cli/csv.hpp"
#include "cli/json.hpp"

namespace hilo::cli {
namespace {

using json = nlohmann::ordered_json;

json describe(const Observation& o) {
  json j;
  add_nulls(j, {"max_error_u2", "error_bound_u2", "path", "bits", "moduli", "esc", "entries_direct", "refusal"});
  if (!o.refusal.empty()) {
    j["refusal"] = o.refusal;
    return j;
  }
  const GemmPlan& p = o.report.plan;
  j["max_error_u2"] = finite_or_null(o.max_error_u2);
  j["error_bound_u2"] = finite_or_null(p.error_bound_u2);
  j["path"] = name(p.path);
  if (p.engine == Engine::modular) {
    j["bits"] = p.bits;
    j["moduli"] = p.moduli;
    j["esc"] = p.esc;
    j["entries_direct"] = o.report.entries_direct;
  }
  return j;
}

json describe(const std::optional<double>& error) { return error ? finite_or_null(*error) : json(); }

json describe(const std::vector<SweepRow>& rows) {
  json all = json::array();
  for (const SweepRow& row : rows) {
    json j = {{"phi", row.phi}, {"k", row.k}, {"entries_checked", row.entries_checked}};
    for (std::size_t i = 0; i < methods.size(); ++i) j[methods[i].key] = describe(row.observations[i]);
    j["double_error_u2"] = describe(row.double_error_u2);
    j["reference_error_u2"] = describe(row.reference_error_u2);
    add_nulls(j, {"reference_failure"});
    if (!row.reference_failure.empty()) j["reference_failure"] = row.reference_failure;
    all.push_back(j);
  }
  return all;
}

json describe(Precision precision, double condition, const ConditionFinding& f) {
  const ConditionMethod& method = *f.method;
  const Precision in_double = is_complex(precision) ? Precision::z : Precision::d;
  json j;
  j["routine"] = method.routine;
  j["precision"] = name(method.in_double ? in_double : precision);
  j["accuracy"] = method.accuracy ? json(name(*method.accuracy)) : json();
  j["condition"] = condition;
  add_nulls(j, {"residual_ratio", "orthogonality_ratio", "max_error_u2", "max_entry_error_u2", "backward_error_u2",
                "accuracy_delivered", "path", "failure"});
  if (f.path != SolvePath::none) j["path"] = name(f.path);
  if (!f.failure.empty()) {
    j["failure"] = f.failure;
    return j;
  }
  if (f.is_of_solution()) {
    j["max_error_u2"] = finite_or_null(f.max_error_u2);
    j["max_entry_error_u2"] = finite_or_null(f.max_entry_error_u2);
    j["backward_error_u2"] = finite_or_null(f.backward_error_u2);
    if (f.delivered) j["accuracy_delivered"] = name(*f.delivered);
  } else {
    j["residual_ratio"] = finite_or_null(f.residual_ratio);
    if (method.asked == Routine::geqrf) j["orthogonality_ratio"] = finite_or_null(f.orthogonality_ratio);
  }
  return j;
}

// A line of values, empty but for what all have in common and, of products and others, what `filled` says.
json csv_line(const AccuracyRequest& request, const json& filled) {
  json line = {{"precision", name(request.precision)}, {"n", request.n}, {"seed", request.seed}};
  add_nulls(line, {"over",
                   "routine",
                   "method",
                   "phi",
                   "k",
                   "condition",
                   "entries_checked",
                   "max_error_u2",
                   "error_bound_u2",
                   "path",
                   "bits",
                   "moduli",
                   "esc",
                   "entries_direct",
                   "refusal",
                   "residual_ratio",
                   "orthogonality_ratio",
                   "max_entry_error_u2",
                   "backward_error_u2",
                   "accuracy_delivered",
                   "failure"});
  line.update(filled);
  return line;
}

// A line for each method, and for what they are compared with.
void print_csv_rows(std::ostream& out, const AccuracyRequest& request, const char* over,
                    const std::vector<SweepRow>& rows) {
  for (const SweepRow& row : rows) {
    const auto print = [&](const char* method, json figures) {
      figures["over"] = over;
      figures["routine"] = name(Routine::gemm);
      figures["method"] = method;
      figures["phi"] = row.phi;
      figures["k"] = row.k;
      figures["entries_checked"] = row.entries_checked;
      print_csv_values(out, csv_line(request, figures));
    };
    for (std::size_t i = 0; i < methods.size(); ++i) print(methods[i].key, describe(row.observations[i]));
    if (row.double_error_u2) print("double", {{"max_error_u2", describe(row.double_error_u2)}});
    if (row.reference_error_u2) {
      json figures = {{"max_error_u2", describe(row.reference_error_u2)}};
      if (!row.reference_failure.empty()) figures["failure"] = row.reference_failure;
      print("reference", figures);
    }
  }
}

}  // namespace

void print_csv(std::ostream& out, const AccuracyRequest& request, const Sweep& sweep) {
  print_csv_names(out, csv_line(request, json::object()));
  print_csv_rows(out, request, "phi", sweep.over_phi);
  print_csv_rows(out, request, "k", sweep.over_k);
  for (const ConditionRow& row : sweep.over_condition) {
    for (const ConditionFinding& f : row.findings) {
      json figures = describe(request.precision, row.condition, f);
      figures.erase("precision");  // that of the matrices stands in front, and the method tells the other
      figures.erase("accuracy");
      figures["over"] = "condition";
      figures["method"] = f.method->head;
      print_csv_values(out, csv_line(request, figures));
    }
  }
}

void print_json(std::ostream& out, const AccuracyRequest& request, const Sweep& sweep, const std::string& plot) {
  json j;
  j["precision"] = name(request.precision);
  j["n"] = request.n;
  j["seed"] = request.seed;
  j["routines"] = json::array();
  for (const Routine routine : request.routines) j["routines"].push_back(name(routine));
  j["reference"] = request.reference ? json(request.reference->command()) : json();
  j["over_phi"] = describe(sweep.over_phi);
  j["over_k"] = describe(sweep.over_k);
  j["over_condition"] = json::array();
  for (const ConditionRow& row : sweep.over_condition) {
    for (const ConditionFinding& f : row.findings) {
      j["over_condition"].push_back(describe(request.precision, row.condition, f));
    }
  }
  j["verified"] = sweep.rows() == 0 ? json() : json(sweep.holds());
  j["plot"] = plot.empty() ? json() : json(plot);
  j["interrupted"] = sweep.is_interrupted;
  print_object(out, j);
}

}  // namespace hilo::cli
