#include "cli/bench/request.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "cli/distinct.hpp"
#include "cli/option.hpp"

namespace hilo::cli {
namespace {

constexpr double default_seconds = 60.0;

// Integers as words; empty where the list is, and the default counts.
std::vector<std::string> distinct_integers(const char* option, const std::string& text, int least) {
  if (text.empty()) return {""};
  return distinct(text, [&](const std::string& word) { return std::to_string(integer<int>(option, word, least)); });
}

// The CPU, each device of a list, or both.
std::vector<PlaceWords> places_of(const PlaceWords& words) {
  const std::vector<std::string> backends = distinct_words(words.backend),
                                 devices = distinct_integers("-d", words.device, std::numeric_limits<int>::min());
  // An empty word is the default where it is all there is; in a list it is refused.
  const auto is_cpu = [&](const std::string& word) {
    return !words.backend.empty() && read_backend(word) == Backend::cpu;
  };
  const bool has_devices = !std::all_of(backends.begin(), backends.end(), is_cpu);
  std::vector<PlaceWords> places;
  for (const std::string& backend : backends) {
    if (is_cpu(backend) && has_devices) {
      places.push_back({backend, "", "", ""});
      continue;
    }
    for (const std::string& device : devices) places.push_back({backend, words.platform, device, words.type});
  }
  return places;
}

// The words of a product, one of each list.
std::vector<BenchCase> cases_of(const GemmArguments& words, Routine routine, std::int64_t count, double least_seconds,
                                const std::vector<std::string>& engines) {
  std::vector<BenchCase> cases;
  GemmArguments own = words;
  own.n = "1";
  const std::vector<std::string> threads = distinct_integers("--threads", words.threads, 0);
  for (const PlaceWords& place : places_of(words.place)) {
    for (const std::string& thread_count : threads) {
      if (read_place(place).backend == Backend::opencl && &thread_count != &threads.front()) continue;
      for (const std::string& engine : engines) {
        own.place = place;
        own.threads = thread_count;
        own.engine = engine;
        BenchCase& what = cases.emplace_back(BenchCase{check_gemm(own), routine, count});
        what.least_seconds = least_seconds;
        what.verify = routine == Routine::gemm ? Verify::sample : Verify::none;
      }
    }
  }
  return cases;
}

// Every combination of what is a list. Transposes that a routine has no use for are left out.
std::vector<BenchCase> read_cases(const BenchArguments& arguments) {
  const std::vector<std::string> left = distinct_words(arguments.product.transa),
                                 right = distinct_words(arguments.product.transb),
                                 precisions = distinct_words(arguments.product.precision);
  const auto batch = integer<std::int64_t>("--batch", arguments.batch, 1);
  const double least_seconds = number("--min-time", arguments.min_time);
  std::vector<BenchCase> cases;
  for (const std::string& word : distinct_words(arguments.routines)) {
    const Routine routine = read_routine(word, bench_routines());
    const std::string default_engines = is_product(routine) ? "direct,modular" : "auto";
    const std::vector<std::string> engines =
        distinct_words(arguments.engines.empty() ? default_engines : arguments.engines);
    const std::vector<std::string> none = {"N"};
    for (const std::string& precision : precisions) {
      for (const std::string& transa : takes_left_transpose(routine) ? left : none) {
        for (const std::string& transb : is_product(routine) ? right : none) {
          GemmArguments words = arguments.product;
          words.precision = precision;
          words.transa = transa;
          words.transb = transb;
          const std::vector<BenchCase> found =
              cases_of(words, routine, routine == Routine::batch ? batch : 1, least_seconds, engines);
          cases.insert(cases.end(), found.begin(), found.end());
        }
      }
    }
  }
  return cases;
}

// Options that none of the routines has a use for, and accuracies that some have not.
void check_routines(const BenchArguments& arguments, const std::vector<BenchCase>& cases) {
  const auto any = [&](auto holds) { return std::any_of(cases.begin(), cases.end(), holds); };
  const auto check = [&](const char* option, const std::string& words, const char* ordinary, const char* use,
                         bool is_used) {
    if (words != ordinary && !is_used) {
      reject(std::string(option) + " " + shown(words) + " has no effect: it is for " + use + ", and --routine is " +
             shown(arguments.routines));
    }
  };
  check("--transa", arguments.product.transa, "N", "gemm, batch, syrk and trsm",
        any([](const BenchCase& c) { return takes_left_transpose(c.routine); }));
  check("--transb", arguments.product.transb, "N", "gemm and batch",
        any([](const BenchCase& c) { return is_product(c.routine); }));
  check("--batch", arguments.batch, BenchArguments().batch.c_str(), "batch",
        any([](const BenchCase& c) { return c.routine == Routine::batch; }));
  for (const BenchCase& what : cases) {
    const Accuracy accuracy = what.options.accuracy;
    if (!is_product(what.routine) && (accuracy == Accuracy::tight || accuracy == Accuracy::exact)) {
      reject("--accuracy " + accuracy_name(what.options) + " is for products, not for " +
             std::string(name(what.routine)));
    }
  }
}

// Those that the routines have. One that is of all of them the same as another, as 8,8,8 of products and n = 8, is left
// out.
std::vector<Shape> distinct_shapes(const std::vector<Shape>& shapes, const std::vector<BenchCase>& cases) {
  std::vector<Shape> kept;
  std::set<std::vector<std::array<std::int64_t, 3>>> seen;
  for (const Shape& shape : shapes) {
    std::vector<std::array<std::int64_t, 3>> sizes;
    for (const BenchCase& what : cases) {
      const BenchCase sized = of_shape(what, shape);
      sizes.push_back({sized.m, sized.n, sized.k});
    }
    if (seen.insert(sizes).second) kept.push_back(shape);
  }
  return kept;
}

void check_reference(const BenchRequest& r, const BenchArguments& arguments) {
  const auto differs = [&](const BenchCase& what) { return !have_same_operands(what, r.cases.front()); };
  const auto is_other = [](const BenchCase& what) { return what.routine != Routine::gemm; };
  if (!are_square(r.shapes) || std::any_of(r.cases.begin(), r.cases.end(), is_other))
    reject("--reference " + shown(arguments.reference) + " is of n x n x n products alone");
  if (std::any_of(r.cases.begin(), r.cases.end(), differs)) {
    reject("--reference " + shown(arguments.reference) + " is of one precision, --transa and --transb");
  }
}

}  // namespace

BenchRequest check_bench(const BenchArguments& arguments) {
  BenchRequest r{{}, arguments.engines.empty(), {}, {}, {}, arguments.has_ceilings};
  const bool has_sizes = !arguments.sizes.empty() || !arguments.shapes.empty();
  if (!has_sizes) r.seconds = default_seconds;
  r.cases = read_cases(arguments);
  const bool has_batch =
      std::any_of(r.cases.begin(), r.cases.end(), [](const BenchCase& what) { return what.routine == Routine::batch; });
  const std::vector<Shape> shapes = read_shapes(has_sizes   ? arguments.sizes
                                                : has_batch ? default_batch_sizes
                                                            : default_bench_sizes,
                                                arguments.shapes);
  check_routines(arguments, r.cases);
  check_effects(arguments.product, {r.cases.begin(), r.cases.end()});
  r.shapes = distinct_shapes(shapes, r.cases);
  const std::chrono::seconds limit(integer<int>("--reference-time", arguments.reference_seconds, 1));
  if (!arguments.reference.empty()) {
    check_reference(r, arguments);
    r.reference.emplace(arguments.reference, limit);
  }
  return r;
}

bool have_same_operands(const BenchCase& x, const BenchCase& y) {
  return x.routine == y.routine && x.precision == y.precision && x.opa == y.opa && x.opb == y.opb;
}

bool differ_in_engine(const BenchCase& x, const BenchCase& y) {
  return have_same_operands(x, y) && x.place == y.place && x.options.threads == y.options.threads;
}

}  // namespace hilo::cli
