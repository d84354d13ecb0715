// Work in a child process that ends with it: start_child and end_of_child, or exit_status_of_child.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace hilo::test {

/// Forks a child that exits with f()'s value; after so many seconds SIGALRM ends it. -1 where there can be none.
template <class F>
pid_t start_child(F f, unsigned seconds = 60) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  alarm(seconds);
  const int status = f();
  std::fflush(nullptr);
  _exit(status);
}

/// Waits for the child: its exit status, or 1000 + the signal that ended it; -1 where there is none.
inline int end_of_child(pid_t child) {
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

template <class F>
int exit_status_of_child(F f, unsigned seconds = 60) {
  return end_of_child(start_child(f, seconds));
}

}  // namespace hilo::test
