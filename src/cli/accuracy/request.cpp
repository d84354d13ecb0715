#include "cli/accuracy/request.hpp"

#include <algorithm>

#include "cli/distinct.hpp"
#include "cli/option.hpp"
#include "data/decimal.hpp"

namespace hilo::cli {
namespace {

double decimal(const char* option, const std::string& text) {
  double value = 0.0;
  const std::string wrong = data::read_decimal(text, value);
  if (!wrong.empty()) reject(std::string(option) + ": " + wrong);
  return value;
}

double phi(const std::string& text) {
  const double value = decimal("--phi", text);
  if (!(value >= 0.0 && value <= 100.0)) reject("--phi " + shown(text) + " is not within 0 and 100");
  return value;
}

std::int64_t k(const std::string& text, const std::string& all) {
  if (text.empty()) reject("--k '" + shown(all) + "': a number is missing");
  return integer<std::int64_t>("--k", text, 1);
}

double condition(const std::string& text, const AccuracyRequest& r) {
  const double value = decimal("--conditions", text), most = largest_condition(r.precision);
  if (value < 1.0) reject("--conditions " + shown(text) + " is less than 1, and no condition is");
  if (value > most) {
    reject("--conditions " + shown(text) + " is more than " + (is_double_double(r.precision) ? "1e30" : "1e15") +
           ", beyond which rounding the entries of a matrix in " + std::string(name(r.precision)) + " changes it");
  }
  if (r.n == 1 && value > 1.0) reject("--conditions " + shown(text) + ": with -n 1 there is no condition but 1");
  return value;
}

Choices<Precision> precisions() {
  return {{"dd", Precision::dd}, {"zdd", Precision::zdd}, {"d", Precision::d}, {"z", Precision::z}};
}

// Options that none of the routines has a use for.
void check_effects(const AccuracyArguments& arguments, const AccuracyRequest& r) {
  const bool has_products = r.has(Routine::gemm),
             has_others = std::any_of(r.routines.begin(), r.routines.end(), [](Routine x) { return !is_product(x); });
  const auto check = [&](const char* option, const std::string& words, bool is_used, const char* use) {
    if (words.empty() || is_used) return;
    reject(std::string(option) + ' ' + shown(words) + " has no effect: it is for " + use + ", and --routine is " +
           shown(arguments.routines));
  };
  check("--phi", arguments.phi, has_products, "gemm");
  check("--k", arguments.k, has_products, "gemm");
  check("--reference", arguments.reference, has_products, "gemm");
  check("--conditions", arguments.conditions, has_others, "getrf, potrf, geqrf and solve");
  if (!arguments.reference_seconds.empty() && arguments.reference.empty()) {
    reject("--reference-time " + shown(arguments.reference_seconds) + " has no effect without --reference");
  }
}

// The conditions of a list, or as many of the default ones as the precision and the order have.
std::vector<double> read_conditions(const AccuracyArguments& arguments, const AccuracyRequest& r) {
  std::vector<double> conditions;
  for (const std::string& word : list(arguments.conditions.empty() ? default_conditions : arguments.conditions)) {
    const bool is_left_out = arguments.conditions.empty() &&
                             decimal("--conditions", word) > (r.n == 1 ? 1.0 : largest_condition(r.precision));
    if (!is_left_out) append_new(conditions, condition(word, r));
  }
  return conditions;
}

}  // namespace

std::vector<Routine> accuracy_routines() {
  return {Routine::gemm, Routine::getrf, Routine::potrf, Routine::geqrf, Routine::solve};
}

std::vector<std::string> accuracy_precision_words() { return words_of(precisions()); }

AccuracyRequest check_accuracy(const AccuracyArguments& arguments) {
  AccuracyRequest r;
  r.routines =
      distinct(arguments.routines, [](const std::string& word) { return read_routine(word, accuracy_routines()); });
  r.precision = choice("--precision", arguments.precision, precisions());
  r.n = integer<std::int64_t>("-n", arguments.n, 1);
  check_effects(arguments, r);
  if (r.has(Routine::gemm)) {
    r.phi = distinct(arguments.phi.empty() ? default_phi : arguments.phi, phi);
    r.k = distinct(arguments.k.empty() ? default_k : arguments.k,
                   [&](const std::string& word) { return k(word, arguments.k); });
  }
  if (r.routines != std::vector{Routine::gemm}) r.conditions = read_conditions(arguments, r);
  r.seed = integer<std::uint64_t>("--seed", arguments.seed, 0);
  r.threads = integer<int>("--threads", arguments.threads, 0);
  const std::string& seconds = arguments.reference_seconds;
  const std::chrono::seconds limit(
      integer<int>("--reference-time", seconds.empty() ? default_reference_seconds : seconds, 1));
  if (!arguments.reference.empty()) r.reference.emplace(arguments.reference, limit);
  return r;
}

}  // namespace hilo::cli
