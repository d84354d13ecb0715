#include "cli/shell/completion.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/option.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/text.hpp"

namespace hilo::cli {
namespace {

// gemm, whose name may be left out.
constexpr const char* default_command = "gemm";

std::string joined(const std::vector<std::string>& all, const char* between = " ") {
  std::string text;
  for (const std::string& x : all) text += (text.empty() ? "" : between) + x;
  return text;
}

// What stands without a name among a command's words; nothing where all have one.
const OptionWords* unnamed(const CommandWords& command) {
  for (const OptionWords& o : command.options) {
    if (o.names.empty()) return &o;
  }
  return nullptr;
}

// What fills a value, as a case of bash's: words, files, or nothing.
std::string bash_value(const OptionWords& o) {
  switch (o.kind) {
    case ValueKind::words:
      return "_hilo_words '" + joined(o.words) + "'";
    case ValueKind::list:
      return "_hilo_list '" + joined(o.words) + "'";
    case ValueKind::matrix:
      return "_hilo_matrices";
    case ValueKind::file:
      return "_hilo_files";
    case ValueKind::command:
      return "_hilo_commands";
    default:
      return ":";
  }
}

// The options of which words other than the one behind them are values: the second file of two.
std::vector<const OptionWords*> with_several_values(const CommandWords& command) {
  std::vector<const OptionWords*> all;
  for (const OptionWords& o : command.options) {
    if (o.values > 1) all.push_back(&o);
  }
  return all;
}

constexpr const char* bash_begin = R"(# Completion of hilo in bash: source <(hilo completion bash)
_hilo_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
  # What follows a colon is part of the word, and as a file's name it would be escaped.
  if [[ ${COMPREPLY[0]} == *: ]]; then compopt -o nospace +o filenames 2>/dev/null; fi
}
_hilo_list() {
  local before= word others=
  if [[ $current == *,* ]]; then before=${current%,*},; fi
  for word in $1; do
    if [[ ,$before != *,"$word",* ]]; then others+=" $word"; fi
  done
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$others" -- "${current##*,}")
}
_hilo_commands() {
  if [[ $current == */* ]]; then _hilo_files; else mapfile -t COMPREPLY < <(compgen -c -- "$current" | sort -u); fi
}
_hilo_files() { mapfile -t COMPREPLY < <(compgen -f -- "$current"); }
_hilo_matrices() {
  mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X '!*.mtx' -- "$current"
                           compgen -f -X '!*.npy' -- "$current")
}
_hilo() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} i command=)";

std::string bash_script(const std::vector<CommandWords>& commands, const std::vector<OptionWords>& of_program) {
  std::vector<std::string> names;
  for (const CommandWords& c : commands) names.push_back(c.name);
  std::vector<std::string> first = names;
  first.emplace_back("help");
  for (const OptionWords& o : of_program) first.insert(first.end(), o.names.begin(), o.names.end());
  std::string script = bash_begin + std::string(default_command) +
                       "\n  # Bash parts a word at '='.\n"
                       "  if [[ $previous == '=' ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}=; fi\n"
                       "  if [[ $current == '=' ]]; then previous=$previous= current=; fi\n"
                       "  COMPREPLY=()\n"
                       "  case ${COMP_WORDS[1]} in " +
                       joined(names, "|") +
                       ") command=${COMP_WORDS[1]} ;; esac\n"
                       "  if ((COMP_CWORD == 2)) && [[ ${COMP_WORDS[1]} == help ]]; then\n"
                       "    _hilo_words '" +
                       joined(names) + "'\n    return\n  fi\n  case \"$command $previous\" in\n";
  for (const CommandWords& c : commands) {
    for (const OptionWords& o : c.options) {
      std::vector<std::string> cases;
      for (const std::string& name : o.names) {
        if (o.kind != ValueKind::none) cases.push_back("'" + c.name + ' ' + name + "'");
        if (o.kind != ValueKind::none || !o.words.empty()) cases.push_back("'" + c.name + ' ' + name + "='");
      }
      if (cases.empty()) continue;
      const std::string value = o.kind == ValueKind::none ? "_hilo_words '" + joined(o.words) + "'" : bash_value(o);
      // Where no value need follow, another option may.
      script += "    " + joined(cases, " | ") + ") " +
                (o.is_optional ? "if [[ $current != -* ]]; then " + value + "; return; fi" : value + "; return") +
                " ;;\n";
    }
  }
  script += "  esac\n";
  for (const CommandWords& c : commands) {
    for (const OptionWords* o : with_several_values(c)) {
      script += "  for ((i = 2; i <= " + std::to_string(o->values) +
                "; ++i)); do\n    if ((COMP_CWORD > i)) && [[ \"$command ${COMP_WORDS[COMP_CWORD - i]}\" == '" +
                c.name + ' ' + o->names.front() + "' ]]; then " + bash_value(*o) + "; return; fi\n  done\n";
    }
  }
  script += "  local options unnamed=:\n  case $command in\n";
  for (const CommandWords& c : commands) {
    std::vector<std::string> options;
    for (const OptionWords& o : c.options) options.insert(options.end(), o.names.begin(), o.names.end());
    const OptionWords* rest = unnamed(c);
    script += "    " + c.name + ") options='" + joined(options) + "'" +
              (rest ? " unnamed=" + shell_quoted(bash_value(*rest)) : "") + " ;;\n";
  }
  return script +
         "  esac\n  if [[ $current == -* ]]; then\n    _hilo_words \"$options\"\n  else\n    eval \"$unnamed\"\n"
         "  fi\n  if ((COMP_CWORD == 1)); then\n    local rest=(\"${COMPREPLY[@]}\")\n"
         "    _hilo_words '" +
         joined(first) +
         "'\n    COMPREPLY+=(\"${rest[@]}\")\n  fi\n}\n"
         "complete -o filenames -F _hilo hilo\n";
}

// As zsh's _arguments takes a description: brackets and colons escaped.
std::string zsh_text(const std::string& text) {
  std::string all;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') all += '\\';
    all += c;
  }
  return all;
}

// Whether some word goes on behind a colon.
bool has_open_word(const OptionWords& o) {
  return std::ranges::any_of(o.words, [](const std::string& word) { return word.ends_with(':'); });
}

std::string zsh_value(const OptionWords& o) {
  const std::string begin = (o.is_optional ? "::" : ":") + zsh_text(o.value) + ':';
  switch (o.kind) {
    case ValueKind::none:
      return o.words.empty() ? "" : "::" + joined(o.words, "/") + ":(" + joined(o.words) + ')';
    case ValueKind::words:
      return begin +
             (has_open_word(o) ? " _hilo_words " + zsh_text(joined(o.words)) : '(' + zsh_text(joined(o.words)) + ')');
    case ValueKind::list:
      return begin + "_values -s , " + zsh_text(o.value) + ' ' + zsh_text(joined(o.words));
    case ValueKind::matrix:
      return begin + "_files -g \"*.(mtx|npy)\"";
    case ValueKind::file: {
      std::string all;
      for (int i = 0; i < o.values; ++i) all += begin + "_files";
      return all;
    }
    case ValueKind::command:
      return begin + "{ _command_names -e; _files }";
    default:
      return begin + ' ';
  }
}

// What stands between an option's name and its text: "=" where the value may follow in the same word, "=-" where it
// must.
std::string zsh_equals(const OptionWords& o, const std::string& name) {
  if (!name.starts_with("--") || o.values > 1) return "";
  if (o.kind == ValueKind::none) return o.words.empty() ? "" : "=-";
  return "=";
}

std::string zsh_script(const std::vector<CommandWords>& commands, const std::vector<OptionWords>& of_program) {
  std::string script =
      "#compdef hilo\n# Completion of hilo in zsh: hilo completion zsh > a folder of $fpath/_hilo, or\n"
      "# source <(hilo completion zsh)\n"
      // What follows a colon is part of the word.
      "_hilo_words() {\n  local -a whole=(\"${(@)@:#*:}\") open=(\"${(@M)@:#*:}\")\n"
      "  compadd -a whole\n  compadd -S '' -a open\n}\n"
      "_hilo() {\n  local -a commands=(\n";
  for (const CommandWords& c : commands) script += "    " + shell_quoted(c.name + ':' + zsh_text(c.description)) + '\n';
  script += "    'help:Help of a command'\n  )\n  local command=" + std::string(default_command) +
            "\n  if ((CURRENT == 2)); then\n    if [[ $words[2] == -* ]]; then\n      compadd -- ";
  for (const OptionWords& o : of_program) script += joined(o.names) + ' ';
  script +=
      "\n    else\n      _describe command commands\n      _files -g \"*.(mtx|npy)\"\n      return\n    fi\n"
      "  elif [[ $words[2] == help ]]; then\n    _describe command commands\n    return\n"
      "  elif (($commands[(I)$words[2]:*])); then\n    command=$words[2]\n    shift words\n    ((CURRENT--))\n  fi\n"
      "  case $command in\n";
  for (const CommandWords& c : commands) {
    script += "    " + c.name + ")\n      _arguments -s";
    for (const OptionWords& o : c.options) {
      if (o.names.empty()) {
        script += " \\\n        " + shell_quoted((o.kind == ValueKind::words ? "1" : "*") + zsh_value(o));
        continue;
      }
      for (const std::string& name : o.names) {
        const std::string others = o.names.size() > 1 ? '(' + joined(o.names) + ')' : "";
        script +=
            " \\\n        " + shell_quoted(others + name + zsh_equals(o, name) + '[' + zsh_text(o.description) + ']' +
                                           (name.starts_with("--") || o.kind != ValueKind::none ? zsh_value(o) : ""));
      }
    }
    script += "\n      ;;\n";
  }
  return script + "  esac\n}\nif [[ $funcstack[1] == _hilo ]]; then _hilo \"$@\"; else compdef _hilo hilo; fi\n";
}

std::string fish_script(const std::vector<CommandWords>& commands, const std::vector<OptionWords>& of_program) {
  std::vector<std::string> names;
  for (const CommandWords& c : commands) names.push_back(c.name);
  const std::string all = joined(names);
  const auto option = [](const std::string& condition, const OptionWords& o) {
    std::string line = "complete -c hilo -n " + shell_quoted(condition);
    for (const std::string& name : o.names) {
      line += name.starts_with("--") ? " -l " + name.substr(2) : name.size() == 2 ? " -s " + name.substr(1) : "";
    }
    if (o.kind == ValueKind::words) line += " -x -a " + shell_quoted(joined(o.words));
    if (o.kind == ValueKind::list) line += " -x -a " + shell_quoted("(__hilo_list " + joined(o.words) + ')');
    if (o.kind == ValueKind::other) line += " -x";
    if (o.kind == ValueKind::command) line += " -x -a '(__fish_complete_command)'";
    const bool is_file = o.kind == ValueKind::matrix || o.kind == ValueKind::file;
    if (is_file && !o.is_optional) line += " -r -F";
    line += " -d " + shell_quoted(o.description) + '\n';
    // A value that may be left out and stands behind "=" is one only there.
    const bool is_value_of_flag = o.kind == ValueKind::none && !o.words.empty();
    for (const std::string& name : o.names) {
      if (!name.starts_with("--") || !(is_value_of_flag || (is_file && o.is_optional))) continue;
      line += "complete -c hilo -n " +
              shell_quoted(condition + "; and string match -q -- '" + name + "=*' (commandline -ct)") + " -l " +
              name.substr(2) + (is_file ? " -r -F" : " -x -a " + shell_quoted(joined(o.words))) + '\n';
    }
    // What fish does not take for a value: one that may be left out, and all but the first.
    for (int back = o.is_optional ? 1 : 2; is_file && back <= o.values; ++back) {
      line += "complete -c hilo -n " +
              shell_quoted(condition + "; and contains -- " + o.names.front() + " (commandline -opc)[-" +
                           std::to_string(back) + ']') +
              " -F\n";
    }
    return line;
  };
  std::string script =
      "# Completion of hilo in fish: hilo completion fish > ~/.config/fish/completions/hilo.fish\n"
      // Of a list the words that it has not yet.
      "function __hilo_list\n"
      "    set -l before (commandline -ct | string replace -r -- '^--[^=]*=' '' | string match -r -- '.*,')\n"
      "    for word in $argv\n"
      "        contains -- $word (string split , -- $before); or echo \"$before$word\"\n"
      "    end\nend\n"
      "complete -c hilo -f\n";
  for (const OptionWords& o : of_program) script += option("__fish_use_subcommand", o);
  const std::string none = "not __fish_seen_subcommand_from " + all;
  for (const CommandWords& c : commands) {
    script += "complete -c hilo -n __fish_use_subcommand -a " + c.name + " -d " + shell_quoted(c.description) + '\n';
  }
  script +=
      "complete -c hilo -n __fish_use_subcommand -a help -d 'Help of a command'\n"
      "complete -c hilo -n '__fish_seen_subcommand_from help' -a " +
      shell_quoted(all) + '\n';
  for (const CommandWords& c : commands) {
    const std::string seen = "__fish_seen_subcommand_from " + c.name;
    const std::string condition = c.name == default_command ? seen + "; or " + none : seen;
    for (const OptionWords& o : c.options) {
      if (!o.names.empty()) {
        script += option(condition, o);
      } else {
        script += "complete -c hilo -n " + shell_quoted(condition) + " -k -a " +
                  (o.kind == ValueKind::words  ? shell_quoted(joined(o.words))
                   : o.kind == ValueKind::file ? "'(__fish_complete_suffix " + o.value.substr(o.value.rfind('.')) + ")'"
                                               : "'(__fish_complete_suffix .mtx) (__fish_complete_suffix .npy)'") +
                  '\n';
      }
    }
  }
  return script;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  enum class Shell : std::uint8_t { bash, zsh, fish };
  const Shell which =
      choice<Shell>("SHELL", shell, {{"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}});
  const std::vector<CommandWords> commands = commands_of(app);
  const std::vector<OptionWords> of_program = options_of(app);
  return which == Shell::bash  ? bash_script(commands, of_program)
         : which == Shell::zsh ? zsh_script(commands, of_program)
                               : fish_script(commands, of_program);
}

}  // namespace hilo::cli
