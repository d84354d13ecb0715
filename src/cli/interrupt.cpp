#include "cli/interrupt.hpp"

#include <chrono>

namespace hilo::cli {
namespace {

// Set by a handler, for the threads that libraries began before the signal was blocked.
volatile std::sig_atomic_t has_met_old_thread = 0;

sigset_t mask_of_caller;

void hold_interrupts() {
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupts, &mask_of_caller);
}

// Called before the libraries begin, which takes longer than all else before main() and may start threads.
[[gnu::section(".preinit_array"), gnu::used]] void (*const at_first)() = hold_interrupts;

}  // namespace

void release_interrupts() { pthread_sigmask(SIG_SETMASK, &mask_of_caller, nullptr); }

Interrupt::Interrupt() {
  has_met_old_thread = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { has_met_old_thread = 1; };
  sigaction(SIGINT, &action, &old_action_);
  sigemptyset(&set_);
  sigaddset(&set_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  thread_ = std::jthread([this](const std::stop_token& stop) { wait(stop); });
}

Interrupt::~Interrupt() {
  thread_.request_stop();
  thread_.join();
  sigaction(SIGINT, &old_action_, nullptr);
  release_interrupts();
}

bool Interrupt::has_come() const { return has_come_ || has_met_old_thread; }

void Interrupt::when_it_comes(std::function<void()> act) {
  act_ = std::move(act);
  has_act_ = true;
}

void Interrupt::wait(const std::stop_token& stop) {
  std::chrono::steady_clock::time_point first;
  while (!stop.stop_requested()) {
    const timespec tenth{0, 100'000'000};
    const bool comes = sigtimedwait(&set_, nullptr, &tenth) == SIGINT;
    const auto now = std::chrono::steady_clock::now();
    if (comes && !has_come_) first = now;
    if (comes) has_come_ = true;
    if (has_come() && has_act_.exchange(false)) act_();
    if (!comes || now - first < std::chrono::seconds(2)) continue;
    std::signal(SIGINT, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
    std::raise(SIGINT);
  }
}

}  // namespace hilo::cli
