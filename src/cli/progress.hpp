// What the program is at, in one line on a terminal.
#pragma once

#include <unistd.h>

#include <iostream>
#include <string>

namespace hilo::cli {

/// The line is taken away again; nothing is shown where standard error is no terminal.
class Progress {
 public:
  explicit Progress(bool quiet) : is_shown_(!quiet && isatty(STDERR_FILENO)) {}
  ~Progress() { at(""); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void at(const std::string& what) {
    if (is_shown_) std::cerr << "\r\x1b[K" << what << std::flush;
  }

 private:
  bool is_shown_;
};

}  // namespace hilo::cli
