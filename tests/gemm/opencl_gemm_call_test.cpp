// Calls of gemm on a device besides the numbers: events, errors and plans.
#include <gtest/gtest.h>

#include <cfenv>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <limits>

#include "error_message.hpp"
#include "gemm/direct/opencl/product.hpp"
#include "opencl/bindings.hpp"
#include "opencl_problem.hpp"
#include "rounding_modes.hpp"

namespace {

using namespace hilo;

TEST(OpenclGemmEvents, NothingToDoIsDoneAfterTheWaitList) {
  Context context = queue().context();
  cl::UserEvent gate(cl::Context(context.native(), true));
  Buffer<dd_real> x(context, 16);
  const std::int64_t sizes[][3] = {{0, 4, 4}, {4, 0, 4}, {4, 4, 0}};
  std::vector<Event> events;
  for (const auto& [m, n, k] : sizes) {
    events.push_back(
        gemm(queue(), Layout::column, Op::none, Op::none, m, n, k, 1, x, 0, 4, x, 0, 4, 1, x, 0, 4, {Event(gate())}));
    EXPECT_NE(events.back().status(), EventStatus::complete) << m << " x " << n << " x " << k;
  }
  gate.setStatus(CL_COMPLETE);
  for (const Event& event : events) event.wait();
}

TEST(OpenclGemmErrors, NameWhatIsWrongAndLeaveCAlone) {
  Problem<dd_real> p(Layout::column, Op::none, Op::none, 8, 6, 10, 19);
  auto before = p.c;
  auto host = [&](std::int64_t m, std::int64_t lda, const dd_real* b) {
    gemm(queue(), p.layout, p.opa, p.opb, m, p.n, p.k, p.alpha, p.a.data(), lda, b, p.ldb, p.beta, p.c.data(), p.ldc);
  };
  expect_contains(message_of(errc::invalid_argument, [&] { host(-3, p.lda, p.b.data()); }), {"m = -3"});
  expect_contains(message_of(errc::invalid_argument, [&] { host(8, 7, p.b.data()); }), {"lda = 7"});
  expect_contains(message_of(errc::invalid_argument, [&] { host(8, p.lda, nullptr); }), {"B is null"});
  expect_contains(message_of(errc::invalid_argument, [&] { host(8, p.lda, p.c.data()); }), {"C overlaps B"});
  expect_same(p.c, before, "C after errors");

  Context context = queue().context();
  Buffer<dd_real> a(context, 100), c(context, 100);
  auto device = [&](Buffer<dd_real>& out, std::int64_t offset_a, std::int64_t offset_b, std::int64_t offset_c) {
    gemm(queue(), Layout::column, Op::none, Op::none, 5, 5, 5, dd_real(1), a, offset_a, 5, a, offset_b, 5, dd_real(0),
         out, offset_c, 5);
  };
  expect_contains(message_of(errc::invalid_argument, [&] { device(c, 76, 0, 0); }), {"A covers 25", "76", "100"});
  expect_contains(message_of(errc::invalid_argument, [&] { device(c, 0, -1, 0); }), {"offset of B = -1"});
  expect_contains(message_of(errc::invalid_argument, [&] { device(a, 60, 30, 26); }), {"C overlaps B"});
  expect_contains(message_of(errc::invalid_argument, [&] { device(a, 20, 60, 0); }), {"C overlaps A"});
  Buffer<dd_real> elsewhere(test_context(), 100);
  expect_contains(message_of(errc::invalid_argument, [&] { device(elsewhere, 0, 0, 0); }), {"C belongs to another"});
  device(c, 0, 25, 50);
  // Blocks of one matrix, interleaved in memory, do not overlap.
  auto interleaved = [&](std::int64_t offset_c) {
    gemm(queue(), Layout::column, Op::none, Op::none, 5, 5, 5, dd_real(1), a, 0, 10, c, 0, 5, dd_real(0), a, offset_c,
         10);
  };
  EXPECT_NO_THROW(interleaved(5));
  expect_contains(message_of(errc::invalid_argument, [&] { interleaved(4); }), {"C overlaps A"});
}

TEST(OpenclGemmEvents, AFailedEventOfTheWaitListIsRefused) {
  Context context = queue().context();
  cl::UserEvent failed(cl::Context(context.native(), true));
  failed.setStatus(-5);
  std::vector<dd_real> ones(4, 1), result(4, 7);
  Buffer<dd_real> a(context, 4), c(context, 4);
  a.write(queue(), ones.data(), 0, 4);
  c.write(queue(), result.data(), 0, 4);
  auto multiply = [&](const std::vector<Event>& wait_list) {
    return gemm(queue(), Layout::column, Op::none, Op::none, 2, 2, 2, dd_real(1), a, 0, 2, a, 0, 2, dd_real(0), c, 0, 2,
                wait_list);
  };
  expect_contains(message_of(errc::device_failure, [&] { multiply({Event(failed())}); }), {"wait list"});
  c.read(queue(), result.data(), 0, 4);
  EXPECT_EQ(result, std::vector<dd_real>(4, 7));
  multiply({}).wait();
  c.read(queue(), result.data(), 0, 4);
  EXPECT_EQ(result, std::vector<dd_real>(4, 2));
}

TEST(OpenclGemmEvents, AnEventOfTheWaitListThatFailsLaterFailsTheCall) {
  Context context;
  for (Profiling profiling : {Profiling::off, Profiling::on}) {
    Queue q(context, profiling);
    std::vector<double> ones(64, 1), result(64, 7);
    Buffer<double> a(context, 64), c(context, 64);
    a.write(q, ones.data(), 0, 64);
    c.write(q, result.data(), 0, 64);
    cl::UserEvent fails(cl::Context(context.native(), true));
    Event event = gemm(q, Layout::column, Op::none, Op::none, 8, 8, 8, 1.0, a, 0, 8, a, 0, 8, 0.0, c, 0, 8,
                       {Event(fails())}, {.engine = Engine::direct});
    fails.setStatus(-5);
    EXPECT_NE(message_of(errc::device_failure, [&] { event.wait(); }), "");
    EXPECT_EQ(event.status(), EventStatus::failed);
    Queue other(context);
    c.read(other, result.data(), 0, 64);
    EXPECT_EQ(result, std::vector<double>(64, 7));
  }
}

TEST(OpenclGemm, HasTheBitsOfTheDefaultUnderEveryRoundingMode) {
  for (Engine engine : {Engine::direct, Engine::modular}) {
    Problem<dd_real> p(Layout::column, Op::none, Op::transpose, 33, 20, 70, 5);
    p.options.engine = engine;
    std::vector<dd_real> expected = p.c;
    p.run(expected);
    for (hilo::testing::RoundingMode mode : hilo::testing::rounding_modes) {
      std::vector<dd_real> found = p.c;
      const int after = hilo::testing::rounded_by(mode, [&] {
        p.run(found);
        return std::fegetround();
      });
      EXPECT_EQ(after, mode.value);
      expect_same(found, expected, mode.name);
    }
  }
}

TEST(OpenclGemmPlan, SaysWhatWillRun) {
  GemmPlan plan = plan_gemm<dd_complex>(queue(), Layout::column, Op::none, Op::transpose, 100, 200, 300,
                                        {.accuracy = Accuracy::fast, .fma = Fma::off});
  const DeviceInfo device = queue().context().device();
  EXPECT_EQ(plan.backend, Backend::opencl);
  EXPECT_EQ(plan.engine, Engine::direct);
  EXPECT_FALSE(plan.fma);
  EXPECT_EQ(std::string(plan.unit), device.name.substr(0, 63));
  EXPECT_GT(plan.workspace_bytes, 0);
  EXPECT_LE(plan.workspace_bytes, tile::default_workspace(device));
  EXPECT_GT(plan.error_bound_u2, 0.0);
  expect_contains(to_string(plan), {"opencl", "fast", "no FMA"});
  // Sizes alone are no reason to refuse, where the matrices would fit.
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_NO_THROW(plan_gemm<dd_real>(queue(), Layout::column, Op::transpose, Op::none, std::int64_t{1} << 30, 1, 1));
  EXPECT_EQ(plan_gemm<dd_complex>(queue(), Layout::column, Op::none, Op::none, 0, huge, 0).workspace_bytes, 0);
}

}  // namespace
