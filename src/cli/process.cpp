#include "cli/process.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace hilo::cli {
namespace {

// A file without a name, gone when it is closed.
class Scratch {
 public:
  explicit Scratch(const std::string& program) : program_(program), file_(std::tmpfile(), &std::fclose) {
    if (!file_) throw std::runtime_error("no temporary file for " + program_ + ": " + std::strerror(errno));
  }
  void write(const std::string& bytes) {
    std::fwrite(bytes.data(), 1, bytes.size(), file_.get());
    if (std::fflush(file_.get()) != 0) {
      throw std::runtime_error("a temporary file for " + program_ + " cannot be written");
    }
    std::rewind(file_.get());
  }
  std::string read() {
    std::rewind(file_.get());
    std::string bytes;
    char buffer[4096];
    while (std::size_t got = std::fread(buffer, 1, sizeof buffer, file_.get())) bytes.append(buffer, got);
    return bytes;
  }
  int descriptor() const { return fileno(file_.get()); }

 private:
  std::string program_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

bool is_executable(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::string failure_of(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

bool is_program(const std::string& word) {
  if (word.find('/') != word.npos) return is_executable(word);
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (is_executable((folder.empty() ? "." : folder) + '/' + word)) return true;
  }
  return false;
}

ProcessOutcome run_process(const std::vector<std::string>& words, const std::string& input) {
  const std::string& program = words.at(0);
  Scratch in(program), out(program), err(program);
  in.write(input);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child;
  int failure = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw std::system_error(failure, std::generic_category(), program);
  int status;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), program);
  }
  return {out.read(), err.read(), failure_of(status)};
}

}  // namespace hilo::cli
