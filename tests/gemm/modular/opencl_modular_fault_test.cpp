// What goes wrong in the modular engine on an OpenCL device says so, leaves C as it was, and does not outlast its
// cause: kernels that do not build or compute wrongly, units that a device lacks, and device memory that ends at any
// step.
#include <gtest/gtest.h>

#include "environment_variable.hpp"
#include "modular_hard_problems.hpp"
#include "opencl/native.hpp"
#include "opencl_modular.hpp"
#include "planted_kernel.hpp"
#include "temporary_folder.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

constexpr GemmOptions modular = {.engine = Engine::modular};

// Takes all kernels: entries of both engines, alpha, beta, uneven spread.
template <class T>
Problem<T> needs_everything() {
  auto p = guarded_problem<T>(64, 66, 60, 4);
  set_scalars(p);
  return p;
}

template <class T>
void expect_right(Queue& q, const Problem<T>& p, const std::string& what, const GemmOptions& options = modular) {
  auto expected = p.multiply(on_cpu<T>(options));
  EXPECT_EQ(first_difference(multiply_from_host(q, p, options), expected), -1) << what;
  EXPECT_EQ(first_difference(multiply_in_buffers(q, p, options), expected), -1) << what << ", in buffers";
}

template <class T>
class OpenclModularFault : public testing::Test {};
TYPED_TEST_SUITE(OpenclModularFault, Precisions, PrecisionName);

TYPED_TEST(OpenclModularFault, KernelsThatDoNotBuild) {
  using T = TypeParam;
  // D and ZDD have nothing of their own.
  if (double_double<T> == is_complex<T> && !is_long()) GTEST_SKIP() << "HILO_LONG_TESTS";
  const char* const any[] = {"modular/number.cl",        "modular/scan.cl",     "modular/spread.cl",
                             "modular/four_products.cl", "modular/residues.cl", "modular/rebuild.cl",
                             "modular/update_words.cl",  "modular/scatter.cl"};
  const char* const own[] = {"bytes/plain.cl", "bytes/reduction.cl",
                             double_double<T> ? "direct/entries.cl" : "modular/plain_sums.cl",
                             double_double<T> ? "direct/update.cl" : "number/doubles.cl"};
  std::vector<std::string> files(std::begin(any), std::end(any));
  files.insert(files.end(), std::begin(own), std::end(own));
  auto p = needs_everything<T>();
  // The one unit that every device has.
  EnvironmentVariable unit("HILO_INT8_UNIT", "plain");
  for (const std::string& file : files) {
    TemporaryFolder folder;
    folder.write(file, "this is no kernel\n");
    // A context that has built nothing yet.
    Queue q(test_context());
    {
      EnvironmentVariable path("HILO_KERNEL_PATH", folder.file("").c_str());
      bool is_unit = file.starts_with("bytes/");
      errc code = is_unit ? errc::self_test_failure : errc::build_failure;
      // multiply_… see that C is as it was.
      std::string message = message_of(code, [&] { multiply_from_host(q, p, modular); });
      expect_contains(message, {"does not build", q.context().device().name});
      SCOPED_TRACE(file);
      EXPECT_EQ(message_of(code, [&] { multiply_in_buffers(q, p, modular); }), message) << file;
    }
    expect_right(q, p, "after a broken " + file);
  }
}

TYPED_TEST(OpenclModularFault, UnitsThatComputeWrongly) {
  using T = TypeParam;
  auto p = needs_everything<T>();
  EnvironmentVariable unit("HILO_INT8_UNIT", "plain");
  TemporaryFolder folder;
  folder.write("bytes/reduction.cl",
               replaced(embedded_kernel("bytes/reduction.cl"), "* r.modulus)", "* r.modulus + 1)"));
  Queue q(test_context());
  {
    EnvironmentVariable path("HILO_KERNEL_PATH", folder.file("").c_str());
    for (int repeat = 0; repeat < 2; ++repeat) {
      std::string message = message_of(errc::self_test_failure, [&] { multiply_from_host(q, p, modular); });
      expect_contains(message, {"plain", "instead of", q.context().device().name});
      message_of(errc::self_test_failure, [&] { multiply_in_buffers(q, p, modular); });
      message_of(errc::self_test_failure,
                 [&] { plan_gemm<T>(q, Layout::column, Op::none, Op::none, p.m, p.n, p.k, modular); });
    }
  }
  expect_right(q, p, "after a wrong unit");
}

