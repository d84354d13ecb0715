// Batches on an OpenCL device have the bits and the report of the CPU's, by both engines.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "modular_hard_problems.hpp"
#include "opencl/bindings.hpp"
#include "opencl_modular.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

// Matrices one after the other, with something between them that no one may read or write.
template <class T>
struct Stack {
  std::vector<T> elements;
  int64_t leading = 1, stride = 0;

  Stack(const Storage& s, Op op, const std::vector<std::vector<T>>& matrices, int64_t rows, int64_t columns,
        bool is_shared, int64_t gap) {
    for (const std::vector<T>& x : matrices) {
      Stored<T> stored(s, op, x, rows, columns);
      leading = stored.leading;
      if (is_shared && !elements.empty()) break;
      elements.insert(elements.end(), stored.elements.begin(), stored.elements.end());
      elements.insert(elements.end(), static_cast<std::size_t>(gap), number<T>(hard::nan));
      stride = is_shared ? 0 : std::ssize(stored.elements) + gap;
    }
  }
};

// Products of one shape, alpha and beta.
template <class T>
struct Batch {
  std::vector<Problem<T>> problems;
  Storage storage;
  bool shares_a = false, shares_b = false;
  int64_t gap = 2;

  template <class Member>
  Stack<T> stack(Op op, Member member, int64_t rows, int64_t columns, bool is_shared) const {
    std::vector<std::vector<T>> matrices;
    for (const Problem<T>& p : problems) matrices.push_back(p.*member);
    return {storage, op, matrices, rows, columns, is_shared, gap};
  }

  // C's memory after `call`, or as it was where it throws.
  template <class Call>
  std::vector<T> computed_by(Call call) const {
    const Problem<T>& p = problems.front();
    Stack<T> a = stack(storage.opa, &Problem<T>::a, p.m, p.k, shares_a);
    Stack<T> b = stack(storage.opb, &Problem<T>::b, p.k, p.n, shares_b);
    Stack<T> c = stack(Op::none, &Problem<T>::c0, p.m, p.n, false);
    call(p, a, b, c);
    return c.elements;
  }

  int64_t count() const { return std::ssize(problems); }

  std::vector<T> on_the_cpu(const GemmOptions& options, GemmReport& report) const {
    return computed_by([&](const Problem<T>& p, Stack<T>& a, Stack<T>& b, Stack<T>& c) {
      report = gemm_strided_batch(storage.layout, storage.opa, storage.opb, p.m, p.n, p.k, p.alpha, a.elements.data(),
                                  a.leading, a.stride, b.elements.data(), b.leading, b.stride, p.beta,
                                  c.elements.data(), c.leading, c.stride, count(), on_cpu<T>(options));
    });
  }
  std::vector<T> from_host(Queue& q, const GemmOptions& options, GemmReport& report) const {
    return computed_by([&](const Problem<T>& p, Stack<T>& a, Stack<T>& b, Stack<T>& c) {
      report = gemm_strided_batch(q, storage.layout, storage.opa, storage.opb, p.m, p.n, p.k, p.alpha,
                                  a.elements.data(), a.leading, a.stride, b.elements.data(), b.leading, b.stride,
                                  p.beta, c.elements.data(), c.leading, c.stride, count(), options);
    });
  }
  std::vector<T> in_buffers(Queue& q, const GemmOptions& options, GemmReport& report) const {
    return computed_by([&](const Problem<T>& p, Stack<T>& a, Stack<T>& b, Stack<T>& c) {
      Placed<T> da(q, a.elements, 3), db(q, b.elements, 1), dc(q, c.elements, 4);
      gemm_strided_batch(q, storage.layout, storage.opa, storage.opb, p.m, p.n, p.k, p.alpha, da.buffer(), da.offset(),
                         a.leading, a.stride, db.buffer(), db.offset(), b.leading, b.stride, p.beta, dc.buffer(),
                         dc.offset(), c.leading, c.stride, count(), {}, options, &report)
          .wait();
      c.elements = dc.read(q);
    });
  }
};

template <class T>
void expect_as_on_cpu(const Batch<T>& batch, const GemmOptions& options, const std::string& what) {
  GemmReport want, host{}, device{};
  auto expected = batch.on_the_cpu(options, want);
  std::string text = what + ", " + std::to_string(batch.count()) + " of " + batch.problems.front().text() + ", " +
                     batch.storage.text() + ", " + std::string(name(options.accuracy)) +
                     (batch.shares_a ? ", one A" : "") + (batch.shares_b ? ", one B" : "");
  EXPECT_EQ(first_difference(batch.from_host(queue(), options, host), expected), -1) << text;
  expect_same_report(host, want, text);
  EXPECT_EQ(first_difference(batch.in_buffers(queue(), options, device), expected), -1) << text << ", in buffers";
  expect_same_report(device, want, text + ", in buffers");
}

