#include "cli/bench_result.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <ostream>
#include <set>

#include "cli/gemm_result.hpp"
#include "cli/json.hpp"
#include "cli/machine.hpp"
#include "cli/statistics.hpp"
#include "cli/text.hpp"

namespace hilo::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr std::array<const char*, 4> colours = {"#009e73", "#d55e00", "#0072b2", "#cc79a7"};  // by Engine
constexpr const char* reference_colour = "#555555";
constexpr std::size_t widest_number = 9;  // "1.234e-05"
constexpr double far_apart = 8.0;         // curves whose tops are further apart have a logarithmic axis

struct Speed {
  double median, best;
};

Speed speed(const GemmPlan& plan, const std::vector<double>& seconds) {
  return {gflops(plan, median(seconds)), gflops(plan, best(seconds))};
}

bool moves_data(const BenchResult& result) { return result.product.place.backend == Backend::opencl; }

// What computes the products; not "AVX-512" beside "AVX-512, oneDNN".
std::string units(const BenchResult& result) {
  const std::set<std::string>& all = result.findings.units;
  std::string text;
  for (auto unit = all.begin(); unit != all.end(); ++unit) {
    auto next = std::next(unit);
    if (next != all.end() && next->starts_with(*unit)) continue;
    text += (text.empty() ? "" : "; ") + for_people(*unit);
  }
  return moves_data(result) || cpu_name().empty() ? text : cpu_name() + ", " + text;
}

// The reference, once it has run.
const ReferenceSpeed* reference(const BenchResult& result) {
  const std::vector<BenchSize>& sizes = result.findings.sizes;
  return sizes.empty() || !sizes.front().reference ? nullptr : &*sizes.front().reference;
}

std::string head(const BenchResult& result) {
  const GemmRequest& p = result.product;
  return std::string(name(p.precision)) + "gemm " + std::string(name(p.opa)) + std::string(name(p.opb));
}

std::string rate(double x) {
  char text[32];
  std::snprintf(text, sizeof text, x < 1000.0 ? "%.4g" : "%.0f", x);
  return text;
}

std::string count(std::int64_t n) { return n ? std::to_string(n) : "-"; }

Line heads(const BenchResult& result) {
  Line line = {"n", "engine", "kernel", "best"};
  if (moves_data(result)) line.insert(line.end(), {"total", "best"});
  line.insert(line.end(), {"seconds", "moduli", "bits"});
  if (result.reference) line.push_back("kernel/reference");
  if (result.reference && moves_data(result)) line.push_back("total/reference");
  return line;
}

Line line_of(const BenchResult& result, const BenchSize& size, const BenchProduct& product) {
  const GemmPlan& plan = product.timing.report.plan;
  Speed kernel = speed(plan, product.timing.kernel), total = speed(plan, product.timing.total);
  std::string engine(name(product.engine));
  if (name(plan.path) != engine) engine += ": " + std::string(name(plan.path));
  Line line = {std::to_string(size.n), engine, rate(kernel.median), rate(kernel.best)};
  if (moves_data(result)) line.insert(line.end(), {rate(total.median), rate(total.best)});
  line.insert(line.end(), {digits(median(product.timing.kernel)), count(plan.moduli), count(plan.bits)});
  if (size.reference) {
    line.push_back(digits(kernel.median / size.reference->gflops_kernel));
    if (moves_data(result)) line.push_back(digits(total.median / size.reference->gflops_total));
  }
  return line;
}

// Of all lines, of which most are still to come: longer cells stand out.
std::vector<std::size_t> widths(const BenchResult& result) {
  std::vector<std::size_t> all;
  for (const std::string& head : heads(result)) {
    const bool counts = head == "moduli" || head == "bits";
    all.push_back(std::max(head.size(), counts ? std::size_t{0} : widest_number));
  }
  const std::int64_t largest = *std::max_element(result.all_sizes.begin(), result.all_sizes.end());
  all[0] = std::to_string(largest).size();
  all[1] = result.reference ? std::string_view("reference").size() : std::string_view("engine").size();
  for (const GemmRequest& product : result.engines) {
    const std::string_view engine = name(product.options.engine);
    const bool chooses = product.options.engine == Engine::automatic || product.options.engine == Engine::reproducible;
    all[1] = std::max(all[1], engine.size() + (chooses ? std::string_view(": modular").size() : 0));
  }
  return all;
}

