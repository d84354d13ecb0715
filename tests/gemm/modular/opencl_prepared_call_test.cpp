// Calls with prepared matrices (hilo/prepared.hpp): what is kept, given back, waited for and refused.
// HILO_TEST_PLATFORM and HILO_TEST_DEVICE choose the device.
#include <gtest/gtest.h>

#include <hilo/prepared.hpp>
#include <thread>
#include <utility>

#include "modular_hard_problems.hpp"
#include "opencl/native.hpp"
#include "opencl_modular.hpp"
#include "planned_product.hpp"
#include "stored_in_buffer.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

constexpr GemmOptions by_modular = {.engine = Engine::modular};

struct Pair {
  Problem<dd_real> p = generated<dd_real>(uniform_kind, 70, 40, 75, 46);
  std::vector<dd_real> expected = p.multiply(on_cpu<dd_real>(by_modular));
  StoredInBuffer<dd_real> a{queue(), p.a, p.m, p.k}, b{queue(), p.b, p.k, p.n};
  PreparedMatrix<dd_real> ready = prepare(queue(), a.view);

  std::vector<dd_real> multiply(Queue& q, const GemmOptions& options = by_modular) {
    StoredInBuffer<dd_real> c(q, p.c0, p.m, p.n);
    return c.read(q, {gemm(q, p.alpha, ready, b.view, p.beta, c.view, {}, options)});
  }
};

// The second product launches less than the first.
TEST(OpenclPreparedCall, IsSparedWhatIsKept) {
  Pair x;
  Queue q(queue().context());
  opencl::Trace trace;
  q.state()->trace = &trace;
  std::vector<std::size_t> launches;
  const auto count = [&](auto multiply) {
    trace.launches.clear();
    multiply();
    launches.push_back(trace.launches.size());
  };
  const auto of_views = [&] {
    StoredInBuffer<dd_real> c(q, x.p.c0, x.p.m, x.p.n);
    gemm(q, x.p.alpha, x.a.view, x.b.view, x.p.beta, c.view, {}, by_modular).wait();
  };
  of_views();
  const auto prepared = [&] { EXPECT_EQ(first_difference(x.multiply(q), x.expected), -1); };
  count(prepared);
  count(prepared);
  EXPECT_LT(launches[1], launches[0]);
  // Of both nothing is looked at: the sum test's product, exponents side by side, the product and C.
  const PreparedMatrix<dd_real> b = prepare(q, x.b.view);
  const auto both = [&] {
    StoredInBuffer<dd_real> c(q, x.p.c0, x.p.m, x.p.n);
    const Event done = gemm(q, x.p.alpha, x.ready, b, x.p.beta, c.view, {}, by_modular);
    EXPECT_EQ(first_difference(c.read(q, {done}), x.expected), -1);
  };
  both();
  count(both);
  EXPECT_EQ(launches[2], 4u);
  for (const auto& launch : trace.launches) EXPECT_NE(launch.kernel, "residues");
  q.state()->trace = nullptr;
}

// A batch's own matrix for all is looked at once, one stride apart or at offsets.
TEST(OpenclPreparedCall, OfABatch) {
  constexpr int64_t batch = 4;
  const Pair x;
  const Problem<dd_real>& p = x.p;
  Queue q(queue().context());
  std::vector<dd_real> b;
  for (int64_t i = 0; i < batch; ++i) b.insert(b.end(), p.b.begin(), p.b.end());
  Buffer<dd_real> da(q.context(), p.m * p.k), db(q.context(), std::ssize(b)), dc(q.context(), batch * p.m * p.n);
  da.write(q, p.a.data(), 0, da.size());
  db.write(q, b.data(), 0, db.size());
  for (const bool has_offsets : {false, true}) {
    opencl::Trace trace;
    q.state()->trace = &trace;
    if (has_offsets) {
      const int64_t of_a[batch] = {}, of_b[batch] = {0, p.k * p.n, 0, 3 * p.k * p.n};
      int64_t of_c[batch];
      for (int64_t i = 0; i < batch; ++i) of_c[i] = (batch - 1 - i) * p.m * p.n;
      gemm_batch(q, Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, da, of_a, p.m, db, of_b, p.k, p.beta,
                 dc, of_c, p.m, batch, {}, by_modular);
    } else {
      gemm_strided_batch(q, Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, da, 0, p.m, 0, db, 0, p.k,
                         p.k * p.n, p.beta, dc, 0, p.m, p.m * p.n, batch, {}, by_modular);
    }
    q.state()->trace = nullptr;
    std::vector<dd_real> c(static_cast<std::size_t>(p.m * p.n));
    for (int64_t i = 0; i < batch; ++i) {
      dc.read(q, c.data(), i * p.m * p.n, std::ssize(c));
      EXPECT_EQ(first_difference(c, x.expected), -1) << i;
    }
    // Of A once, of B for each.
    EXPECT_EQ(std::ranges::count(trace.launches, "scan", &opencl::Trace::Launch::kernel), batch + 1);
  }
}

