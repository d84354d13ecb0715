// Products of large matrices in host memory travel through pinned memory and come back in parts: the same bits and
// reports, whatever the sizes of the pieces.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "error_message.hpp"
#include "failing_call.hpp"
#include "gemm/device_product.hpp"
#include "opencl/native.hpp"
#include "opencl/settled.hpp"
#include "opencl_modular.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

constexpr GemmOptions modular = {.engine = Engine::modular};

// Everything is staged, in pieces that neither lines nor parts are multiples of.
constexpr opencl::StagingSizes tiny = {.slot_bytes = 1000, .least_piece = 1, .least_bytes = 1, .parts_bytes = 1};

opencl::StagingPool& staging_of(const Queue& q) { return q.context().state()->staging; }

// The sizes of the common queue's context, for a while.
class Sizes {
 public:
  explicit Sizes(const opencl::StagingSizes& sizes) { staging_of(queue()).set_sizes(sizes); }
  ~Sizes() { staging_of(queue()).set_sizes({}); }
};

template <class T>
Problem<T> random_problem(int64_t m, int64_t n, int64_t k, bool has_scalars, std::uint64_t seed = 1) {
  Random random(seed);
  Problem<T> p(m, n, k);
  auto fill = [&](std::vector<T>& elements) {
    for (T& e : elements) {
      for (double& word : words(e)) word = static_cast<double>(random.between(-1000, 1000)) / 1024.0;
      if constexpr (double_double<T>) {
        auto w = words(e);
        for (std::size_t i = 1; i < w.size(); i += 2) w[i] *= 0x1p-60 * (w[i - 1] != 0.0);
      }
    }
  };
  fill(p.a);
  fill(p.b);
  if (has_scalars) {
    fill(p.c0);
    p.alpha = number<T>(1.25, -0.5);
    p.beta = number<T>(-0.75, 0.25);
  }
  return p;
}

template <class T>
int64_t bytes_of(const Problem<T>& p) {
  int64_t elements = std::ssize(p.a) + std::ssize(p.b) + std::ssize(p.c0) * (p.beta == T(0) ? 1 : 2);
  return elements * static_cast<int64_t>(sizeof(T));
}

// Bytes that `call` sends through pinned memory.
template <class Call>
int64_t staged_by(const Queue& q, Call call) {
  const int64_t before = staging_of(q).staged_bytes();
  call();
  return staging_of(q).staged_bytes() - before;
}

template <class T>
class OpenclTransfer : public testing::Test {};
TYPED_TEST_SUITE(OpenclTransfer, Precisions, PrecisionName);

TYPED_TEST(OpenclTransfer, AllStorages) {
  using T = TypeParam;
  Sizes sizes(tiny);
  for (bool has_scalars : {false, true}) {
    auto p = random_problem<T>(23, 19, 31, has_scalars);
    for (Layout layout : {Layout::column, Layout::row}) {
      for (Op opa : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        for (Op opb : {Op::none, Op::transpose}) {
          const Storage s{layout, opa, opb, has_scalars ? 5 : 0};
          EXPECT_EQ(staged_by(queue(), [&] { expect_as_on_cpu(p, modular, "all staged", s); }), bytes_of(p))
              << s.text();
        }
      }
    }
    if constexpr (double_double<T>) {
      EXPECT_EQ(staged_by(queue(), [&] { expect_as_on_cpu(p, {.engine = Engine::direct}, "direct", {}); }),
                bytes_of(p));
    }
  }
}

// One line, one element a line, and whole slots more or less a byte.
TYPED_TEST(OpenclTransfer, SizesOfPieces) {
  using T = TypeParam;
  for (auto [m, n] : {std::pair{1, 40}, {40, 1}, {1, 1}, {7, 6}}) {
    auto p = random_problem<T>(m, n, 9, true);
    const std::size_t bytes = p.c0.size() * sizeof(T);
    for (std::size_t slot : {std::size_t{1}, std::size_t{24}, bytes - 1, bytes, bytes + 1, 8 * bytes}) {
      for (std::size_t least : {std::size_t{1}, slot}) {
        if (bytes / slot > 100 && !is_long()) continue;
        Sizes sizes({.slot_bytes = slot, .least_piece = least, .least_bytes = 1, .parts_bytes = 1});
        for (Layout layout : {Layout::column, Layout::row}) {
          expect_as_on_cpu(p, modular, "slot of " + std::to_string(slot), {layout, Op::none, Op::none, 3});
        }
      }
    }
  }
}

