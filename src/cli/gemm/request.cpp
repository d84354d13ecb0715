#include "cli/gemm/request.hpp"

#include <algorithm>
#include <string_view>

#include "cli/distinct.hpp"
#include "gemm/modular/guarantee.hpp"
#include "gemm/plan.hpp"
#include "matrix/arguments.hpp"

namespace hilo::cli {
namespace {

Op operation(const char* option, const std::string& value) {
  return choice<Op>(option, value, {{"N", Op::none}, {"T", Op::transpose}, {"C", Op::conjugate_transpose}});
}

// What --accuracy says; `bits` is set where it is "bits:P".
Accuracy accuracy(const std::string& text, int& bits) {
  const std::string value = lower_case(text);
  constexpr std::string_view prefix = "bits:";
  if (value.starts_with(prefix)) {
    std::string number = value.substr(prefix.size());
    if (number.empty() || number.size() > 3 || number.find_first_not_of("0123456789") != number.npos ||
        std::stoi(number) < 1 || std::stoi(number) > most_bits) {
      reject("--accuracy '" + shown(text) + "': the bits of a scaled entry are an integer from 1 to " +
             std::to_string(most_bits));
    }
    bits = std::stoi(number);
    return Accuracy::bits;
  }
  return choice<Accuracy>("--accuracy", text,
                          {{"classic", Accuracy::classic},
                           {"fast", Accuracy::fast},
                           {"tight", Accuracy::tight},
                           {"normwise", Accuracy::normwise},
                           {"exact", Accuracy::exact},
                           {"bits:P", Accuracy::bits}});
}

// A value and its option, which has two names.
struct Word {
  const char* option;
  const std::string& text;
};

// The one of two that is given, `first` where none is; `what` both of them say.
Word either(const Word& first, const Word& second, const char* what) {
  if (!first.text.empty() && !second.text.empty()) {
    reject(std::string(first.option) + ' ' + shown(first.text) + " and " + second.option + ' ' + shown(second.text) +
           " both say " + what + "; give one of them");
  }
  return second.text.empty() ? first : second;
}

// Generated matrices, m and k being n where they are not given; or files, and then nothing that generates.
void check_operands(const GemmArguments& arguments, GemmRequest& request) {
  const Word m = either({"-m", arguments.m}, {"-x", arguments.height_a}, "how many rows C has");
  const Word n = either({"-n", arguments.n}, {"-z", arguments.width_b}, "how many columns C has");
  const Word k = either({"-k", arguments.k}, {"-y", arguments.width_a}, "how many columns op(A) has");
  const bool has_old_names = !(arguments.height_a + arguments.width_a + arguments.width_b).empty();
  const auto recipe = read_operands(
      {arguments.files, n.text, arguments.init, arguments.seed, arguments.verify,
       !(m.text.empty() && n.text.empty() && k.text.empty()),
       has_old_names ? "nothing to multiply: give two matrix files, or -z (and -x, -y) for generated matrices"
                     : "nothing to multiply: give two matrix files, or -n (and -m, -k) for generated matrices",
       "a product takes two", has_old_names ? "-x, -y and -z" : "-m, -n and -k", "matrices"},
      request.precision);
  if (!recipe) return;
  if (!arguments.c_file.empty())
    reject("--c '" + shown(arguments.c_file) + "' is for products of files; C is generated");
  auto size = [](const Word& word) { return integer<std::int64_t>(word.option, word.text, 0); };
  request.n = size(n);
  request.m = m.text.empty() ? request.n : size(m);
  request.k = k.text.empty() ? request.n : size(k);
  request.generator = recipe->generator;
  request.seed = recipe->seed;
}

// --dump stops before there is anything for these.
void check_dump(const GemmArguments& arguments) {
  if (arguments.programs.dump.empty()) return;
  for (const auto& [is_given, option] : {std::pair{!arguments.output.empty(), "-o"},
                                         {!arguments.verify.empty(), "--verify"},
                                         {arguments.timing, "--timing"},
                                         {!arguments.programs.load.empty(), "--load"}}) {
    if (is_given)
      reject("--dump " + shown(arguments.programs.dump) + " and " + option +
             ": kernels are written, and nothing else is done; leave one of them out");
  }
}

bool is_one_of(Precision p, std::initializer_list<Precision> all) {
  return std::find(all.begin(), all.end(), p) != all.end();
}

// Why the product cannot be a modular one; empty where it may be.
std::string obstacle_to_modular(const GemmRequest& r) {
  if (is_one_of(r.precision, {Precision::s, Precision::c})) {
    return "--precision " + std::string(name(r.precision)) + " has none";
  }
  return r.options.engine == Engine::direct ? "--engine is direct" : "";
}

// Why the product cannot be one by three real products.
std::string obstacle_to_three(const GemmRequest& r) {
  if (!is_one_of(r.precision, {Precision::c, Precision::z})) {
    return "--precision is " + std::string(name(r.precision));
  }
  if (r.place.backend == Backend::cpu) return "--backend is cpu";
  if (r.options.engine == Engine::modular) return "--engine is modular";
  return modular::is_modular_only(r.options.accuracy)
             ? "--accuracy " + accuracy_name(r.options) + " takes the modular engine"
             : "";
}

}  // namespace

namespace {

// Several devices, or less of one than there is.
void check_devices(const GemmArguments& arguments, GemmRequest& r) {
  r.options.device_bytes = bytes("--device-memory", arguments.device_memory);
  if (!arguments.devices.empty()) {
    const std::string option = "--devices " + shown(arguments.devices);
    if (!arguments.place.device.empty() || !arguments.place.type.empty()) {
      reject(option + " and " + (arguments.place.device.empty() ? "--device" : "-d") +
             " both say which devices compute; give one of them");
    }
    if (lower_case(arguments.place.backend) == "cpu") reject(option + " are OpenCL devices; --backend is cpu");
    r.place.backend = Backend::opencl;
    r.devices.emplace();
    if (lower_case(arguments.devices) != "all") {
      *r.devices =
          distinct(arguments.devices, [](const std::string& word) { return integer<int>("--devices", word, 0); });
    }
  }
  const bool has_memory = r.options.device_bytes != 0;
  if (has_memory && !r.ranks && r.place.backend == Backend::cpu) {
    reject("--device-memory " + shown(arguments.device_memory) + " has no effect: --backend is cpu");
  }
  if (!r.devices && !has_memory) return;
  const std::string option = r.devices ? "--devices" : "--device-memory";
  if (arguments.timing) reject("--timing tells of one device that has the matrices; leave out " + option);
  if (!arguments.programs.dump.empty()) reject("--dump takes the kernels of one device; leave out " + option);
}

}  // namespace

void check_effects(const GemmArguments& arguments, const std::vector<GemmRequest>& products) {
  auto check = [&](bool is_given, const std::string& option, const char* use, auto obstacle) {
    if (!is_given) return;
    for (const GemmRequest& product : products) {
      if (obstacle(product).empty()) return;
    }
    reject(option + " has no effect: it is for " + use + ", and " + obstacle(products.front()));
  };
  const GemmOptions& options = products.front().options;
  constexpr const char* modular = "modular products";
  check(options.workspace_bytes != 0, "--workspace " + shown(arguments.workspace), modular, obstacle_to_modular);
  check(options.depth != 0, "--depth " + shown(arguments.depth), modular, obstacle_to_modular);
  check(options.levels > 0, "--levels " + shown(arguments.levels), modular, obstacle_to_modular);
  check(options.int8_library != Int8Library::automatic, "--int8 " + shown(arguments.int8),
        "modular products on the CPU", [](const GemmRequest& r) {
          return r.place.backend == Backend::cpu ? obstacle_to_modular(r) : "--backend is opencl";
        });
  check(options.complex_product != ComplexProduct::four, "--complex " + shown(arguments.complex_product),
        "direct products in c and z on a device", obstacle_to_three);
}

GemmRequest check_gemm(const GemmArguments& arguments) {
  GemmRequest r;
  r.precision = read_precision(arguments.precision);
  r.opa = operation("--transa", arguments.transa);
  r.opb = operation("--transb", arguments.transb);
  r.layout = read_layout(arguments.layout);
  r.options.engine = read_engine(arguments.engine);
  r.options.accuracy = accuracy(arguments.accuracy, r.options.bits);
  r.options.fma = read_fma(arguments.fma);
  r.place = read_place(arguments.place);
  r.options.threads = integer<int>("--threads", arguments.threads, 0);
  r.options.workspace_bytes = bytes("--workspace", arguments.workspace);
  r.options.depth = integer<std::int64_t>("--depth", arguments.depth, 0, most_depth);
  r.options.levels = integer<int>("--levels", arguments.levels, -1, 2);
  r.options.int8_library = choice<Int8Library>("--int8", arguments.int8,
                                               {{"auto", Int8Library::automatic},
                                                {"amx", Int8Library::amx},
                                                {"onednn", Int8Library::onednn},
                                                {"plain", Int8Library::plain}});
  r.options.complex_product = choice<ComplexProduct>(
      "--complex", arguments.complex_product, {{"four", ComplexProduct::four}, {"three", ComplexProduct::three}});
  r.repeat = arguments.iterations.empty() ? integer<int>("--repeat", arguments.repeat, 1)
                                          : integer<int>("-i", arguments.iterations, 1);
  r.warmup = integer<int>("--warmup", arguments.warmup, 0);
  r.ranks = read_ranks(arguments.ranks);
  check_devices(arguments, r);
  if (!r.ranks) check_program_options(arguments.programs, r.place.backend);
  r.wants_device_time = arguments.timing && r.place.backend == Backend::opencl;
  check_operands(arguments, r);
  r.verify = read_verify(arguments.verify);
  check_dump(arguments);
  return r;
}

std::string accuracy_name(const GemmOptions& options) {
  std::string word(name(options.accuracy));
  return options.accuracy == Accuracy::bits ? word + ':' + std::to_string(options.bits) : word;
}

}  // namespace hilo::cli