TYPED_TEST(OpenclModularFault, UnitsByName) {
  using T = TypeParam;
  auto p = needs_everything<T>();
  auto expected = p.multiply(on_cpu<T>(modular));
  Queue q(test_context());
  for (const char* name : {"wgmma", "mma_sync", "dot_product", "plain"}) {
    EnvironmentVariable unit("HILO_INT8_UNIT", name);
    try {
      EXPECT_EQ(first_difference(multiply_from_host(q, p, modular), expected), -1) << name;
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::self_test_failure) << e.what();
      expect_contains(e.what(), {name, q.context().device().name});
      EXPECT_TRUE(std::string_view(name) == "wgmma" || std::string_view(name) == "mma_sync") << e.what();
    }
  }
  {
    EnvironmentVariable unit("HILO_INT8_UNIT", "abacus");
    std::string message = message_of(errc::invalid_argument, [&] { multiply_from_host(q, p, modular); });
    expect_contains(message, {"HILO_INT8_UNIT", "abacus", "plain"});
    message_of(errc::invalid_argument, [&] { multiply_in_buffers(q, p, modular); });
  }
  expect_right(q, p, "after other units");
}

TYPED_TEST(OpenclModularFault, AKernelPathThatIsNoFolder) {
  using T = TypeParam;
  auto p = needs_everything<T>();
  TemporaryFolder folder;
  Queue q(test_context());
  {
    EnvironmentVariable path("HILO_KERNEL_PATH", folder.write("file", "").c_str());
    expect_contains(message_of(errc::io, [&] { multiply_from_host(q, p, modular); }), {"HILO_KERNEL_PATH", "file"});
  }
  expect_right(q, p, "after a path that is no folder");
}

// The product with one of its borrowings failing, and once more without, until there is none left to fail: each of the
// first, then some.
template <class Multiply, class T>
void expect_right_after_failures(Queue& q, Multiply multiply, const std::vector<T>& expected, const std::string& what) {
  opencl::WorkspacePool& pool = q.context().state()->workspaces;
  for (int64_t step = 0;; step += is_long() || step < 25 ? 1 : 6) {
    ASSERT_LT(step, 300) << what;
    pool.fail_after(step);
    try {
      auto c = multiply();
      pool.fail_after(-1);
      EXPECT_EQ(first_difference(c, expected), -1) << what;
      EXPECT_GE(step, 3) << what << ": nothing has failed";
      return;
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::out_of_memory) << what << ", step " << step << ": " << e.what();
      expect_contains(e.what(), {"no device memory for", q.context().device().name});
    }
    EXPECT_EQ(first_difference(multiply(), expected), -1) << what << " after a failure of step " << step;
  }
}

template <class T>
void expect_all_right_after_failures(Queue& q, const Problem<T>& p, const GemmOptions& options,
                                     const std::string& what) {
  auto expected = p.multiply(on_cpu<T>(options));
  expect_right_after_failures(
      q, [&] { return multiply_from_host(q, p, options); }, expected, what);
  expect_right_after_failures(
      q, [&] { return multiply_in_buffers(q, p, options); }, expected, what + ", in buffers");
}

TYPED_TEST(OpenclModularFault, MemoryThatEndsAtAnyStep) {
  using T = TypeParam;
  Queue q(test_context());
  for (const auto& x : modular_products<T>()) {
    bool is_short = x.name == "classic, balanced" || x.name == "classic, with direct entries" || x.name == "exact";
    if (!is_short && !is_long()) continue;
    expect_all_right_after_failures(q, x.problem, x.options, x.name);
  }
  auto whole = flat<T>(6, 5, 40, 5);
  whole.right(39, 4) = number<T>(hard::infinity);
  set_scalars(whole);
  expect_all_right_after_failures(q, whole, modular, "direct for operands");
  whole = flat<T>(8, 9, 5, 6);
  whole.left(3, 4) = scaled(whole.left(3, 4), 300);
  whole.right(4, 0) = T(0);
  expect_all_right_after_failures(q, whole, modular, "direct for range");
  cl::CommandQueue native(cl::Context(q.context().native(), true), cl::Device(q.context().native_device(), true),
                          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Queue out_of_order(native());
  expect_all_right_after_failures(out_of_order, needs_everything<T>(), modular, "out of order");
}

// A product without a bound makes do with less memory than it would take, down to a limit that is lowered here.
TYPED_TEST(OpenclModularFault, HalfTheMemoryDoes) {
  using T = TypeParam;
  Queue q(test_context());
  opencl::ContextState& state = *q.context().state();
  state.least_workspace = 1;
  auto p = flat<T>(90, 300, 70, 3);
  // Nothing is begun before the operands have been looked at, which would be tried once more as it is.
  const GemmOptions options = modular_options(Accuracy::normwise);
  const auto expected = p.multiply(on_cpu<T>(options));
  GemmReport report;
  const auto multiply = [&] { return multiply_from_host(q, p, options, &report); };
  EXPECT_EQ(first_difference(multiply(), expected), -1);
  const int64_t bytes = report.plan.workspace_bytes;
  int with_less = 0;
  for (int64_t step = 0; step < 20; ++step) {
    state.workspaces.let_go();
    state.workspaces.fail_after(step);
    try {
      EXPECT_EQ(first_difference(multiply(), expected), -1) << step;
      with_less += report.plan.workspace_bytes < bytes;
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::out_of_memory) << e.what();
    }
    state.workspaces.fail_after(-1);
  }
  EXPECT_GE(with_less, 3);
  EXPECT_EQ(first_difference(multiply(), expected), -1);
  EXPECT_EQ(report.plan.workspace_bytes, bytes) << "nothing is remembered";
}