TYPED_TEST(OpenclTransfer, SmallMatricesAreLeftToTheRuntime) {
  using T = TypeParam;
  auto p = random_problem<T>(16, 10, 8, true);
  const int64_t element = sizeof(T), a = 128 * element, b = 80 * element, c = 160 * element;
  auto staged_from = [&](int64_t least) {
    Sizes sizes({.slot_bytes = 512, .least_piece = 1, .least_bytes = static_cast<std::size_t>(least)});
    return staged_by(queue(), [&] { expect_as_on_cpu(p, modular, "from " + std::to_string(least), {}); });
  };
  EXPECT_EQ(staged_from(b), a + b + 2 * c);
  EXPECT_EQ(staged_from(b + 1), a + 2 * c);
  EXPECT_EQ(staged_from(a), a + 2 * c);
  EXPECT_EQ(staged_from(c), 2 * c);
  EXPECT_EQ(staged_from(c + 1), 0);
}

// The parts of a product in buffers, each read as soon as it is complete.
template <class T>
std::vector<modular::Part> parts_of(const Problem<T>& p, Layout layout, int row_parts, const GemmOptions& options) {
  Queue& q = queue();
  GemmShape shape{layout, Op::none, Op::none, p.m, p.n, p.k, 0, 0, 0, sizeof(T)};
  const bool by_columns = layout == Layout::column;
  shape.lda = by_columns ? p.m : p.k;
  shape.ldb = by_columns ? p.k : p.n;
  shape.ldc = by_columns ? p.m : p.n;
  const Storage s{layout, Op::none, Op::none, 0};
  std::vector<modular::Part> parts;
  auto call = [&](const Stored<T>& a, const Stored<T>& b, Stored<T>& c) {
    Placed<T> da(q, a.elements, 0), db(q, b.elements, 0), dc(q, c.elements, 0);
    DeviceProduct x = device_product(shape, {}, p.alpha, p.beta);
    x.a.buffer = cl::Buffer(da.buffer().native(), true);
    x.b.buffer = cl::Buffer(db.buffer().native(), true);
    x.c.buffer = cl::Buffer(dc.buffer().native(), true);
    DevicePlan plan = plan_product(*q.state()->context, shape, x, options);
    DeviceRun run = execute(plan, x, *q.state(), {}, row_parts);
    parts = run.parts;
    run.event.wait();
    if (run.recomputed.buffer()()) run.recomputed.release(q.state()->queue, {});
    c.elements = dc.read(q);
  };
  EXPECT_EQ(first_difference(p.computed_by(call, s), p.multiply(on_cpu<T>(options))), -1) << row_parts;
  return parts;
}

TYPED_TEST(OpenclTransfer, PartsCoverC) {
  using T = TypeParam;
  for (Layout layout : {Layout::column, Layout::row}) {
    const bool by_columns = layout == Layout::column;
    const int64_t lines = 1600;
    auto p = by_columns ? random_problem<T>(5, lines, 6, true) : random_problem<T>(lines, 5, 6, true);
    for (int count : {0, 1, 2, 3, 8}) {
      const std::vector<modular::Part> parts = parts_of(p, layout, count, modular);
      EXPECT_GE(std::ssize(parts), count < 2 ? 0 : std::min(count, 3)) << count;
      EXPECT_LE(std::ssize(parts), 4) << count;
      int64_t next = 0;
      for (const modular::Part& part : parts) {
        EXPECT_EQ(part.first_line, next);
        EXPECT_GT(part.lines, 0);
        EXPECT_NE(part.done(), nullptr);
        next += part.lines;
      }
      EXPECT_EQ(next, parts.empty() ? 0 : lines) << count;
    }
    // Neither the other cut nor a product that is done at the end has parts.
    auto across = by_columns ? random_problem<T>(lines, 1, 6, false) : random_problem<T>(1, lines, 6, false);
    EXPECT_TRUE(parts_of(across, layout, 8, modular).empty());
    auto guarded = by_columns ? guarded_problem<T>(70, 1300, 30, 4) : guarded_problem<T>(1300, 70, 30, 4);
    EXPECT_TRUE(parts_of(guarded, layout, 8, modular).empty());
  }
}

TYPED_TEST(OpenclTransfer, PartsComeBackOneByOne) {
  using T = TypeParam;
  Sizes sizes({.slot_bytes = 10000, .least_piece = 100, .least_bytes = 1, .parts_bytes = 1});
  for (Layout layout : {Layout::column, Layout::row}) {
    const bool by_columns = layout == Layout::column;
    for (bool has_scalars : {false, true}) {
      auto p = by_columns ? random_problem<T>(5, 1300, 6, has_scalars) : random_problem<T>(1300, 5, 6, has_scalars);
      for (int64_t pad : {0, 3}) {
        EXPECT_EQ(staged_by(queue(),
                            [&] {
                              expect_as_on_cpu(p, modular, "parts", {layout, Op::none, Op::none, pad});
                            }),
                  bytes_of(p));
      }
      // Parts do not change the report.
      GemmReport in_parts, at_once;
      const Storage s{layout, Op::none, Op::none, 0};
      multiply_from_host(queue(), p, modular, &in_parts, s);
      staging_of(queue()).set_failing(true);
      multiply_from_host(queue(), p, modular, &at_once, s);
      staging_of(queue()).set_failing(false);
      EXPECT_EQ(to_string(in_parts.plan), to_string(at_once.plan));
      EXPECT_EQ(in_parts.entries_direct, at_once.entries_direct);
    }
  }
  // Entries of the direct engine come last, after all parts.
  auto p = guarded_problem<T>(70, 1300, 30, 4);
  set_scalars(p);
  EXPECT_GT(expect_as_on_cpu(p, modular, "direct entries", {}).entries_direct, 0);
}

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

