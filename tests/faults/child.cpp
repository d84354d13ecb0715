#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <stdexcept>

extern char** environ;

namespace hilo::test::faults {

Child::Child(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<std::string> all = {"opencl_faults_test"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& a : all) pointers.push_back(a.data());
  pointers.push_back(nullptr);
  const int failure = posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  pipe_ = ends[0];
  if (failure) {
    close(pipe_);
    throw std::runtime_error(std::string("no child: ") + std::strerror(failure));
  }
}

Child::~Child() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    end();
  }
  close(pipe_);
}

std::optional<std::string> Child::line(int seconds) {
  for (;;) {
    if (const std::size_t at = pending_.find('\n'); at != pending_.npos) {
      std::string found = pending_.substr(0, at);
      pending_.erase(0, at + 1);
      return found;
    }
    pollfd ready = {pipe_, POLLIN, 0};
    if (poll(&ready, 1, 1000 * seconds) == 0) {
      is_stuck_ = true;
      kill(process_, SIGKILL);
      return std::nullopt;
    }
    char bytes[4096];
    const ssize_t count = read(pipe_, bytes, sizeof bytes);
    if (count <= 0) return std::nullopt;
    pending_.append(bytes, static_cast<std::size_t>(count));
  }
}

std::string Child::end() {
  int status = 0;
  if (process_ > 0) waitpid(process_, &status, 0);
  process_ = -1;
  if (is_stuck_) return "hangs";
  if (WIFSIGNALED(status)) return std::string("ended by ") + strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) ? "exit code " + std::to_string(WEXITSTATUS(status)) : "";
}

}  // namespace hilo::test::faults