// Each has its own exponents, number of moduli and path.
template <class T>
Batch<T> various(bool shares_a, bool shares_b) {
  Batch<T> batch;
  batch.problems = {generated<T>(uniform_kind, 14, 19, 40, 12), generated<T>(range_kind(4), 14, 19, 40, 13),
                    guarded_problem<T>(14, 19, 40, 14), balanced_problem<T>(14, 19, 40, 15),
                    generated<T>(uniform_kind, 14, 19, 40, 16)};
  batch.problems[4].left(3, 3) = number<T>(hard::infinity);
  for (Problem<T>& p : batch.problems) set_scalars(p);
  batch.shares_a = shares_a;
  batch.shares_b = shares_b;
  return batch;
}

template <class T>
class OpenclModularBatch : public testing::Test {
 protected:
  // PoCL still compiles for what nobody has waited for, and fails where the process ends meanwhile.
  static void TearDownTestSuite() { queue().finish(); }
};
TYPED_TEST_SUITE(OpenclModularBatch, Precisions, PrecisionName);

TYPED_TEST(OpenclModularBatch, EachAsIfAlone) {
  using T = TypeParam;
  for (bool shares_a : {false, true}) {
    for (bool shares_b : {false, true}) {
      auto batch = various<T>(shares_a, shares_b);
      for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast, Accuracy::normwise, Accuracy::bits}) {
        expect_as_on_cpu(batch, modular_options(accuracy), "various");
      }
      GemmReport report;
      auto c = batch.from_host(queue(), modular_options(Accuracy::classic), report);
      Stack<T> stack = batch.stack(Op::none, &Problem<T>::c0, 14, 19, false);
      for (std::size_t i = 0; i < batch.problems.size(); ++i) {
        Problem<T> alone = batch.problems[i];
        if (shares_a) alone.a = batch.problems[0].a;
        if (shares_b) alone.b = batch.problems[0].b;
        auto first = c.begin() + static_cast<int64_t>(i) * stack.stride;
        std::vector<T> got(first, first + 14 * 19);
        EXPECT_EQ(first_difference(got, multiply_from_host(queue(), alone, modular_options(Accuracy::classic))), -1)
            << i;
      }
    }
  }
}

TYPED_TEST(OpenclModularBatch, EveryStorage) {
  using T = TypeParam;
  int64_t turn = 0;
  for (Layout layout : {Layout::column, Layout::row}) {
    for (Op opa : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      for (Op opb : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        if (++turn % 3 && !is_long()) continue;
        auto batch = various<T>(turn % 4 == 1, turn % 2 == 1);
        batch.storage = {layout, opa, opb, turn % 5};
        batch.gap = turn % 3;
        expect_as_on_cpu(batch, modular_options(Accuracy::classic), "storage");
      }
    }
  }
}

TYPED_TEST(OpenclModularBatch, ManySmallOnes) {
  using T = TypeParam;
  Batch<T> batch;
  for (std::uint64_t i = 0; i < 60; ++i) {
    batch.problems.push_back(generated<T>(kinds[i % std::size(kinds)], 5, 4, 7, 100 + i));
    set_scalars(batch.problems.back());
  }
  expect_as_on_cpu(batch, modular_options(Accuracy::classic), "many");
  batch.problems.erase(batch.problems.begin() + 1, batch.problems.end());
  batch.gap = 0;
  expect_as_on_cpu(batch, modular_options(Accuracy::tight), "one");
}

TYPED_TEST(OpenclModularBatch, OtherEnginesAndOptions) {
  using T = TypeParam;
  auto batch = various<T>(false, true);
  expect_as_on_cpu(batch, {.engine = Engine::reproducible}, "reproducible");
  expect_as_on_cpu(batch, {.engine = Engine::reproducible, .accuracy = Accuracy::normwise}, "reproducible");
  GemmOptions options = modular_options(Accuracy::classic);
  options.depth = 16;
  expect_as_on_cpu(batch, options, "depth 16");
  options.workspace_bytes = 4 << 20;  // the least of some units is more than 2 MiB
  expect_as_on_cpu(batch, options, "depth 16, 4 MiB");
  if constexpr (double_double<T>) {
    for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast}) {
      for (Fma fma : {Fma::automatic, Fma::on, Fma::off}) {
        expect_as_on_cpu(batch, {.engine = Engine::direct, .accuracy = accuracy, .fma = fma}, "direct");
      }
    }
  }
  for (Problem<T>& p : batch.problems) p = generated<T>(uniform_kind, 14, 19, 40, 17);
  expect_as_on_cpu(batch, modular_options(Accuracy::exact), "exact");
}

