// Ctrl-C, taken by the program instead of ending it.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <stop_token>
#include <thread>

namespace hilo::cli {

/// Interrupts wait from the program's start on, for the Interrupt of a command that has one; a command without one lets
/// them through.
void release_interrupts();

/// The first interrupt is noted, one that comes two seconds later or more ends the program: some senders, such as
/// timeout(1), send it to the process and to its group. A thread waits for them, as compilers of OpenCL put their own
/// handlers in the place of others.
class Interrupt {
 public:
  /// Before other threads begin, which inherit what is blocked.
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool has_come() const;

  /// Called once in the waiting thread when the first interrupt comes, or at once if it has come.
  void when_it_comes(std::function<void()> act);

 private:
  void wait(const std::stop_token& stop);

  sigset_t set_{};
  struct sigaction old_action_ {};
  std::atomic<bool> has_come_ = false, has_act_ = false;
  std::function<void()> act_;
  std::jthread thread_;
};

}  // namespace hilo::cli
