// Calls of the modular engine on a device besides the numbers: buffers, wait lists and events, queues of every kind,
// threads, plans, and errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "modular_hard_problems.hpp"
#include "opencl/bindings.hpp"
#include "opencl_modular.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

constexpr GemmOptions modular = {.engine = Engine::modular};

// All three matrices of a product by columns in one buffer, A first.
template <class T>
struct OneBuffer {
  const Problem<T>& p;
  Buffer<T> memory;

  OneBuffer(const Queue& q, const Problem<T>& problem)
      : p(problem), memory(q.context(), 7 + p.m * p.k + p.k * p.n + p.m * p.n) {
    memory.write(q, p.a.data(), a(), std::ssize(p.a));
    memory.write(q, p.b.data(), b(), std::ssize(p.b));
    memory.write(q, p.c0.data(), c(), std::ssize(p.c0));
  }
  int64_t a() const { return 3; }
  int64_t b() const { return 5 + p.m * p.k; }
  int64_t c() const { return 7 + p.m * p.k + p.k * p.n; }

  Event multiply(Queue& q, const std::vector<Event>& wait_list, const GemmOptions& options,
                 GemmReport* report = nullptr) {
    return gemm(q, Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, memory, a(), p.m, memory, b(), p.k,
                p.beta, memory, c(), p.m, wait_list, options, report);
  }
  std::vector<T> result(const Queue& q, const std::vector<Event>& wait_list = {}) const {
    std::vector<T> x(p.c0.size());
    memory.read(q, x.data(), c(), std::ssize(x), wait_list);
    return x;
  }
};

template <class T>
Problem<T> some_problem(std::uint64_t seed = 1) {
  auto p = generated<T>(range_kind(2), 33, 20, 70, seed);
  set_scalars(p);
  return p;
}

template <class T>
class OpenclModularCall : public testing::Test {};
TYPED_TEST_SUITE(OpenclModularCall, Precisions, PrecisionName);

TYPED_TEST(OpenclModularCall, AllInOneBuffer) {
  using T = TypeParam;
  auto p = some_problem<T>();
  GemmReport want, got;
  auto expected = p.multiply(on_cpu<T>(modular), &want);
  OneBuffer<T> x(queue(), p);
  Event event = x.multiply(queue(), {}, modular, &got);
  // The report does not wait.
  expect_same_report(got, want, "one buffer");
  event.wait();
  EXPECT_EQ(event.status(), EventStatus::complete);
  EXPECT_GT(event.seconds(), 0.0);
  EXPECT_EQ(first_difference(x.result(queue()), expected), -1);
}

TYPED_TEST(OpenclModularCall, WaitsForItsOperands) {
  using T = TypeParam;
  for (Accuracy accuracy : {Accuracy::classic, Accuracy::normwise, Accuracy::bits, Accuracy::exact}) {
    auto p = generated<T>(uniform_kind, 20, 21, 30, 2);
    GemmOptions options = modular_options(accuracy);
    auto expected = p.multiply(on_cpu<T>(options));
    OneBuffer<T> x(queue(), p);
    std::vector<T> nothing(p.a.size(), number<T>(hard::nan));
    x.memory.write(queue(), nothing.data(), x.a(), std::ssize(nothing));
    cl::UserEvent gate(cl::Context(queue().context().native(), true));
    // A comes late, and the call may wait for it or return.
    std::thread producer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      Queue other(queue().context());
      x.memory.write(other, p.a.data(), x.a(), std::ssize(p.a));
      gate.setStatus(CL_COMPLETE);
    });
    Event event = x.multiply(queue(), {Event(), Event(gate())}, options);
    event.wait();
    producer.join();
    EXPECT_EQ(first_difference(x.result(queue()), expected), -1) << name(accuracy);
  }
}

