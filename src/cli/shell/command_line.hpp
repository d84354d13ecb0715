// What the program's commands and options are, as completion scripts and the manual need it: read from what CLI11
// parses.
#pragma once

#include <string>
#include <vector>

#include "cli/option.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace hilo::cli {

struct OptionWords {
  std::vector<std::string> names;  ///< "-o", "--output"; none of what stands without a name
  std::string value;               ///< "FILE"; empty of a flag
  std::string description;
  ValueKind kind;
  std::vector<std::string> words;  ///< what the value may be; of a flag what may follow behind "=", if anything
  int values = 1;                  ///< how many words it takes
  bool is_optional = false;        ///< it may stand without a value
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
