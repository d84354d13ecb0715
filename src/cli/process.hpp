// Other programs, run to their end.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace hilo::cli {

struct ProcessOutcome {
  std::string out, err;  ///< what it wrote
  std::string failure;   ///< "exit code 3", "signal 11", "no end in 60 s"; empty where the exit code is 0
};

/// Whether a word of a command line names a program that may be executed, looked for as a shell does.
bool is_program(const std::string& word);

/// Runs words[0], looked for as a shell does, with the others as its arguments and `input` on standard input. It and
/// what it starts are killed where it takes longer than `limit`, or where a signal ends this program; it alone is, too,
/// where this program is killed. Throws std::system_error where it does not start, std::runtime_error where there is no
/// room for what it writes.
ProcessOutcome run_process(const std::vector<std::string>& words, const std::string& input, std::chrono::seconds limit);

/// Kills what run_process has running in another thread.
void kill_process();

}  // namespace hilo::cli
