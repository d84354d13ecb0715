// Texts of others made fit to print, and tables.
#pragma once

#include <algorithm>
#include <cctype>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace hilo::cli {

/// Line ends and other control characters become spaces.
inline std::string in_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c); }, ' ');
  return text;
}

/// Text fit to print: control characters and bytes that are not UTF-8 as \n or \x1b, and no more than so many bytes.
inline std::string escaped(std::string_view text, std::size_t most) {
  auto bytes_of_character = [&](std::size_t i) -> std::size_t {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (size == 0 || first > 0xf4 || i + size > text.size()) return 0;
    for (std::size_t n = 1; n < size; ++n) {
      if ((static_cast<unsigned char>(text[i + n]) & 0xc0) != 0x80) return 0;
    }
    const bool is_control = size == 1 ? std::iscntrl(first) : size == 2 && first == 0xc2 && text[i + 1] < '\xa0';
    return is_control ? 0 : size;
  };
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    if (shown.size() >= most) return shown + "… (" + std::to_string(text.size()) + " characters)";
    const std::size_t size = bytes_of_character(i);
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(text[i]);
    if (size) {
      shown += text.substr(i, size);
    } else if (byte == '\n') {
      shown += "\\n";
    } else {
      shown += std::string("\\x") + digits[byte >> 4] + digits[byte & 15];
    }
    i += size ? size : 1;
  }
  return shown;
}

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
