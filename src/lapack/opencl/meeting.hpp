// Whether work-groups of a device may wait for each other, which OpenCL does not promise.
#pragma once

#include <cstdint>
#include <hilo/precision.hpp>
#include <mutex>
#include <optional>

#include "opencl/call.hpp"
#include "opencl/native.hpp"
#include "opencl/pinned.hpp"

namespace hilo::lapack {

/// Whether they may, one a multiprocessor: on NVIDIA's devices of compute capability 7.0 and more where a test of them
/// passed and no launch was given up. Runs the test once for each context.
bool may_meet(opencl::ContextState& context);

/// What `build` builds; nothing where the device's compiler does not take the text.
template <class Build>
auto built(Build build) -> std::optional<decltype(build())> {
  try {
    return build();
  } catch (const opencl::InterruptedBuild&) {
    throw;
  } catch (const error& e) {
    if (e.code() != errc::build_failure) throw;
    return std::nullopt;
  }
}

/// A launch was given up: from now on they may not.
void forbid_meeting(opencl::ContextState& context);

/// Whether they must count arrivals, since the driver does not take words with tags (kernels/lapack/meeting.cl): those
/// of 2023 and before, which do not know PTX 8.3. No, until `count_arrivals` was called.
bool must_count_arrivals(opencl::ContextState& context);
void count_arrivals(opencl::ContextState& context);

/// Looks whether panels that were tried in one launch were given up, as the first word of their state tells: at some
/// panels while the next ones are under way.
class PanelWatch {
 public:
  /// After a panel's last command. True where one is known to have been given up.
  bool look_after(opencl::Call& call, const cl::Buffer& state);
  /// Whether there are panels of which nothing is known.
  bool has_unseen() const { return unseen_ > 0; }
  /// Somebody has looked at all.
  void forget() { unseen_ = 0; }
  /// Waits for all of them.
  bool look_at_all(opencl::Call& call, const cl::Buffer& state);

 private:
  // At most twice as many are unseen, each of which one work-group may have to take alone.
  static constexpr int panels = 8;

  int unseen_ = 0;
  bool is_reading_ = false;  // of the panels before the last ones
  opencl::Pinned given_up_;
};

/// Words with tags that an element takes: one for each word of the precision (kernels/lapack/tagged.cl).
constexpr std::int64_t tagged_words(Precision precision) {
  return precisions::parts(precision) * precisions::words(precision);
}

/// Held while a kernel runs whose work-groups wait for each other: two of them at once could each hold half of the
/// device and wait for ever. One for each device of the process.
std::unique_lock<std::mutex> turn_to_meet(const opencl::ContextState& context);

}  // namespace hilo::lapack
