// `hilo man`: the manual page hilo(1), made of the help texts.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace hilo::cli {

/// In the man macros of roff.
std::string manual_page(const CLI::App& app);

}  // namespace hilo::cli