void print_head(std::ostream& out, const BenchResult& result) {
  const GemmRequest& p = result.product;
  out << "products   " << head(result) << ", n x n x n, " << name(p.layout) << " layout, " << accuracy_name(p.options)
      << ", entries " << result.init << ", seed " << p.seed << "\nbackend    " << name(p.place.backend) << ": "
      << units(result) << '\n';
  if (const ReferenceSpeed* r = reference(result)) out << "reference  " << r->name << " on " << r->device << '\n';
  out << "GFlop/s    median and best of " << p.repeat << " runs or more, after one to warm up";
  if (moves_data(result)) out << "; total: with the transfers of A, B and C";
  out << "\n\n";
}

// A reference has its total also beside products on the CPU, where no column waits for it.
Line line_of(const BenchResult& result, const BenchSize& size, const ReferenceSpeed& reference) {
  Line line = {std::to_string(size.n), "reference", rate(reference.gflops_kernel), ""};
  if (moves_data(result)) line.push_back(rate(reference.gflops_total));
  line.resize(heads(result).size());
  return line;
}

json describe(const BenchSize& size, const BenchProduct& product) {
  const GemmReport& report = product.timing.report;
  const GemmPlan& plan = report.plan;
  Speed kernel = speed(plan, product.timing.kernel), total = speed(plan, product.timing.total);
  json j = {{"engine", name(product.engine)}, {"path", name(plan.path)}};
  for (const char* key : {"bits", "moduli", "esc", "entries_direct"}) j[key] = nullptr;
  if (plan.engine == Engine::modular) {
    j["bits"] = plan.bits;
    j["moduli"] = plan.moduli;
    j["esc"] = plan.esc;
    j["entries_direct"] = report.entries_direct;
  }
  j["device"] = plan.unit;
  j["threads"] = plan.threads;
  j["workspace_bytes"] = plan.workspace_bytes;
  j["runs"] = product.timing.kernel.size();
  j["seconds_kernel"] = median(product.timing.kernel);
  j["seconds_total"] = median(product.timing.total);
  j["gflops_kernel"] = kernel.median;
  j["gflops_total"] = total.median;
  j["best_gflops_kernel"] = kernel.best;
  j["best_gflops_total"] = total.best;
  for (const char* key : {"kernel_over_reference", "total_over_reference"}) j[key] = nullptr;
  if (size.reference) {
    j["kernel_over_reference"] = kernel.median / size.reference->gflops_kernel;
    j["total_over_reference"] = total.median / size.reference->gflops_total;
  }
  return j;
}

json describe(const BenchSize& size) {
  json products = json::array(), reference;
  for (const BenchProduct& product : size.products) products.push_back(describe(size, product));
  if (size.reference) {
    reference = {{"gflops_kernel", size.reference->gflops_kernel}, {"gflops_total", size.reference->gflops_total}};
  }
  return {{"n", size.n}, {"products", products}, {"reference", reference}};
}

// A curve's speeds, and dashed those with transfers; `speeds` gives both of one size, where it has them.
template <class Speeds>
void append_curves(const BenchResult& result, const std::string& name, const char* colour, Speeds speeds,
                   std::vector<Curve>& curves) {
  Curve kernel{name, colour, false, {}}, total{"", colour, true, {}};
  for (const BenchSize& size : result.findings.sizes) {
    const std::optional<std::pair<double, double>> found = speeds(size);
    if (!found) continue;
    kernel.points.push_back({static_cast<double>(size.n), found->first});
    total.points.push_back({static_cast<double>(size.n), found->second});
  }
  curves.push_back(kernel);
  if (moves_data(result)) curves.push_back(total);
}

double top(const Curve& curve) {
  double y = 0.0;
  for (Point p : curve.points) y = std::max(y, p.y);
  return y;
}

Axis axis_of(const std::vector<Curve>& curves) {
  auto lower = [](const Curve& x, const Curve& y) { return top(x) < top(y); };
  auto [lowest, highest] = std::minmax_element(curves.begin(), curves.end(), lower);
  return top(*highest) > far_apart * top(*lowest) ? Axis::log2 : Axis::linear;
}

}  // namespace

