// Kernel objects that calls borrow: making one takes longer than launching it, and its arguments are one thread's.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "opencl/bindings.hpp"

namespace hilo::opencl {

class KernelPool;

/// A kernel to set arguments of and to launch; goes back to its pool, as launches keep what they were given.
class BorrowedKernel {
 public:
  BorrowedKernel() = default;
  BorrowedKernel(KernelPool* pool, cl_program program, std::string name, cl::Kernel kernel)
      : pool_(pool), program_(program), name_(std::move(name)), kernel_(std::move(kernel)) {}
  BorrowedKernel(BorrowedKernel&& other) noexcept { *this = std::move(other); }
  BorrowedKernel& operator=(BorrowedKernel&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(program_, other.program_);
    std::swap(name_, other.name_);
    std::swap(kernel_, other.kernel_);
    return *this;
  }
  ~BorrowedKernel();

  cl::Kernel& operator*() { return kernel_; }
  const cl::Kernel& operator*() const { return kernel_; }

 private:
  KernelPool* pool_ = nullptr;
  cl_program program_ = nullptr;
  std::string name_;
  cl::Kernel kernel_;
};

/// The kernels of one context. Thread-safe.
class KernelPool {
 public:
  /// Throws cl::Error where the program has no kernel of that name.
  BorrowedKernel borrow(const cl::Program& program, const std::string& name) {
    {
      std::lock_guard lock(mutex_);
      auto& idle = idle_[{program(), name}];
      if (!idle.empty()) {
        cl::Kernel kernel = std::move(idle.back());
        idle.pop_back();
        return {this, program(), name, std::move(kernel)};
      }
    }
    return {this, program(), name, cl::Kernel(program, name.c_str())};
  }

 private:
  friend class BorrowedKernel;
  void give_back(cl_program program, const std::string& name, cl::Kernel kernel) {
    std::lock_guard lock(mutex_);
    idle_[{program, name}].push_back(std::move(kernel));
  }

  std::mutex mutex_;
  // A kernel keeps its program.
  std::map<std::pair<cl_program, std::string>, std::vector<cl::Kernel>> idle_;
};

inline BorrowedKernel::~BorrowedKernel() {
  if (!pool_ || !kernel_()) return;
  try {
    pool_->give_back(program_, name_, std::move(kernel_));
  } catch (...) {
    // One fewer to lend.
  }
}

}  // namespace hilo::opencl
