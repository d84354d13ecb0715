#include "cli/shell/help.hpp"

#include <CLI/CLI.hpp>

#include "cli/text.hpp"

namespace hilo::cli {
namespace {

constexpr std::size_t left_columns = 24;

// Without what a flag means that has no value, as in "--verify{sample}": its description tells.
std::string without_defaults(std::string names) {
  for (std::size_t open; (open = names.find('{')) != names.npos;) names.erase(open, names.find('}') - open + 1);
  return names;
}

// What is explained on the left, the explanation on the right.
std::string entry(const std::string& left, const std::string& right) {
  std::string line = "  " + left, above;
  if (line.size() + 2 > left_columns) {
    above = line + '\n';
    line.clear();
  }
  line.resize(left_columns, ' ');
  return above + wrapped(line, left_columns, right);
}

class Help : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    const auto positional = app->get_options([](const CLI::Option* o) { return o->get_positional(); });
    const auto options = app->get_options([](const CLI::Option* o) { return o->nonpositional(); });
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    std::string usage = "\nUsage: " + name, text = wrapped("", 0, app->get_description());
    if (!commands.empty()) usage += " [COMMAND]";
    usage += " [OPTIONS]";
    for (const CLI::Option* o : positional) usage += " [" + o->get_type_name() + "]";
    text += usage + '\n';
    if (!commands.empty()) text += "\nCommands:\n";
    for (const CLI::App* c : commands) text += entry(c->get_name(), c->get_description());
    for (const CLI::Option* o : positional) text += "\n" + entry(o->get_type_name(), o->get_description());
    text += "\nOptions:\n";
    for (const CLI::Option* o : options) {
      const bool has_value = o->get_type_size() != 0;
      text += entry(without_defaults(o->get_name(false, true)) + (has_value ? ' ' + o->get_type_name() : ""),
                    o->get_description());
    }
    const std::string footer = app->get_footer();
    return text + (footer.empty() ? "" : '\n' + wrapped("", 0, footer));
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_format() { return std::make_shared<Help>(); }

}  // namespace hilo::cli
