#include "cli/words.hpp"

#include "cli/distinct.hpp"
#include "cli/option.hpp"

namespace hilo::cli {
namespace {

constexpr std::int64_t most_sizes = 1000;

// "n" or "from:to:step".
void append_sizes(const std::string& option, const std::string& word, std::vector<std::int64_t>& sizes) {
  auto size = [&](const std::string& text) {
    if (text.empty()) reject(option + " '" + shown(word) + "': a size is missing");
    return integer<std::int64_t>(option.c_str(), text, 1);
  };
  std::vector<std::string> parts = list(word, ':');
  if (parts.size() != 1 && parts.size() != 3) {
    reject(option + " '" + shown(word) + "' is neither a size nor a range FROM:TO:STEP");
  }
  std::int64_t from = size(parts.front()), to = parts.size() == 3 ? size(parts[1]) : from;
  std::int64_t step = parts.size() == 3 ? size(parts[2]) : 1;
  if (to < from)
    reject(option + " " + shown(word) + ": the range FROM:TO:STEP falls from " + parts[0] + " to " + parts[1]);
  std::int64_t count = (to - from) / step + 1;
  const auto refuse_more = [&](std::int64_t n) {
    if (n > most_sizes)
      reject(option + " " + shown(word) + ": there are more than " + std::to_string(most_sizes) + " sizes");
  };
  refuse_more(count);
  for (std::int64_t i = 0; i < count; ++i) append_new(sizes, from + i * step);
  refuse_more(std::ssize(sizes));
}

Choices<Precision> precisions() {
  return {{"s", Precision::s}, {"d", Precision::d},   {"c", Precision::c},
          {"z", Precision::z}, {"dd", Precision::dd}, {"zdd", Precision::zdd}};
}
Choices<Layout> layouts() { return {{"column", Layout::column}, {"row", Layout::row}}; }
Choices<Engine> engines() {
  return {{"auto", Engine::automatic},
          {"direct", Engine::direct},
          {"modular", Engine::modular},
          {"reproducible", Engine::reproducible}};
}
Choices<Fma> fmas() { return {{"auto", Fma::automatic}, {"on", Fma::on}, {"off", Fma::off}}; }
Choices<Backend> backends() { return {{"cpu", Backend::cpu}, {"opencl", Backend::opencl}}; }

}  // namespace

Precision read_precision(const std::string& text) { return choice("--precision", text, precisions()); }
Layout read_layout(const std::string& text) { return choice("--layout", text, layouts()); }
Engine read_engine(const std::string& text) { return choice("--engine", text, engines()); }
Fma read_fma(const std::string& text) { return choice("--fma", text, fmas()); }
Backend read_backend(const std::string& text) { return choice("--backend", text, backends()); }

std::vector<std::string> precision_words() { return words_of(precisions()); }
std::vector<std::string> layout_words() { return words_of(layouts()); }
std::vector<std::string> engine_words() { return words_of(engines()); }
std::vector<std::string> fma_words() { return words_of(fmas()); }
std::vector<std::string> backend_words() { return words_of(backends()); }
std::vector<std::string> generator_words() { return {"uniform", "positive", "range:PHI", "dominant", "hilbert"}; }

std::vector<std::int64_t> read_sizes(const std::string& text, const char* option) {
  std::vector<std::int64_t> sizes;
  for (const std::string& word : list(text)) {
    if (word.empty()) reject(std::string(option) + " '" + shown(text) + "': a size is missing");
    append_sizes(option, word, sizes);
  }
  return sizes;
}

Verify read_verify(const std::string& text) {
  if (text.empty()) return Verify::none;
  const auto verify = choice<Verify>("--verify", text, {{"sample", Verify::sample}, {"full", Verify::full}});
#if !HILO_HAS_ACCURACY
  throw error(errc::unsupported, "--verify: this build of hilo has no hilo::accuracy (MPFR)");
#endif
  return verify;
}

data::Generator read_generator(const std::string& text, Precision precision) {
  data::Generator generator;
  if (!text.empty()) generator = data::parse_generator(lower_case(text));
  if (const double most = data::largest_phi(precision); generator.phi > most) {
    reject("--init " + shown(text) + ": with --precision " + std::string(name(precision)) + ", PHI is from 0 to " +
           std::to_string(static_cast<int>(most)));
  }
  return generator;
}

std::optional<data::Recipe> read_operands(const OperandWords& words, Precision precision) {
  if (words.files.empty()) {
    if (words.n.empty()) reject(words.nothing);
    const std::uint64_t seed = words.seed.empty() ? 1 : integer<std::uint64_t>("--seed", words.seed, 0);
    return data::Recipe{read_generator(words.init, precision), seed};
  }
  for (const std::string& word : words.files) {
    // Files of these names would be refused for their ending.
    if (!words.verify.empty() && (lower_case(word) == "full" || lower_case(word) == "sample")) {
      reject("'" + word + "' is no matrix file; a value of --verify stands behind '=': --verify=" + lower_case(word));
    }
  }
  if (words.files.size() != words.count) {
    reject("found " + std::to_string(words.files.size()) +
           (words.files.size() == 1 ? " matrix file, '" : " matrix files, the last '") + shown(words.files.back()) +
           "'; " + words.takes);
  }
  const std::string for_generated = std::string(" for generated ") + words.generated;
  if (words.has_sizes) {
    const bool is_one = std::string_view(words.sizes).find(' ') == std::string_view::npos;
    reject(words.sizes + std::string(is_one ? " is" : " are") + for_generated + "; the sizes of files are their own");
  }
  if (!(words.init.empty() && words.seed.empty())) {
    reject("--init and --seed are" + for_generated + "; the entries of files are their own");
  }
  return {};
}

}  // namespace hilo::cli
