// What the program's commands and options are, as completion scripts and the manual need it: read from what CLI11
// parses.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace hilo::cli {

/// What the value of an option is.
enum class ValueKind : std::uint8_t {
  none,    ///< a flag
  matrix,  ///< a file of a matrix
  file,    ///< another file
  words,   ///< one of some words
  other    ///< a number, a list, a command
};

struct OptionWords {
  std::vector<std::string> names;  ///< "-o", "--output"; none of what stands without a name
  std::string value;               ///< "FILE"; empty of a flag
  std::string description;
  ValueKind kind;
  std::vector<std::string> words;  ///< what the value may be; of a flag what may follow behind "=", if anything
};

struct CommandWords {
  std::string name, description, example;
  std::vector<OptionWords> options;
};

/// The commands in the order of the help, each with its options in that order.
std::vector<CommandWords> commands_of(const CLI::App& app);

/// The options of the program itself, or of a command.
std::vector<OptionWords> options_of(const CLI::App& app);

}  // namespace hilo::cli
