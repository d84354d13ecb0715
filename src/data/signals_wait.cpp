#include "data/signals_wait.hpp"

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
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  for (std::size_t i = 0; i < count; ++i) {
    waiting[i] = 0;
    sigaction(signals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN && !sigismember(&blocked, signals[i])) sigaction(signals[i], &action, nullptr);
  }
}

void give_back() {
  for (std::size_t i = 0; i < count; ++i) sigaction(signals[i], &before[i], nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    if (waiting[i]) std::raise(signals[i]);
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
