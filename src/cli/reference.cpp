#include "cli/reference.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "cli/option.hpp"
#include "cli/process.hpp"
#include "cli/text.hpp"
#include "host/escaped.hpp"

namespace hilo::cli {
namespace {

using nlohmann::json;

constexpr const char* expected = R"({"name": "...", "device": "...", "n": N, "gflops_kernel": X, "gflops_total": Y})";

// The first characters of what a program wrote, its lines as one.
std::string head(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isspace(c); }, ' ');
  return host::escaped(text, 200);
}

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

ReferenceCommand::ReferenceCommand(const std::string& command, std::chrono::seconds limit)
    : command_(command), limit_(limit) {
  std::istringstream words(command);
  for (std::string word; words >> word;) words_.push_back(word);
  if (words_.empty()) reject("--reference '" + shown(command) + "' names no program");
  if (!is_program(words_[0]))
    reject("--reference " + shown(command) + ": " + shown(words_[0]) + " is no program that can be run");
}

std::string ReferenceCommand::run(const std::vector<std::string>& more, const std::string& input) const {
  std::vector<std::string> words = words_;
  words.insert(words.end(), more.begin(), more.end());
  ProcessOutcome outcome;
  try {
    outcome = run_process(words, input, limit_);
  } catch (const std::system_error& e) {
    throw std::runtime_error(call(more) + " does not start: " + e.code().message());
  }
  if (!outcome.failure.empty()) {
    throw std::runtime_error(call(more) + " failed with " + outcome.failure + ": " +
                             (outcome.err.empty() ? "it says nothing" : head(outcome.err)));
  }
  return outcome.out;
}

std::string ReferenceCommand::call(const std::vector<std::string>& more) const {
  std::string text = "--reference " + shown(command_);
  for (const std::string& word : more) text += ' ' + word;
  return text;
}

ReferenceSpeed Reference::measure(std::int64_t n) const {
  const std::vector<std::string> size = {std::to_string(n)};
  const std::string out = command_.run(size, "");
  const json j = json::parse(out, nullptr, false);
  if (!is_answer(j, n)) {
    throw std::runtime_error(command_.call(size) + " printed '" + head(out) + "', expected one JSON object " +
                             expected + " with N = " + size.front());
  }
  return {in_one_line(j["name"]), in_one_line(j["device"]), j["gflops_kernel"], j["gflops_total"]};
}

}  // namespace hilo::cli
