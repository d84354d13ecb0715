// Text of others, as messages show it.
#pragma once

#include <string>
#include <string_view>

namespace hilo::data {

/// The text in quotes, escaped (host/escaped.hpp), and cut where it is long.
std::string quoted(std::string_view text);

}  // namespace hilo::data
