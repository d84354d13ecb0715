// `hilo accuracy`: factors and solutions over the condition of their matrix.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

#include "cli_program.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;

class AccuracyOverCondition : public Program {
 protected:
  // The figures of one method over the conditions.
  static std::vector<double> figures(const json& r, const char* routine, const char* precision, const json& accuracy,
                                     const char* key) {
    std::vector<double> all;
    for (const json& f : r["over_condition"]) {
      if (f["routine"] == routine && f["precision"] == precision && f["accuracy"] == accuracy && f[key].is_number()) {
        all.push_back(f[key]);
      }
    }
    return all;
  }
};

// Full accuracy stays where it is, that of LU grows with the condition, and double has nothing left from 1e16 on.
TEST_F(AccuracyOverCondition, OfSolutionsOverTheCondition) {
  const json r = hilo_json("accuracy --routine solve -n 20 --conditions 1,1e10,1e20,1e30");
  EXPECT_EQ(r["verified"], true);
  EXPECT_TRUE(r["over_phi"].empty() && r["over_k"].empty());
  EXPECT_EQ(r["routines"], json{"solve"});
  ASSERT_EQ(r["over_condition"].size(), 16u);
  for (const json& f : r["over_condition"]) {
    EXPECT_TRUE(f["failure"].is_null()) << f;
    EXPECT_TRUE(f["residual_ratio"].is_null());
    EXPECT_EQ(f["accuracy_delivered"], f["accuracy"]);
    EXPECT_EQ(f["path"].is_null(), f["routine"] == "getrs");
  }
  for (const double error : figures(r, "solve", "dd", "full", "max_entry_error_u2")) EXPECT_LT(error, 4.0);
  for (const double error : figures(r, "solve", "dd", "backward", "backward_error_u2")) EXPECT_LT(error, 4.0);
  for (const double error : figures(r, "getrs", "d", {}, "backward_error_u2")) EXPECT_NEAR(std::log2(error), 53, 5);
  const std::vector<double> of_lu = figures(r, "getrs", "dd", {}, "max_error_u2"),
                            in_double = figures(r, "getrs", "d", {}, "max_error_u2");
  ASSERT_EQ(of_lu.size(), 4u);
  ASSERT_EQ(in_double.size(), 4u);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(std::log10(of_lu[static_cast<std::size_t>(i)]), 10 * i, 3.5) << of_lu[0];
  EXPECT_NEAR(std::log2(in_double[0]), 53, 6);
  EXPECT_NEAR(std::log2(in_double[1]), 53 + 33, 10);
  EXPECT_GT(in_double[3], 0x1p100);
}

TEST_F(AccuracyOverCondition, OfFactorsOverTheCondition) {
  const std::string accuracy = "accuracy --routine getrf,potrf,geqrf -n 40 --conditions 100,1e30 --precision ";
  for (const auto& [precision, in_double] : {std::pair{"dd", "d"}, {"zdd", "z"}}) {
    const json r = hilo_json(accuracy + precision);
    EXPECT_EQ(r["verified"], true);
    ASSERT_EQ(r["over_condition"].size(), 12u);
    for (const json& f : r["over_condition"]) {
      SCOPED_TRACE(f.dump());
      const bool is_in_double = f["precision"] != precision;
      EXPECT_EQ(f["precision"], is_in_double ? in_double : precision);
      EXPECT_EQ(f["orthogonality_ratio"].is_null(), f["routine"] != "geqrf");
      if (is_in_double && f["routine"] == "potrf" && f["condition"] == 1e30) {
        EXPECT_NE(f["failure"].get<std::string>().find(" rows is not positive definite to double"), std::string::npos);
        EXPECT_TRUE(f["residual_ratio"].is_null());
        continue;
      }
      for (const char* key : {"residual_ratio", "orthogonality_ratio"}) {
        if (f[key].is_null()) continue;
        EXPECT_LT(f[key].get<double>(), is_in_double ? 0x1p55 : 5.0);
        EXPECT_GT(f[key].get<double>(), is_in_double ? 0x1p44 : 0.0005);
      }
    }
  }
}

