#include "cli/info/command.hpp"

#include <cmath>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <iostream>

#include "cli/json.hpp"
#include "cli/machine.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "gemm/cost.hpp"
#include "gemm/direct/cpu/kernels.hpp"
#include "gemm/modular/cpu/bytes.hpp"
#include "gemm/native/cblas.hpp"
#include "gemm/rate_table.hpp"
#include "host/team.hpp"
#if HILO_HAS_OPENCL
#include "gemm/modular/opencl/bytes.hpp"
#include "host/tuning_file.hpp"
#include "opencl/disk_cache.hpp"
#include "tile/architecture.hpp"
#include "tile/table.hpp"
#endif
#if HILO_HAS_ACCURACY
#include <mpfr.h>
#endif

namespace hilo::cli {
namespace {

using json = nlohmann::ordered_json;

// Whether a product on the device gives right answers: the first one runs the start-up self-test.
std::string self_test(int platform, int device) {
  try {
    Context context(platform, device);
    if (!context.device().fp64) return "no double precision";
    Queue queue(context);
    dd_real a[1] = {dd_real(3)}, b[1] = {dd_real(5)}, c[1] = {};
    gemm(queue, Layout::column, Op::none, Op::none, 1, 1, 1, dd_real(1), a, 1, b, 1, dd_real(0), c, 1,
         {.engine = Engine::direct});
    return c[0] == dd_real(15) ? "passed" : "failed: 3 * 5 is not 15";
  } catch (const error& e) {
    return std::string("failed: ") + e.what();
  }
}

// What multiplies bytes for the modular engine there, why nothing better does, and whether it may also multiply
// triangles.
json describe_int8(int platform, int device) {
  json unit, obstacles = json::object(), triangles;
#if HILO_HAS_OPENCL
  try {
    const Context context(platform, device);
    for (const modular::UnitFinding& finding : modular::find_units(*context.state())) {
      if (finding.obstacle.empty()) {
        unit = modular::name(finding.unit);
        const std::string obstacle = modular::find_part(*context.state(), finding.unit, modular::BytePart::triangle).obstacle;
        triangles = obstacle.empty() ? "passed" : "failed: " + obstacle;
      } else {
        obstacles[std::string(modular::name(finding.unit))] = finding.obstacle;
      }
    }
  } catch (const error& e) {
    if (e.code() == errc::invalid_argument) throw;
    obstacles["device"] = e.what();
  }
#else
  static_cast<void>(platform + device);
#endif
  return {{"int8_unit", unit}, {"int8_obstacles", obstacles}, {"int8_triangles", triangles}};
}

// Where the direct engine's tiles there come from: entries of the user's file, of the shipped table for the device and
// for others of its architecture, else defaults.
json describe_tiles(const DeviceInfo& device) {
  json file, user = 0, shipped = 0, architecture, of_architecture = 0, ignored = json::array();
#if HILO_HAS_OPENCL
  const tile::TunedTiles tiles = tile::tuned_tiles(device);
  if (auto path = host::tuning_file()) file = path->string();
  user = tiles.user.size();
  shipped = tiles.shipped.size();
  if (const std::string name = tile::architecture_of(device); !name.empty()) architecture = name;
  of_architecture = tiles.of_architecture.size();
  ignored = tiles.ignored;
#else
  static_cast<void>(device);
#endif
  return {{"file", file},
          {"user", user},
          {"shipped", shipped},
          {"architecture", architecture},
          {"of_architecture", of_architecture},
          {"ignored", ignored}};
}

json describe(const DeviceInfo& d, int platform, int device) {
  json all = {{"name", d.name},
              {"vendor", d.vendor},
              {"version", d.version},
              {"driver", d.driver},
              {"type", name(d.type)},
              {"compute_units", d.compute_units},
              {"global_memory", d.global_memory},
              {"local_memory", d.local_memory},
              {"compute_capability", d.compute_capability ? json(d.compute_capability) : json()},
              {"fp64", d.fp64},
              {"fma", d.fma},
              {"self_test", self_test(platform, device)}};
  all.update(describe_int8(platform, device));
  all["tiles"] = describe_tiles(d);
  return all;
}

// What products are made with: the library that multiplies bytes for the modular engine, and why not oneDNN; the rates
// by which the engine is chosen, and where they come from.
json describe_products() {
  std::string obstacle = modular::int8_obstacle();
  const ChosenRates chosen = rates_for({});
  const model::CpuRates& rates = chosen.rates;
  auto from = [&](Precision precision) {
    std::int64_t n = crossover(rates, precision, Accuracy::classic);
    return n ? json(n) : json();
  };
  return {{"int8", modular::int8_library_name(Int8Library::automatic)},
          {"int8_obstacle", obstacle.empty() ? json() : json(obstacle)},
          {"rates", chosen.from == RatesFrom::user      ? "user"
                    : chosen.from == RatesFrom::shipped ? "shipped"
                                                        : "nearest"},
          {"rates_for", to_string(chosen.kind)},
          {"rates_ignored", ignored_rates()},
          {"int8_gops", 2e-9 / rates.byte_product},
          {"direct_gflops", 2e-9 / rates.direct_step},
          {"modular_from_dd", from(Precision::dd)},
          {"modular_from_zdd", from(Precision::zdd)}};
}

json collect(Progress& progress) {
  json info;
  info["version"] = HILO_VERSION;
  info["compiler"] = HILO_COMPILER;
  info["cpu"] = cpu_name().empty() ? json() : json(cpu_name());
  json targets = json::array();
  for (const direct::KernelSet* set : direct::kernel_sets()) targets.push_back(set->target);
  info["simd_targets"] = targets;
  info["threads"] = host::default_threads();
  info["blas"] = native::blas_name();
  info["products"] = describe_products();
#if HILO_HAS_ACCURACY
  info["mpfr"] = mpfr_get_version();
#else
  info["mpfr"] = nullptr;
#endif
  info["opencl"] = static_cast<bool>(HILO_HAS_OPENCL);
  info["cache"] = nullptr;
#if HILO_HAS_OPENCL
  if (auto folder = opencl::cache_folder()) info["cache"] = folder->string();
#endif
  json all = json::array();
  int p = 0;
  for (const PlatformInfo& platform : platforms()) {
    json devices = json::array();
    int d = 0;
    for (const DeviceInfo& device : platform.devices) {
      progress.at("testing " + in_one_line(device.name));
      devices.push_back(describe(device, p, d++));
    }
    all.push_back(
        {{"name", platform.name}, {"vendor", platform.vendor}, {"version", platform.version}, {"devices", devices}});
    ++p;
  }
  info["platforms"] = all;
  return info;
}

std::string text(const json& x) { return x.get<std::string>(); }

// What stands behind a line's head, and goes on below it.
void print_text(std::string head, const std::string& text) {
  constexpr std::size_t begin = 12;
  head.resize(begin, ' ');
  std::cout << wrapped(head, begin, in_one_line(text));
}

// A file or folder, whose name stays in one line.
void print_path(const json& path) { std::cout << std::string(12, ' ') << text(path) << '\n'; }

void print_products(const json& products) {
  print_text("products", "bytes by " + text(products["int8"]));
  if (!products["int8_obstacle"].is_null()) print_text("", "no oneDNN: " + text(products["int8_obstacle"]));
  const std::string from = text(products["rates"]);
  print_text("", std::string("rates ") +
                     (from == "user"      ? "of the tuning file"
                      : from == "shipped" ? "shipped"
                                          : "shipped for the nearest kind of CPU") +
                     ": " + for_people(text(products["rates_for"])));
  print_text("", "one core: bytes " + std::to_string(std::lround(products["int8_gops"].get<double>())) +
                     " GOPS, direct dd " + std::to_string(std::lround(products["direct_gflops"].get<double>())) +
                     " GFlop/s");
  auto crossover_of = [](const json& n) {
    return n.is_null() ? "never" : "from n = " + std::to_string(n.get<std::int64_t>());
  };
  print_text("", "engine auto: modular in dd " + crossover_of(products["modular_from_dd"]) + ", in zdd " +
                     crossover_of(products["modular_from_zdd"]) + " (n x n x n)");
  for (const json& what : products["rates_ignored"]) print_text("", "ignored: " + text(what));
}

void print_tiles(const json& tiles) {
  if (!tiles["file"].is_null()) {
    print_text("", "tiles: " + tiles["user"].dump() + " of the tuning file");
    print_path(tiles["file"]);
  }
  print_text("",
             "tiles: " + tiles["shipped"].dump() + " shipped for it" +
                 (tiles["architecture"].is_null() ? ""
                                                  : ", " + tiles["of_architecture"].dump() + " for its architecture (" +
                                                        text(tiles["architecture"]) + ")") +
                 ", else defaults");
  for (const json& what : tiles["ignored"]) print_text("", "ignored: " + text(what));
}

void print_device(const std::string& head, const json& device) {
  print_text(head, text(device["name"]));
  print_text("", text(device["type"]) + ", driver " + text(device["driver"]));
  print_text("", device["compute_units"].dump() + " compute units, " +
                     std::to_string(device["global_memory"].get<std::int64_t>() / (1 << 20)) + " MiB, " +
                     (device["fp64"].get<bool>() ? device["fma"].get<bool>() ? "fp64 with FMA" : "fp64 without FMA"
                                                 : "no fp64") +
                     ", self-test " + text(device["self_test"]));
  print_text(
      "", "bytes by " + (device["int8_unit"].is_null() ? "nothing" : text(device["int8_unit"])) +
              (device["int8_triangles"].is_null() ? "" : ", self-test of triangles " + text(device["int8_triangles"])));
  for (const auto& [unit, obstacle] : device["int8_obstacles"].items()) {
    print_text("", "not by " + unit + ": " + text(obstacle));
  }
  print_tiles(device["tiles"]);
}

void print_devices(const json& platforms) {
  int p = 0;
  for (const json& platform : platforms) {
    print_text("  -p " + std::to_string(p++), text(platform["name"]));
    print_text("", text(platform["version"]));
    int d = 0;
    for (const json& device : platform["devices"]) print_device("    -d " + std::to_string(d++), device);
  }
}

void print_opencl(const json& info) {
  if (!info["opencl"].get<bool>()) return print_text("OpenCL", "not in this build");
  if (info["platforms"].empty()) return print_text("OpenCL", "no platform found");
  print_text("OpenCL", info["cache"].is_null() ? "programs cached in no folder" : "programs cached in");
  if (!info["cache"].is_null()) print_path(info["cache"]);
  print_devices(info["platforms"]);
}

void print(const json& info) {
  std::string targets;
  for (const json& t : info["simd_targets"]) {
    if (!targets.empty()) targets += ' ';
    targets += for_people(text(t));
  }
  print_text("hilo", text(info["version"]) + ", " + text(info["compiler"]));
  print_text("CPU", info["cpu"].is_null() ? "unknown" : text(info["cpu"]));
  print_text("SIMD", targets);
  print_text("threads", info["threads"].dump());
  print_text("BLAS", text(info["blas"]));
  print_products(info["products"]);
  print_text("MPFR", info["mpfr"].is_null() ? "not in this build" : text(info["mpfr"]));
  print_opencl(info);
}

}  // namespace

void run_info(bool as_json) {
  json info;
  {
    Progress progress(as_json);
    info = collect(progress);
  }
  if (as_json) {
    print_object(std::cout, info);
  } else {
    print(info);
  }
}

}  // namespace hilo::cli
