// What a context keeps for its next calls makes room for others of its device.
#include <gtest/gtest.h>

#include <opencl_queue.hpp>

#include "opencl/native.hpp"
#include "opencl/workspace.hpp"

namespace hilo::opencl {
namespace {

constexpr std::int64_t bytes = 1 << 20;

// A block that the context keeps, which another reference tells of.
cl::Buffer kept_block(ContextState& context) {
  const cl::CommandQueue queue(context.context, context.device);
  Workspace block = context.workspaces.borrow(context, queue, true, bytes, "a test");
  cl::Buffer buffer = block.buffer();
  queue.finish();
  block.release(queue, {});
  return buffer;
}

bool is_kept(const cl::Buffer& block) { return block.getInfo<CL_MEM_REFERENCE_COUNT>() == 2; }

TEST(WorkspacePool, MakesRoomForTheDevicesOtherContexts) {
  const Context one = test_context(), other = test_context();
  const cl::Buffer of_one = kept_block(*one.state()), of_other = kept_block(*other.state());
  EXPECT_TRUE(is_kept(of_one));
  EXPECT_TRUE(is_kept(of_other));
  one.state()->workspaces.let_go_beyond(3 * bytes);
  EXPECT_TRUE(is_kept(of_one));
  EXPECT_TRUE(is_kept(of_other));
  // Its own first; beyond that the other's.
  one.state()->workspaces.let_go_beyond(0);
  EXPECT_FALSE(is_kept(of_one));
  EXPECT_FALSE(is_kept(of_other));
}

TEST(WorkspacePool, LeavesTheDeviceSomeMemory) {
  const Context one = test_context();
  ContextState& context = *one.state();
  const cl::CommandQueue queue(context.context, context.device);
  context.info.global_memory = 6 * bytes;
  // The first is too small for the second, for which there is room beside it; for the third there is none.
  const cl::Buffer first = kept_block(context);
  const Workspace second = context.workspaces.borrow(context, queue, true, 2 * bytes, "a test");
  EXPECT_TRUE(is_kept(first));
  const Workspace third = context.workspaces.borrow(context, queue, true, 3 * bytes, "a test");
  EXPECT_FALSE(is_kept(first));
}

TEST(WorkspacePool, WithoutMemoryAsksTheDevicesOtherContexts) {
  const Context one = test_context(), other = test_context();
  const cl::Buffer of_one = kept_block(*one.state()), of_other = kept_block(*other.state());
  ContextState& context = *one.state();
  const cl::CommandQueue queue(context.context, context.device);
  // More than the device gives at a time.
  EXPECT_THROW(context.workspaces.borrow(context, queue, true, context.info.max_allocation + 1024, "a test"), error);
  EXPECT_FALSE(is_kept(of_one));
  EXPECT_FALSE(is_kept(of_other));
  EXPECT_EQ(context.workspaces.lent_bytes(), 0);
}

}  // namespace
}  // namespace hilo::opencl