void BenchTable::print_done(const BenchResult& result) {
  const std::vector<BenchSize>& sizes = result.findings.sizes;
  for (; printed_ < sizes.size() && sizes[printed_].is_done; ++printed_) print(result, sizes[printed_]);
  out_.flush();
}

void BenchTable::print(const BenchResult& result, const BenchSize& size) {
  std::vector<Line> lines;
  if (&size == &result.findings.sizes.front()) {
    print_head(out_, result);
    lines.push_back(heads(result));
  }
  for (const BenchProduct& product : size.products) lines.push_back(line_of(result, size, product));
  if (size.reference) lines.push_back(line_of(result, size, *size.reference));
  print_lines(
      out_, lines, [](std::size_t column) { return column == 1; }, widths(result));
}

void BenchTable::print_end(const BenchResult& result) {
  print_done(result);
  const BenchFindings& found = result.findings;
  if (printed_ < found.sizes.size() && !found.sizes.back().products.empty()) print(result, found.sizes.back());
  if (!found.left_out.empty()) {
    out_ << "\nleft out   n =";
    for (std::int64_t n : found.left_out) out_ << (n == found.left_out.front() ? " " : ", ") << n;
    out_ << ", as all would take more than a minute; --sizes names what to run\n";
  }
  if (result.is_interrupted) {
    const auto done = std::count_if(found.sizes.begin(), found.sizes.end(), [](const auto& s) { return s.is_done; });
    out_ << "\ninterrupted after " << done << " of " << result.all_sizes.size() << " sizes\n";
  }
  if (!result.plot.empty()) out_ << "\nplot       " << result.plot << '\n';
}

void print_json(std::ostream& out, const BenchResult& result) {
  const GemmRequest& p = result.product;
  json j;
  j["precision"] = name(p.precision);
  j["transa"] = name(p.opa);
  j["transb"] = name(p.opb);
  j["layout"] = name(p.layout);
  j["accuracy"] = accuracy_name(p.options);
  j["init"] = result.init;
  j["seed"] = p.seed;
  j["backend"] = name(p.place.backend);
  j["repeat"] = p.repeat;
  j["reference"] = nullptr;
  if (const ReferenceSpeed* r = reference(result)) {
    j["reference"] = {{"name", r->name}, {"device", r->device}, {"command", result.reference->command()}};
  }
  json sizes = json::array();
  for (const BenchSize& size : result.findings.sizes) sizes.push_back(describe(size));
  j["sizes"] = sizes;
  j["plot"] = result.plot.empty() ? json() : json(result.plot);
  j["cpu"] = cpu_name().empty() ? json() : json(cpu_name());
  j["left_out"] = result.findings.left_out;
  j["interrupted"] = result.is_interrupted;
  print_object(out, j);
}

std::string title(const BenchResult& result) {
  return plain(head(result) + ", " + accuracy_name(result.product.options));
}

Panel panel(const BenchResult& result) {
  using Found = std::optional<std::pair<double, double>>;
  const std::vector<BenchProduct>& products = result.findings.sizes.front().products;
  Panel panel{plain(units(result)),
              "n, of n x n matrices",
              moves_data(result) ? "GFlop/s (dashed: with transfers)" : "GFlop/s",
              Axis::log2,
              Axis::linear,
              {},
              true};
  for (std::size_t i = 0; i < products.size(); ++i) {
    append_curves(
        result, std::string(name(products[i].engine)), colours[static_cast<std::size_t>(products[i].engine)],
        [i](const BenchSize& size) -> Found {
          if (i >= size.products.size()) return {};
          const Timing& timing = size.products[i].timing;
          return std::pair(speed(timing.report.plan, timing.kernel).median,
                           speed(timing.report.plan, timing.total).median);
        },
        panel.curves);
  }
  if (const ReferenceSpeed* r = reference(result)) {
    append_curves(
        result, plain(r->name), reference_colour,
        [](const BenchSize& size) -> Found {
          if (!size.reference) return {};
          return std::pair(size.reference->gflops_kernel, size.reference->gflops_total);
        },
        panel.curves);
  }
  panel.y_axis = axis_of(panel.curves);
  return panel;
}

}  // namespace hilo::cli
