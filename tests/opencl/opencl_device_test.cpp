#include <gtest/gtest.h>

#include <filesystem>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <new>
#include <numeric>
#include <system_error>

#include "error_message.hpp"
#include "failing_call.hpp"
#include "opencl/native.hpp"

namespace {

using namespace hilo;

TEST(OpenclDevice, ListsPlatformsAndDevices) {
  auto list = platforms();
  ASSERT_FALSE(list.empty());
  for (std::size_t p = 0; p < list.size(); ++p) {
    EXPECT_FALSE(list[p].name.empty());
    for (std::size_t d = 0; d < list[p].devices.size(); ++d) {
      const DeviceInfo& info = list[p].devices[d];
      EXPECT_FALSE(info.name.empty());
      EXPECT_FALSE(info.driver.empty());
      EXPECT_GT(info.compute_units, 0);
      EXPECT_GT(info.global_memory, 0);
      EXPECT_GT(info.max_allocation, 0);
      EXPECT_EQ(info.compute_capability > 0, info.vendor.find("NVIDIA") != std::string::npos);
      Context context(static_cast<int>(p), static_cast<int>(d));
      EXPECT_EQ(context.device().name, info.name);
    }
  }
}

TEST(OpenclDevice, NamesWhatThereIsWhereANumberIsUnknown) {
  auto list = platforms();
  std::string message = message_of(errc::no_device, [] { Context(99, 0); });
  expect_contains(message, {"platform number 99"});
  expect_contains(message, {list[0].name});
  message = message_of(errc::no_device, [] { Context(0, 77); });
  expect_contains(message, {"device number 77"});
  expect_contains(message, {list[0].devices[0].name});
  message_of(errc::no_device, [] { Context(-1, 0); });
  Context works(0, 0);
}

// Run on its own by ctest with a loader that finds nothing.
TEST(OpenclNone, IsNamedWhereThereIsNoPlatform) {
  if (!platforms().empty()) GTEST_SKIP() << "there are platforms";
  expect_contains(message_of(errc::no_device, [] { Context(); }), {"no OpenCL platform is installed"});
  expect_contains(message_of(errc::no_device, [] { Context(0, 0); }), {"no OpenCL platform is installed"});
}

TEST(OpenclDevice, TakesTheUsersOwnObjects) {
  Context context;
  cl::Context user_context(cl::Device(context.native_device(), true));
  cl::Device device = user_context.getInfo<CL_CONTEXT_DEVICES>()[0];
  cl::CommandQueue user_queue(user_context, device);
  cl::Buffer memory(user_context, CL_MEM_READ_WRITE, 64 * sizeof(double));

  Context own(user_context(), device());
  EXPECT_EQ(own.native(), user_context());
  Queue queue(user_queue());
  EXPECT_EQ(queue.context().native(), user_context());
  Buffer<double> buffer(memory());
  EXPECT_EQ(buffer.size(), 64);
  std::vector<double> in(64), out(64);
  std::iota(in.begin(), in.end(), 1.0);
  buffer.write(queue, in.data(), 0, 64);
  buffer.read(queue, out.data(), 0, 64);
  EXPECT_EQ(in, out);

  cl::Event user_event;
  user_queue.enqueueReadBuffer(memory, CL_FALSE, 0, 8, out.data(), nullptr, &user_event);
  Event event(user_event());
  event.wait();
  EXPECT_EQ(event.status(), EventStatus::complete);
  expect_contains(message_of(errc::unsupported, [&] { event.seconds(); }), {"without profiling"});
  expect_contains(message_of(errc::invalid_argument, [] { Queue(static_cast<_cl_command_queue*>(nullptr)); }),
                  {"null"});
  expect_contains(message_of(errc::invalid_argument, [&] { Context(user_context(), nullptr); }), {"device is null"});
  // Events of a context are for its queues.
  expect_contains(message_of(errc::invalid_argument,
                             [&] { Buffer<double>(context, 64).write(Queue(context), in.data(), 0, 64, {event}); }),
                  {"event 0 of the wait list belongs to another context than the queue"});
  const cl_device_partition_property by_units[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  std::vector<cl::Device> parts;
  try {
    device.createSubDevices(by_units, &parts);
  } catch (const cl::Error&) {
    return;  // not every device has parts
  }
  expect_contains(message_of(errc::invalid_argument, [&] { Context(user_context(), parts.front()()); }),
                  {"Context: the device is none of the context's"});
}

TEST(OpenclDevice, MultipliesOnTheUsersOutOfOrderQueue) {
  Context context;
  cl::Device device(context.native_device(), true);
  if (!(device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) GTEST_SKIP();
  cl::CommandQueue native(cl::Context(context.native(), true), device, cl::QueueProperties::OutOfOrder);
  Queue queue(native());
  std::vector<dd_real> a(40 * 40, dd_real(3)), c(40 * 40);
  gemm<dd_real>(queue, Layout::column, Op::none, Op::none, 40, 40, 40, 1.0, a.data(), 40, a.data(), 40, 0.0, c.data(),
                40);
  for (dd_real x : c) ASSERT_EQ(x, dd_real(360));
}

TEST(OpenclEvent, KnowsItsTimesWhereItsQueueIsProfiled) {
  Context context;
  Buffer<double> x(context, 64), y(context, 64);
  for (Profiling profiling : {Profiling::off, Profiling::on}) {
    Queue queue(context, profiling);
    Event event = gemm(queue, Layout::column, Op::none, Op::none, 8, 8, 8, 1.0, x, 0, 8, x, 0, 8, 0.0, y, 0, 8);
    if (profiling == Profiling::on) {
      EXPECT_GT(event.seconds(), 0.0);
    } else {
      expect_contains(message_of(errc::unsupported, [&] { event.seconds(); }), {"without profiling"});
    }
  }
}

TEST(OpenclEvent, SaysWhyItsTimesCannotBeAskedFor) {
  Context context;
  Buffer<double> x(context, 64), y(context, 64);
  Queue queue(context, Profiling::on);
  Event event = gemm(queue, Layout::column, Op::none, Op::none, 8, 8, 8, 1.0, x, 0, 8, x, 0, 8, 0.0, y, 0, 8);
  {
    test::FailingCall<&cl_icd_dispatch::clGetEventProfilingInfo> failing(context.native_device(), CL_OUT_OF_RESOURCES);
    expect_contains(message_of(errc::device_failure, [&] { event.seconds(); }), {"clGetEventProfilingInfo", "-5"});
  }
  EXPECT_GT(event.seconds(), 0.0);
}

TEST(OpenclEvent, OfTheUsersIsTakenOrRefusedByName) {
  Context context;
  cl::UserEvent native(cl::Context(context.native(), true));
  test::FailingCall<&cl_icd_dispatch::clRetainEvent> failing(context.native_device(), -6);
  expect_contains(message_of(errc::out_of_memory, [&] { Event taken(native()); }), {"taking over an event", "-6"});
  // NVIDIA's driver waits for it before it lets the context go.
  native.setStatus(CL_COMPLETE);
}

// Each call that a product begins with fails in turn: what comes out is hilo's, and the next product is right.
TEST(OpenclProduct, OnAFreshContextThrowsNothingButErrors) {
  std::vector<dd_real> a(16, dd_real(2)), c(16);
  auto sweep = [&](auto product) {
    for (int n = 0;; ++n) {
      ASSERT_LT(n, 60);
      Queue queue{Context()};
      test::FailingCall<&cl_icd_dispatch::clGetDeviceInfo> failing(queue.context().native_device(), -9999, n);
      try {
        product(queue);
      } catch (const error& e) {
        expect_contains(e.what(), {"clGetDeviceInfo", "-9999"});
        EXPECT_EQ(e.code(), errc::device_failure) << e.what();
      }
      if (failing.calls() <= n) break;
    }
  };
  for (Engine engine : {Engine::automatic, Engine::modular}) {
    const GemmOptions options{.engine = engine};
    sweep([&](Queue& q) { plan_gemm<dd_real>(q, Layout::column, Op::none, Op::none, 4, 4, 4, options); });
    sweep([&](Queue& q) {
      gemm<dd_real>(q, Layout::column, Op::none, Op::none, 4, 4, 4, 1.0, a.data(), 4, a.data(), 4, 0.0, c.data(), 4,
                    options);
    });
    EXPECT_EQ(c, std::vector<dd_real>(16, dd_real(16)));
    sweep([&](Queue& q) {
      Buffer<dd_real> x(q.context(), 16), y(q.context(), 16);
      gemm<dd_real>(q, Layout::column, Op::none, Op::none, 4, 4, 4, 1.0, x, 0, 4, x, 0, 4, 0.0, y, 0, 4, {}, options)
          .wait();
    });
  }
}

TEST(OpenclStatus, TurnsWhatOthersThrowIntoErrors) {
  auto thrown = [](auto failure) {
    return [failure] { opencl::guarded("testing", [&]() -> void { throw failure; }); };
  };
  expect_contains(message_of(errc::device_failure, thrown(cl::Error(-5, "clTest"))),
                  {"OpenCL failed while testing: clTest returned CL_OUT_OF_RESOURCES (-5)"});
  expect_contains(message_of(errc::out_of_memory, thrown(cl::Error(-6, "clTest"))), {"clTest", "-6"});
  expect_contains(message_of(errc::out_of_memory, thrown(std::bad_alloc())), {"testing", "memory ended"});
  expect_contains(message_of(errc::out_of_memory, thrown(std::length_error("too long"))), {"testing", "too long"});
  expect_contains(
      message_of(errc::io, thrown(std::filesystem::filesystem_error("no folder", "/nowhere", std::error_code()))),
      {"testing", "/nowhere"});
  expect_contains(
      message_of(errc::out_of_memory,
                 thrown(std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again)))),
      {"testing"});
  expect_contains(message_of(errc::device_failure, thrown(std::runtime_error("of another kind"))),
                  {"testing", "of another kind"});
  EXPECT_EQ(message_of(errc::parse, thrown(error(errc::parse, "as it was"))), "as it was");
}

// A block whose read may still run is lent to nobody.
TEST(OpenclPinned, IsLentAgainOnlyWhenItsReadHasEnded) {
  Context context;
  opencl::ContextState& state = *context.state();
  cl::CommandQueue native(state.context, state.device);
  cl::Buffer from(state.context, CL_MEM_READ_WRITE, 256);
  auto lend = [&] { return state.pinned.borrow(state.context, state.device); };
  const int one = 1;
  native.enqueueWriteBuffer(from, CL_TRUE, 0, sizeof one, &one);
  {
    // Two, since a new one is mapped by the queue that the first one's read keeps waiting.
    const opencl::Pinned other = lend(), one_more = lend();
  }
  const void* memory = lend().data();
  EXPECT_EQ(lend().data(), memory);
  cl::UserEvent begins(state.context);
  {
    cl_device_id device = context.native_device();
    opencl::Pinned lent = lend();
    ASSERT_EQ(lent.data(), memory);
    lent.begin_read(from, sizeof one, begins);
    test::FailingCall<&cl_icd_dispatch::clWaitForEvents> waiting(device, -5);
    test::FailingCall<&cl_icd_dispatch::clFinish> finishing(device, -5);
    // Goes back while the read has not even begun.
    opencl::Pinned(std::move(lent));
  }
  EXPECT_NE(lend().data(), memory);
  begins.setStatus(CL_COMPLETE);
  {
    // Where waiting fails, but the read has ended.
    opencl::Pinned lent = lend();
    EXPECT_NE(lent.data(), memory);
    memory = lent.data();
    lent.begin_read(from, sizeof one, begins);
    lent.wait();
    lent.begin_read(from, sizeof one, begins);
    test::FailingCall<&cl_icd_dispatch::clWaitForEvents> waiting(context.native_device(), -5);
    EXPECT_THROW(lent.wait(), cl::Error);
  }
  const opencl::Pinned again = lend();
  EXPECT_EQ(again.data(), memory);
  EXPECT_EQ(*static_cast<const int*>(again.data()), one);
}

TEST(OpenclBuffer, ChecksRangesAndSizes) {
  Context context;
  Queue queue(context);
  Buffer<dd_real> buffer(context, 10);
  EXPECT_EQ(buffer.size(), 10);
  std::vector<dd_real> host(10, dd_real(2));
  buffer.write(queue, host.data(), 0, 10);
  host[3] = dd_real(5);
  buffer.write(queue, &host[3], 7, 1);
  std::vector<dd_real> got(3);
  buffer.read(queue, got.data(), 6, 3);
  EXPECT_EQ(got[0], dd_real(2));
  EXPECT_EQ(got[1], dd_real(5));
  expect_contains(message_of(errc::invalid_argument, [&] { buffer.read(queue, got.data(), 8, 3); }), {"first = 8"});
  expect_contains(message_of(errc::invalid_argument, [&] { buffer.read(queue, got.data(), -1, 3); }), {"first = -1"});
  expect_contains(message_of(errc::invalid_argument, [&] { buffer.write(queue, nullptr, 0, 1); }), {"null"});
  expect_contains(message_of(errc::invalid_argument, [&] { Buffer<dd_real>(context, -4); }), {"-4"});
  expect_contains(message_of(errc::overflow, [&] { Buffer<dd_real>(context, INT64_MAX / 2); }), {"64 bits"});
  expect_contains(message_of(errc::out_of_memory, [&] { Buffer<dd_real>(context, std::int64_t{1} << 50); }),
                  {std::to_string(context.device().global_memory)});
  Buffer<dd_real> empty(context, 0);
  EXPECT_EQ(empty.size(), 0);
  empty.read(queue, nullptr, 0, 0);
}

TEST(OpenclEvent, IsCompleteWhereThereWasNothingToDo) {
  Event nothing;
  nothing.wait();
  EXPECT_EQ(nothing.status(), EventStatus::complete);
  EXPECT_EQ(nothing.seconds(), 0.0);
  EXPECT_EQ(nothing.native(), nullptr);
}

TEST(OpenclWorkspace, IsUsedAgainAndNamesSizesWhereThereIsNone) {
  Context context;
  Queue queue(context);
  auto& pool = context.state()->workspaces;
  const auto& native = queue.state()->queue;
  auto borrow = [&](std::int64_t bytes) { return pool.borrow(*context.state(), native, true, bytes, "a test"); };
  opencl::Workspace first = borrow(1000);
  cl_mem memory = first.buffer()();
  opencl::Workspace second = borrow(1000);
  EXPECT_NE(second.buffer()(), memory);
  first.release(native, {});
  opencl::Workspace again = borrow(900);
  EXPECT_EQ(again.buffer()(), memory);
  expect_contains(message_of(errc::out_of_memory, [&] { borrow(std::int64_t{1} << 52); }), {"for a test"});
}

TEST(OpenclWorkspace, MakesRoomForBuffers) {
  Context context;
  Queue queue(context);
  opencl::ContextState& state = *context.state();
  auto& pool = state.workspaces;
  const auto& native = queue.state()->queue;
  auto borrow = [&] { return pool.borrow(state, native, true, 1 << 20, "a test"); };
  opencl::Workspace kept = borrow(), old = borrow(), young = borrow();
  cl_mem memory = young.buffer()();
  old.release(native, {});
  young.release(native, {});
  // The oldest of those that nobody has goes.
  pool.let_go_beyond(2 << 20);
  EXPECT_EQ(borrow().buffer()(), memory);
  {
    const Buffer<double> buffer(context, 1000);
    EXPECT_EQ(*state.buffer_bytes, 8000);
    const Buffer<double> same = buffer, taken(buffer.native());
    EXPECT_EQ(*state.buffer_bytes, 8000);
  }
  EXPECT_EQ(*state.buffer_bytes, 0);
}

}  // namespace
