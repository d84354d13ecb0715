#include "data/quoted.hpp"

#include "host/escaped.hpp"

namespace hilo::data {

std::string quoted(std::string_view text) { return "'" + host::escaped(text, 40) + "'"; }

}  // namespace hilo::data
