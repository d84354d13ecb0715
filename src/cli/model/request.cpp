#include "cli/model/request.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/distinct.hpp"
#include "cli/option.hpp"
#include "data/decimal.hpp"
#include "data/file.hpp"
#include "matrix/arguments.hpp"

namespace hilo::cli {
namespace {

constexpr const char *all_precisions = "s,d,c,z,dd,zdd", *all_engines = "direct,modular";
constexpr const char *sizes_at_hand = "256,512,1024,2048", *sizes_of_device = "1024,2048,4096,8192";

double positive_number(const char* option, const std::string& text) {
  double value = 0.0;
  const std::string wrong = data::read_decimal(text, value);
  if (!wrong.empty()) reject(std::string(option) + ": " + wrong);
  if (!(value > 0.0 && std::isfinite(value))) reject(std::string(option) + " " + shown(text) + " is not above 0");
  return value;
}

model::Device device_of_file(const std::string& path) {
  const std::string text = named("--device-file", [&] { return data::read_file(path); });
  return model::parse_device(text, "--device-file " + shown(path));
}

// --device is a type, as of other commands, or the name of a described device.
bool is_type(const std::string& word) { return lower_case(word) == "cpu" || lower_case(word) == "gpu"; }

model::Device device_of_name(const std::string& word) {
  std::string names;
  for (const model::Device& d : model::shipped_devices()) {
    if (lower_case(word) == d.key) return d;
    names += ", " + d.key;
  }
  reject("--device '" + shown(word) + "' is none of cpu, gpu" + names);
}

std::optional<model::Device> described(const ModelArguments& a) {
  const std::string& word = a.place.type;
  if (a.device_file.empty() && (word.empty() || is_type(word))) return {};
  if (!a.device_file.empty() && !word.empty()) reject("--device and --device-file name a device each; give one");
  const std::string option = word.empty() ? "--device-file" : "--device";
  for (const auto& [other, is_given] : {std::pair{"--backend", !a.place.backend.empty()},
                                        {"-p", !a.place.platform.empty()},
                                        {"-d", !a.place.device.empty()},
                                        {"--threads", !a.threads.empty()},
                                        {"--measure", a.measure}}) {
    if (is_given) reject(std::string(other) + " is for the device at hand, and " + option + " takes a description");
  }
  return word.empty() ? device_of_file(a.device_file) : device_of_name(word);
}

std::vector<ModelProduct> products(const ModelArguments& a) {
  std::vector<ModelProduct> chosen;
  for (const std::string& word_of_routine : list(a.routines.empty() ? "gemm" : a.routines)) {
    const Routine routine = read_routine(word_of_routine, model_routines());
    for (const std::string& word_of_precision : list(a.precisions.empty() ? all_precisions : a.precisions)) {
      const Precision precision = read_precision(word_of_precision);
      for (const std::string& word : list(a.engines.empty() ? all_engines : a.engines)) {
        auto engine = choice<Engine>("--engine", word, {{"direct", Engine::direct}, {"modular", Engine::modular}});
        if (engine == Engine::modular && !has_modular_engine(precision)) continue;
        // Small products in a factorisation are the direct engine's all the same.
        if (engine == Engine::modular && routine != Routine::gemm) engine = Engine::automatic;
        const ModelProduct product{routine, precision, engine};
        append_new(chosen, product);
      }
    }
  }
  if (chosen.empty()) {
    reject("--engine modular is for d, z, dd and zdd, and --precision is " + shown(a.precisions));
  }
  return chosen;
}

// Their text runs over all of their blocks.
void check_factorisations(const ModelRequest& r) {
  constexpr std::int64_t most = 1 << 20;
  const std::int64_t n = *std::max_element(r.sizes.begin(), r.sizes.end());
  const bool has_factorisation =
      std::any_of(r.products.begin(), r.products.end(), [](ModelProduct p) { return p.routine != Routine::gemm; });
  if (has_factorisation && n > most) {
    reject("--sizes " + std::to_string(n) + " is more than " + std::to_string(most) + ", the most of getrf and potrf");
  }
}

// What transfers are told of; nothing where the device has its operands anyway.
void read_transfers(const ModelArguments& a, ModelRequest& r) {
  const auto is_product = [](ModelProduct p) { return p.routine == Routine::gemm; };
  if (!std::any_of(r.products.begin(), r.products.end(), is_product)) {
    for (const auto& [option, value] : {std::pair{"--bus", &a.bus}, {"--gflops", &a.gflops}}) {
      if (value->empty()) continue;
      reject(std::string(option) + ' ' + shown(*value) + " has no effect: transfers are of gemm, and --routine is " +
             shown(a.routines));
    }
  }
  if (!r.described && r.place.backend == Backend::cpu && !a.bus.empty()) {
    reject("--bus is for devices, and on this CPU nothing is moved");
  }
  if (r.described) r.buses = r.described->bus_gbytes;
  if (!a.bus.empty()) {
    r.buses = distinct(a.bus, [](const std::string& word) { return positive_number("--bus", word); });
  }
  if (a.gflops.empty()) return;
  if (r.buses.empty()) reject("--gflops is what transfers are added to: give --bus, too");
  r.gflops = positive_number("--gflops", a.gflops);
}

}  // namespace

const std::vector<Routine>& model_routines() {
  static const std::vector<Routine> all = {Routine::gemm, Routine::getrf, Routine::potrf};
  return all;
}

ModelRequest check_model(const ModelArguments& a) {
  ModelRequest r;
  r.described = described(a);
  if (!r.described) r.place = read_place(a.place);
  if (!a.threads.empty() && r.place.backend == Backend::opencl) reject("--threads is for the CPU; --backend is opencl");
  r.products = products(a);
  r.options.accuracy =
      choice<Accuracy>("--accuracy", a.accuracy, {{"classic", Accuracy::classic}, {"fast", Accuracy::fast}});
  r.options.threads = a.threads.empty() ? 0 : integer<int>("--threads", a.threads, 0);
  check_options(r.options);
  r.sizes = read_sizes(!a.sizes.empty() ? a.sizes : r.described ? sizes_of_device : sizes_at_hand);
  check_factorisations(r);
  read_transfers(a, r);
  if (!a.repeat.empty()) {
    if (!a.measure) reject("--repeat is for --measure");
    r.repeat = integer<int>("--repeat", a.repeat, 1);
  }
  return r;
}

}  // namespace hilo::cli
