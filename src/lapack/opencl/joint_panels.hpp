// Panels of a factorisation in one launch each, whose work-groups wait for each other (opencl/meeting.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <hilo/precision.hpp>
#include <mutex>
#include <optional>
#include <string>

#include "opencl/call.hpp"
#include "opencl/native.hpp"
#include "opencl/pinned.hpp"

namespace hilo::lapack {

/// Words with tags that an element takes: one for each word of the precision (kernels/lapack/tagged.cl).
constexpr std::int64_t tagged_words(Precision precision) {
  return precisions::parts(precision) * precisions::words(precision);
}

/// Tries panels in one launch each, and looks whether some were given up, as the first word of their state tells: at
/// some panels while the next ones are under way. After one that was given up none is tried again.
class JointPanels {
 public:
  JointPanels() = default;
  JointPanels(const JointPanels&) = delete;
  JointPanels& operator=(const JointPanels&) = delete;
  /// Where nobody has waited for them, panels that are under way end before others may meet.
  ~JointPanels();

  /// At most so many work-groups, with so many columns each, give up after so many looks at others' arrivals.
  struct Limits {
    int groups, looks;
    std::int64_t columns;
  };
  void set_limits(const Limits& limits) { limits_ = limits; }
  /// Without limits that were set those of what the device is known to run at a time, and so many columns.
  const Limits& limits(opencl::ContextState& context, std::int64_t columns);
  int looks() const { return limits_->looks; }

  /// The kernel that `build` makes with these options more; nothing where the device's compiler does not take its text,
  /// and then none is tried again.
  std::optional<opencl::BorrowedKernel> kernel(
      opencl::ContextState& context, const std::function<opencl::BorrowedKernel(const std::string& more)>& build);

  /// So many words, all 0 before the first panel.
  const cl::Buffer& state(opencl::Call& call, std::int64_t words);
  const cl::Buffer& state() const { return state_; }

  /// A panel by `groups` work-groups, and after it who takes it alone where that was given up.
  void launch(opencl::Call& call, opencl::BorrowedKernel& together, std::int64_t groups, opencl::BorrowedKernel& alone,
              std::int64_t items);

  /// Whether there are panels of which nothing is known.
  bool has_unseen() const { return unseen_ > 0; }
  /// Waits for all of them.
  void look_at_all(opencl::Call& call);
  /// Somebody has looked at all.
  void hear(opencl::ContextState& context, bool was_given_up);

  /// From the first launch until this, other kernels whose work-groups meet wait.
  void end() {
    if (turn_) turn_.unlock();
  }

 private:
  // At most twice as many are unseen, each of which one work-group may have to take alone.
  static constexpr int panels = 8;
  static constexpr int most_looks = 8 << 20;  // two seconds

  bool look_after_panel(opencl::Call& call);
  void heed(opencl::ContextState& context, bool was_given_up);

  std::optional<Limits> limits_;
  cl::Buffer state_;
  cl::CommandQueue queue_;
  std::unique_lock<std::mutex> turn_;
  int unseen_ = 0;
  bool is_reading_ = false;  // of the panels before the last ones
  opencl::Pinned given_up_;
};

}  // namespace hilo::lapack
