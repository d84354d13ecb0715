#include "cli/shell/manual.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/shell/command_line.hpp"

namespace hilo::cli {
namespace {

// Text of a page: no letter of it is a command.
std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : text) {
    if (c == '\\') {
      all += "\\e";
    } else if (c == '-') {
      all += "\\-";
    } else {
      all += c;
    }
  }
  return all.starts_with('.') || all.starts_with('\'') ? "\\&" + all : all;
}

// As it was typed, of words in quotes too.
std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string options_text(const std::vector<OptionWords>& options) {
  std::string text;
  for (const OptionWords& o : options) {
    text += ".TP\n";
    if (o.names.empty()) {
      text += italic(o.value) + '\n';
    } else {
      std::string names;
      for (const std::string& name : o.names) names += (names.empty() ? "" : ", ") + bold(name);
      text += names + (o.value.empty() ? "" : ' ' + italic(o.value)) + '\n';
    }
    text += escaped(o.description) + '\n';
  }
  return text;
}

std::string environment_text() {
  struct Variable {
    const char *name, *meaning;
  };
  constexpr Variable all[] = {
      {"HILO_CACHE_DIR",
       "the folder of compiled kernels; empty: none is kept. Else $XDG_CACHE_HOME/hilo, else ~/.cache/hilo"},
      {"HILO_CACHE", "0: keep no compiled kernels; 1: those of PoCL, too"},
      {"HILO_TUNING", "the file that hilo tune writes and products read"},
      {"HILO_INT8_UNIT", "wgmma, mma_sync, dot_product or plain: what multiplies bytes on a device, or an error"},
      {"OMP_NUM_THREADS", "CPU threads where --threads is 0"}};
  std::string text;
  for (const Variable& v : all) text += ".TP\n" + bold(v.name) + '\n' + escaped(v.meaning) + '\n';
  return text;
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  const std::vector<CommandWords> commands = commands_of(app);
  std::string page =
      ".TH HILO 1 \"\" \"hilo " HILO_VERSION
      "\" \"User Commands\"\n"
      ".SH NAME\nhilo \\- double\\-double linear algebra: products, systems, eigenvalues, singular values\n"
      ".SH SYNOPSIS\n" +
      bold("hilo") + " [" + italic("COMMAND") + "] [" + italic("OPTIONS") + "] [" + italic("FILES") +
      "]\n.SH DESCRIPTION\n" + escaped(app.get_description()) + "\n.SS Commands\n";
  for (const CommandWords& c : commands)
    page += ".TP\n" + bold("hilo " + c.name) + '\n' + escaped(c.description) + '\n';
  page += ".SH OPTIONS\n" + options_text(options_of(app));
  for (const CommandWords& c : commands) {
    page += ".SS Options of hilo " + c.name + '\n' + options_text(c.options);
  }
  page += ".SH EXAMPLES\n.nf\n";
  for (const CommandWords& c : commands) {
    // One command a line: lines of examples are not filled.
    for (std::size_t begin = 0; begin < c.example.size();) {
      const std::size_t end = std::min(c.example.find("; ", begin), c.example.size());
      page += bold(c.example.substr(begin, end - begin)) + '\n';
      begin = end + 2;
    }
  }
  return page +
         ".fi\n"
         ".SH EXIT STATUS\n"
         ".TP\n0\ndone\n"
         ".TP\n1\na verification failed, or a problem was not solved as asked for\n"
         ".TP\n2\nbad usage or input, which the message names\n"
         ".TP\n3\nno such device\n"
         ".TP\n4\na kernel did not build, or the run, gnuplot or a reference failed\n"
         ".TP\n130\ninterrupted\n"
         ".SH ENVIRONMENT\n" +
         environment_text();
}

}  // namespace hilo::cli
