// Words of the command line, checked: each function throws hilo::error that names the option, its value and what was
// expected.
#pragma once

#include <charconv>
#include <cstdint>
#include <hilo/error.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "host/escaped.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hilo::cli {

/// What the value of an option is.
enum class ValueKind : std::uint8_t {
  none,     ///< a flag
  words,    ///< one of some words
  list,     ///< several of them between commas
  matrix,   ///< a file of a matrix
  file,     ///< another file
  command,  ///< a program, by its name or its file
  other     ///< a number, a text
};

struct OptionValue {
  ValueKind kind = ValueKind::other;
  std::vector<std::string> words = {};  ///< "range:PHI" of a word with a parameter; of a flag what may follow "="
};

/// Words that an option takes, declared with it: its help text is `before`, the words as "auto, on or off" and `after`,
/// and shells complete by them.
CLI::Option* takes_word(CLI::Option* option, const std::vector<std::string>& words, const std::string& before,
                        const std::string& after);

/// The same where each is explained: "full: each entry right; backward: a system next to it".
CLI::Option* takes_word(CLI::Option* option, const std::vector<std::pair<std::string, std::string>>& words,
                        const std::string& after);

/// The same of a list between commas, LIST in the help text: "Of d, dd".
CLI::Option* takes_list(CLI::Option* option, const std::vector<std::string>& words, const std::string& before,
                        const std::string& after);

/// What may follow a flag behind "=". Its help text stays.
CLI::Option* takes_value_of_flag(CLI::Option* option, const std::vector<std::string>& words);

/// What was declared; of an option without words what the name of its type tells: "FILE" is a matrix, as is what stands
/// without a name, "FILE.svg" and "A.json B.json" are other files, "COMMAND" is a program.
OptionValue value_of(const CLI::Option& option);

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
inline std::string shown(std::string_view value) { return host::escaped(value, 60); }

/// "MODULAR" is "modular".
inline std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return text;
}

/// Enumerators by the names that the command line has for them.
template <class E>
using Choices = std::vector<std::pair<const char*, E>>;

/// Their names, in that order.
template <class E>
std::vector<std::string> words_of(const Choices<E>& all) {
  std::vector<std::string> words;
  for (const auto& choice : all) words.emplace_back(choice.first);
  return words;
}

/// The enumerator whose name `value` is, in upper or lower case.
template <class E>
E choice(const char* option, const std::string& value, const Choices<E>& all) {
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
