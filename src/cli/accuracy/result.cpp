#include "cli/accuracy/result.hpp"

#include <cmath>
#include <cstdio>
#include <ostream>

#include "cli/json.hpp"

namespace hilo::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t modular_classic = 2;  // in `methods`: the one whose bits and moduli the table shows

std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

std::string right(const std::string& text, std::size_t width) {
  return (text.size() < width ? std::string(width - text.size(), ' ') : "") + text;
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

std::string cell(const Method& method, const Observation& o, bool bound) {
  if (!o.refusal.empty()) return bound ? "-" : "- ";
  if (bound) return bound_number(o.report.plan.error_bound_u2);
  return short_number(o.max_error_u2) + (is_mixed(method, o) ? '*' : ' ');
}

void print_title(std::ostream& out, const SweepRequest& request, std::int64_t entries_checked) {
  out << "products   " << name(request.precision) << "gemm, " << request.n << " x " << request.n
      << " x k, entries range:phi, seed " << request.seed << "\nunit       "
      << (is_double_double(request.precision) ? "2^-106" : "2^-53") << " |A||B|, entry by entry; the largest error of "
      << entries_checked << " entries against MPFR\n";
}

// A row of a sweep; `bound` prints what is guaranteed in place of what was seen.
void print_row(std::ostream& out, const SweepRow& row, bool bound) {
  out << right(short_number(row.phi), 6) << right(std::to_string(row.k), 8) << (bound ? "" : " ");
  for (std::size_t i = 0; i < methods.size(); ++i) out << right(cell(methods[i], row.observations[i], bound), 11);
  const Observation& o = row.observations[modular_classic];
  if (!bound) {
    bool has_bits = o.refusal.empty() && o.report.plan.engine == Engine::modular;
    out << right(has_bits ? std::to_string(o.report.plan.bits) : "-", 6)
        << right(has_bits ? std::to_string(o.report.plan.moduli) : "-", 5);
  }
  out << '\n';
}

void print_heads(std::ostream& out, bool bound) {
  const char* what = bound ? "guaranteed" : "observed";
  out << '\n'
      << what << std::string(16 - std::string(what).size(), ' ') << "direct               modular"
      << (bound ? "" : "                    of modular classic") << '\n'
      << "   phi       k   classic       fast    classic       fast      tight" << (bound ? "" : "      p    N")
      << '\n';
}

json describe(const Observation& o) {
  json j;
  for (const char* key :
       {"max_error_u2", "error_bound_u2", "path", "bits", "moduli", "esc", "entries_direct", "refusal"}) {
    j[key] = nullptr;
  }
  if (!o.refusal.empty()) {
    j["refusal"] = o.refusal;
    return j;
  }
  const GemmPlan& p = o.report.plan;
  if (std::isfinite(o.max_error_u2)) j["max_error_u2"] = o.max_error_u2;
  if (std::isfinite(p.error_bound_u2)) j["error_bound_u2"] = p.error_bound_u2;
  j["path"] = name(p.path);
  if (p.engine == Engine::modular) {
    j["bits"] = p.bits;
    j["moduli"] = p.moduli;
    j["esc"] = p.esc;
    j["entries_direct"] = o.report.entries_direct;
  }
  return j;
}

json describe(const std::vector<SweepRow>& rows) {
  json all = json::array();
  for (const SweepRow& row : rows) {
    json j = {{"phi", row.phi}, {"k", row.k}, {"entries_checked", row.entries_checked}};
    for (std::size_t i = 0; i < methods.size(); ++i) j[methods[i].key] = describe(row.observations[i]);
    all.push_back(j);
  }
  return all;
}

// Every method's errors and, behind them, its bounds; `x` is the place of a row.
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
  return all;
}

}  // namespace

void AccuracyTable::print_done(const Sweep& sweep) {
  for (; printed_over_phi_ < sweep.over_phi.size(); ++printed_over_phi_) {
    const SweepRow& row = sweep.over_phi[printed_over_phi_];
    if (printed_over_phi_ == 0) {
      print_title(out_, request_, row.entries_checked);
      print_heads(out_, false);
    }
    print_row(out_, row, false);
  }
  for (; printed_over_k_ < sweep.over_k.size(); ++printed_over_k_) {
    if (printed_over_k_ == 0) out_ << '\n';
    print_row(out_, sweep.over_k[printed_over_k_], false);
  }
  out_.flush();
}

void AccuracyTable::print_end(const Sweep& sweep, const std::string& plot) {
  print_done(sweep);
  bool any_mixed = false, any_refused = false;
  if (!sweep.over_phi.empty()) print_heads(out_, true);
  for (const auto* rows : {&sweep.over_phi, &sweep.over_k}) {
    if (rows == &sweep.over_k && !rows->empty()) out_ << '\n';
    for (const SweepRow& row : *rows) {
      print_row(out_, row, true);
      for (std::size_t i = 0; i < methods.size(); ++i) {
        any_mixed = any_mixed || is_mixed(methods[i], row.observations[i]);
        any_refused = any_refused || !row.observations[i].refusal.empty();
      }
    }
  }
  if (any_mixed || any_refused) out_ << '\n';
  if (any_mixed) out_ << "* some or all entries by the direct engine\n";
  if (any_refused) out_ << "- refused: --json says why\n";
  if (sweep.is_interrupted) {
    out_ << "\ninterrupted after " << sweep.over_phi.size() + sweep.over_k.size() << " of "
         << request_.phi.size() + request_.k.size() << " rows\n";
  }
  if (!plot.empty()) out_ << "\nplot       " << plot << '\n';
}

void print_json(std::ostream& out, const SweepRequest& request, const Sweep& sweep, const std::string& plot) {
  json j;
  j["precision"] = name(request.precision);
  j["n"] = request.n;
  j["seed"] = request.seed;
  j["over_phi"] = describe(sweep.over_phi);
  j["over_k"] = describe(sweep.over_k);
  j["verified"] = sweep.over_phi.empty() ? json() : json(sweep.holds());
  j["plot"] = plot.empty() ? json() : json(plot);
  j["interrupted"] = sweep.is_interrupted;
  print_object(out, j);
}

std::string title(const SweepRequest& request) {
  return "Errors of " + std::string(name(request.precision)) + "gemm (marks) and their guaranteed bounds (dashed)";
}

std::vector<Panel> panels(const SweepRequest& request, const Sweep& sweep) {
  std::string error =
      std::string("largest error, in 2^{") + (is_double_double(request.precision) ? "-106" : "-53") + "} |A||B|";
  std::vector<Panel> all;
  if (!sweep.over_phi.empty()) {
    all.push_back({"k = " + std::to_string(k_over_phi), "φ: entries are (rand - 1/2) exp(φ normal)", error,
                   Axis::linear, Axis::exponents, curves(sweep.over_phi, [](const SweepRow& row) { return row.phi; })});
  }
  if (!sweep.over_k.empty()) {
    all.push_back({"φ = " + short_number(phi_over_k), "k", error, Axis::log2, Axis::exponents,
                   curves(sweep.over_k, [](const SweepRow& row) { return static_cast<double>(row.k); })});
  }
  return all;
}

}  // namespace hilo::cli
