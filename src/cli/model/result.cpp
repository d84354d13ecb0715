#include "cli/model/result.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <ostream>

#include "cli/json.hpp"
#include "cli/model/blocks.hpp"
#include "cli/option.hpp"
#include "cli/text.hpp"
#include "gemm/cost.hpp"

namespace hilo::cli {
namespace {

using json = nlohmann::ordered_json;

// Direct and modular, by precision.
constexpr std::array<std::array<const char*, 2>, 6> colours = {{{"#e69f00", ""},
                                                                {"#0072b2", "#56b4e9"},
                                                                {"#b8860b", ""},
                                                                {"#004c7a", "#3a8fc0"},
                                                                {"#009e73", "#d55e00"},
                                                                {"#006b4e", "#cc79a7"}}};

std::string name_of(ModelProduct p) { return std::string(name(p.precision)) + ' ' + std::string(name(p.engine)); }

// Four digits, and all of those before the point where they are at most seven; of more three: "1.23e10".
std::string figure(double x) {
  if (x < 1e4) return x > 0.0 ? digits(x) : "-";
  char text[32];
  std::snprintf(text, sizeof text, x < 9999999.5 ? "%.0f" : "%.3g", x);
  std::string all = text;
  const std::size_t exponent = all.find("e+");
  return exponent == all.npos ? all : all.substr(0, exponent + 1) + std::to_string(std::stoi(all.substr(exponent + 2)));
}
json known(double x) { return x > 0.0 ? json(x) : json(); }

// What was measured, of what was expected.
double ratio(const ModelRow& row) { return row.predicted > 0.0 ? row.measured / row.predicted : 0.0; }

void print_device(std::ostream& out, const ModelResult& result) {
  const model::Device& d = result.device.figures;
  std::string device = d.name.empty() ? "unknown CPU" : in_one_line(d.name);
  if (result.device.threads) device += ", " + count(result.device.threads, "thread", "threads");
  out << wrapped("device     ", 11, device) << wrapped("figures    ", 11, in_one_line(d.source));
  auto print = [&](const char* head, std::initializer_list<std::pair<const char*, double>> figures, const char* unit) {
    std::string text;
    for (const auto& [what, x] : figures) {
      if (x > 0.0) text += (text.empty() ? "" : ", ") + std::string(what) + (*what ? " " : "") + figure(x);
    }
    if (!text.empty()) out << wrapped(head, 11, text + ' ' + unit);
  };
  print("peaks      ", {{"s", d.gflops_s}, {"d", d.gflops_d}, {"d by matrix units", d.matrix_gflops_d}}, "GFlop/s");
  print("dd steps   ", {{"classic", d.dd_gflops}, {"fast", d.dd_gflops_fast}}, "GFlop/s in registers");
  print("issue      ", {{"double", d.double_gops}, {"bytes", d.byte_gops}, {"bytes sustained", d.sustained_byte_gops}},
        "GOPS");
  print("memory     ", {{"", d.memory_gbytes}}, "GB/s");
  out << "accuracy   " << name(result.accuracy) << '\n';
}

void print_rows(std::ostream& out, const ModelResult& result, Routine routine) {
  std::vector<Line> lines = {{"", "", "n", "mod.", "issue", "memory", "bound", "predicted"}};
  if (result.has_measured) lines[0].insert(lines[0].end(), {"measured", "ratio"});
  for (const ModelRow& r : result.rows) {
    if (r.product.routine != routine) continue;
    lines.push_back({std::string(name(r.product.precision)), std::string(name(r.product.engine)), std::to_string(r.n),
                     r.moduli ? std::to_string(r.moduli) : "-", figure(r.issue), figure(r.memory), figure(r.bound),
                     figure(r.predicted)});
    if (result.has_measured) {
      char text[32] = "-";
      if (const double x = ratio(r); x > 0.0) std::snprintf(text, sizeof text, "%.2f", x);
      lines.back().insert(lines.back().end(), {figure(r.measured), text});
    }
  }
  if (lines.size() == 1) return;
  out << "\nGFlop/s" << (routine == Routine::gemm ? "" : ", " + std::string(name(routine))) << '\n';
  print_lines(out, lines, [](std::size_t column) { return column < 2; });
}

void print_transfers(std::ostream& out, const ModelResult& result) {
  if (result.transfers.empty()) return;
  std::vector<Line> lines = {{"", "", "n", "GB/s", "kernel", "total"}};
  for (const TransferRow& t : result.transfers) {
    lines.push_back({std::string(name(t.product.precision)), std::string(name(t.product.engine)), std::to_string(t.n),
                     figure(t.bus), figure(t.kernel), figure(t.total)});
  }
  out << "\nGFlop/s with transfers\n";
  print_lines(out, lines, [](std::size_t column) { return column < 2; });
}

void print_tiles(std::ostream& out, const std::vector<TileBlocks>& tiles) {
  if (tiles.empty()) return;
  out << "\ntiles in shared memory, s (Lai and Seznec 2013)\n";
  for (const TileBlocks& t : tiles) {
    out << "  " << in_one_line(t.loads) << ":\n    b = " << t.block << " in " << t.registers << " registers, tile "
        << t.edge << " x " << t.edge << " in " << t.bytes << " bytes, " << count(t.groups, "group", "groups")
        << " at once\n    multiply-adds " << percent(t.share) << " %, attainable " << percent(t.attainable) << " %, "
        << figure(t.gflops) << " GFlop/s; memory feeds " << figure(t.memory_gflops) << '\n';
  }
}

void print_blocks(std::ostream& out, const ModelBlocks& blocks) {
  out << "\nblocks of b x b entries in registers (Nakasato 2010)\n";
  if (!blocks.words.empty()) {
    std::vector<Line> lines = {{"", "GFlop/s", "GB/s for b = 1", "2", "4", "8", "16"}};
    for (const WordBlocks& w : blocks.words) {
      lines.push_back({std::string(name(w.precision)), figure(w.gflops), figure(w.gbytes), figure(w.gbytes / 2),
                       figure(w.gbytes / 4), figure(w.gbytes / 8), figure(w.gbytes / 16)});
    }
    print_lines(out, lines, [](std::size_t column) { return column == 0; });
    for (const WordBlocks& w : blocks.words) {
      std::string fed;
      if (w.least_for_cache) fed += " caches feed b >= " + std::to_string(w.least_for_cache);
      if (w.least_for_memory) {
        fed += std::string(fed.empty() ? " memory feeds" : ", memory") + " b >= " + std::to_string(w.least_for_memory);
      }
      if (!fed.empty()) out << "  " << name(w.precision) << ':' << fed << '\n';
    }
  }
  for (const ThreadCount& t : blocks.threads) {
    out << "  " << count(t.registers, "register", "registers") << " a thread: " << t.threads << " threads at once\n";
  }
  for (const DoubleDoublePeak& p : blocks.double_double) {
    out << "  dd, " << in_one_line(p.name) << ": " << figure(p.gflops) << " GFlop/s\n";
  }
  print_tiles(out, blocks.tiles);
  if (!blocks.patterns.empty()) out << "\npatterns of instructions, s, GFlop/s (Chien 2010)\n";
  for (const PatternPeak& p : blocks.patterns) {
    char gflops[32];
    std::snprintf(gflops, sizeof gflops, "%8.2f", p.gflops);
    out << gflops << "  " << in_one_line(p.name) << (p.issue == model::Issue::dual ? ", two at once" : ", one by one")
        << '\n';
  }
}

json json_of(const ModelBlocks& blocks) {
  json words = json::array(), threads = json::array(), peaks = json::array(), tiles = json::array(),
       patterns = json::array();
  auto least = [](int b) { return b ? json(b) : json(); };
  for (const WordBlocks& w : blocks.words) {
    words.push_back({{"precision", name(w.precision)},
                     {"gflops", w.gflops},
                     {"gbytes_of_1", w.gbytes},
                     {"least_for_cache", least(w.least_for_cache)},
                     {"least_for_memory", least(w.least_for_memory)}});
  }
  for (const ThreadCount& t : blocks.threads) threads.push_back({{"registers", t.registers}, {"threads", t.threads}});
  for (const DoubleDoublePeak& p : blocks.double_double) peaks.push_back({{"name", p.name}, {"gflops", p.gflops}});
  for (const TileBlocks& t : blocks.tiles) {
    tiles.push_back({{"loads", t.loads},
                     {"block", t.block},
                     {"registers", t.registers},
                     {"edge", t.edge},
                     {"bytes", t.bytes},
                     {"groups", t.groups},
                     {"multiply_add_share", t.share},
                     {"attainable", t.attainable},
                     {"gflops", t.gflops},
                     {"memory_gflops", known(t.memory_gflops)}});
  }
  for (const PatternPeak& p : blocks.patterns) {
    patterns.push_back(
        {{"name", p.name}, {"issue", p.issue == model::Issue::dual ? "dual" : "single"}, {"gflops", p.gflops}});
  }
  return {
      {"registers", words}, {"threads", threads}, {"double_double", peaks}, {"tiles", tiles}, {"patterns", patterns}};
}

json json_of(const ModelRow& r) {
  return {{"routine", name(r.product.routine)},
          {"precision", name(r.product.precision)},
          {"engine", name(r.product.engine)},
          {"n", r.n},
          {"moduli", r.moduli ? json(r.moduli) : json()},
          {"issue_gflops", known(r.issue)},
          {"memory_gflops", known(r.memory)},
          {"bound_gflops", known(r.bound)},
          {"predicted_gflops", known(r.predicted)},
          {"measured_gflops", known(r.measured)},
          {"runs", r.runs ? json(r.runs) : json()},
          {"measured_over_predicted", known(r.measured > 0.0 ? ratio(r) : 0.0)}};
}

// Of one kind of product, with its kernels by flops a byte.
struct Roof {
  ModelProduct product;
  double issue;
  std::vector<Point> kernels;

