// What is found or made once for each context.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
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

  std::optional<Value> find(const std::string& name) const {
    std::lock_guard lock(mutex_);
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

  void put(const std::string& name, Value value) {
    std::lock_guard lock(mutex_);
    values_.insert_or_assign(name, std::move(value));
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Value> values_;
};

}  // namespace hilo::opencl
