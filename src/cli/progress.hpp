// What the program is at, in one line on a terminal.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <mutex>
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
    const std::lock_guard lock(mutex_);
    write(what);
  }

  /// With a bar: "[######..............]  multiplying: run 2 of 4", where `part` of 1 is done.
  void at(double part, const std::string& what) {
    constexpr int width = 20;
    const auto done = static_cast<std::size_t>(std::clamp(static_cast<int>(part * width), 0, width));
    at("[" + std::string(done, '#') + std::string(width - done, '.') + "]  " + what);
  }

  /// Takes the line away for good, while another thread may still be at something.
  void end() {
    const std::lock_guard lock(mutex_);
    write("");
    is_shown_ = false;
  }

 private:
  void write(const std::string& what) const {
    // One that goes on in the terminal's next line would stay there.
    constexpr std::size_t columns = 79;
    if (is_shown_) std::cerr << "\r\x1b[K" << what.substr(0, columns) << std::flush;
  }

  std::mutex mutex_;
  bool is_shown_;
};

}  // namespace hilo::cli
