#include "cli/shell/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace hilo::cli {
namespace {

// How many words an option takes: more than one where their number is fixed.
int most_values(const CLI::Option& option) { return option.get_expected_min() > 1 ? option.get_expected_max() : 1; }

OptionWords words_of(const CLI::Option& option) {
  OptionWords x;
  for (const std::string& name : option.get_snames()) x.names.push_back('-' + name);
  for (const std::string& name : option.get_lnames()) x.names.push_back("--" + name);
  x.description = option.get_description();
  const OptionValue value = value_of(option);
  x.kind = value.kind;
  // A word with a parameter is left as far as that: "range:" of "range:PHI".
  for (const std::string& word : value.words)
    x.words.push_back(word.substr(0, std::min(word.find(':'), word.size() - 1) + 1));
  if (x.kind == ValueKind::none) return x;
  x.value = option.get_type_name();
  x.values = most_values(option);
  x.is_optional = option.get_expected_min() == 0;
  return x;
}

}  // namespace

std::vector<OptionWords> options_of(const CLI::App& app) {
  std::vector<OptionWords> all;
  for (const CLI::Option* o : app.get_options([](const CLI::Option*) { return true; })) all.push_back(words_of(*o));
  return all;
}

std::vector<CommandWords> commands_of(const CLI::App& app) {
  std::vector<CommandWords> all;
  for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; })) {
    std::string example = c->get_footer();
    constexpr std::string_view begin = "Example: ";
    example = example.starts_with(begin) ? example.substr(begin.size()) : "";
    all.push_back({c->get_name(), c->get_description(), example, options_of(*c)});
  }
  return all;
}

}  // namespace hilo::cli
