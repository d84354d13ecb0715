#include "cli/option.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <span>

namespace hilo::cli {
namespace {

// Beside CLI11's options, which have no room for it, and live as long as the program.
std::map<const CLI::Option*, OptionValue>& declared_values() {
  static std::map<const CLI::Option*, OptionValue> all;
  return all;
}

// "auto", "auto or on", "auto, on or off".
std::string in_words(const std::vector<std::string>& all, const std::string& before_last) {
  std::string text;
  for (const std::string& word : all) text += (text.empty() ? "" : &word == &all.back() ? before_last : ", ") + word;
  return text;
}

bool is_flag(const CLI::Option& option) { return option.get_type_size() == 0; }

}  // namespace

CLI::Option* takes_word(CLI::Option* option, const std::vector<std::string>& words, const std::string& before,
                        const std::string& after) {
  declared_values()[option] = {ValueKind::words, words};
  return option->description(before + in_words(words, " or ") + after);
}

CLI::Option* takes_word(CLI::Option* option, const std::vector<std::pair<std::string, std::string>>& words,
                        const std::string& after) {
  OptionValue value{ValueKind::words};
  std::string text;
  for (const auto& [word, meaning] : words) {
    value.words.push_back(word);
    text += (text.empty() ? "" : "; ") + word + ": " + meaning;
  }
  declared_values()[option] = value;
  return option->description(text + after);
}

CLI::Option* takes_list(CLI::Option* option, const std::vector<std::string>& words, const std::string& before,
                        const std::string& after) {
  declared_values()[option] = {ValueKind::list, words};
  return option->description(before + in_words(words, ", ") + after)->type_name("LIST");
}

CLI::Option* takes_value_of_flag(CLI::Option* option, const std::vector<std::string>& words) {
  declared_values()[option] = {ValueKind::none, words};
  return option;
}

OptionValue value_of(const CLI::Option& option) {
  const auto declared = declared_values().find(&option);
  if (declared != declared_values().end()) return declared->second;
  if (is_flag(option)) return {ValueKind::none};
  const std::string type = option.get_type_name();
  if (type.find('.') != type.npos) return {ValueKind::file};
  if (type == "COMMAND") return {ValueKind::command};
  return {type == "FILE" || option.get_positional() ? ValueKind::matrix : ValueKind::other};
}

void reject_empty_words(CLI::App& command) {
  auto check = [](const std::string& word) { return word.empty() ? "found nothing, expected a value" : ""; };
  for (CLI::Option* option : command.get_options()) option->check(check);
}

std::string in_options(const std::string& message) {
  using Beginning = std::pair<std::string_view, std::string_view>;
  constexpr Beginning of_arguments[] = {{"options.threads = ", "--threads "},
                                        {"options.workspace_bytes = ", "--workspace "},
                                        {"options.bits = ", "--accuracy bits:"},
                                        {"accuracy ", "--accuracy "},
                                        {"precision ", "--precision "}};
  constexpr Beginning others[] = {{"init = ", "--init "},
                                  {"no OpenCL platform number ", "-p: no OpenCL platform number "},
                                  {"no OpenCL device number ", "-d: no OpenCL device number "}};
  const auto with_option = [](const std::string& words, std::span<const Beginning> beginnings) {
    for (const auto& [argument, option] : beginnings) {
      if (words.starts_with(argument)) return std::string(option) + words.substr(argument.size());
    }
    return words;
  };
  for (const std::string_view routine :
       {"gemm: ", "solve: ", "solve_positive: ", "solve_symmetric: ", "solve_hermitian: ", "solve_least_squares: ",
        "hermitian_eigenvalues: ", "hermitian_eigensystem: ", "singular_values: ", "singular_value_decomposition: "}) {
    if (!message.starts_with(routine)) continue;
    const std::string told = with_option(message.substr(routine.size()), of_arguments);
    return told + (told.ends_with("is not one of engine direct's") ? ", which has classic and fast" : "");
  }
  return with_option(message, others);
}

double number(const char* option, const std::string& text) {
  double value = 0.0;
  const char* last = text.data() + text.size();
  const auto [end, status] = std::from_chars(text.data(), last, value);
  if (end != last || status != std::errc() || !std::isfinite(value) || value < 0.0) {
    reject(std::string(option) + " '" + shown(text) + "' is not a number of at least 0");
  }
  return value;
}

std::int64_t bytes(const char* option, const std::string& text) {
  constexpr std::string_view suffixes = "KMG";
  std::size_t suffix = text.empty() ? suffixes.npos : suffixes.find(text.back());
  std::string digits = suffix == suffixes.npos ? text : text.substr(0, text.size() - 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) {
    reject(std::string(option) + " '" + shown(text) + "' is not a number of bytes, such as 100000, 64K, 512M or 2G");
  }
  std::int64_t value = 0, unit = suffix == suffixes.npos ? 1 : std::int64_t{1} << 10 * (suffix + 1);
  auto status = std::from_chars(digits.data(), digits.data() + digits.size(), value).ec;
  if (status == std::errc::result_out_of_range || __builtin_mul_overflow(value, unit, &value)) {
    reject(std::string(option) + " " + shown(text) + " does not fit 64 bits");
  }
  return value;
}

std::vector<std::string> list(const std::string& text, char separator) {
  std::vector<std::string> items(1);
  for (char c : text) {
    if (c == separator) {
      items.emplace_back();
    } else {
      items.back() += c;
    }
  }
  return items;
}

}  // namespace hilo::cli