// In double nothing is beside it, and the default conditions end where its own end.
TEST_F(AccuracyOverCondition, OverTheConditionInDouble) {
  for (const char* precision : {"d", "z"}) {
    const json r = hilo_json(std::string("accuracy --routine getrf,solve -n 8 --precision ") + precision);
    EXPECT_EQ(r["verified"], true);
    EXPECT_EQ(figures(r, "getrf", precision, {}, "residual_ratio").size(), 4u);
    EXPECT_EQ(figures(r, "getrs", precision, {}, "max_error_u2").size(), 4u);
    EXPECT_EQ(r["over_condition"].size(), 16u);
    EXPECT_EQ(r["over_condition"].back()["condition"], 1e15);
    EXPECT_LT(figures(r, "solve", precision, "full", "max_entry_error_u2").back(), 1.001);
    EXPECT_GT(figures(r, "getrs", precision, {}, "max_error_u2").back(), 1e9);
  }
}

TEST_F(AccuracyOverCondition, SeedAndOrderFixTheMatrices) {
  const std::string accuracy = "accuracy --routine getrf --conditions 100 ";
  const json r = hilo_json(accuracy + "-n 8"), other = hilo_json(accuracy + "-n 8 --seed 2");
  EXPECT_EQ(r["over_condition"], hilo_json(accuracy + "-n 8 --threads 1")["over_condition"]);
  EXPECT_NE(r["over_condition"][0]["residual_ratio"], other["over_condition"][0]["residual_ratio"]);
  EXPECT_NE(r["over_condition"][0]["residual_ratio"],
            hilo_json(accuracy + "-n 9")["over_condition"][0]["residual_ratio"]);
  EXPECT_EQ(hilo_json("accuracy --routine solve -n 1")["over_condition"].size(), 4u) << "condition 1";
}

TEST_F(AccuracyOverCondition, TablesFitATerminal) {
  script("zeros.sh", "head -c $((16 * $2 * $3)) /dev/zero\n");
  const Outcome run = hilo(
      "accuracy --routine gemm,getrf,potrf,geqrf,solve -n 9 --phi 0,60 --k 8 --conditions 1,12345,1e30 "
      "--reference ./zeros.sh");
  EXPECT_EQ(run.code, 0) << run.err;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80u) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
  }
  std::size_t at = 0;  // in this order
  for (const char* words : {"products   ddgemm, 9 x 9 x k", "\ndouble     dgemm of the leading words\n", "\nobserved ",
                            "\nguaranteed ", "\nfactors    of 9 x 9 matrices in dd",
                            "\ncondition   getrf  double    potrf  double    geqrf  double        Q  double\n",
                            "\n        1 ", "\n 1.23e+04 ", "\n    1e+30 ", "\nsolutions  of 9 x 9 matrices in dd",
                            "error  ", "backward error\ncondition    full backward   getrs  double ", "\n    1e+30 ",
                            "\n- no factors or no solution: --json says why\n"}) {
    const std::size_t found = run.out.find(words, at);
    EXPECT_NE(found, std::string::npos) << words << " in\n" << run.out;
    at = std::min(found, run.out.size());
  }
}

TEST_F(AccuracyOverCondition, PlotsOverTheCondition) {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no gnuplot";
  const json r = hilo_json("accuracy --routine getrf,solve -n 6 --conditions 1,1e10 --plot p.svg");
  EXPECT_EQ(r["plot"], "p.svg");
  const std::string svg = folder.read("p.svg");
  for (const char* words : {"Errors in dd", "Factors", "Solutions", "getrf in double", "solve to full accuracy",
                            "getrf and getrs", "backward error, in 2", ">condition<"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(svg.find("gemm"), svg.npos);
}

}  // namespace
}  // namespace hilo