TEST(OpenclPreparedCall, FollowsAMatrixThatHasChangedAfterReset) {
  Pair x;
  EXPECT_EQ(first_difference(x.multiply(queue()), x.expected), -1);
  EXPECT_GT(x.ready.bytes(), 0);
  const auto other = generated<dd_real>(range_kind(3), x.p.m, x.p.n, x.p.k, 47);
  x.p.a = other.a;
  x.a.write(queue(), x.p.a);
  x.ready.reset();
  EXPECT_EQ(x.ready.bytes(), 0);
  EXPECT_EQ(first_difference(x.multiply(queue()), x.p.multiply(on_cpu<dd_real>(by_modular))), -1);
}

// What one queue has made the others wait for; handles go while their products run.
TEST(OpenclPreparedCall, OnSeveralQueuesAndThreads) {
  Pair x;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&x] {
      Queue q(queue().context());
      for (int time = 0; time < 4; ++time) EXPECT_EQ(first_difference(x.multiply(q), x.expected), -1);
    });
  }
  for (std::thread& t : threads) t.join();
  const opencl::ContextState& context = *queue().context().state();
  cl::CommandQueue native(context.context, context.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Queue unordered(native());
  EXPECT_EQ(first_difference(x.multiply(unordered), x.expected), -1);

  StoredInBuffer<dd_real> c(queue(), x.p.c0, x.p.m, x.p.n);
  Event done;
  {
    const PreparedMatrix<dd_real> ready = prepare(queue(), x.a.view), copy = ready;
    done = gemm(queue(), x.p.alpha, copy, x.b.view, x.p.beta, c.view, {}, by_modular);
  }
  EXPECT_EQ(first_difference(c.read(queue(), {done}), x.expected), -1);
}

// A queue of the user's own has its own pool of memory, which may go before the handle.
TEST(OpenclPreparedCall, OnQueuesOfTheSameNativeContext) {
  Pair x;
  for (const bool keeps : {false, true}) {
    if (keeps) x.multiply(queue());
    {
      Queue own(queue().native());
      EXPECT_EQ(first_difference(x.multiply(own), x.expected), -1);
    }
    EXPECT_EQ(x.ready.bytes() > 0, keeps);
  }
  x.ready.reset();
}

// What one product asks for does not cost another handle what it keeps.
TEST(OpenclPreparedCall, HandlesThatTakeOtherModuli) {
  Queue& q = queue();
  std::vector<std::unique_ptr<Pair>> pairs;
  std::vector<int> moduli;
  for (double phi : {0.0, 1.4}) {
    auto x = std::make_unique<Pair>();
    x->p = generated<dd_real>(range_kind(phi), x->p.m, x->p.n, x->p.k, 49);
    GemmReport report;
    x->expected = x->p.multiply(on_cpu<dd_real>(by_modular), &report);
    moduli.push_back(report.plan.moduli);
    x->a.write(q, x->p.a);
    x->b.write(q, x->p.b);
    pairs.push_back(std::move(x));
  }
  EXPECT_NE(moduli[0], moduli[1]);
  opencl::Trace trace;
  for (int time = 0; time < 3; ++time) {
    for (const auto& x : pairs) {
      if (time == 2) q.state()->trace = &trace;
      EXPECT_EQ(first_difference(x->multiply(q), x->expected), -1);
      q.state()->trace = nullptr;
    }
  }
  EXPECT_EQ(std::ranges::count(trace.launches, "residues", &opencl::Trace::Launch::kernel), std::ssize(pairs));
}

