// Another library's speed, as a program of its own measures it.
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

/// A command that, with n behind it, prints {"name": …, "device": …, "n": n, "gflops_kernel": x, "gflops_total": y}.
class Reference {
 public:
  /// The command's words have spaces between them; no shell reads it. Throws hilo::error (invalid_argument) where the
  /// first one is no program. No run may take longer than `limit`.
  Reference(const std::string& command, std::chrono::seconds limit);

  const std::string& command() const { return command_; }

  /// Runs it. Throws std::runtime_error, which names the command, where it fails or prints something else.
  ReferenceSpeed measure(std::int64_t n) const;

 private:
  std::string command_;
  std::vector<std::string> words_;
  std::chrono::seconds limit_;
};

}  // namespace hilo::cli