// C of one product is A of the next, and so on, each on another queue.
template <class T>
void expect_chain(std::vector<Queue>& queues) {
  constexpr int64_t n = 19, size = n * n;
  auto p = generated<T>(range_kind(1), n, n, n, 3);
  Buffer<T> memory(queues[0].context(), 3 * size);
  memory.write(queues[0], p.a.data(), 0, size);
  memory.write(queues[0], p.b.data(), size, size);
  Event last;
  for (int64_t step = 0; step < 6; ++step) {
    int64_t from = step % 2 ? 2 * size : 0, to = 2 * size - from;
    last = gemm(queues[static_cast<std::size_t>(step) % queues.size()], Layout::column, Op::none, Op::none, n, n, n,
                p.alpha, memory, from, n, memory, size, n, T(0), memory, to, n, {last}, modular);
    p.a = p.multiply(on_cpu<T>(modular));
  }
  std::vector<T> got(static_cast<std::size_t>(size));
  memory.read(queues[0], got.data(), 0, size, {last});
  EXPECT_EQ(first_difference(got, p.a), -1);
}

TYPED_TEST(OpenclModularCall, OneAfterAnotherOnSeveralQueues) {
  std::vector<Queue> queues;
  for (int i = 0; i < 3; ++i) queues.emplace_back(queue().context());
  expect_chain<TypeParam>(queues);
}

