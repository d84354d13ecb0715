// The help texts of the program, on terminals of 80 columns.
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}  // namespace CLI

namespace hilo::cli {

/// What `--help` prints; lines break between words.
std::shared_ptr<CLI::FormatterBase> help_format();

}  // namespace hilo::cli
