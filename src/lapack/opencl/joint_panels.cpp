#include "lapack/opencl/joint_panels.hpp"

#include "opencl/meeting.hpp"
#include "opencl/program.hpp"
#include "opencl/settled.hpp"

namespace hilo::lapack {

JointPanels::~JointPanels() {
  if (turn_) opencl::is_certain([&] { return queue_.finish(), true; });
}

const JointPanels::Limits& JointPanels::limits(opencl::ContextState& context, std::int64_t columns) {
  if (!limits_) limits_ = {opencl::may_meet(context) ? context.info.compute_units : 0, most_looks, columns};
  return *limits_;
}

std::optional<opencl::BorrowedKernel> JointPanels::kernel(
    opencl::ContextState& context, const std::function<opencl::BorrowedKernel(const std::string&)>& build) {
  const auto with = [&](const std::string& more) { return opencl::built([&] { return build(more); }); };
  std::optional<opencl::BorrowedKernel> made;
  if (!opencl::must_count_arrivals(context)) made = with("");
  if (!made) {
    made = with(opencl::define("COUNTED", 1));
    if (made) opencl::count_arrivals(context);
  }
  if (!made) limits_->groups = 0;
  return made;
}

const cl::Buffer& JointPanels::state(opencl::Call& call, std::int64_t words) {
  if (!state_()) {
    state_ = call.borrow(words * 4, "the state of panels");
    call.fill_zero(state_, static_cast<std::size_t>(words * 4));
    // So that no event of the caller's stands between a turn and its end.
    if (!call.queue().stands_apart) call.last().wait();
  }
  return state_;
}

void JointPanels::launch(opencl::Call& call, opencl::BorrowedKernel& together, std::int64_t groups,
                         opencl::BorrowedKernel& alone, std::int64_t items) {
  if (!turn_.owns_lock()) {
    turn_ = opencl::turn_to_meet(call.context());
    queue_ = call.queue().queue;
  }
  call.launch_groups(*together, groups, items);
  call.launch_groups(*alone, 1, items);
  heed(call.context(), look_after_panel(call));
}

bool JointPanels::look_after_panel(opencl::Call& call) {
  if (++unseen_ % panels != 0) return false;
  opencl::ContextState& context = call.context();
  bool was_given_up = false;
  if (is_reading_) {
    given_up_.wait();
    was_given_up = *static_cast<const cl_int*>(given_up_.data()) != 0;
    unseen_ = panels;
  } else {
    given_up_ = context.pinned.borrow(context.context, context.device);
  }
  call.begin_read(state_, sizeof(cl_int), given_up_);
  is_reading_ = true;
  return was_given_up;
}

void JointPanels::look_at_all(opencl::Call& call) {
  if (unseen_ == 0) return;
  cl_int given_up = 0;
  call.read(state_, sizeof given_up, &given_up);
  hear(call.context(), given_up != 0);
}

void JointPanels::hear(opencl::ContextState& context, bool was_given_up) {
  unseen_ = 0;
  heed(context, was_given_up);
}

void JointPanels::heed(opencl::ContextState& context, bool was_given_up) {
  if (!was_given_up) return;
  limits_->groups = 0;
  opencl::forbid_meeting(context);
}

}  // namespace hilo::lapack
