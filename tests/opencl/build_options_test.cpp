// Which build options of a user are taken, and which are refused for which reason.
#include "opencl/build_options.hpp"

#include <gtest/gtest.h>

#include <hilo/gemm.hpp>
#include <hilo/programs.hpp>

#include "error_message.hpp"
#include "opencl/native.hpp"

namespace {

using namespace hilo;
using opencl::checked_build_options;

TEST(BuildOptions, TakesWhatLeavesResultsAsTheyAre) {
  for (const char* option : {"-cl-opt-disable", "-cl-kernel-arg-info", "-cl-nv-verbose", "-cl-nv-maxrregcount=128",
                             "-cl-nv-opt-level=2", "-g", "-Werror", "-DMY_NAME", "-DMY_NAME=3", "-DMY_2=-1.5e+3"}) {
    EXPECT_EQ(checked_build_options(option), option);
  }
  EXPECT_EQ(checked_build_options(""), "");
  EXPECT_EQ(checked_build_options("  -g \n\t-D MY_NAME=x\n-cl-nv-opt-level 0 "), "-g -DMY_NAME=x -cl-nv-opt-level=0");
}

TEST(BuildOptions, RefusesTheOthersWithTheReason) {
  const auto refusal = [](const std::string& options) {
    return message_of(errc::invalid_argument, [&] { checked_build_options(options); });
  };
  for (const auto& [option, reason] : {std::pair{"-cl-mad-enable", "round once where the kernels round twice"},
                                       {"-cl-unsafe-math-optimizations", "break IEEE arithmetic"},
                                       {"-cl-fast-relaxed-math", "break IEEE arithmetic"},
                                       {"-cl-finite-math-only", "Inf and NaN"},
                                       {"-cl-no-signed-zeros", "sign of zeros"},
                                       {"-cl-denorms-are-zero", "subnormal"},
                                       {"-cl-single-precision-constant", "constants"},
                                       {"-cl-std=CL2.0", "OpenCL C 1.2"},
                                       {"-I.", "texts are hilo's own"},
                                       {"-ffast-math", "arithmetic"},
                                       {"-O3", "arithmetic"},
                                       {"-UHILO_FMA", "macros are hilo's own"},
                                       {"-cl-fp32-correctly-rounded-divide-sqrt", "only these are known"},
                                       {"-w", "only these are known to leave results as they are: -cl-opt-disable"},
                                       {"number.cl", "only these are known"},
                                       {"-cl-nv-opt-level", "it takes a number"},
                                       {"-cl-nv-opt-level=x", "it takes a number"},
                                       {"-DHILO_FMA=0", "begin with HILO_"},
                                       {"-D__OPENCL_VERSION__=200", "begin with _"},
                                       {"-DCL_VERSION_2_0=1", "begin with CL_"},
                                       {"-DTILE_ROWS=8", "hilo's kernels have that name"},
                                       {"-DWORD=float", "hilo's kernels have that name"},
                                       {"-Dfma=mad", "capital letters"},
                                       {"-Dconvert_double8=0", "capital letters"},
                                       {"-D2X", "capital letters"},
                                       {"-D", "capital letters"},
                                       {"-DMY_NAME=(1)", "a value may have"}}) {
    SCOPED_TRACE(option);
    for (const std::string& options : {std::string(option), std::string("-g ") + option}) {
      expect_contains(refusal(options), {"build option", option, "is refused: ", reason});
    }
  }
  expect_contains(refusal(std::string("-Da\0b", 5)), {"build option -Da\\x00b is refused: a name may have"});
}

// The kernels, and the self-test of their arithmetic before them, are built with them.
TEST(BuildOptions, AreThoseOfAllProgramsOfAContext) {
  if (platforms().empty()) GTEST_SKIP() << "no OpenCL device";
  const Context context;
  EXPECT_EQ(build_options(context), "");
  set_build_options(context, " -D MY_NAME=1");
  EXPECT_EQ(build_options(context), "-DMY_NAME=1");
  Queue queue(context);
  const std::vector<dd_real> a(9, dd_real(2));
  std::vector<dd_real> c(9);
  gemm<dd_real>(queue, Layout::column, Op::none, Op::none, 3, 3, 3, 1.0, a.data(), 3, a.data(), 3, 0.0, c.data(), 3,
                {.engine = Engine::direct});
  EXPECT_EQ(c[4], dd_real(12));
  bool has_self_test = false;
  for (const auto& made : context.state()->programs.made()) {
    EXPECT_TRUE(made.text.options.ends_with(" -DMY_NAME=1")) << made.text.name;
    has_self_test |= made.text.name == "self_test";
  }
  EXPECT_TRUE(has_self_test);
  expect_contains(message_of(errc::invalid_argument, [&] { set_build_options(context, ""); }),
                  {"set_build_options", "has compiled programs already"});
  expect_contains(message_of(errc::invalid_argument, [&] { set_build_options(Context(), "-cl-mad-enable"); }),
                  {"-cl-mad-enable"});
}

}  // namespace
