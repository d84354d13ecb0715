// What `hilo eig` prints of results that are hard to provoke.
#include <gtest/gtest.h>

#include <limits>

#include "cli/eig/result.hpp"
#include "result_text.hpp"

namespace hilo::cli {
namespace {

using nlohmann::json;

EigResult unproved_result() {
  EigResult r{{Precision::zdd, Layout::row, {.device = "a CPU", .threads = 1}, "", {"w.mtx", "v.mtx"}},
              SystemKind::hermitian,
              30,
              true,
              {.certify = true},
              {},
              -2.0,
              5.0};
  r.report.is_solved = true;
  r.report.path = EigenvaluePath::jacobi_in_double_double;
  r.report.updates = 7;
  r.report.residual_u2 = 12.5;
  r.report.orthogonality_u2 = 3.0;
  return r;
}

TEST(EigResult, SaysWhatIsProvedAndWhatIsNot) {
  EigResult r = unproved_result();
  expect_words(table(r),
               {"matrix     zdd, 30 x 30 Hermitian, values and vectors, row layout\n",
                "solved     by Jacobi in double-double, 7 updates\n", "values     from -2 to 5\n",
                "residual   12.5 u^2 of the largest |value|, u^2 = 2^-106\n", "vectors    orthogonal to 3 u^2\n",
                "error      not proved\n", ", 1 thread\n", "written    w.mtx\nwritten    v.mtx\n"});
  json j = object(r);
  EXPECT_EQ(j["certified"], false);
  EXPECT_TRUE(j["error_bound"].is_null());
  EXPECT_EQ(j["path"], "Jacobi in double-double");
  EXPECT_EQ(j["updates"], 7);
  EXPECT_EQ(j["residual_u2"], 12.5);
  EXPECT_EQ(j["orthogonality_u2"], 3.0);
  r.report.is_certified = true;
  r.report.bound = 2e-31;
  expect_words(table(r), {"error      of each value at most 2e-31, proved\n"});
  j = object(r);
  EXPECT_EQ(j["certified"], true);
  EXPECT_EQ(j["error_bound"], 2e-31);
  r.report.bound = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(object(r)["error_bound"].is_null());
}

TEST(EigResult, SaysWhyThereIsNothing) {
  EigResult r = unproved_result();
  r.report = {};
  r.report.reason = "LAPACK does not converge";
  r.failure = "the eigenvalues were not computed: LAPACK does not converge";
  expect_words(table(r), {"solved     NO: LAPACK does not converge\n"});
  EXPECT_EQ(table(r).find("values     "), std::string::npos);
  const json j = object(r);
  EXPECT_EQ(j["solved"], false);
  EXPECT_EQ(j["failure"], r.failure);
  for (const char* key : {"path", "updates", "smallest", "largest", "residual_u2", "orthogonality_u2", "error_bound"}) {
    EXPECT_TRUE(j[key].is_null()) << key;
  }
}

}  // namespace
}  // namespace hilo::cli
