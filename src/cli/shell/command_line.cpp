#include "cli/shell/command_line.hpp"

#include <regex>

namespace hilo::cli {
namespace {

// "auto", "direct" and "modular" of a description that begins "auto, direct or modular", or with what they are of and a
// colon. A word with a parameter is left as far as that: "range:" of "range:PHI".
std::vector<std::string> listed_words(const std::string& description) {
  static const std::regex list(
      R"(^(?:[^,:]*: )?((?:[a-zA-Z0-9]+(?::[A-Z]+)?, )*[a-zA-Z0-9]+(?::[A-Z]+)?) or ([a-zA-Z0-9]+(?::[A-Z]+)?))");
  // Those of "full: each entry right; backward: a system next to it".
  static const std::regex explained("(?:^|; )([a-z]+): ");
  std::vector<std::string> words;
  std::smatch found;
  if (!std::regex_search(description, found, list)) {
    std::sregex_iterator word(description.begin(), description.end(), explained);
    for (; word != std::sregex_iterator(); ++word) words.push_back((*word)[1].str());
    if (words.size() < 2) words.clear();
    return words;
  }
  std::string rest = found[1].str() + ", " + found[2].str();
  for (std::size_t end; !rest.empty(); rest.erase(0, end + 2)) {
    end = std::min(rest.find(", "), rest.size());
    const std::string word = rest.substr(0, end);
    words.push_back(word.substr(0, word.find(':') + (word.find(':') == word.npos ? 0 : 1)));
    if (end == rest.size()) break;
  }
  return words;
}

// "--verify" may have a value, and seldom has.
bool is_flag(const CLI::Option& option) { return option.get_type_size() == 0 || option.get_expected_min() == 0; }

ValueKind kind_of(const CLI::Option& option, const std::vector<std::string>& words) {
  const std::string value = option.get_type_name();
  if (is_flag(option)) return ValueKind::none;
  if (value == "FILE" || (option.get_positional() && words.empty())) return ValueKind::matrix;
  if (value.find('.') != value.npos) return ValueKind::file;  // "FILE.svg", "A.json B.json"
  return words.empty() ? ValueKind::other : ValueKind::words;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords x;
  for (const std::string& name : option.get_snames()) x.names.push_back('-' + name);
  for (const std::string& name : option.get_lnames()) x.names.push_back("--" + name);
  x.description = option.get_description();
  if (option.get_type_name() == "TEXT" || option.get_positional()) x.words = listed_words(x.description);
  x.kind = kind_of(option, x.words);
  if (x.kind != ValueKind::none) x.value = option.get_type_name();
  // "--verify, or --verify=full for all entries": what a flag may be.
  static const std::regex flag_value(R"(--[a-z]+=([a-z]+))");
  std::smatch found;
  if (x.kind == ValueKind::none && std::regex_search(x.description, found, flag_value)) x.words = {found[1].str()};
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
