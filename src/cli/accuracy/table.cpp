#include "cli/accuracy/table.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>

#include "cli/text.hpp"

namespace hilo::cli {
namespace {

constexpr std::size_t modular_classic = 2;  // in `methods`: the one whose bits and moduli the table shows
constexpr std::size_t error_width = 9, bound_width = 11, condition_width = 9, finding_width = 8;

std::string short_number(double x, int digits = 3) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, x);
  return text;
}

std::string right(const std::string& text, std::size_t width) {
  return (text.size() < width ? std::string(width - text.size(), ' ') : "") + text;
}

std::string left(const std::string& text, std::size_t width) {
  return text + (text.size() < width ? std::string(width - text.size(), ' ') : "");
}

void print_line(std::ostream& out, const std::string& text) {
  out << text.substr(0, text.find_last_not_of(' ') + 1) << '\n';
}

// Whether the direct engine computed a part, or all, of what the modular one was asked for.
bool is_mixed(const Method& method, const Observation& o) {
  return method.engine == Engine::modular && o.refusal.empty() &&
         (o.report.plan.engine == Engine::direct || o.report.entries_direct > 0);
}

// A bound: digits before the point as long as they are few.
std::string bound_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, x < 1e7 ? "%.0f" : "%.3g", x);
  return text;
}

// An error, with room for a mark behind it.
std::string error_cell(const Method& method, const Observation& o) {
  if (!o.refusal.empty()) return "- ";
  return short_number(o.max_error_u2) + (is_mixed(method, o) ? '*' : ' ');
}

std::string error_cell(const std::optional<double>& error) { return error ? short_number(*error) : "-"; }

std::string place_of(const SweepRow& row) { return right(short_number(row.phi), 6) + right(std::to_string(row.k), 8); }

void print_products_title(std::ostream& out, const AccuracyRequest& r, std::int64_t entries_checked) {
  out << "products   " << name(r.precision) << "gemm, " << r.n << " x " << r.n << " x k, entries range:phi, seed "
      << r.seed << "\nunit       " << error_unit_name(r.precision) << " |A||B|, entry by entry; largest of "
      << entries_checked << " entries against MPFR\n";
  if (is_double_double(r.precision)) {
    out << "double     " << (is_complex(r.precision) ? "zgemm" : "dgemm") << " of the leading words\n";
  }
  out << wrapped("reference  ", 11,
                 r.reference ? r.reference->command()
                             : "none: --reference COMMAND adds another library's product, as bench/qd_product QD's");
}

void print_error_heads(std::ostream& out, const AccuracyRequest& r) {
  const std::string reference = r.reference ? right("reference", 10) : "",
                    in_double = is_double_double(r.precision) ? right("double", 9) : "";
  print_line(out, "\nobserved        direct            modular");
  print_line(out, "   phi       k   classic     fast  classic     fast    tight " + in_double + reference);
}

void print_errors(std::ostream& out, const AccuracyRequest& r, const SweepRow& row) {
  std::string line = place_of(row) + " ";
  for (std::size_t i = 0; i < methods.size(); ++i) {
    line += right(error_cell(methods[i], row.observations[i]), error_width);
  }
  if (is_double_double(r.precision)) line += " " + right(error_cell(row.double_error_u2), 9);
  if (r.reference) line += right(error_cell(row.reference_error_u2), 10);
  print_line(out, line);
}

// What is guaranteed of a row, and what the modular engine in classic keeps for it.
void print_bounds_of(std::ostream& out, const SweepRow& row) {
  std::string line = place_of(row);
  for (const Observation& o : row.observations) {
    line += right(o.refusal.empty() ? bound_number(o.report.plan.error_bound_u2) : "-", bound_width);
  }
  const Observation& o = row.observations[modular_classic];
  const bool has_bits = o.refusal.empty() && o.report.plan.engine == Engine::modular;
  print_line(out, line + right(has_bits ? std::to_string(o.report.plan.bits) : "-", 6) +
                      right(has_bits ? std::to_string(o.report.plan.moduli) : "-", 5));
}

// One figure of the methods in a row; columns with the same kind of figure stand together.
struct Column {
  std::size_t method;  ///< the place in a row's findings
  std::string head;
  double ConditionFinding::*figure;
};
using Group = std::vector<Column>;