// Blocks of all sizes that are full of a byte, for the next calls to borrow.
void fill_workspaces(Queue& q, std::uint8_t byte) {
  const opencl::QueueState& state = *q.state();
  std::vector<opencl::Workspace> blocks;
  for (int64_t bytes = 256; bytes <= int64_t{1} << 21; bytes *= 2) {
    for (int i = 0; i < 6; ++i) {
      blocks.push_back(state.context->workspaces.borrow(*state.context, state.queue, state.in_order, bytes, "a test"));
      state.queue.enqueueFillBuffer(blocks.back().buffer(), byte, 0, static_cast<std::size_t>(bytes));
    }
  }
  q.finish();
  for (opencl::Workspace& block : blocks) block.release(state.queue, {});
}

TYPED_TEST(OpenclModularFault, MemoryThatHoldsAnything) {
  using T = TypeParam;
  Queue q(test_context());
  auto all = modular_products<T>();
  all.push_back({"direct for range", wide_entries<T>(5), modular});
  all.push_back({"sparse", graded_products<T>()[4].problem, modular});
  for (const auto& x : all) {
    auto expected = x.problem.multiply(on_cpu<T>(x.options));
    for (int byte : {0xff, 0x55, 0x01}) {
      fill_workspaces(q, static_cast<std::uint8_t>(byte));
      EXPECT_EQ(first_difference(multiply_from_host(q, x.problem, x.options), expected), -1)
          << x.name << ", after bytes of " << byte;
    }
  }
}

TYPED_TEST(OpenclModularFault, MemoryThatEndsInABatch) {
  using T = TypeParam;
  Queue q(test_context());
  opencl::WorkspacePool& pool = q.context().state()->workspaces;
  constexpr int64_t count = 4, size = 64;
  std::vector<T> a, b, c;
  std::vector<std::vector<T>> expected;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto p = generated<T>(range_kind(2), 8, 8, 8, 30 + i);
    a.insert(a.end(), p.a.begin(), p.a.end());
    b.insert(b.end(), p.b.begin(), p.b.end());
    c.insert(c.end(), p.c0.begin(), p.c0.end());
    expected.push_back(p.multiply(on_cpu<T>(modular)));
  }
  for (int64_t step = 0;; ++step) {
    ASSERT_LT(step, 400);
    std::vector<T> got = c;
    pool.fail_after(step);
    bool failed = false;
    try {
      gemm_strided_batch(q, Layout::column, Op::none, Op::none, 8, 8, 8, T(1), a.data(), 8, size, b.data(), 8, size,
                         T(0), got.data(), 8, size, count, modular);
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::out_of_memory) << e.what();
      failed = true;
    }
    pool.fail_after(-1);
    // Those before the failure are done, the others untouched.
    int64_t done = 0;
    for (int64_t i = 0; i < count; ++i) {
      std::vector<T> one(got.begin() + i * size, got.begin() + (i + 1) * size);
      std::vector<T> old(c.begin() + i * size, c.begin() + (i + 1) * size);
      bool is_done = first_difference(one, expected[static_cast<std::size_t>(i)]) == -1;
      EXPECT_TRUE(is_done || first_difference(one, old) == -1) << "step " << step << ", product " << i;
      EXPECT_TRUE(!is_done || done == i) << "step " << step << ", product " << i;
      done += is_done;
    }
    EXPECT_EQ(done == count, !failed) << "step " << step;
    if (!failed) {
      EXPECT_GE(step, 3);
      return;
    }
  }
}

}  // namespace
}  // namespace hilo::test
