// What `hilo svd` prints of results that are hard to provoke.
#include <gtest/gtest.h>

#include <limits>

#include "cli/svd/result.hpp"
#include "result_text.hpp"

namespace hilo::cli {
namespace {

using nlohmann::json;

SvdResult unproved_result() {
  SvdResult r{{Precision::zdd, Layout::row, {.device = "a CPU", .threads = 1}, "", {"w.mtx", "v.mtx"}},
              30,
              20,
              true,
              true,
              {.certify = true},
              {},
              5.0,
              0.25};
  r.report.is_solved = true;
  r.report.path = SingularValuePath::jacobi_in_double_double;
  r.report.updates = 7;
  r.report.residual_u2 = 12.5;
  r.report.left_orthogonality_u2 = 3.0;
  r.report.right_orthogonality_u2 = 2.0;
  return r;
}

TEST(SvdResult, SaysWhatIsProvedAndWhatIsNot) {
  SvdResult r = unproved_result();
  expect_words(table(r), {"matrix     zdd, 30 x 20, values and vectors, row layout\n",
                          "solved     by Jacobi in double-double, 7 sweeps\n", "values     from 5 to 0.25\n",
                          "residual   12.5 u^2 of the largest value, u^2 = 2^-106\n",
                          "vectors    orthogonal to 3 u^2 on the left, 2 u^2 on the right\n", "error      not proved\n",
                          ", 1 thread\n", "written    w.mtx\nwritten    v.mtx\n"});
  json j = object(r);
  EXPECT_EQ(j["certified"], false);
  EXPECT_TRUE(j["error_bound"].is_null());
  EXPECT_EQ(j["path"], "Jacobi in double-double");
  EXPECT_EQ(j["updates"], 7);
  EXPECT_EQ(j["residual_u2"], 12.5);
  EXPECT_EQ(j["left_orthogonality_u2"], 3.0);
  EXPECT_EQ(j["right_orthogonality_u2"], 2.0);
  r.report.is_certified = true;
  r.report.bound = 2e-31;
  r.report.path = SingularValuePath::refinement;
  r.has_left = false;
  expect_words(table(r), {"error      of each value at most 2e-31, proved\n", ", values and right vectors, ",
                          "solved     by refinement, 7 updates\n"});
  j = object(r);
  EXPECT_EQ(j["certified"], true);
  EXPECT_EQ(j["error_bound"], 2e-31);
  EXPECT_EQ(j["left"], false);
  EXPECT_EQ(j["right"], true);
  r.report.bound = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(object(r)["error_bound"].is_null());
}

TEST(SvdResult, SaysWhyThereIsNothing) {
  SvdResult r = unproved_result();
  r.report = {};
  r.report.reason = "values(0) overflows";
  r.failure = "the singular values were not computed: values(0) overflows";
  expect_words(table(r), {"solved     NO: values(0) overflows\n"});
  EXPECT_EQ(table(r).find("values     "), std::string::npos);
  const json j = object(r);
  EXPECT_EQ(j["solved"], false);
  EXPECT_EQ(j["failure"], r.failure);
  for (const char* key : {"path", "updates", "smallest", "largest", "residual_u2", "left_orthogonality_u2",
                          "right_orthogonality_u2", "error_bound"}) {
    EXPECT_TRUE(j[key].is_null()) << key;
  }
}

}  // namespace
}  // namespace hilo::cli
