// Work in a child process that ends with it.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace hilo::test {

/// f()'s value as the exit status of a forked child; 1000 + the signal that ended it, among them that of a time limit.
template <class F>
int exit_status_of_child(F f, unsigned seconds = 60) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    alarm(seconds);
    const int status = f();
    std::fflush(nullptr);
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace hilo::test
