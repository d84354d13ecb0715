#include "cli/reference.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "cli/option.hpp"
#include "cli/process.hpp"
#include "cli/text.hpp"

namespace hilo::cli {
namespace {

using nlohmann::json;

constexpr const char* expected = R"({"name": "...", "device": "...", "n": N, "gflops_kernel": X, "gflops_total": Y})";

// The first characters of what a program wrote.
std::string head(const std::string& text) { return text.size() > 200 ? text.substr(0, 200) + " ..." : text; }

bool is_speed(const json& x) { return x.is_number() && std::isfinite(x.get<double>()) && x.get<double>() > 0.0; }

bool is_answer(const json& j, std::int64_t n) {
  if (!j.is_object()) return false;
  for (const char* key : {"name", "device", "n", "gflops_kernel", "gflops_total"}) {
    if (!j.contains(key)) return false;
  }
  return j["name"].is_string() && j["device"].is_string() && j["n"] == n && is_speed(j["gflops_kernel"]) &&
         is_speed(j["gflops_total"]);
}

}  // namespace

Reference::Reference(const std::string& command, std::chrono::seconds limit) : command_(command), limit_(limit) {
  std::istringstream words(command);
  for (std::string word; words >> word;) words_.push_back(word);
  if (words_.empty()) reject("--reference '" + shown(command) + "' names no program");
  if (!is_program(words_[0]))
    reject("--reference " + shown(command) + ": " + shown(words_[0]) + " is no program that can be run");
}

ReferenceSpeed Reference::measure(std::int64_t n) const {
  std::vector<std::string> words = words_;
  words.push_back(std::to_string(n));
  const std::string call = "--reference " + shown(command_) + ' ' + words.back();
  ProcessOutcome outcome;
  try {
    outcome = run_process(words, "", limit_);
  } catch (const std::system_error& e) {
    throw std::runtime_error(call + " does not start: " + e.code().message());
  }
  if (!outcome.failure.empty()) {
    throw std::runtime_error(call + " failed with " + outcome.failure + ": " +
                             (outcome.err.empty() ? "it says nothing" : head(outcome.err)));
  }
  json j = json::parse(outcome.out, nullptr, false);
  if (!is_answer(j, n)) {
    throw std::runtime_error(call + " printed '" + head(outcome.out) + "', expected one JSON object " + expected +
                             " with N = " + words.back());
  }
  return {in_one_line(j["name"]), in_one_line(j["device"]), j["gflops_kernel"], j["gflops_total"]};
}

}  // namespace hilo::cli