TEST(OpenclPreparedCall, HandlesOfTwoInAnyOrder) {
  const auto p = generated<dd_real>(uniform_kind, 70, 70, 70, 48);
  const StoredInBuffer<dd_real> a(queue(), p.a, 70, 70), b(queue(), p.b, 70, 70);
  const PreparedMatrix<dd_real> ready_a = prepare(queue(), a.view), ready_b = prepare(queue(), b.view);
  std::vector<std::thread> threads;
  for (bool is_turned : {false, true}) {
    threads.emplace_back([&, is_turned] {
      Queue q(queue().context());
      const auto &left = is_turned ? ready_b : ready_a, &right = is_turned ? ready_a : ready_b;
      StoredInBuffer<dd_real> c(q, p.c0, 70, 70), want(q, p.c0, 70, 70);
      gemm(q, dd_real(1), left.view(), right.view(), dd_real(0), want.view, {}, by_modular).wait();
      for (int time = 0; time < 5; ++time) {
        gemm(q, dd_real(1), left, right, dd_real(0), c.view, {}, by_modular).wait();
        EXPECT_EQ(first_difference(c.read(q), want.read(q)), -1);
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

// Inside of factorisations exponents alone are kept beside residues.
TEST(OpenclPreparedCall, OfProductsThatNobodyWatches) {
  using T = dd_complex;
  modular::PreparedOperand kept_a, kept_b;
  for (const int64_t n : {40, 1, 130, 40}) {
    // A is the same each time.
    PlannedProblem<T> p(90, n, 75, 7);
    const T alpha = entry<T>(3), beta = entry<T>(5);
    DevicePlan plan = plan_product(*queue().context().state(), p.shape, p.product(alpha, beta),
                                   {.engine = Engine::modular, .accuracy = Accuracy::normwise});
    std::get<modular::DevicePlan>(plan.engine).is_unwatched = true;
    const std::vector<T> want = p.by_plan(plan, alpha, beta);
    for (int time = 0; time < 4; ++time) {
      p.dc.write(queue(), p.c.data(), 0, p.dc.size());
      kept_b.reset();
      const modular::PreparedOperands prepared{{time == 3 ? nullptr : &kept_a, time == 0 ? nullptr : &kept_b}};
      execute(plan, p.product(alpha, beta), *queue().state(), {}, 0, prepared).event.wait();
      EXPECT_EQ(first_difference(p.read(), want), -1) << n << ", time " << time;
    }
  }
  EXPECT_GT(kept_a.residue_bytes(), 0);
}

// Where there is no memory for what would be kept, products are those of views.
TEST(OpenclPreparedCall, WithoutMemory) {
  Pair x;
  opencl::WorkspacePool& pool = queue().context().state()->workspaces;
  for (int64_t borrows = 0; borrows < 12; ++borrows) {
    x.ready.reset();
    pool.fail_after(borrows);
    EXPECT_EQ(first_difference(x.multiply(queue()), x.expected), -1) << borrows;
    pool.fail_after(-1);
    EXPECT_EQ(first_difference(x.multiply(queue()), x.expected), -1) << borrows;
  }
}

TEST(OpenclPreparedCall, PrecisionsWithNothingToKeep) {
  Queue& q = queue();
  const std::vector<float> numbers(20, 1.5f);
  Buffer<float> ab(q.context(), 20), c(q.context(), 25);
  ab.write(q, numbers.data(), 0, 20);
  const auto as = [](const Buffer<float>& x, int64_t rows, int64_t columns) {
    return view(Layout::column, Op::none, x, rows, columns, rows);
  };
  const PreparedMatrix<float> ready = prepare(q, as(ab, 5, 4));
  gemm(q, 1.0f, ready, as(ab, 4, 5), 0.0f, as(c, 5, 5)).wait();
  std::vector<float> got(25);
  c.read(q, got.data(), 0, 25);
  EXPECT_EQ(got, std::vector<float>(25, 9.0f));
  EXPECT_EQ(ready.bytes(), 0);
}

TEST(OpenclPreparedCall, Refusals) {
  Pair x;
  Queue& q = queue();
  const PreparedMatrix<dd_real> none;
  EXPECT_EQ(none.rows(), 0);
  EXPECT_EQ(none.bytes(), 0);
  StoredInBuffer<dd_real> c(q, x.p.c0, x.p.m, x.p.n);
  const auto refused = [&](const std::string& part, auto call) {
    expect_contains(message_of(errc::invalid_argument, call), {part});
  };
  refused("of none", [&] { return gemm(q, dd_real(1), none, x.b.view, dd_real(0), c.view); });
  PreparedMatrix<dd_real> left = prepare(q, x.a.view);
  const PreparedMatrix<dd_real> taken = std::move(left);
  EXPECT_EQ(left.rows(), 0);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(taken.rows(), x.p.m);
  refused("of none", [&] { return gemm(q, dd_real(1), left, x.b.view, dd_real(0), c.view); });
  BufferView<dd_real> beyond = x.a.view;
  beyond.offset += 1000000;
  refused("prepare: A covers", [&] { return prepare(q, beyond); });
  BufferView<dd_real> strided = x.a.view;
  strided.row_stride = 2;
  refused("prepare: neither rows nor columns of A", [&] { return prepare(q, strided); });
  Context other;
  Queue elsewhere(other);
  refused("prepare: the buffer of A belongs to another context", [&] { return prepare(elsewhere, x.a.view); });
  refused("another context", [&] { return gemm(elsewhere, dd_real(1), x.ready, x.b.view, dd_real(0), c.view); });
  refused("is not columns of B", [&] { return gemm(q, dd_real(1), x.ready, x.a.view, dd_real(0), c.view); });
  refused("C overlaps A",
          [&] { return gemm(q, dd_real(1), x.ready, x.b.view, dd_real(0), x.a.view.sub(0, 0, x.p.m, x.p.n)); });
  EXPECT_EQ(first_difference(c.read(q), x.p.c0), -1);
  EXPECT_EQ(first_difference(x.multiply(q), x.expected), -1);
}

}  // namespace
}  // namespace hilo::test
