// Matrices that travel while pinned or device memory lacks, another call has it, or a call fails.
#include <gtest/gtest.h>

#include "error_message.hpp"
#include "failing_call.hpp"
#include "opencl/settled.hpp"
#include "opencl_transfer.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

TYPED_TEST_SUITE(OpenclTransfer, Precisions, PrecisionName);

TYPED_TEST(OpenclTransfer, WithoutPinnedMemory) {
  using T = TypeParam;
  Sizes sizes(tiny);
  auto p = random_problem<T>(23, 19, 31, true);
  staging_of(queue()).set_failing(true);
  EXPECT_EQ(staged_by(queue(), [&] { expect_as_on_cpu(p, modular, "none", {.pad = 2}); }), 0);
  staging_of(queue()).set_failing(false);
  // More than any runtime gives.
  staging_of(queue()).set_sizes({.slot_bytes = std::size_t{1} << 60, .least_bytes = 1});
  EXPECT_EQ(staged_by(queue(), [&] { expect_as_on_cpu(p, modular, "too much", {.pad = 2}); }), 0);
  staging_of(queue()).set_sizes(tiny);
  EXPECT_GT(staged_by(queue(), [&] { expect_as_on_cpu(p, modular, "again", {.pad = 2}); }), 0);
}

TYPED_TEST(OpenclTransfer, OneCallBorrowsAtATime) {
  opencl::StagingPool& pool = staging_of(queue());
  Sizes sizes(tiny);
  const opencl::ContextState& context = *queue().context().state();
  auto p = random_problem<TypeParam>(23, 19, 31, true);
  {
    opencl::Staging held = pool.borrow(context.context, context.device);
    ASSERT_TRUE(held);
    EXPECT_FALSE(pool.borrow(context.context, context.device));
    EXPECT_EQ(staged_by(queue(), [&] { expect_as_on_cpu(p, modular, "while another has it", {}); }), 0);
  }
  EXPECT_TRUE(pool.borrow(context.context, context.device));
}

// Where waiting fails and asking says no.
TEST(OpenclStaging, IsNotLentWhileATransferMayUseIt) {
  Context context;
  opencl::ContextState& state = *context.state();
  auto lend = [&] { return state.staging.borrow(state.context, state.device); };
  const cl::Buffer to(state.context, CL_MEM_READ_WRITE, sizeof(int));
  const int one = 1;
  for (const cl_int end : {CL_COMPLETE, -5}) {
    cl::UserEvent begins(state.context);
    cl::Event done;
    {
      opencl::Staging lent = lend();
      ASSERT_TRUE(lent);
      done = lent.upload(to, {sizeof one, 1, sizeof one}, &one, begins);
      cl_device_id device = context.native_device();
      FailingCall<&cl_icd_dispatch::clWaitForEvents> waiting(device, -5, 0, 2);
      FailingCall<&cl_icd_dispatch::clFinish> finishing(device, -5, 0, 2);
      opencl::Staging(std::move(lent));
      EXPECT_FALSE(lend());
    }
    begins.setStatus(end);
    EXPECT_EQ(opencl::is_certain([&] { return done.wait(), true; }), end == CL_COMPLETE);
    EXPECT_TRUE(lend());
  }
  // And no failure of those before is left.
  opencl::Staging lent = lend();
  for (int i = 0; i < 8; ++i) lent.upload(to, {sizeof one, 1, sizeof one}, &one, {}).wait();
}

TYPED_TEST(OpenclTransfer, MemoryThatEndsAtAnyStep) {
  using T = TypeParam;
  Sizes sizes(tiny);
  auto p = random_problem<T>(7, 1100, 5, true);
  auto expected = p.multiply(on_cpu<T>(modular));
  opencl::WorkspacePool& pool = queue().context().state()->workspaces;
  for (int64_t step = 0;; ++step) {
    ASSERT_LT(step, 100);
    pool.fail_after(step);
    bool failed = false;
    try {
      // It sees that C is as it was.
      EXPECT_EQ(first_difference(multiply_from_host(queue(), p, modular), expected), -1);
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::out_of_memory) << e.what();
      failed = true;
    }
    pool.fail_after(-1);
    EXPECT_EQ(first_difference(multiply_from_host(queue(), p, modular), expected), -1) << "after step " << step;
    if (failed) continue;
    EXPECT_GE(step, 3);
    break;
  }
}

// Where a call fails C is as it was, or the message says that it is undefined.
template <auto Entry, class T>
void expect_c_as_said(const Problem<T>& p, int most_calls) {
  const auto expected = p.multiply(on_cpu<T>(modular));
  bool was_undefined = false;
  for (int n = 0;; ++n) {
    ASSERT_LT(n, most_calls);
    std::vector<T> c = p.c0;
    FailingCall<Entry> failing(queue().context().native_device(), -5, n);
    try {
      gemm<T>(queue(), Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, p.a.data(), p.m, p.b.data(), p.k,
              p.beta, c.data(), p.m, modular);
      EXPECT_EQ(first_difference(c, expected), -1) << n;
    } catch (const error& e) {
      const bool is_undefined = std::string_view(e.what()).ends_with("C is undefined");
      was_undefined |= is_undefined;
      if (!is_undefined) {
        EXPECT_EQ(first_difference(c, p.c0), -1) << n << ": " << e.what();
      }
    }
    if (failing.calls() <= n) break;
  }
  EXPECT_TRUE(was_undefined);
}

TYPED_TEST(OpenclTransfer, SaysWhereCIsUndefined) {
  using T = TypeParam;
  auto p = random_problem<T>(7, 300, 5, true);
  {
    Sizes sizes(tiny);
    expect_c_as_said<&cl_icd_dispatch::clWaitForEvents>(p, 400);
    expect_c_as_said<&cl_icd_dispatch::clEnqueueReadBuffer>(p, 400);
  }
  expect_c_as_said<&cl_icd_dispatch::clEnqueueReadBufferRect>(p, 10);
}

}  // namespace
}  // namespace hilo::test
