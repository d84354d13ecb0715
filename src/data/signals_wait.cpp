#include "data/signals_wait.hpp"

#include <unistd.h>

#include <csignal>
#include <iterator>
#include <mutex>

namespace hilo::data {
namespace {

constexpr int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
constexpr std::size_t count = std::size(signals);

volatile std::sig_atomic_t waiting[count];

// A handler, and no mask: the mask of one thread leaves the signal to the others.
void note(int signal) {
  for (std::size_t i = 0; i < count; ++i) {
    if (signals[i] == signal) waiting[i] = 1;
  }
}

std::mutex mutex;
int alive = 0;
struct sigaction before[count];

void take() {
  struct sigaction action {};
  action.sa_handler = note;
  for (std::size_t i = 0; i < count; ++i) {
    waiting[i] = 0;
    sigaction(signals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, nullptr);
  }
}

// To this thread, so that it is taken before the next line, unless this thread leaves it to others.
void deliver(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  if (sigismember(&blocked, signal)) {
    kill(getpid(), signal);
  } else {
    std::raise(signal);
  }
}

void give_back() {
  for (std::size_t i = 0; i < count; ++i) sigaction(signals[i], &before[i], nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    if (waiting[i]) deliver(signals[i]);
    waiting[i] = 0;
  }
}

}  // namespace

SignalsWait::SignalsWait() {
  const std::lock_guard lock(mutex);
  if (alive++ == 0) take();
}

SignalsWait::~SignalsWait() {
  const std::lock_guard lock(mutex);
  if (--alive == 0) give_back();
}

bool SignalsWait::has_come() {
  for (std::size_t i = 0; i < count; ++i) {
    if (waiting[i]) return true;
  }
  return false;
}

}  // namespace hilo::data
