#include "cli/csv.hpp"

#include <CLI/CLI.hpp>
#include <utility>

#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "data/file.hpp"

namespace hilo::cli {
namespace {

using json = nlohmann::ordered_json;

// A value, in quotes where it has a comma, a quote or a line's end.
std::string cell(const json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  const std::string text = value;
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

template <class Cell>
void print_line(std::ostream& out, const json& row, Cell cell_of) {
  const char* separator = "";
  for (const auto& item : row.items()) out << std::exchange(separator, ",") << cell_of(item);
  out << '\n';
}

}  // namespace

CLI::Option* add_csv_option(CLI::App& command, std::string& path) {
  return command
      .add_option("--csv", path, "Comma-separated values, to a file, or instead of the table to standard output")
      ->type_name("[FILE.csv]")
      ->expected(0, 1)
      ->default_str("-");
}

CsvTarget csv_target(const std::string& path, bool as_json, const std::string& plot) {
  if (path == "-") {
    if (as_json) reject("--csv and --json both take standard output: give --csv a FILE");
    return {Output::csv, ""};
  }
  output_paths({{"--csv", path}, {"--plot", plot}});  // not one file
  if (!path.empty()) data::check_target(path);
  return {as_json ? Output::json : Output::table, path};
}

void print_csv_names(std::ostream& out, const json& row) {
  print_line(out, row, [](const auto& item) { return item.key(); });
}

void print_csv_values(std::ostream& out, const json& row) {
  print_line(out, row, [](const auto& item) { return cell(item.value()); });
}

void write_csv(const std::string& path, const std::string& text) {
  data::OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace hilo::cli
