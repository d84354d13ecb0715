// `hilo completion SHELL`: a script that completes the program's command lines in bash, zsh or fish.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace hilo::cli {

/// Throws invalid_argument for a shell that is none of these.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace hilo::cli