TYPED_TEST(OpenclModularCall, QueuesOutOfOrder) {
  using T = TypeParam;
  Context context = queue().context();
  std::vector<Queue> queues;
  for (int i = 0; i < 2; ++i) {
    cl::CommandQueue q(cl::Context(context.native(), true), cl::Device(context.native_device(), true),
                       CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    queues.emplace_back(q());
  }
  expect_chain<T>(queues);
  auto p = guarded_problem<T>(64, 66, 60, 4);
  set_scalars(p);
  auto expected = p.multiply(on_cpu<T>(modular));
  for (int64_t depth : {0, 16}) {
    GemmOptions options = modular;
    options.depth = depth;
    EXPECT_EQ(first_difference(multiply_from_host(queues[0], p, options), expected), -1) << depth;
    EXPECT_EQ(first_difference(multiply_in_buffers(queues[1], p, options), expected), -1) << depth;
    // Two that do not wait for one another.
    OneBuffer<T> x(queues[0], p), y(queues[0], p);
    Event first = x.multiply(queues[0], {}, options), second = y.multiply(queues[0], {}, options);
    EXPECT_EQ(first_difference(y.result(queues[0], {second}), expected), -1) << depth;
    EXPECT_EQ(first_difference(x.result(queues[0], {first}), expected), -1) << depth;
  }
}

TYPED_TEST(OpenclModularCall, ManyInFlight) {
  using T = TypeParam;
  std::vector<Problem<T>> problems;
  for (std::uint64_t seed = 0; seed < 8; ++seed) problems.push_back(some_problem<T>(seed));
  std::vector<OneBuffer<T>> memory;
  for (const Problem<T>& p : problems) memory.emplace_back(queue(), p);
  std::vector<Event> events;
  for (OneBuffer<T>& x : memory) events.push_back(x.multiply(queue(), {}, modular));
  for (std::size_t i = problems.size(); i-- > 0;) {
    events[i].wait();
    EXPECT_EQ(first_difference(memory[i].result(queue()), problems[i].multiply(on_cpu<T>(modular))), -1) << i;
  }
}

TYPED_TEST(OpenclModularCall, FourThreadsAtOnce) {
  using T = TypeParam;
  auto all = modular_products<T>();
  std::vector<std::vector<T>> expected;
  for (const auto& x : all) expected.push_back(x.problem.multiply(on_cpu<T>(x.options)));
  std::vector<std::thread> threads;
  // Two share a queue, two have their own; on a context that has built nothing yet. But PoCL 3.1 miscounts the users of
  // a kernel that several threads launch for the first time, and aborts.
  Context context = test_context();
  Queue shared(context);
  const bool is_pocl = context.device().version.find("PoCL") != std::string::npos;
  for (const auto& x : all) {
    if (is_pocl) multiply_in_buffers(shared, x.problem, x.options);
  }
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Queue own(context);
      for (std::size_t i = 0; i < all.size(); ++i) {
        std::size_t at = (i * 3 + t) % all.size();
        const auto& x = all[at];
        Queue& q = t < 2 ? shared : own;
        auto c = i % 2 ? multiply_from_host(q, x.problem, x.options) : multiply_in_buffers(q, x.problem, x.options);
        EXPECT_EQ(first_difference(c, expected[at]), -1) << x.name << ", thread " << t;
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TYPED_TEST(OpenclModularCall, NothingToDoIsDoneAfterTheWaitList) {
  using T = TypeParam;
  cl::UserEvent gate(cl::Context(queue().context().native(), true));
  Buffer<T> x(queue().context(), 16);
  const int64_t sizes[][3] = {{0, 4, 4}, {4, 0, 4}, {4, 4, 0}};
  std::vector<Event> events;
  for (const auto& [m, n, k] : sizes) {
    events.push_back(gemm(queue(), Layout::column, Op::none, Op::none, m, n, k, T(1), x, 0, 4, x, 0, 4, T(1), x, 0, 4,
                          {Event(gate())}, modular));
    EXPECT_NE(events.back().status(), EventStatus::complete) << m << " x " << n << " x " << k;
  }
  gate.setStatus(CL_COMPLETE);
  for (const Event& event : events) event.wait();
}

TYPED_TEST(OpenclModularCall, AFailedEventOfTheWaitListIsRefused) {
  using T = TypeParam;
  auto p = some_problem<T>();
  OneBuffer<T> x(queue(), p);
  cl::UserEvent failed(cl::Context(queue().context().native(), true));
  failed.setStatus(-5);
  std::string message =
      message_of(errc::device_failure, [&] { x.multiply(queue(), {Event(failed())}, modular).wait(); });
  expect_contains(message, {"wait list"});
  EXPECT_EQ(first_difference(x.result(queue()), p.c0), -1);
  x.multiply(queue(), {}, modular).wait();
  EXPECT_EQ(first_difference(x.result(queue()), p.multiply(on_cpu<T>(modular))), -1);
}

// The host's memory and the queue's order: a call that is done has read all of A and B.
TYPED_TEST(OpenclModularCall, OperandsMayChangeOnceItReturns) {
  using T = TypeParam;
  auto p = some_problem<T>();
  auto expected = p.multiply(on_cpu<T>(modular));
  std::vector<T> a = p.a, b = p.b, c = p.c0;
  gemm(queue(), Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, a.data(), p.m, b.data(), p.k, p.beta,
       c.data(), p.m, modular);
  std::fill(a.begin(), a.end(), T(0));
  std::fill(b.begin(), b.end(), T(0));
  EXPECT_EQ(first_difference(c, expected), -1);
  // The same buffer for A and B, and its part.
  Problem<T> square(19, 19, 19);
  square.a = generated<T>(uniform_kind, 19, 19, 19, 5).a;
  square.b = square.a;
  Buffer<T> x(queue().context(), 361), y(queue().context(), 361);
  x.write(queue(), square.a.data(), 0, 361);
  gemm(queue(), Layout::column, Op::none, Op::none, 19, 19, 19, T(1), x, 0, 19, x, 0, 19, T(0), y, 0, 19, {}, modular);
  std::vector<T> got(361);
  y.read(queue(), got.data(), 0, 361);
  EXPECT_EQ(first_difference(got, square.multiply(on_cpu<T>(modular))), -1);
}

// A product begins by what the last one like it took, and begins again where its own entries ask for something else:
// other bits, other moduli, the spread test, balanced terms, the direct engine for some entries or for all.
TYPED_TEST(OpenclModularCall, WhatTheLastProductTookIsNotTakenForGranted) {
  using T = TypeParam;
  const int64_t m = 37, n = 40, k = 70;
  std::vector<Problem<T>> problems = {flat<T>(m, n, k, 1)};
  for (double phi : {0.0, 1.0, 1.5, 3.0}) problems.push_back(generated<T>(range_kind(phi), m, n, k, 2));
  problems.push_back(balanced_problem<T>(m, n, k, 3));
  problems.push_back(flat<T>(m, n, k, 4));
  problems.back().left(3, 5) = number<T>(hard::infinity);
  problems.push_back(flat<T>(n, m, k, 5));
  std::set<int> moduli, bits;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < problems.size(); ++i) {
      if (i % 2) set_scalars(problems[i]);
      // Twice: the second one finds what it expects.
      for (int time = 0; time < 2; ++time) {
        GemmReport r = expect_as_on_cpu(problems[i], modular_options(Accuracy::classic), "after others");
        moduli.insert(r.plan.moduli);
        bits.insert(r.plan.bits);
      }
    }
    std::reverse(problems.begin(), problems.end());
  }
  EXPECT_GE(moduli.size(), 3u);
  EXPECT_GE(bits.size(), 4u);
}

// The spread test may take as many moduli and bits as the sum test of the product before it did, and other integers.
TYPED_TEST(OpenclModularCall, TheSameBitsByAnotherTestAreNotTheSame) {
  using T = TypeParam;
  for (int64_t k : {64, 100, 256}) {
    Random random(static_cast<std::uint64_t>(k));
    auto dense = [&](double least, double most) {
      Problem<T> p(32, 32, k);
      auto draw = [&] { return least + (most - least) * static_cast<double>(random.below(1 << 20)) / (1 << 20); };
      for (std::vector<T>* matrix : {&p.a, &p.b}) {
        for (T& x : *matrix) x = number<T>(draw(), draw());
      }
      return p;
    };
    auto by_sums = dense(0.85, 0.95), by_spread = dense(0.7501, 0.7811);
    // One entry has no terms.
    for (int64_t h = 0; h < k; ++h) (h % 2 ? by_spread.left(0, h) : by_spread.right(h, 0)) = T(0);
    for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast, Accuracy::tight}) {
      expect_as_on_cpu(by_sums, modular_options(accuracy), "by sums");
      expect_as_on_cpu(by_spread, modular_options(accuracy), "by spread");
    }
  }
}

