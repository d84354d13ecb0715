// Comma-separated values (RFC 4180): what --csv writes, to a file or to standard output.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hilo::cli {

/// Gives a command the option, with or without a file's name behind it; without one it says "-", standard output.
CLI::Option* add_csv_option(CLI::App& command, std::string& path);

/// What standard output is for.
enum class Output : std::uint8_t { table, json, csv };

struct CsvTarget {
  Output output;
  std::string path;  ///< the name of the file with values; empty where there is none
};

/// What --csv says. Throws hilo::error: invalid_argument where --json takes standard output, too, or where `plot`, the
/// name of a picture, is the same file; io for a place that cannot be written. Changes nothing.
CsvTarget csv_target(const std::string& path, bool as_json, const std::string& plot);

/// A line of the keys of an object.
void print_csv_names(std::ostream& out, const nlohmann::ordered_json& row);

/// A line of its values, none of which is an object or a list; null is empty.
void print_csv_values(std::ostream& out, const nlohmann::ordered_json& row);

/// Writes text to the file, which appears complete or not at all. Throws hilo::error (io).
void write_csv(const std::string& path, const std::string& text);

}  // namespace hilo::cli