TYPED_TEST(OpenclModularBatch, NothingToMultiply) {
  using T = TypeParam;
  for (Engine engine : {Engine::modular, Engine::direct}) {
    if (engine == Engine::direct && !double_double<T>) continue;
    for (T beta : {T(0), T(1), number<T>(2, 1)}) {
      for (int64_t k : {0, 6}) {
        Batch<T> batch;
        for (std::uint64_t i = 0; i < 3; ++i) {
          batch.problems.push_back(generated<T>(uniform_kind, 4, 3, k, i));
          batch.problems.back().beta = beta;
          if (k) batch.problems.back().alpha = T(0);
        }
        expect_as_on_cpu(batch, {.engine = engine}, "no terms or alpha = 0");
      }
    }
    GemmReport report{};
    T* none = nullptr;
    GemmOptions options{.engine = engine};
    gemm_strided_batch<T>(queue(), Layout::column, Op::none, Op::none, 5, 4, 3, T(1), none, 5, 0, none, 3, 0, T(0),
                          none, 5, 0, 0, options);
    Buffer<T> x(queue().context(), 16);
    gemm_strided_batch<T>(queue(), Layout::column, Op::none, Op::none, 0, 4, 3, T(1), x, 0, 1, 0, x, 0, 3, 0, T(0), x,
                          0, 1, 0, 9, {}, options, &report)
        .wait();
    EXPECT_EQ(report.plan.batch, 9);
    gemm_strided_batch<T>(queue(), Layout::column, Op::none, Op::none, 2, 2, 3, T(1), x, 0, 2, 0, x, 0, 3, 0, T(0), x,
                          0, 2, 0, 0, {}, options)
        .wait();
  }
}

TYPED_TEST(OpenclModularBatch, WhatIsRefusedLeavesTheRestAlone) {
  using T = TypeParam;
  Batch<T> batch;
  for (std::uint64_t i = 0; i < 4; ++i) batch.problems.push_back(generated<T>(uniform_kind, 8, 9, 20, 18 + i));
  // Of the third, no moduli hold the range.
  batch.problems[2].left(0, 0) = scaled(batch.problems[2].left(0, 0), 900);
  batch.problems[2].right(0, 0) = T(0);
  for (Accuracy accuracy : {Accuracy::tight, Accuracy::exact}) {
    GemmOptions options = modular_options(accuracy);
    auto run = [&](auto multiply) {
      return batch.computed_by([&](const Problem<T>& p, Stack<T>& a, Stack<T>& b, Stack<T>& c) {
        std::vector<T> before = c.elements;
        std::string message = message_of(errc::unsupported, [&] { multiply(p, a, b, c); });
        EXPECT_EQ(message, message_of(errc::unsupported, [&] { batch.problems[2].multiply(on_cpu<T>(options)); }));
        // The first two are done, the others are not begun.
        for (std::size_t i = 0; i < batch.problems.size(); ++i) {
          auto first = static_cast<int64_t>(i) * c.stride;
          std::vector<T> got(c.elements.begin() + first, c.elements.begin() + first + 72);
          auto expected = i < 2 ? batch.problems[i].multiply(on_cpu<T>(options)) : batch.problems[i].c0;
          EXPECT_EQ(first_difference(got, expected), -1) << i;
        }
      });
    };
    run([&](const Problem<T>& p, Stack<T>& a, Stack<T>& b, Stack<T>& c) {
      gemm_strided_batch(queue(), Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, a.elements.data(),
                         a.leading, a.stride, b.elements.data(), b.leading, b.stride, p.beta, c.elements.data(),
                         c.leading, c.stride, batch.count(), options);
    });
    run([&](const Problem<T>& p, Stack<T>& a, Stack<T>& b, Stack<T>& c) {
      Placed<T> da(queue(), a.elements, 3), db(queue(), b.elements, 1), dc(queue(), c.elements, 4);
      auto read = [&] {
        queue().finish();
        c.elements = dc.read(queue());
      };
      try {
        gemm_strided_batch(queue(), Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, da.buffer(), 3,
                           a.leading, a.stride, db.buffer(), 1, b.leading, b.stride, p.beta, dc.buffer(), 4, c.leading,
                           c.stride, batch.count(), {}, options)
            .wait();
      } catch (const error&) {
        read();
        throw;
      }
    });
  }
}