TYPED_TEST(OpenclModularCall, PlansSayWhatWillRun) {
  using T = TypeParam;
  // Fewer terms than the sum test is made for, which would choose by the entries; and several tiles of any unit, as the
  // least workspace is that of one.
  auto p = flat<T>(300, 280, 60, 6);
  std::vector<std::pair<Accuracy, int>> cases = {
      {Accuracy::classic, 0}, {Accuracy::fast, 0}, {Accuracy::tight, 0}, {Accuracy::normwise, 0}, {Accuracy::bits, 70}};
  for (auto [accuracy, bits] : cases) {
    GemmOptions options = {.engine = Engine::modular, .accuracy = accuracy, .bits = bits};
    GemmPlan plan = plan_gemm<T>(queue(), Layout::column, Op::none, Op::none, p.m, p.n, p.k, options);
    EXPECT_EQ(plan.backend, Backend::opencl);
    EXPECT_EQ(plan.engine, Engine::modular);
    EXPECT_EQ(plan.threads, 0);
    EXPECT_EQ(std::string(plan.unit).substr(0, 8), queue().context().device().name.substr(0, 8));
    EXPECT_GT(plan.workspace_bytes, 0);
    GemmPlan cpu = plan_gemm<T>(Layout::column, Op::none, Op::none, p.m, p.n, p.k, on_cpu<T>(options));
    GemmReport report{plan};
    expect_same_report(report, {cpu}, "plan");
    // Without spread it is the report.
    multiply_from_host(queue(), p, options, &report);
    EXPECT_EQ(to_string(report.plan), to_string(plan));
    options.workspace_bytes = plan.workspace_bytes;
    EXPECT_LE(plan_gemm<T>(queue(), Layout::column, Op::none, Op::none, p.m, p.n, p.k, options).workspace_bytes,
              plan.workspace_bytes);
    options.depth = 30;
    EXPECT_LE(plan_gemm<T>(queue(), Layout::column, Op::none, Op::none, p.m, p.n, p.k, options).depth, 64);
  }
  EXPECT_NO_THROW(plan_gemm<T>(queue(), Layout::row, Op::transpose, Op::none, 0, 5, 7, modular));
  EXPECT_NO_THROW(plan_gemm<T>(queue(), Layout::row, Op::transpose, Op::none, 5, 5, 0, modular));
}

