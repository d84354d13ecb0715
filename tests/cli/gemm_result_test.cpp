// What `hilo gemm` prints of results that are hard to provoke.
#include <gtest/gtest.h>

#include <cstdio>
#include <limits>

#include "cli/gemm/result.hpp"
#include "result_text.hpp"

namespace hilo::cli {
namespace {

using nlohmann::json;

constexpr double inf = std::numeric_limits<double>::infinity();

GemmResult modular_result() {
  GemmPlan plan = plan_gemm<dd_real>(Layout::column, Op::none, Op::none, 30, 20, 10, {.engine = Engine::direct});
  plan.engine = Engine::modular;
  plan.path = Path::modular_balanced;
  plan.bits = 118;
  plan.moduli = 33;
  plan.esc = 12;
  plan.measure = Measure::normwise;
  plan.error_bound_u2 = 96.0;
  return {{plan, 0, 1}, 0.5, 0.5, Verification{true, 600, 0, 2.5, {}}, "", "classic"};
}

TEST(GemmResult, SaysWhatAModularProductTook) {
  GemmResult r = modular_result();
  expect_words(table(r), {"engine     modular, classic\n", "path       modular, balanced along k\n",
                          "33 moduli, 118 bits an entry, of which 12 for the spread of exponents\n",
                          "1 entry by the direct engine\n", "verified   yes: 600 entries", "guaranteed 96\n",
                          "|row of A|_2 |column of B|_2"});
  json j = object(r);
  EXPECT_EQ(j["bits"], 118);
  EXPECT_EQ(j["moduli"], 33);
  EXPECT_EQ(j["esc"], 12);
  EXPECT_EQ(j["entries_direct"], 1);
  EXPECT_EQ(j["measure"], "normwise");
  r.report.plan.engine = Engine::direct;
  r.report.plan.path = Path::direct_for_range;
  expect_words(table(r), {"engine     direct, classic", "path       direct, for the range of exponents\n"});
  EXPECT_EQ(table(r).find("moduli"), std::string::npos);
}

TEST(GemmResult, WithoutABoundNothingIsVerified) {
  GemmResult r = modular_result();
  r.report.plan.error_bound_u2 = inf;
  r.verification->verified.reset();
  std::string text = table(r);
  expect_words(text, {"verified   undecided, as nothing is guaranteed: 600 entries against MPFR\n"
                      "           largest error 2.5\n"});
  EXPECT_EQ(text.find("yes"), std::string::npos);
  json j = object(r);
  EXPECT_TRUE(j["verified"].is_null());
  EXPECT_TRUE(j["error_bound_u2"].is_null());
  EXPECT_EQ(j["max_error_u2"], 2.5);
}

TEST(GemmResult, FitsATerminal) {
  GemmResult r = modular_result();
  r.report.plan.backend = Backend::opencl;
  std::snprintf(r.report.plan.unit, sizeof r.report.plan.unit, "a device of a vendor whose names of devices are long");
  r.report.plan.m = r.report.plan.n = r.report.plan.k = 98765;
  r.report.plan.workspace_bytes = std::int64_t{1} << 40;
  r.report.entries_direct = 98765 * std::int64_t{98765};
  r.report.plan.error_bound_u2 = r.verification->max_error_u2 = 1.2345e-11;
  r.verification->entries_checked = r.verification->non_finite_mismatches = 98765 * std::int64_t{98765};
  r.build_options = "-cl-denorms-are-zero -DONE=1 -DTWO=2 -I /a/folder/of/headers -I /another/folder/of/headers";
  for (const Measure measure : {Measure::normwise, Measure::componentwise}) {
    r.report.plan.measure = measure;
    expect_columns_of_a_terminal(table(r));
  }
}

TEST(GemmResult, SaysWhatIsWrong) {
  GemmResult r = modular_result();
  r.verification = {false, 600, 1, inf, 2};
  expect_words(table(r), {"verified   NO: ", "1 entry is Inf or NaN without cause, or finite without cause\n",
                          "2 entries differ from the exact product rounded once\n"});
  json j = object(r);
  EXPECT_EQ(j["verified"], false);
  EXPECT_EQ(j["mismatches"], 2);
  EXPECT_TRUE(j["max_error_u2"].is_null());
}

}  // namespace
}  // namespace hilo::cli
