#include "cli/bench/result.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>

#include "cli/csv.hpp"
#include "cli/json.hpp"
#include "cli/machine.hpp"
#include "cli/text.hpp"
#include "host/team.hpp"

namespace hilo::cli {
namespace {

using json = nlohmann::ordered_json;

Speed speed(double operations, const Times& times) {
  const auto of = [&](double seconds) { return seconds > 0.0 ? operations / seconds * 1e-9 : 0.0; };
  return {of(times.median), of(times.least)};
}

// Of what computes products; not "AVX-512" beside "AVX-512, oneDNN".
std::string joined(const std::set<std::string>& all) {
  std::string text;
  for (auto unit = all.begin(); unit != all.end(); ++unit) {
    auto next = std::next(unit);
    if (next != all.end() && next->starts_with(*unit)) continue;
    text += (text.empty() ? "" : "; ") + for_people(*unit);
  }
  return text;
}

json or_null(std::optional<int> x) { return x ? json(*x) : json(); }

void add_path(json& j, const std::optional<GemmReport>& report) {
  add_nulls(j, {"path", "bits", "moduli", "esc", "entries_direct"});
  if (!report) return;
  const GemmPlan& plan = report->plan;
  j["path"] = name(plan.path);
  if (plan.engine == Engine::modular) {
    j["bits"] = plan.bits;
    j["moduli"] = plan.moduli;
    j["esc"] = plan.esc;
    j["entries_direct"] = report->entries_direct;
  }
}

void add_times(json& j, const std::string& key, const Times& times) {
  j[key] = times.median;
  j[key + "_least"] = times.least;
  j[key + "_quartile_1"] = times.first_quartile;
  j[key + "_quartile_3"] = times.third_quartile;
  j[key + "_most"] = times.most;
}

json describe(const BenchSize& size, const BenchRow& row) {
  const BenchCase& what = row.what;
  json j = {{"routine", name(what.routine)},
            {"precision", name(what.precision)},
            {"m", what.m},
            {"n", what.n},
            {"k", what.k}};
  add_nulls(j, {"batch", "transa", "transb"});
  if (what.routine == Routine::batch) j["batch"] = what.count;
  if (takes_left_transpose(what.routine)) j["transa"] = name(what.opa);
  if (is_product(what.routine)) j["transb"] = name(what.opb);
  j["engine"] = name(what.options.engine);
  add_path(j, row.report);
  j["backend"] = name(what.place.backend);
  j["platform_number"] = or_null(what.place.platform);
  j["device_number"] = or_null(what.place.device);
  j["device"] = row.device;
  j["threads_asked"] = what.options.threads;
  j["threads"] = row.threads;
  j["workspace_bytes"] = row.report ? json(row.report->plan.workspace_bytes) : json();
  j["operations"] = operations(what);
  j["runs"] = row.kernel.runs;
  add_times(j, "seconds_kernel", row.kernel);
  add_times(j, "seconds_total", row.total);
  const Speed kernel = kernel_speed(row), total = total_speed(row);
  j["gflops_kernel"] = kernel.median;
  j["gflops_total"] = total.median;
  j["best_gflops_kernel"] = kernel.best;
  j["best_gflops_total"] = total.best;
  add_nulls(j, {"max_error_u2", "residual_ratio"});
  if (row.max_error_u2) j["max_error_u2"] = finite_or_null(*row.max_error_u2);
  add_nulls(j, {"ceiling", "ceiling_gflops", "percent_of_ceiling"});
  if (row.ceiling) {
    j["ceiling"] = row.ceiling->of;
    j["ceiling_gflops"] = row.ceiling->gflops;
    j["percent_of_ceiling"] = 100.0 * kernel.median / row.ceiling->gflops;
  }
  if (row.residual_ratio) j["residual_ratio"] = finite_or_null(*row.residual_ratio);
  add_nulls(j, {"kernel_over_reference", "total_over_reference"});
  if (size.reference) {
    j["kernel_over_reference"] = kernel.median / size.reference->gflops_kernel;
    j["total_over_reference"] = total.median / size.reference->gflops_total;
  }
  return j;
}

json describe_rows(const BenchResult& result) {
  json rows = json::array();
  for (const BenchSize& size : result.findings.sizes) {
    for (const BenchRow& row : size.rows) rows.push_back(describe(size, row));
  }
  return rows;
}

// As all results have it.
json describe_common(const BenchResult& result) {
  const BenchCase& p = result.request.cases.front();
  json j;
  j["version"] = HILO_VERSION;
  j["compiler"] = HILO_COMPILER;
  j["cpu"] = cpu_name().empty() ? json() : json(cpu_name());
  j["cpu_threads"] = host::default_threads();
  j["layout"] = name(p.layout);
  j["accuracy"] = accuracy_name(p.options);
  constexpr const char* fmas[] = {"auto", "on", "off"};  // by Fma
  j["fma"] = fmas[static_cast<std::size_t>(p.options.fma)];
  j["workspace"] = p.options.workspace_bytes;
  j["depth"] = p.options.depth;
  j["int8"] = name(p.options.int8_library);
  j["complex"] = name(p.options.complex_product);
  j["init"] = result.init;
  j["seed"] = p.seed;
  j["repeat"] = p.repeat;
  return j;
}

json describe_reference(const BenchResult& result) {
  const ReferenceSpeed* r = reference(result);
  if (!r) return {};
  json sizes = json::array();
  for (const BenchSize& size : result.findings.sizes) {
    if (!size.reference) continue;
    sizes.push_back({{"n", size.shape.front()},
                     {"gflops_kernel", size.reference->gflops_kernel},
                     {"gflops_total", size.reference->gflops_total}});
  }
  return {{"name", r->name}, {"device", r->device}, {"command", result.request.reference->command()}, {"sizes", sizes}};
}

}  // namespace

Speed kernel_speed(const BenchRow& row) { return speed(operations(row.what), row.kernel); }
Speed total_speed(const BenchRow& row) { return speed(operations(row.what), row.total); }

Differences differences(const std::vector<BenchCase>& cases) {
  Differences found{};
  for (const BenchCase& what : cases) {
    const BenchCase& first = cases.front();
    found.routine |= what.routine != first.routine;
    found.precision |= what.precision != first.precision;
    found.transposes |= what.opa != first.opa || what.opb != first.opb;
    found.place |= what.place != first.place;
    found.threads |= what.place.backend == Backend::cpu && what.options.threads != first.options.threads;
  }
  return found;
}

bool moves_data(const BenchRequest& request) {
  return std::any_of(request.cases.begin(), request.cases.end(),
                     [](const BenchCase& what) { return what.place.backend == Backend::opencl; });
}

std::string transposes(const BenchCase& what) {
  std::string text;
  if (takes_left_transpose(what.routine)) text += name(what.opa);
  if (is_product(what.routine)) text += name(what.opb);
  return text;
}

std::string place_name(const Place& place) {
  std::string text(name(place.backend));
  if (place.platform || place.device) {
    text += " " + std::to_string(place.platform.value_or(0)) + ":" + std::to_string(place.device.value_or(0));
  }
  return text;
}

std::string units(const BenchResult& result) {
  std::string cpu = joined(result.findings.units);
  if (!cpu.empty() && !cpu_name().empty()) cpu = cpu_name() + ", " + cpu;
  const std::string devices = joined(result.findings.devices);
  return cpu + (cpu.empty() || devices.empty() ? "" : "; ") + devices;
}

std::optional<double> error_of(const BenchRow& row) {
  return row.what.routine == Routine::gemm ? row.max_error_u2 : row.residual_ratio;
}

const ReferenceSpeed* reference(const BenchResult& result) {
  const std::vector<BenchSize>& sizes = result.findings.sizes;
  return sizes.empty() || !sizes.front().reference ? nullptr : &*sizes.front().reference;
}

void print_json(std::ostream& out, const BenchResult& result) {
  json j = describe_common(result);
  j["reference"] = describe_reference(result);
  j["results"] = describe_rows(result);
  j["plot"] = result.plot.empty() ? json() : json(result.plot);
  json left_out = json::array();
  for (const Shape& shape : result.findings.left_out) left_out.push_back(shape.front());
  j["left_out"] = left_out;
  j["interrupted"] = result.is_interrupted;
  print_object(out, j);
}

void print_csv(std::ostream& out, const BenchResult& result) {
  const auto line = [common = describe_common(result)](const json& row) {
    json all = common;
    all.update(row);
    return all;
  };
  const BenchRow none{of_shape(result.request.cases.front(), result.request.shapes.front())};
  print_csv_names(out, line(describe({}, none)));
  for (const json& row : describe_rows(result)) print_csv_values(out, line(row));
}

}  // namespace hilo::cli