TYPED_TEST(OpenclModularBatch, WaitsForItsOperandsOnAnyQueue) {
  using T = TypeParam;
  auto batch = various<T>(false, false);
  GemmReport want, got;
  GemmOptions options = modular_options(Accuracy::classic);
  auto expected = batch.on_the_cpu(options, want);
  Context context = queue().context();
  cl::CommandQueue native(cl::Context(context.native(), true), cl::Device(context.native_device(), true),
                          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Queue out_of_order(native());
  EXPECT_EQ(first_difference(batch.in_buffers(out_of_order, options, got), expected), -1);
  EXPECT_EQ(first_difference(batch.from_host(out_of_order, options, got), expected), -1);
  // A comes late, and the call may wait for it or return.
  auto late = batch.computed_by([&](const Problem<T>& p, Stack<T>& a, Stack<T>& b, Stack<T>& c) {
    Placed<T> da(out_of_order, std::vector<T>(a.elements.size(), T(1)), 0), db(out_of_order, b.elements, 0),
        dc(out_of_order, c.elements, 0);
    cl::UserEvent gate(cl::Context(context.native(), true));
    std::thread producer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      Queue other(context);
      da.buffer().write(other, a.elements.data(), 0, std::ssize(a.elements));
      gate.setStatus(CL_COMPLETE);
    });
    gemm_strided_batch(out_of_order, Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, da.buffer(), 0,
                       a.leading, a.stride, db.buffer(), 0, b.leading, b.stride, p.beta, dc.buffer(), 0, c.leading,
                       c.stride, batch.count(), {Event(gate())}, options)
        .wait();
    producer.join();
    c.elements = dc.read(out_of_order);
  });
  EXPECT_EQ(first_difference(late, expected), -1);
}

TYPED_TEST(OpenclModularBatch, ErrorsNameWhatIsWrong) {
  using T = TypeParam;
  Context context = queue().context();
  Buffer<T> x(context, 100), y(context, 100), elsewhere(test_context(), 100);
  std::vector<T> host(300, T(1));
  auto device = [&](const Buffer<T>& a, int64_t stride_a, int64_t stride_b, Buffer<T>& c, int64_t offset_c,
                    int64_t stride_c, int64_t batch) {
    gemm_strided_batch(queue(), Layout::column, Op::none, Op::none, 3, 3, 3, T(1), a, 0, 3, stride_a, x, 50, 3,
                       stride_b, T(0), c, offset_c, 3, stride_c, batch, {}, {.engine = Engine::automatic});
  };
  auto on_host = [&](int64_t stride_a, int64_t stride_c, int64_t batch) {
    gemm_strided_batch(queue(), Layout::column, Op::none, Op::none, 3, 3, 3, T(1), host.data(), 3, stride_a,
                       host.data() + 100, 3, 9, T(0), host.data() + 200, 3, stride_c, batch,
                       {.engine = Engine::modular});
  };
  auto expect = [](std::initializer_list<std::string> parts, auto call) {
    expect_contains(message_of(errc::invalid_argument, call), parts);
  };
  expect({"batch = -2"}, [&] { on_host(9, 9, -2); });
  expect({"stride_a = -1"}, [&] { on_host(-1, 9, 2); });
  expect({"stride_c = 8"}, [&] { on_host(9, 8, 2); });
  expect({"C overlaps A"}, [&] { on_host(30, 9, 8); });
  expect({"batch = -2"}, [&] { device(x, 9, 9, y, 0, 9, -2); });
  expect({"stride_b = -3"}, [&] { device(x, 9, -3, y, 0, 9, 2); });
  expect({"stride_c = 8"}, [&] { device(x, 9, 9, y, 0, 8, 2); });
  expect({"A covers", "100"}, [&] { device(x, 31, 9, y, 0, 9, 4); });
  expect({"B covers", "100"}, [&] { device(x, 9, 14, y, 0, 9, 4); });
  expect({"C covers", "100"}, [&] { device(x, 9, 9, y, 65, 9, 4); });
  expect({"C overlaps B"}, [&] { device(y, 9, 9, x, 60, 9, 2); });
  expect({"C overlaps A"}, [&] { device(x, 9, 0, x, 9, 9, 2); });
  expect({"C belongs to another"}, [&] { device(x, 9, 9, elsewhere, 0, 9, 2); });
  EXPECT_EQ(host, std::vector<T>(300, T(1)));
  message_of(errc::overflow, [&] { device(x, std::int64_t{1} << 62, 9, y, 0, 9, 8); });
  // Interleaved, and so next to one another, they do not overlap.
  EXPECT_NO_THROW(device(x, 18, 0, x, 9, 18, 2));
}

TYPED_TEST(OpenclModularBatch, Plans) {
  using T = TypeParam;
  GemmPlan one =
      plan_gemm<T>(queue(), Layout::column, Op::none, Op::none, 20, 21, 22, modular_options(Accuracy::classic));
  GemmPlan many =
      plan_gemm<T>(queue(), Layout::column, Op::none, Op::none, 20, 21, 22, modular_options(Accuracy::classic), 7);
  EXPECT_EQ(one.batch, 1);
  EXPECT_EQ(many.batch, 7);
  EXPECT_EQ(one.moduli, many.moduli);
  expect_contains(message_of(errc::invalid_argument,
                             [] { plan_gemm<T>(queue(), Layout::column, Op::none, Op::none, 2, 2, 2, {}, -1); }),
                  {"batch = -1"});
}

}  // namespace
}  // namespace hilo::test
