#include "cli/measurement.hpp"

#include <unistd.h>

#include <exception>
#include <iostream>

#include "cli/process.hpp"
#include "cli/text.hpp"

namespace hilo::cli {
namespace {

constexpr int interrupted = 130;  // as a shell has it: 128 + SIGINT
constexpr int run_failure = 4;

}  // namespace

void Measurement::run(Progress& progress, const std::function<void()>& measure,
                      const std::function<void(bool is_interrupted)>& finish) {
  interrupt_.when_it_comes([&, this] {
    mutex_.lock();  // for good, as nothing may be told after this
    if (is_finished_) return mutex_.unlock();
    kill_process();
    progress.end();
    int code = interrupted;
    try {
      finish(true);
    } catch (const std::exception& e) {
      std::cerr << "hilo: " << in_one_line(e.what()) << '\n';
      code = run_failure;
    }
    _exit(code);
  });
  try {
    measure();
  } catch (...) {
    // An interrupt kills the reference, whose failure this may be: then this waits for the program's end.
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
    throw;
  }
  const std::lock_guard lock(mutex_);
  is_finished_ = true;
  finish(false);
}

}  // namespace hilo::cli