std::vector<Group> groups_of(const AccuracyRequest& r, bool of_solutions) {
  const std::vector<const ConditionMethod*> methods = methods_of(r, of_solutions);
  if (of_solutions) {
    std::vector<Group> groups(2);
    for (std::size_t i = 0; i < methods.size(); ++i) {
      groups[0].push_back({i, methods[i]->head, &ConditionFinding::max_error_u2});
      groups[1].push_back({i, methods[i]->head, &ConditionFinding::backward_error_u2});
    }
    return groups;
  }
  std::vector<Group> groups;
  Group orthogonality;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (i == 0 || methods[i]->asked != methods[i - 1]->asked) groups.emplace_back();
    groups.back().push_back({i, methods[i]->head, &ConditionFinding::residual_ratio});
    if (methods[i]->asked == Routine::geqrf) {
      orthogonality.push_back({i, methods[i]->in_double ? "double" : "Q", &ConditionFinding::orthogonality_ratio});
    }
  }
  if (!orthogonality.empty()) groups.push_back(orthogonality);
  return groups;
}

void print_conditions_title(std::ostream& out, const AccuracyRequest& r, bool of_solutions) {
  const std::string size = std::to_string(r.n) + " x " + std::to_string(r.n), precision(name(r.precision));
  out << wrapped(of_solutions ? "solutions  " : "factors    ", 11,
                 "of " + size + " matrices in " + precision + ", singular values 1 to 1/condition, seed " +
                     std::to_string(r.seed));
  std::string text;
  if (of_solutions) {
    text = error_unit_name(r.precision) + " of the largest |x|; backward of |A||x| + |b|; against MPFR";
  } else {
    const auto append = [&](Routine routine, const char* residual) {
      if (r.has(routine))
        text += (text.empty() ? "" : ", ") + std::string(residual) + " of " + std::string(name(routine));
    };
    append(Routine::getrf, "|PA - LU|");
    append(Routine::potrf, "|A - LL^H|");
    append(Routine::geqrf, "|A - QR|");
    const std::string epsilon = "2^" + std::to_string(precisions::error_unit(r.precision) + 1);
    text = epsilon + " n |A|: " + text + (r.has(Routine::geqrf) ? "; " + epsilon + " n: |I - Q^H Q|" : "") +
           "; against MPFR";
  }
  out << wrapped("unit       ", 11, text);
  if (is_double_double(r.precision)) {
    out << "double     " << (of_solutions ? "getrf and getrs" : "factors") << " of the leading words in double\n";
  }
}

// With room for a mark behind the digits, and for the head above them.
std::size_t width_of(const Column& column) { return std::max(finding_width, column.head.size() + 1); }

void print_condition_heads(std::ostream& out, const std::vector<Group>& groups, bool of_solutions) {
  std::string over = std::string(condition_width, ' '), heads = right("condition", condition_width);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::size_t width = 0;
    heads += ' ';
    for (const Column& column : groups[g]) {
      width += width_of(column);
      heads += right(column.head + ' ', width_of(column));
    }
    over += "  " + left(g == 0 ? "   error" : "   backward error", width - 1);
  }
  out << '\n';
  if (of_solutions) print_line(out, over);
  print_line(out, heads);
}

// Whether `full` accuracy was not to be had.
bool is_less(const ConditionFinding& f) {
  return f.method->accuracy == SolveAccuracy::full && f.delivered == SolveAccuracy::backward;
}

void print_findings(std::ostream& out, const std::vector<Group>& groups, const ConditionRow& row) {
  std::string line = right(short_number(row.condition), condition_width);
  for (const Group& group : groups) {
    line += ' ';
    for (const Column& column : group) {
      const ConditionFinding& f = row.findings[column.method];
      const std::string figure = f.failure.empty() ? short_number(f.*column.figure, 2) : "-";
      line += right(figure + (is_less(f) ? '*' : ' '), width_of(column));
    }
  }
  print_line(out, line);
}

