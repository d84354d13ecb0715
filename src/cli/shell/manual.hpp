// `hilo man`: the manual page hilo(1), made of the help texts.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace hilo::cli {

/// In the man macros of roff.
std::string manual_page(const CLI::App& app);

}  // namespace hilo::cli
