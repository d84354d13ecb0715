// FailingCall: an OpenCL call that fails where a test wants it to, in the table through which the loader calls a
// driver.
#pragma once

// The bindings say which version the other is for.
// clang-format off
#include "opencl/bindings.hpp"
#include <CL/cl_icd.h>
// clang-format on
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

namespace hilo::test {

/// The entry point's next calls on the platform of an object: `passed` of them go on as always, then `failing` fail
/// with `status`, until this is destroyed. One at a time for each entry point.
template <auto Entry>
class FailingCall {
 public:
  template <class Object>
  FailingCall(Object* object, cl_int status, int passed = 0, int failing = 1) {
    table_ = *reinterpret_cast<cl_icd_dispatch**>(object);
    real_ = table_->*Entry;
    // Some drivers' tables are read-only once they are loaded.
    const std::uintptr_t page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(table_) / page * page;
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(table_ + 1);
    if (mprotect(reinterpret_cast<void*>(first), end - first, PROT_READ | PROT_WRITE) != 0) {
      throw std::runtime_error("the driver's table cannot be written");
    }
    status_ = status, passed_ = passed, failing_ = failing, calls_ = 0;
    table_->*Entry = replacement(real_);
  }
  ~FailingCall() { table_->*Entry = real_; }
  FailingCall(const FailingCall&) = delete;
  FailingCall& operator=(const FailingCall&) = delete;

  int calls() const { return calls_; }

 private:
  using Function = std::remove_reference_t<decltype(std::declval<cl_icd_dispatch>().*Entry)>;

  template <class Result, class... Arguments>
  static auto replacement(Result(CL_API_CALL*)(Arguments...)) {
    return +[](Arguments... arguments) -> Result {
      ++calls_;
      if (passed_-- > 0 || failing_-- <= 0) return real_(arguments...);
      if constexpr (std::is_same_v<Result, cl_int>) {
        return status_;
      } else {
        // What makes an object takes a pointer to its status last.
        *std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...)) = status_;
        return nullptr;
      }
    };
  }

  static inline cl_icd_dispatch* table_;
  static inline Function real_;
  static inline cl_int status_;
  static inline int passed_, failing_, calls_;
};

}  // namespace hilo::test
