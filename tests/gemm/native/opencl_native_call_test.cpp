// Calls of products in S, D, C and Z on an OpenCL device: 3M, events, errors, plans, threads.
#include "native_problem.hpp"

namespace {

using namespace hilo;
using namespace hilo::test::native;
using std::int64_t;

template <class T>
class OpenclNativeCall : public NativeTest<T> {};
TYPED_TEST_SUITE(OpenclNativeCall, Elements);

TYPED_TEST(OpenclNativeCall, MultipliesComplexNumbersByThreeProducts) {
  using T = TypeParam;
  if (!is_complex<T>) GTEST_SKIP() << "a real product is one";
  GemmOptions options = direct_options<T>();
  options.complex_product = ComplexProduct::three;
  std::uint64_t seed = 950;
  auto multiply = [&](const Problem<T>& p, GemmReport* report) {
    return in_memory(p, queue(), [&](Buffer<T>& a, Buffer<T>& b, Buffer<T>& c) {
      return gemm_strided_batch(queue(), p.s.layout, p.s.opa, p.s.opb, p.m, p.n, p.k, p.alpha, a, p.s.offset_a, p.lda,
                                p.stride_a, b, p.s.offset_b, p.ldb, p.stride_b, p.beta, c, p.s.offset_c, p.ldc,
                                p.stride_c, p.batch, {}, options, report);
    });
  };
  for (Layout layout : layouts) {
    for (Op opa : ops) {
      for (Op opb : ops) {
        for (Entries entries : {Entries::whole, Entries::uniform}) {
          ++seed;
          Problem<T> p({.layout = layout, .opa = opa, .opb = opb}, 1 + static_cast<int64_t>(seed * 7 % 70),
                       1 + static_cast<int64_t>(seed * 11 % 70), 1 + static_cast<int64_t>(seed * 13 % 90), seed,
                       entries, 1 + static_cast<int64_t>(seed % 3), seed % 5 == 0, seed % 4 == 0);
          if (seed % 2) p.beta = T(0);
          if (seed % 2) std::fill(p.c.begin(), p.c.end(), number<T>(quiet_nan, quiet_nan));
          GemmReport report{};
          const std::vector<T> got = multiply(p, &report);
          EXPECT_EQ(report.plan.complex_product, ComplexProduct::three);
          EXPECT_EQ(report.plan.error_bound_u2, 4.0 * (static_cast<double>(p.k) + 4.0));
          expect_product(p, got, "three products", report.plan.error_bound_u2);
        }
      }
    }
  }
}

TYPED_TEST(OpenclNativeCall, ThreeProductsDoNotOverflowBeforeTheirResult) {
  using T = TypeParam;
  if constexpr (is_complex<T>) {
    using Word = typename T::value_type;
    const Word large = Word(0.7) * std::numeric_limits<Word>::max();
    const std::vector<T> a(8 * 8, T(large, large)), b(8 * 8, T(Word(0x1p-7), Word(0)));
    std::vector<T> c(8 * 8);
    GemmOptions options = direct_options<T>();
    options.complex_product = ComplexProduct::three;
    gemm(queue(), Layout::column, Op::none, Op::none, 8, 8, 8, T(1), a.data(), 8, b.data(), 8, T(0), c.data(), 8,
         options);
    for (const T& x : c) EXPECT_LE(std::abs(x / (large * Word(0x1p-4)) - T(1, 1)), 1e-5);
  }
}

TYPED_TEST(OpenclNativeCall, WaitsForEventsOnQueuesOfAnyOrder) {
  using T = TypeParam;
  Context context = queue().context();
  const cl::Device native_device(context.native_device(), true);
  std::vector<Queue> queues = {queue()};
  if (native_device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
    cl::CommandQueue native(cl::Context(context.native(), true), native_device, cl::QueueProperties::OutOfOrder);
    queues.push_back(Queue(native()));
  }
  for (Queue& q : queues) {
    Problem<T> p({}, 33, 33, 33, 900, Entries::whole);
    Placed<T> a(q, p.a, 3), b(q, p.b, 5), c(q, p.c, 1), d(q, p.c, 2);
    cl::UserEvent gate(cl::Context(context.native(), true));
    auto multiply = [&](Buffer<T>& x, int64_t offset_x, Buffer<T>& y, int64_t offset_y, const Event& after) {
      return gemm(q, Layout::column, Op::none, Op::none, 33, 33, 33, T(1), a.buffer(), 3, p.lda, x, offset_x, p.lda,
                  T(0), y, offset_y, p.ldc, {after}, direct_options<T>());
    };
    Event first = multiply(b.buffer(), 5, c.buffer(), 1, Event(gate()));
    Event second = multiply(c.buffer(), 1, d.buffer(), 2, first);
    EXPECT_NE(first.status(), EventStatus::complete);
    gate.setStatus(CL_COMPLETE);
    second.wait();
    EXPECT_EQ(first.status(), EventStatus::complete);
    p.alpha = T(1);
    p.beta = T(0);
    std::vector<T> once = c.read(q);
    expect_product(p, once, "A * B");
    Problem<T> twice = p;
    twice.b = once;
    expect_product(twice, d.read(q), "A * A * B");

    // Products that share no memory but their workspace.
    std::vector<Problem<T>> problems;
    std::vector<Placed<T>> as, bs, cs;
    std::vector<Event> events;
    for (std::uint64_t i = 0; i < 6; ++i) {
      problems.emplace_back(Storage{.opa = Op::transpose}, 40, 30, 20, 910 + i, Entries::whole);
      as.emplace_back(q, problems[i].a, 0), bs.emplace_back(q, problems[i].b, 0), cs.emplace_back(q, problems[i].c, 0);
    }
    for (std::size_t i = 0; i < 6; ++i) {
      const Problem<T>& x = problems[i];
      events.push_back(gemm(q, x.s.layout, x.s.opa, x.s.opb, x.m, x.n, x.k, x.alpha, as[i].buffer(), 0, x.lda,
                            bs[i].buffer(), 0, x.ldb, x.beta, cs[i].buffer(), 0, x.ldc, {}, direct_options<T>()));
    }
    for (const Event& event : events) event.wait();
    for (std::size_t i = 0; i < 6; ++i) expect_product(problems[i], cs[i].read(q), "at once");
  }
}

TYPED_TEST(OpenclNativeCall, NothingToDoIsDoneAfterTheWaitList) {
  using T = TypeParam;
  Context context = queue().context();
  cl::UserEvent gate(cl::Context(context.native(), true));
  Buffer<T> x(context, 16), y(context, 16);
  const int64_t sizes[][3] = {{0, 4, 4}, {4, 0, 4}, {4, 4, 0}};
  std::vector<Event> events;
  for (const auto& [m, n, k] : sizes) {
    events.push_back(gemm(queue(), Layout::column, Op::none, Op::none, m, n, k, T(1), x, 0, 4, x, 0, 4, T(1), y, 0, 4,
                          {Event(gate())}, direct_options<T>()));
    EXPECT_NE(events.back().status(), EventStatus::complete) << m << " x " << n << " x " << k;
  }
  gate.setStatus(CL_COMPLETE);
  for (const Event& event : events) event.wait();
  T* none = nullptr;
  gemm_strided_batch<T>(queue(), Layout::row, Op::none, Op::none, 5, 4, 3, T(1), none, 3, 0, none, 4, 0, T(0), none, 4,
                        0, 0, direct_options<T>());
}

TYPED_TEST(OpenclNativeCall, ErrorsNameWhatIsWrongAndLeaveCAlone) {
  using T = TypeParam;
  const std::string precision = "precision " + std::string(name(precision_of<T>));
  Problem<T> p({}, 8, 6, 10, 19);
  std::vector<T> out = p.c;
  auto host = [&](int64_t m, int64_t lda, const T* b, GemmOptions options = direct_options<T>()) {
    gemm(queue(), p.s.layout, p.s.opa, p.s.opb, m, p.n, p.k, p.alpha, p.a.data(), lda, b, p.ldb, p.beta, out.data(),
         p.ldc, options);
  };
  auto expect = [&](errc code, std::initializer_list<std::string> parts, auto call) {
    expect_contains(message_of(code, call), parts);
  };
  expect(errc::invalid_argument, {"m = -3"}, [&] { host(-3, p.lda, p.b.data()); });
  expect(errc::invalid_argument, {"lda = 7"}, [&] { host(8, 7, p.b.data()); });
  expect(errc::invalid_argument, {"B is null"}, [&] { host(8, p.lda, nullptr); });
  expect(errc::invalid_argument, {"C overlaps B"}, [&] { host(8, p.lda, out.data()); });
  for (Accuracy accuracy : {Accuracy::tight, Accuracy::normwise, Accuracy::exact}) {
    expect(errc::unsupported, {"accuracy " + std::string(name(accuracy)), "direct"},
           [&] { host(8, p.lda, p.b.data(), {.engine = Engine::direct, .accuracy = accuracy}); });
  }
  if (kind_of<T>.word_bytes() == 4) {
    for (const GemmOptions& options : {GemmOptions{.engine = Engine::modular}, GemmOptions{.accuracy = Accuracy::tight},
                                       GemmOptions{.engine = Engine::reproducible},
                                       GemmOptions{.engine = Engine::modular, .accuracy = Accuracy::exact}}) {
      expect(errc::unsupported, {precision, "direct"}, [&] { host(8, p.lda, p.b.data(), options); });
      expect(errc::unsupported, {precision, "direct"},
             [&] { plan_gemm<T>(queue(), Layout::column, Op::none, Op::none, 3, 3, 3, options); });
    }
  }
  expect_same(out, p.c, "C after errors");

  Context context = queue().context();
  Buffer<T> a(context, 100), c(context, 100), elsewhere(test_context(), 100);
  auto device = [&](Buffer<T>& to, int64_t offset_a, int64_t offset_b, int64_t offset_c) {
    gemm(queue(), Layout::column, Op::none, Op::none, 5, 5, 5, T(1), a, offset_a, 5, a, offset_b, 5, T(0), to, offset_c,
         5, {}, direct_options<T>());
  };
  expect(errc::invalid_argument, {"A covers 25", "76", "100"}, [&] { device(c, 76, 0, 0); });
  expect(errc::invalid_argument, {"C covers 25", "76", "100"}, [&] { device(c, 0, 0, 76); });
  expect(errc::invalid_argument, {"offset of B = -1"}, [&] { device(c, 0, -1, 0); });
  expect(errc::invalid_argument, {"C overlaps B"}, [&] { device(a, 60, 30, 26); });
  expect(errc::invalid_argument, {"C overlaps A"}, [&] { device(a, 20, 60, 0); });
  expect(errc::invalid_argument, {"C belongs to another"}, [&] { device(elsewhere, 0, 0, 0); });
  EXPECT_NO_THROW(device(c, 0, 25, 75));
  auto batch = [&](int64_t stride_a, int64_t stride_c, int64_t count) {
    gemm_strided_batch(queue(), Layout::column, Op::none, Op::none, 5, 5, 1, T(1), a, 0, 5, stride_a, a, 0, 1, 0, T(0),
                       c, 0, 5, stride_c, count, {}, direct_options<T>());
  };
  expect(errc::invalid_argument, {"stride_c = 24"}, [&] { batch(5, 24, 2); });
  expect(errc::invalid_argument, {"batch = -1"}, [&] { batch(5, 25, -1); });
  expect(errc::invalid_argument, {"stride_a = -5"}, [&] { batch(-5, 25, 2); });
  expect(errc::invalid_argument, {"C covers 125"}, [&] { batch(5, 25, 5); });
  expect(errc::invalid_argument, {"A covers 101"}, [&] { batch(32, 25, 4); });
  EXPECT_NO_THROW(batch(31, 25, 4));
  queue().finish();

  cl::UserEvent failed(cl::Context(context.native(), true));
  failed.setStatus(-5);
  expect(errc::device_failure, {"wait list"}, [&] {
    gemm(queue(), Layout::column, Op::none, Op::none, 5, 5, 5, T(1), a, 0, 5, a, 0, 5, T(0), c, 0, 5, {Event(failed())},
         direct_options<T>());
  });
}

TYPED_TEST(OpenclNativeCall, PlansSayWhatWillRun) {
  using T = TypeParam;
  const GemmPlan plan =
      plan_gemm<T>(queue(), Layout::row, Op::none, Op::transpose, 100, 200, 300, direct_options<T>(), 7);
  EXPECT_EQ(plan.precision, precision_of<T>);
  EXPECT_EQ(plan.backend, Backend::opencl);
  EXPECT_EQ(plan.engine, Engine::direct);
  EXPECT_EQ(plan.path, Path::direct);
  EXPECT_EQ(plan.batch, 7);
  EXPECT_EQ(std::string(plan.unit), device().name.substr(0, 63));
  EXPECT_EQ(plan.error_bound_u2, (is_complex<T> ? 3 : 1) * 304.0);
  EXPECT_GE(plan.workspace_bytes, 0);
  EXPECT_LE(plan.workspace_bytes, tile::default_workspace(device()));
  // Sizes alone are no reason to refuse, where the matrices would fit.
  constexpr int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_NO_THROW(
      plan_gemm<T>(queue(), Layout::column, Op::transpose, Op::none, int64_t{1} << 30, 1, 1, direct_options<T>()));
  EXPECT_NO_THROW(
      plan_gemm<T>(queue(), Layout::column, Op::none, Op::none, 1, 1, int64_t{1} << 36, direct_options<T>()));
  EXPECT_EQ(plan_gemm<T>(queue(), Layout::column, Op::none, Op::none, 0, huge, 0, direct_options<T>()).workspace_bytes,
            0);
}

TYPED_TEST(OpenclNativeCall, ThreadsDoNotDisturbEachOther) {
  using T = TypeParam;
  if (is_small()) GTEST_SKIP() << "oclgrind takes one thread";
  std::vector<Problem<T>> problems;
  for (std::uint64_t t = 0; t < 4; ++t) {
    // Square: PoCL 3.1 ends the process where a kernel is launched over different widths at a time, as it looks for its
    // text anew when a launch is over, and may find that of the other width.
    problems.emplace_back(Storage{.layout = layouts[t % 2], .opa = ops[t % 3], .opb = ops[t / 2]}, 65, 65, 50 + t,
                          1000 + t, Entries::whole);
  }
  std::vector<std::vector<T>> hosts(4), buffers(4);
  Queue shared(queue().context());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      // Two share a queue, two have their own.
      Queue own(queue().context());
      Queue& q = t < 2 ? shared : own;
      for (int repeat = 0; repeat < 5; ++repeat) {
        hosts[t] = from_host(problems[t], nullptr, q);
        buffers[t] = in_buffers(problems[t], nullptr, q);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t t = 0; t < 4; ++t) {
    expect_product(problems[t], hosts[t], "a thread");
    expect_product(problems[t], buffers[t], "a thread");
  }
}

}  // namespace