// Transfers go by a queue of their own, and into memory that a product before has given back but not left.
TEST(OpenclTransferOrder, BehindAProductThatHasNotRunYet) {
  constexpr GemmOptions direct = {.engine = Engine::direct};
  // Whose memory is what the product before has used.
  Queue q(test_context());
  staging_of(q).set_sizes(tiny);
  const auto first = random_problem<dd_real>(23, 19, 31, true, 1),
             second = random_problem<dd_real>(23, 19, 31, true, 2);
  Placed<dd_real> a(q, first.a, 0), b(q, first.b, 0), c(q, first.c0, 0);
  auto enqueue = [&](const dd_real& beta, const std::vector<Event>& wait_list) {
    return gemm(q, Layout::column, Op::none, Op::none, first.m, first.n, first.k, first.alpha, a.buffer(), 0, first.m,
                b.buffer(), 0, first.k, beta, c.buffer(), 0, first.m, wait_list, direct);
  };
  // What is built the first time takes long.
  enqueue(0, {}).wait();
  const std::vector<dd_real> c0 = first.c0;
  c.buffer().write(q, c0.data(), 0, std::ssize(c0));
  cl::UserEvent gate(q.context().state()->context);
  Event done = enqueue(first.beta, {Event(gate())});
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    gate.setStatus(CL_COMPLETE);
  });
  const auto got = multiply_from_host(q, second, direct);
  opener.join();
  EXPECT_EQ(first_difference(got, second.multiply(on_cpu<dd_real>(direct))), -1);
  done.wait();
  EXPECT_EQ(first_difference(c.read(q), first.multiply(on_cpu<dd_real>(direct))), -1);
}

TYPED_TEST(OpenclTransfer, TwoThreadsAtOnce) {
  using T = TypeParam;
  Sizes sizes(tiny);
  std::vector<Problem<T>> problems;
  std::vector<std::vector<T>> expected;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    problems.push_back(random_problem<T>(23, 600 + 200 * static_cast<int64_t>(seed), 11, seed % 2 == 0, seed));
    expected.push_back(problems.back().multiply(on_cpu<T>(modular)));
  }
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      Queue own(queue().context());
      for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t at = (i + 2 * t) % problems.size();
        EXPECT_EQ(first_difference(multiply_from_host(own, problems[at], modular), expected[at]), -1) << t << ' ' << i;
      }
    });
  }
  for (auto& thread : threads) thread.join();
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

TYPED_TEST(OpenclTransfer, SharedMatricesOfABatchTravelOnce) {
  using T = TypeParam;
  Sizes sizes(tiny);
  constexpr int64_t m = 9, n = 8, k = 7, count = 3;
  for (bool shares_a : {false, true}) {
    for (bool shares_b : {false, true}) {
      std::vector<T> a, b, c, expected;
      const Problem<T> first = random_problem<T>(m, n, k, true, 1);
      for (std::uint64_t i = 0; i < count; ++i) {
        Problem<T> p = random_problem<T>(m, n, k, true, 1 + i);
        if (shares_a) p.a = first.a;
        if (shares_b) p.b = first.b;
        if (i == 0 || !shares_a) a.insert(a.end(), p.a.begin(), p.a.end());
        if (i == 0 || !shares_b) b.insert(b.end(), p.b.begin(), p.b.end());
        c.insert(c.end(), p.c0.begin(), p.c0.end());
        auto one = p.multiply(on_cpu<T>(modular));
        expected.insert(expected.end(), one.begin(), one.end());
      }
      const int64_t elements = std::ssize(a) + std::ssize(b) + 2 * std::ssize(c);
      const int64_t staged = staged_by(queue(), [&] {
        gemm_strided_batch(queue(), Layout::column, Op::none, Op::none, m, n, k, first.alpha, a.data(), m,
                           shares_a ? 0 : m * k, b.data(), k, shares_b ? 0 : k * n, first.beta, c.data(), m, m * n,
                           count, modular);
      });
      EXPECT_EQ(first_difference(c, expected), -1) << shares_a << shares_b;
      EXPECT_EQ(staged, elements * static_cast<int64_t>(sizeof(T))) << shares_a << shares_b;
    }
  }
}

}  // namespace
}  // namespace hilo::test