TYPED_TEST(OpenclModularCall, ErrorsNameWhatIsWrongAndLeaveCAlone) {
  using T = TypeParam;
  auto p = some_problem<T>();
  auto c = p.c0;
  auto host = [&](int64_t m, int64_t lda, const T* b, GemmOptions options) {
    gemm(queue(), Layout::column, Op::none, Op::none, m, p.n, p.k, p.alpha, p.a.data(), lda, b, p.k, p.beta, c.data(),
         p.m, options);
  };
  auto expect = [&](errc code, std::initializer_list<std::string> parts, auto call) {
    expect_contains(message_of(code, call), parts);
    EXPECT_EQ(first_difference(c, p.c0), -1);
  };
  const T* b = p.b.data();
  expect(errc::invalid_argument, {"m = -3"}, [&] { host(-3, p.m, b, modular); });
  expect(errc::invalid_argument, {"lda = 7"}, [&] { host(p.m, 7, b, modular); });
  expect(errc::invalid_argument, {"B is null"}, [&] { host(p.m, p.m, nullptr, modular); });
  expect(errc::invalid_argument, {"C overlaps B"}, [&] { host(p.m, p.m, c.data(), modular); });
  auto with = [](auto change) {
    GemmOptions options = modular;
    change(options);
    return options;
  };
  auto bits = [&](int count) { return with([=](GemmOptions& o) { o.accuracy = Accuracy::bits, o.bits = count; }); };
  for (int count : {0, -1, 166}) {
    expect(errc::invalid_argument, {"options.bits = " + std::to_string(count)},
           [&] { host(p.m, p.m, b, bits(count)); });
  }
  expect(errc::invalid_argument, {"options.bits = 5"},
         [&] { host(p.m, p.m, b, with([](GemmOptions& o) { o.bits = 5; })); });
  expect(errc::invalid_argument, {"options.depth = 65537"},
         [&] { host(p.m, p.m, b, with([](GemmOptions& o) { o.depth = 65537; })); });
  expect(errc::invalid_argument, {"options.levels = 3 is not in -1 to 2"},
         [&] { host(p.m, p.m, b, with([](GemmOptions& o) { o.levels = 3; })); });
  expect(errc::invalid_argument, {"options.workspace_bytes = -1"},
         [&] { host(p.m, p.m, b, with([](GemmOptions& o) { o.workspace_bytes = -1; })); });
  expect(errc::invalid_argument, {"options.workspace_bytes = 1 "},
         [&] { host(p.m, p.m, b, with([](GemmOptions& o) { o.workspace_bytes = 1; })); });
  GemmOptions direct_exact = {.engine = Engine::direct, .accuracy = Accuracy::exact};
  expect(errc::unsupported, {"direct", "exact"}, [&] { host(p.m, p.m, b, direct_exact); });

  Context context = queue().context();
  Buffer<T> x(context, 100), y(context, 100), elsewhere(test_context(), 100);
  auto device = [&](Buffer<T>& out, int64_t offset_a, int64_t offset_b, int64_t offset_c) {
    gemm(queue(), Layout::column, Op::none, Op::none, 5, 5, 5, T(1), x, offset_a, 5, x, offset_b, 5, T(0), out,
         offset_c, 5, {}, modular);
  };
  expect(errc::invalid_argument, {"A covers 25", "76", "100"}, [&] { device(y, 76, 0, 0); });
  expect(errc::invalid_argument, {"offset of B = -1"}, [&] { device(y, 0, -1, 0); });
  expect(errc::invalid_argument, {"C overlaps B"}, [&] { device(x, 60, 30, 26); });
  expect(errc::invalid_argument, {"C overlaps A"}, [&] { device(x, 20, 60, 0); });
  expect(errc::invalid_argument, {"C belongs to another"}, [&] { device(elsewhere, 0, 0, 0); });
}

template <class T>
class OpenclModularUnsupported : public testing::Test {};
using SinglePrecisions = testing::Types<float, std::complex<float>>;
TYPED_TEST_SUITE(OpenclModularUnsupported, SinglePrecisions);

TYPED_TEST(OpenclModularUnsupported, SinglePrecision) {
  using T = TypeParam;
  std::vector<T> a(16, T(1)), b(16, T(1)), c(16, T(2));
  for (Engine engine : {Engine::modular, Engine::reproducible}) {
    std::string message = message_of(errc::unsupported, [&] {
      gemm(queue(), Layout::column, Op::none, Op::none, 4, 4, 4, T(1), a.data(), 4, b.data(), 4, T(0), c.data(), 4,
           {.engine = engine});
    });
    expect_contains(message, {"precision " + std::string(name(precision_of<T>))});
  }
  EXPECT_EQ(c, std::vector<T>(16, T(2)));
}

}  // namespace
}  // namespace hilo::test
