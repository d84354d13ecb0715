#include "host/escaped.hpp"

#include <cctype>

namespace hilo::host {

std::string escaped(std::string_view text, std::size_t most) {
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

}  // namespace hilo::host