// Which products of the reference have no error, as they have a NaN.
void print_reference_failures(std::ostream& out, const Sweep& sweep) {
  for (const auto* rows : {&sweep.over_phi, &sweep.over_k}) {
    for (const SweepRow& row : *rows) {
      if (row.reference_failure.empty()) continue;
      out << wrapped("nan ", 4,
                     "the reference's product of phi = " + short_number(row.phi) + ", k = " + std::to_string(row.k) +
                         " has " + row.reference_failure);
    }
  }
}

}  // namespace

void AccuracyTable::print_products(const Sweep& sweep) {
  for (; printed_over_phi_ < sweep.over_phi.size(); ++printed_over_phi_) {
    const SweepRow& row = sweep.over_phi[printed_over_phi_];
    if (printed_over_phi_ == 0) {
      print_products_title(out_, request_, row.entries_checked);
      print_error_heads(out_, request_);
    }
    print_errors(out_, request_, row);
  }
  for (; printed_over_k_ < sweep.over_k.size(); ++printed_over_k_) {
    if (printed_over_k_ == 0) out_ << '\n';
    print_errors(out_, request_, sweep.over_k[printed_over_k_]);
  }
}

void AccuracyTable::print_conditions(const Sweep& sweep) {
  for (std::size_t& i = printed_over_condition_; i < sweep.over_condition.size(); ++i) {
    const ConditionRow& row = sweep.over_condition[i];
    const std::vector<Group> groups = groups_of(request_, row.is_of_solutions);
    if (i == 0 || row.is_of_solutions != sweep.over_condition[i - 1].is_of_solutions) {
      print_bounds(sweep);
      if (i > 0 || has_bounds_) out_ << '\n';
      print_conditions_title(out_, request_, row.is_of_solutions);
      print_condition_heads(out_, groups, row.is_of_solutions);
    }
    print_findings(out_, groups, row);
  }
}

void AccuracyTable::print_done(const Sweep& sweep) {
  print_products(sweep);
  print_conditions(sweep);
  out_.flush();
}

void AccuracyTable::print_bounds(const Sweep& sweep) {
  if (has_bounds_ || sweep.over_phi.empty()) return;
  has_bounds_ = true;
  out_ << "\nguaranteed      direct               modular                     of classic\n"
       << "   phi       k   classic       fast    classic       fast      tight     p    N\n";
  for (const SweepRow& row : sweep.over_phi) print_bounds_of(out_, row);
  if (!sweep.over_k.empty()) out_ << '\n';
  for (const SweepRow& row : sweep.over_k) print_bounds_of(out_, row);
}

void AccuracyTable::print_end(const Sweep& sweep, const std::string& plot, const std::string& csv) {
  print_done(sweep);
  print_bounds(sweep);
  bool any_mixed = false, any_refused = false, any_nan = false, any_less = false, any_failed = false;
  for (const auto* rows : {&sweep.over_phi, &sweep.over_k}) {
    for (const SweepRow& row : *rows) {
      any_nan = any_nan || !row.reference_failure.empty();
      for (std::size_t i = 0; i < methods.size(); ++i) {
        any_mixed = any_mixed || is_mixed(methods[i], row.observations[i]);
        any_refused = any_refused || !row.observations[i].refusal.empty();
      }
    }
  }
  for (const ConditionRow& row : sweep.over_condition) {
    for (const ConditionFinding& f : row.findings) {
      any_less = any_less || is_less(f);
      any_failed = any_failed || !f.failure.empty();
    }
  }
  if (any_mixed || any_refused || any_nan || any_less || any_failed) out_ << '\n';
  if (any_mixed) out_ << "* some or all entries by the direct engine\n";
  if (any_refused) out_ << "- refused: --json says why\n";
  print_reference_failures(out_, sweep);
  if (any_less) out_ << "* full accuracy was not to be had\n";
  if (any_failed) out_ << "- no factors or no solution: --json says why\n";
  if (sweep.is_interrupted) {
    out_ << "\ninterrupted after " << sweep.rows() << " of "
         << request_.phi.size() + request_.k.size() + condition_rows(request_) << " rows\n";
  }
  if (!csv.empty()) out_ << "\nvalues     " << csv << '\n';
  if (!plot.empty()) out_ << "\nplot       " << plot << '\n';
}

}  // namespace hilo::cli
