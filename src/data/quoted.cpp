#include "data/quoted.hpp"

#include "host/escaped.hpp"

namespace hilo::data {

std::string escaped(std::string_view text, std::size_t most) { return host::escaped(text, most); }

std::string quoted(std::string_view text) { return "'" + escaped(text, 40) + "'"; }

}  // namespace hilo::data
