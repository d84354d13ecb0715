// Products of large matrices in host memory travel through pinned memory and come back in parts: the same bits and
// reports, whatever the sizes of the pieces.
#include "opencl_transfer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace hilo::test {
namespace {

using std::int64_t;

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
