// Words of the command line, checked: each function throws hilo::error that names the option, its value and what was
// expected.
#pragma once

#include <charconv>
#include <cstdint>
#include <hilo/error.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "data/quoted.hpp"

namespace CLI {
class App;
}

namespace hilo::cli {

/// Makes an empty word, such as a script's unset variable, an error and not an option left out. After the options.
void reject_empty_words(CLI::App& command);

[[noreturn]] inline void reject(const std::string& message) { throw error(errc::invalid_argument, message); }

/// function() with an option's name before what it throws.
template <class Function>
auto named(const std::string& option, Function function) {
  try {
    return function();
  } catch (const error& failure) {
    throw error(failure.code(), option + ": " + failure.what());
  }
}

/// A message of the library, with the options of the command line in the place of its function and arguments.
std::string in_options(const std::string& message);

/// A value as messages show it: escaped, and cut where it is long.
inline std::string shown(std::string_view value) { return data::escaped(value, 60); }

/// "MODULAR" is "modular".
inline std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return text;
}

/// The enumerator whose name `value` is, in upper or lower case.
template <class E>
E choice(const char* option, const std::string& value, std::initializer_list<std::pair<const char*, E>> all) {
  std::string list;
  for (const auto& [name, e] : all) {
    if (lower_case(value) == lower_case(name)) return e;
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  reject(std::string(option) + " '" + shown(value) + "' is none of " + list);
}

/// A decimal integer of at least `least`.
template <class Integer>
Integer integer(const char* option, const std::string& text, Integer least) {
  Integer value{};
  const char* last = text.data() + text.size();
  auto [end, status] = std::from_chars(text.data(), last, value);
  if (end != last || status == std::errc::invalid_argument) {
    reject(std::string(option) + " '" + shown(text) + "' is not an integer" + (least == 0 ? " of at least 0" : ""));
  }
  if (status == std::errc::result_out_of_range) {
    reject(std::string(option) + " " + shown(text) + " does not fit " + std::to_string(8 * sizeof(Integer)) + " bits");
  }
  if (value < least) reject(std::string(option) + " " + shown(text) + " is less than " + std::to_string(least));
  return value;
}

/// The same, of at most `most`.
template <class Integer>
Integer integer(const char* option, const std::string& text, Integer least, Integer most) {
  Integer value = integer(option, text, least);
  if (value > most) reject(std::string(option) + " " + shown(text) + " is more than " + std::to_string(most));
  return value;
}

/// A decimal number of at least 0.
double number(const char* option, const std::string& text);

/// A number of bytes: an integer, which K, M or G behind it multiplies by a power of 1024.
std::int64_t bytes(const char* option, const std::string& text);

/// What stands between the commas, or other separators, of "x,y,z".
std::vector<std::string> list(const std::string& text, char separator = ',');

}  // namespace hilo::cli
