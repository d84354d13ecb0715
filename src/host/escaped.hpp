// Text of others, as messages show it.
#pragma once

#include <string>
#include <string_view>

namespace hilo::host {

/// Text fit to print: control characters and bytes that are not UTF-8 as \n or \x1b, and no more than so many bytes. An
/// error's message ends at the first NUL byte, so whoever puts such text in one escapes it there.
std::string escaped(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace hilo::host
