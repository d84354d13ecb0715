// What is found or made once for each context.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace hilo::opencl {

/// Values by name. Thread-safe.
template <class Value>
class Memo {
 public:
  /// The value of that name, from `make` at the first call; two threads may both make it, and the first one's stays.
  /// Throws what make throws.
  Value get(const std::string& name, const std::function<Value()>& make) {
    {
      std::lock_guard lock(mutex_);
      if (auto found = values_.find(name); found != values_.end()) return found->second;
    }
    Value made = make();
    std::lock_guard lock(mutex_);
    return values_.emplace(name, std::move(made)).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Value> values_;
};

}  // namespace hilo::opencl
