// Texts of others made fit to print, figures, and tables.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <hilo/precision.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace hilo::cli {

/// Line ends and other control characters become spaces, also those of two bytes, U+0080 to U+009F.
inline std::string in_one_line(const std::string& text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const bool is_of_two = byte(i) == 0xc2 && i + 1 < text.size() && byte(i + 1) >= 0x80 && byte(i + 1) < 0xa0;
    line += is_of_two || std::iscntrl(byte(i)) ? ' ' : text[i];
    i += is_of_two;
  }
  return line;
}

/// Four digits.
inline std::string digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

/// A part in percent: "85.7".
inline std::string percent(double part) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", 100.0 * part);
  return text;
}

/// "1 entry", "2 entries".
inline std::string count(std::int64_t n, const char* one, const char* several) {
  return std::to_string(n) + ' ' + (n == 1 ? one : several);
}

/// The words of a text behind what stands on the line already, in lines of 80 columns that begin at a column.
inline std::string wrapped(std::string line, std::size_t begin, const std::string& text) {
  constexpr std::size_t columns = 80;
  std::string all;
  bool is_empty = true;
  std::istringstream words(text);
  for (std::string word; words >> word; is_empty = false) {
    if (!is_empty && line.size() + 1 + word.size() > columns) {
      all += line + '\n';
      line = std::string(begin, ' ');
      is_empty = true;
    }
    line += (is_empty ? "" : " ") + word;
  }
  return all + line + '\n';
}

/// As a word that a shell takes as it is.
inline std::string shell_quoted(const std::string& text) {
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

/// What errors of a precision are counted in: "2^-106".
inline std::string error_unit_name(Precision p) { return "2^" + std::to_string(precisions::error_unit(p)); }

/// A line of a table, cell by cell.
using Line = std::vector<std::string>;

/// Lines of as many cells each, in columns as wide as they must be. Cells of a column for which is_left(index) holds
/// stand to the left, as words do, the others to the right. No column is narrower than `widths` has it.
template <class IsLeft>
void print_lines(std::ostream& out, const std::vector<Line>& lines, IsLeft is_left,
                 std::vector<std::size_t> widths = {}) {
  widths.resize(lines.front().size());
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  for (const Line& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string padding(widths[i] - line[i].size(), ' ');
      text += (i ? "  " : "") + (is_left(i) ? line[i] + padding : padding + line[i]);
    }
    out << text.substr(0, text.find_last_not_of(' ') + 1) << '\n';
  }
}

}  // namespace hilo::cli
