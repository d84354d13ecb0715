// The start-up self-test passes here, and refuses a device whose arithmetic is wrong in any of the planted ways.
#include <gtest/gtest.h>

#include <hilo/gemm.hpp>
#include <iterator>

#include "environment_variable.hpp"
#include "opencl/native.hpp"
#include "opencl/self_test.hpp"
#include "planted_kernel.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace hilo;
using test::embedded_kernel;
using test::replaced;
using Folder = test::TemporaryFolder;
using Variable = test::EnvironmentVariable;

TEST(OpenclSelfTest, PassesInEveryWidth) {
  Context context;
  for (int lanes : {1, 2, 4, 8}) opencl::require_self_test(*context.state(), lanes);
}

TEST(OpenclSelfTest, RefusesADeviceWithWrongArithmeticAndNoOther) {
  Queue queue{Context()};
  std::vector<dd_real> a(9, dd_real(2)), c(9, dd_real(-1));
  auto multiply = [&] {
    gemm<dd_real>(queue, Layout::column, Op::none, Op::none, 3, 3, 3, 1.0, a.data(), 3, a.data(), 3, 0.0, c.data(), 3);
  };
  struct Fault {
    const char* file;
    const char* from;
    const char* to;
  };
  const Fault faults[] = {
      // What a contracted product does to a following sum.
      {"probe/self_test.cl", "two_sum(product, z.hi)", "two_sum(fma(x.hi, y.hi, z.hi), literal(0.0))"},
      // Fused and unfused mixed up.
      {"number/prelude.cl", "return fma(a, b, -c);", "return a * b - c;"},
      // Subnormals flushed.
      {"number/prelude.cl", "return a * b;",
       "real p = a * b; return CHOOSE(fabs(p) < literal(0x1p-1022), literal(0.0), p);"},
      // A sum in another order.
      {"hilo/detail/step.clh", "spare_add(spare_add(lo, x), y)", "spare_add(lo, spare_add(x, y))"},
  };
  for (const Fault& fault : faults) {
    Folder folder;
    folder.write(fault.file, replaced(embedded_kernel(fault.file), fault.from, fault.to));
    Variable path("HILO_KERNEL_PATH", folder.file("").c_str());
    for (int call = 0; call < 2; ++call) {
      try {
        multiply();
        ADD_FAILURE() << "not refused: " << fault.to;
      } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::self_test_failure) << e.what();
        EXPECT_NE(std::string(e.what()).find(queue.context().device().name), std::string::npos) << e.what();
      }
      EXPECT_EQ(c[0], dd_real(-1));
    }
  }
  multiply();
  EXPECT_EQ(c[0], dd_real(12));
}

TEST(OpenclSelfTest, IsNotEvenTriedWithoutDoublePrecision) {
  Context context;
  auto state = std::make_shared<opencl::ContextState>(context.state()->context, context.state()->device);
  state->info.fp64 = false;
  Context disguised(state);
  Queue q(disguised);
  std::vector<dd_real> a(9, dd_real(2)), c(9);
  auto multiply = [&](Engine engine) {
    return gemm<dd_real>(q, Layout::column, Op::none, Op::none, 3, 3, 3, 1.0, a.data(), 3, a.data(), 3, 0.0, c.data(),
                         3, {.engine = engine});
  };
  // Integers serve there.
  EXPECT_EQ(multiply(Engine::automatic).plan.engine, Engine::modular);
  EXPECT_EQ(c, std::vector<dd_real>(9, dd_real(12)));
  try {
    multiply(Engine::direct);
    ADD_FAILURE() << "no error";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::unsupported);
    EXPECT_NE(std::string(e.what()).find("double precision"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find(state->info.name), std::string::npos) << e.what();
  }
}

}  // namespace