  const char* colour() const {
    return colours[static_cast<std::size_t>(product.precision)][product.engine == Engine::modular];
  }
};

// The kernels that a description knows, at all of their sizes.
std::vector<Point> described_kernels(const ModelResult& result, ModelProduct product) {
  const model::Device& d = result.device.figures;
  std::vector<Point> points;
  for (const model::KernelRate& k : d.kernels) {
    if (!is_rate_of(k, product, result.accuracy)) continue;
    const auto n = static_cast<double>(k.n);
    const model::Bound bound =
        k.is_modular ? model::modular_bound(d, k.precision, n, expected_moduli(k.precision, result.accuracy, k.n))
                     : model::direct_bound(d, k.precision, n);
    points.push_back({1e-9 * bound.memory / d.memory_gbytes, k.gflops});
  }
  return points;
}

// Rows of one product stand together; the largest size has the most moduli, and the lowest roof.
std::vector<Roof> roofs_of(const ModelResult& result) {
  const model::Device& d = result.device.figures;
  std::vector<Roof> roofs;
  for (const ModelRow& r : result.rows) {
    if (r.issue == 0.0 || r.product.routine != Routine::gemm) continue;
    const bool is_new = roofs.empty() || roofs.back().product != r.product;
    if (is_new) roofs.push_back({r.product, r.issue, described_kernels(result, r.product)});
    roofs.back().issue = std::min(roofs.back().issue, r.issue);
    if (d.kernels.empty() && r.measured > 0.0) roofs.back().kernels.push_back({r.memory / d.memory_gbytes, r.measured});
  }
  return roofs;
}

}  // namespace

void print_table(std::ostream& out, const ModelResult& result) {
  print_device(out, result);
  for (const Routine r : model_routines()) print_rows(out, result, r);
  print_transfers(out, result);
  if (result.shows_blocks) print_blocks(out, model_blocks(result.device.figures));
  if (!result.plot.empty()) out << "\nplot       " << result.plot << '\n';
}

void print_json(std::ostream& out, const ModelResult& result) {
  const model::Device& d = result.device.figures;
  json j;
  j["device"] = d.key;
  j["name"] = d.name.empty() ? json() : json(d.name);
  j["source"] = d.source;
  j["threads"] = result.device.threads;
  j["accuracy"] = name(result.accuracy);
  j["rates"] = {{"gflops_s", known(d.gflops_s)},
                {"gflops_d", known(d.gflops_d)},
                {"matrix_gflops_d", known(d.matrix_gflops_d)},
                {"double_gops", known(d.double_gops)},
                {"dd_gflops", known(d.dd_gflops)},
                {"dd_gflops_fast", known(d.dd_gflops_fast)},
                {"byte_gops", known(d.byte_gops)},
                {"sustained_byte_gops", known(d.sustained_byte_gops)},
                {"memory_gbytes", known(d.memory_gbytes)},
                {"cache_gbytes", known(d.cache_gbytes)}};
  json bounds = json::array();
  for (const ModelRow& row : result.rows) bounds.push_back(json_of(row));
  j["bounds"] = bounds;
  json transfers = json::array();
  for (const TransferRow& t : result.transfers) {
    transfers.push_back({{"precision", name(t.product.precision)},
                         {"engine", name(t.product.engine)},
                         {"n", t.n},
                         {"bus_gbytes", t.bus},
                         {"kernel_gflops", t.kernel},
                         {"total_gflops", t.total}});
  }
  j["transfers"] = result.transfers.empty() ? json() : transfers;
  j["blocks"] = result.shows_blocks ? json_of(model_blocks(d)) : json();
  j["plot"] = result.plot.empty() ? json() : json(result.plot);
  print_object(out, j);
}

void print_devices_table(std::ostream& out) {
  std::vector<Line> lines = {{"device", "name"}};
  for (const model::Device& d : model::shipped_devices()) lines.push_back({d.key, d.name});
  print_lines(out, lines, [](std::size_t) { return true; });
}

void print_devices_json(std::ostream& out) {
  json devices = json::array();
  for (const model::Device& d : model::shipped_devices()) {
    devices.push_back({{"device", d.key}, {"name", d.name}, {"source", d.source}});
  }
  print_object(out, json{{"devices", devices}});
}

Panel roofline(const ModelResult& result) {
  const model::Device& d = result.device.figures;
  if (d.memory_gbytes == 0.0) reject("--plot draws roofs over memory's, and the device's memory_gbytes is not known");
  std::vector<Roof> roofs = roofs_of(result);
  if (roofs.empty()) reject("--plot has nothing to draw: no rate of the products asked for is known");
  double least = std::numeric_limits<double>::infinity(), most = 0.0, highest_ridge = 0.0;
  for (const Roof& roof : roofs) {
    const double ridge = roof.issue / d.memory_gbytes;
    least = std::min(least, ridge);
    highest_ridge = std::max(highest_ridge, ridge);
    for (const Point& p : roof.kernels) {
      least = std::min(least, p.x);
      most = std::max(most, p.x);
    }
  }
  least /= 2.0;
  most = 2.0 * std::max(most, highest_ridge);
  Panel panel{plain(d.name), "flops a byte of memory", "GFlop/s", Axis::log2, Axis::log2, {}};
  panel.curves.push_back({"memory, " + figure(d.memory_gbytes) + " GB/s",
                          "#777777",
                          true,
                          {{least, least * d.memory_gbytes}, {highest_ridge, highest_ridge * d.memory_gbytes}}});
  for (const Roof& roof : roofs) {
    const std::string title = plain(name_of(roof.product)), under = roof.kernels.empty() ? title : "";
    panel.curves.push_back(
        {under, roof.colour(), true, {{roof.issue / d.memory_gbytes, roof.issue}, {most, roof.issue}}});
    if (!roof.kernels.empty()) panel.curves.push_back({title, roof.colour(), false, roof.kernels});
  }
  return panel;
}

}  // namespace hilo::cli
