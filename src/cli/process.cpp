#include "cli/process.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "data/signals_wait.hpp"

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

// The program that a word names; empty where it names none.
std::string file_of(const std::string& word) {
  if (word.find('/') != word.npos) return is_executable(word) ? word : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + '/' + word;
    if (is_executable(file)) return file;
  }
  return {};
}

// What failed in a child that has ended, empty where nothing did; none while it runs.
std::optional<std::string> end_of(pid_t child) {
  int status = 0;
  const pid_t ended = waitpid(child, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return {};
  if (ended < 0) return std::string("no exit code: ") + std::strerror(errno);
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "exit code " + std::to_string(WEXITSTATUS(status));
}

// Leads a group, and ends with it.
void kill_group(pid_t leader) { kill(-leader, SIGKILL); }

// The program that was begun last: where an interrupt ends a measurement, a picture is drawn while the thread of what
// was measured still waits for its own.
std::atomic<pid_t> running = 0;

// Starts a program in a group of its own. The child has the parent's memory until it is that program, or has failed.
pid_t start(const std::vector<std::string>& words, int in, int out, int err) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string file = file_of(words[0]);
  if (file.empty()) throw std::system_error(ENOENT, std::generic_category(), words[0]);
  const pid_t parent = getpid();
  volatile int failure = 0;
  sigset_t all, before, none;
  sigfillset(&all);
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = vfork();
  if (child == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    // No handler of this program may run here. What its user has it ignore stays ignored.
    for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ}) {
      struct sigaction action;
      sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_IGN || signal == SIGXFSZ) std::signal(signal, SIG_DFL);
    }
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    execv(file.c_str(), arguments.data());
    failure = errno;
    _exit(127);
  }
  const int why = child < 0 ? errno : failure;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (why == 0) return child;
  if (child > 0) waitpid(child, nullptr, 0);
  throw std::system_error(why, std::generic_category(), words[0]);
}

}  // namespace

bool is_program(const std::string& word) { return !file_of(word).empty(); }

ProcessOutcome run_process(const std::vector<std::string>& words, const std::string& input,
                           std::chrono::seconds limit) {
  const std::string& program = words.at(0);
  Scratch in(program), out(program), err(program);
  in.write(input);
  const data::SignalsWait wait;
  const pid_t child = start(words, in.descriptor(), out.descriptor(), err.descriptor());
  running = child;
  const auto end = std::chrono::steady_clock::now() + limit;
  std::chrono::milliseconds pause(1);
  std::optional<std::string> failure;
  bool is_late = false;
  while (!(failure = end_of(child))) {
    is_late = is_late || std::chrono::steady_clock::now() > end;
    if (is_late || data::SignalsWait::has_come()) kill_group(child);
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(50));
  }
  pid_t expected = child;
  running.compare_exchange_strong(expected, 0);
  if (is_late) failure = "no end in " + std::to_string(limit.count()) + " s";
  return {out.read(), err.read(), *failure};
}

void kill_process() {
  if (const pid_t child = running) kill_group(child);
}

}  // namespace hilo::cli
