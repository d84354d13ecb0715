// Texts of others, made fit to print.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace hilo::cli {

/// Line ends and other control characters become spaces.
inline std::string in_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c); }, ' ');
  return text;
}

}  // namespace hilo::cli
