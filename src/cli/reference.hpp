// Another library, in a program of its own: how that is run, and the speed that it measures.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace hilo::cli {

/// GFlop/s of an n x n x n product, with the operands in place and with their transfers.
struct ReferenceSpeed {
  std::string name, device;
  double gflops_kernel, gflops_total;
};

/// What --reference says: a program and words behind it, with spaces between them; no shell reads it.
class ReferenceCommand {
 public:
  /// Throws hilo::error (invalid_argument) where the first word is no program. No run may take longer than `limit`.
  ReferenceCommand(const std::string& command, std::chrono::seconds limit);

  const std::string& words() const { return command_; }

  /// What it writes, with more words behind its own, and `input` on its standard input. Throws std::runtime_error,
  /// which names the command, where it fails.
  std::string run(const std::vector<std::string>& more, const std::string& input) const;

  /// "--reference ./program 512", as messages name a run.
  std::string call(const std::vector<std::string>& more) const;

 private:
  std::string command_;
  std::vector<std::string> words_;
  std::chrono::seconds limit_;
};

/// A command that, with n behind it, prints {"name": …, "device": …, "n": n, "gflops_kernel": x, "gflops_total": y}.
class Reference {
 public:
  /// Throws as ReferenceCommand does.
  Reference(const std::string& command, std::chrono::seconds limit) : command_(command, limit) {}

  const std::string& command() const { return command_.words(); }

  /// Runs it. Throws std::runtime_error, which names the command, where it fails or prints something else.
  ReferenceSpeed measure(std::int64_t n) const;

 private:
  ReferenceCommand command_;
};

}  // namespace hilo::cli
