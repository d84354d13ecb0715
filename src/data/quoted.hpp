// Text of others, as messages show it.
#pragma once

#include <string>
#include <string_view>

namespace hilo::data {

/// Text fit to print: control characters and bytes that are not UTF-8 as \n or \x1b, and no more than so many bytes.
std::string escaped(std::string_view text, std::size_t most = std::string_view::npos);

/// The text in quotes, escaped, and cut where it is long.
std::string quoted(std::string_view text);

}  // namespace hilo::data
