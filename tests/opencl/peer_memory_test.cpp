// Memory of a device that the contexts of others have, too. Of two contexts it is there where NVIDIA's driver gives it;
// where it does not, there is none.
#include "opencl/peer_memory.hpp"

#include <gtest/gtest.h>

#include <hilo/device_group.hpp>
#include <numeric>
#include <opencl_queue.hpp>
#include <vector>

#include "opencl/native.hpp"

namespace hilo::opencl {
namespace {

constexpr std::int64_t bytes = 300000;

std::vector<ContextState*> states(const std::vector<Context>& contexts) {
  std::vector<ContextState*> states;
  for (const Context& c : contexts) states.push_back(c.state().get());
  return states;
}

// What each one writes all read, at both ends.
void expect_shared(const std::vector<ContextState*>& contexts, const PeerMemory& memory) {
  std::vector<cl::CommandQueue> queues;
  for (const ContextState* c : contexts) queues.emplace_back(c->context, c->device);
  std::vector<unsigned char> written(bytes), read(bytes);
  for (std::size_t writer = 0; writer < contexts.size(); ++writer) {
    std::iota(written.begin(), written.end(), static_cast<unsigned char>(writer + 1));
    queues[writer].enqueueWriteBuffer(memory.in(writer), CL_TRUE, 0, bytes, written.data());
    for (std::size_t reader = 0; reader < contexts.size(); ++reader) {
      queues[reader].enqueueReadBuffer(memory.in(reader), CL_TRUE, 0, bytes, read.data());
      EXPECT_EQ(read, written) << "written by " << writer << ", read by " << reader;
    }
  }
}

TEST(PeerMemory, OfOneContextIsABuffer) {
  const std::vector<Context> contexts(3, queue().context());
  const std::int64_t before = *contexts[0].state()->buffer_bytes;
  {
    const auto memory = PeerMemory::make(states(contexts), 1, bytes);
    ASSERT_TRUE(memory);
    EXPECT_EQ(memory->bytes(), bytes);
    EXPECT_EQ(*contexts[0].state()->buffer_bytes, before + bytes);
    expect_shared(states(contexts), *memory);
  }
  EXPECT_EQ(*contexts[0].state()->buffer_bytes, before);
}

TEST(PeerMemory, OfSeveralContextsIsSharedOrNone) {
  std::vector<Context> contexts = {queue().context(), test_context()};
  if (const DeviceGroup all; all.size() > 1 && all.queue(0).context().device().type == DeviceType::gpu) {
    contexts.clear();
    for (int i = 0; i < all.size(); ++i) contexts.push_back(all.queue(i).context());
  }
  for (std::size_t owner = 0; owner < contexts.size(); ++owner) {
    std::vector<PeerMemory> several;
    for (int i = 0; i < 3; ++i) {
      if (auto memory = PeerMemory::make(states(contexts), owner, bytes)) several.push_back(std::move(*memory));
    }
    for (const PeerMemory& memory : several) expect_shared(states(contexts), memory);
    // More than drivers take over at a time.
    EXPECT_FALSE(PeerMemory::make(states(contexts), owner, std::int64_t{1} << 30));
  }
}

}  // namespace
}  // namespace hilo::opencl
