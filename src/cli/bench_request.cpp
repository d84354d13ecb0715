#include "cli/bench_request.hpp"

#include <algorithm>

#include "cli/option.hpp"

namespace hilo::cli {
namespace {

constexpr double default_seconds = 60.0;

// The words of a list, none of which comes twice.
std::vector<std::string> words_of(const char* option, const std::string& text) {
  std::vector<std::string> words = list(text);
  for (const std::string& word : words) {
    const auto same = [&](const std::string& other) { return lower_case(word) == lower_case(other); };
    if (std::count_if(words.begin(), words.end(), same) > 1) {
      reject(std::string(option) + " " + shown(word) + " is asked for twice");
    }
  }
  return words;
}

// The CPU, each device of a list, or both.
std::vector<PlaceWords> places_of(const PlaceWords& words) {
  const std::vector<std::string> backends = words_of("--backend", words.backend),
                                 devices = words_of("-d", words.device);
  const auto is_cpu = [](const std::string& word) { return !word.empty() && read_backend(word) == Backend::cpu; };
  const bool has_devices = !std::all_of(backends.begin(), backends.end(), is_cpu);
  std::vector<PlaceWords> places;
  for (const std::string& backend : backends) {
    if (is_cpu(backend) && has_devices) {
      places.push_back({backend, "", ""});
      continue;
    }
    for (const std::string& device : devices) places.push_back({backend, words.platform, device});
  }
  return places;
}

// Every combination of what is a list.
std::vector<BenchCase> read_cases(const BenchArguments& arguments, const std::vector<std::string>& engines) {
  GemmArguments words = arguments.product;
  words.n = "1";
  const std::vector<std::string> threads = words_of("--threads", words.threads);
  const std::vector<std::string> left = words_of("--transa", words.transa), right = words_of("--transb", words.transb);
  std::vector<BenchCase> cases;
  for (const std::string& precision : words_of("--precision", words.precision)) {
    for (const std::string& transa : left) {
      for (const std::string& transb : right) {
        for (const PlaceWords& place : places_of(arguments.product.place)) {
          for (const std::string& count : threads) {
            if (read_place(place).backend == Backend::opencl && &count != &threads.front()) continue;
            for (const std::string& engine : engines) {
              words.precision = precision;
              words.transa = transa;
              words.transb = transb;
              words.place = place;
              words.threads = count;
              words.engine = engine;
              cases.push_back(check_gemm(words));
              cases.back().least_seconds = number("--min-time", arguments.min_time);
            }
          }
        }
      }
    }
  }
  return cases;
}

void check_reference(const BenchRequest& r, const BenchArguments& arguments) {
  const auto differs = [&](const BenchCase& what) { return !have_same_operands(what, r.cases.front()); };
  if (!are_square(r.shapes)) reject("--reference " + shown(arguments.reference) + " is of n x n x n products alone");
  if (std::any_of(r.cases.begin(), r.cases.end(), differs)) {
    reject("--reference " + shown(arguments.reference) + " is of one precision, --transa and --transb");
  }
}

}  // namespace

BenchRequest check_bench(const BenchArguments& arguments) {
  BenchRequest r{{}, arguments.engines.empty(), {}, {}, {}};
  const bool has_sizes = !arguments.sizes.empty() || !arguments.shapes.empty();
  if (!has_sizes) r.seconds = default_seconds;
  r.shapes = read_shapes(has_sizes ? arguments.sizes : default_bench_sizes, arguments.shapes);
  r.cases = read_cases(arguments, words_of("--engine", r.chooses_engines ? "direct,modular" : arguments.engines));
  check_effects(arguments.product, r.cases);
  for (const Shape& shape : r.shapes) of_shape(r.cases.front(), shape);
  const std::chrono::seconds limit(integer<int>("--reference-time", arguments.reference_seconds, 1));
  if (!arguments.reference.empty()) {
    check_reference(r, arguments);
    r.reference.emplace(arguments.reference, limit);
  }
  return r;
}

BenchCase of_shape(BenchCase what, const Shape& shape) {
  if (shape.size() == 2) reject("--shapes " + in_words(shape) + ": gemm takes m,n,k, or n for all three");
  what.m = shape.front();
  what.n = shape.size() == 1 ? shape.front() : shape[1];
  what.k = shape.back();
  return what;
}

bool have_same_operands(const BenchCase& x, const BenchCase& y) {
  return x.precision == y.precision && x.opa == y.opa && x.opb == y.opb;
}

bool differ_in_engine(const BenchCase& x, const BenchCase& y) {
  return have_same_operands(x, y) && x.place == y.place && x.options.threads == y.options.threads;
}

}  // namespace hilo::cli
