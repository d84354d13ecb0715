// What earlier calls found out, for later ones to expect.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace hilo::opencl {

/// A few numbers by a few numbers that name them; the oldest are forgotten. Thread-safe.
class Notes {
 public:
  using Name = std::array<std::int64_t, 4>;
  using Note = std::array<int, 6>;

  std::optional<Note> find(const Name& name) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, note] : notes_) {
      if (known == name) return note;
    }
    return std::nullopt;
  }

  void put(const Name& name, const Note& note) {
    const std::lock_guard lock(mutex_);
    for (auto& [known, old] : notes_) {
      if (known != name) continue;
      old = note;
      return;
    }
    if (notes_.size() == most) notes_.pop_front();
    notes_.emplace_back(name, note);
  }

 private:
  static constexpr std::size_t most = 32;
  mutable std::mutex mutex_;
  std::deque<std::pair<Name, Note>> notes_;
};

}  // namespace hilo::opencl
