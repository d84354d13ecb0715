// What `hilo solve` prints of results that are hard to provoke, and that its verification finds wrong solutions.
#include <gtest/gtest.h>

#include <limits>

#include "cli/solve/result.hpp"
#include "cli/solve/verify.hpp"
#include "result_text.hpp"

namespace hilo::cli {
namespace {

using nlohmann::json;

constexpr double inf = std::numeric_limits<double>::infinity();

SolveResult certified_result() {
  SolveResult r{{Precision::dd, Layout::row, {.device = "a CPU", .threads = 2, .seconds_total = 0.5}, "", {"x.mtx"}},
                SystemKind::general,
                30,
                30,
                1,
                {.certify = true}};
  r.report.is_solved = r.report.is_certified = true;
  r.report.accuracy = SolveAccuracy::full;
  r.report.path = SolvePath::double_double_qr;
  r.report.steps = 1;
  r.report.condition = 1e20;
  r.report.error_estimate = 1e-32;
  r.report.error_bound = 2e-32;
  r.verification = {true, 0.5, SolveVerification::Errors{false, 0.25, 0.75, 0}};
  return r;
}

TEST(SolveResult, SaysWhatIsProvedAndWhatIsEstimated) {
  SolveResult r = certified_result();
  expect_words(table(r), {"system     dd, 30 x 30, 1 right-hand side, row layout\n",
                          "solved     to full accuracy, QR in double-double, 1 correction\n",
                          "error      at most 2e-32 of the largest entry of x, proved\n",
                          "verified   yes: residual against MPFR 0.5 (|A||x| + |b|)\n",
                          "largest error 0.25 of the largest entry of x,\n           0.75 of an entry itself\n",
                          "0 entries lie outside its proved bound\n", "(in 2^-106)\n", "written    x.mtx\n"});
  json j = object(r);
  EXPECT_EQ(j["certified"], true);
  EXPECT_EQ(j["error_bound"], 2e-32);
  EXPECT_EQ(j["error_estimate"], 1e-32);
  EXPECT_EQ(j["path"], "QR in double-double");
  EXPECT_EQ(j["bounds_violated"], 0);
  r.report.is_certified = false;
  expect_words(table(r), {"error      about 1e-32 of the largest entry of x, not proved\n"});
  j = object(r);
  EXPECT_EQ(j["certified"], false);
  EXPECT_TRUE(j["error_bound"].is_null());
}

TEST(SolveResult, SaysWhatIsWrong) {
  SolveResult r = certified_result();
  r.failure = "the verification failed";
  r.verification = {false, inf, SolveVerification::Errors{true, inf, inf, 30}};
  expect_words(table(r), {"verified   NO: ", "A is singular, or nearly so to thousands of bits\n"});
  json j = object(r);
  EXPECT_EQ(j["verified"], false);
  EXPECT_EQ(j["failure"], "the verification failed");
  EXPECT_EQ(j["bounds_violated"], 30);
  for (const char* key : {"max_backward_error_u2", "max_error_u2", "max_entry_error_u2"}) {
    EXPECT_TRUE(j[key].is_null()) << key;
  }
  r.report = {};
  r.report.condition = inf;
  r.report.reason = "A is singular";
  r.verification.reset();
  expect_words(table(r), {"solved     NO: A is singular\n"});
  j = object(r);
  EXPECT_EQ(j["solved"], false);
  for (const char* key : {"path", "steps", "condition", "growth", "error_estimate", "error_bound", "verified"}) {
    EXPECT_TRUE(j[key].is_null()) << key;
  }
}

TEST(SolveResult, FitsATerminal) {
  SolveResult r = certified_result();
  r.kind = SystemKind::positive;
  r.m = r.n = r.nrhs = 98765;
  r.run = {Backend::opencl, "a device of a vendor whose names of devices are long", 128, 1.2345e-5, 1.2345e-5};
  r.report.condition = r.report.growth = r.report.backward_error_u2 = r.report.error_bound = 1.2345e+100;
  r.verification = {true, 1.2345e-11, SolveVerification::Errors{false, 1.2345e-11, 1.2345e-11, 98765}};
  expect_columns_of_a_terminal(table(r));
  r.report = {};
  r.report.reason = "a matrix of this condition has no factors in double that the corrections could converge with";
  expect_columns_of_a_terminal(table(r));
}

TEST(SolveResult, SaysWhatComputed) {
  SolveResult r = certified_result();
  expect_words(table(r), {"\nbackend    cpu: a CPU, 2 threads\ntotal      0.5 s\n"});
  json j = object(r);
  EXPECT_EQ(j["backend"], "cpu");
  EXPECT_EQ(j["device"], "a CPU");
  EXPECT_EQ(j["threads"], 2);
  r.run.device = "";
  expect_words(table(r), {"\nbackend    cpu: 2 threads\n"});
  EXPECT_TRUE(object(r)["device"].is_null());
  r.run = {Backend::opencl, "a device", 0, 0.25, 0.5};
  expect_words(table(r),
               {"\nbackend    opencl: a device\nkernel     0.25 s, not warmed up (--repeat)\ntotal      0.5 s\n"});
  EXPECT_EQ(object(r)["repeat"], 0);
  r.run.repeat = 3;
  expect_words(table(r), {"\nkernel     0.25 s\ntotal      0.5 s\n"});
  j = object(r);
  EXPECT_EQ(j["backend"], "opencl");
  EXPECT_EQ(j["device"], "a device");
  EXPECT_EQ(j["threads"], 0);
  EXPECT_EQ(j["repeat"], 3);
  EXPECT_EQ(j["seconds_kernel"], 0.25);
  EXPECT_EQ(j["seconds_total"], 0.5);
  r.run.threads = 3;
  expect_words(table(r), {"\nbackend    opencl: a device\n           computed on the host, 3 threads\nkernel "});
}

#if HILO_HAS_ACCURACY
template <class T>
data::Matrix<T> matrix(std::int64_t rows, std::int64_t columns, std::vector<T> entries) {
  return {rows, columns, Layout::column, std::move(entries)};
}

TEST(VerifySolution, FindsWhatSolveDoesNotPromise) {
  Progress progress(true);
  // A = (2 1; 1 3), x = (1, 1).
  const auto a = matrix<dd_real>(2, 2, {2, 1, 1, 3}), b = matrix<dd_real>(2, 1, {3, 4});
  const auto verify = [&](double error_u2, const SolveReport& report, double second = 1.0) {
    const dd_real x = second == 1.0 ? dd_real(1.0, error_u2 * 0x1p-106) : dd_real(second);
    return verify_solution(Verify::sample, SystemKind::general, a, b, matrix<dd_real>(2, 1, {1, x}), report, progress);
  };
  SolveReport report;
  report.is_solved = true;
  report.accuracy = SolveAccuracy::full;
  EXPECT_TRUE(verify(0.0, report).verified);
  EXPECT_TRUE(verify(3.0, report).verified);
  EXPECT_FALSE(verify(5.0, report).verified);  // of an entry, with a residual of 2 u²
  EXPECT_NEAR(verify(5.0, report).errors->largest_of_entry_u2, 5.0, 1e-9);
  report.accuracy = SolveAccuracy::backward;
  EXPECT_TRUE(verify(5.0, report).verified);
  EXPECT_FALSE(verify(50.0, report).verified);
  EXPECT_FALSE(verify(0.0, report, 1.5).verified);
  EXPECT_FALSE(verify(0.0, report, inf).verified);
  report.is_certified = true;
  report.bounds = {0x1p-106, 0x1p-105};
  EXPECT_TRUE(verify(1.5, report).verified);
  const SolveVerification v = verify(2.5, report);
  EXPECT_FALSE(v.verified);
  EXPECT_EQ(v.errors->bounds_violated, 1);
  // b = 3 · (1, 2), x = (3, 0), and a singular A.
  const auto singular = matrix<dd_real>(2, 2, {1, 2, 2, 4});
  const SolveVerification s =
      verify_solution(Verify::sample, SystemKind::general, singular, matrix<dd_real>(2, 1, {3, 6}),
                      matrix<dd_real>(2, 1, {3, 0}), {}, progress);
  EXPECT_EQ(s.backward_error_u2, 0.0);
  EXPECT_TRUE(s.errors->is_singular);
  EXPECT_FALSE(s.verified);
}

TEST(VerifySolution, FindsWhatIsNoLeastSquares) {
  Progress progress(true);
  // The mean of 1, 2 and 6, and the smallest x with x_1 + x_2 = 6.
  const auto ones = matrix<dd_real>(3, 1, {1, 1, 1}), numbers = matrix<dd_real>(3, 1, {1, 2, 6});
  const auto both = matrix<dd_real>(1, 2, {1, 1}), sum = matrix<dd_real>(1, 1, {6});
  const auto verify = [&](const data::Matrix<dd_real>& a, const data::Matrix<dd_real>& b, std::vector<dd_real> x) {
    const auto rows = static_cast<std::int64_t>(x.size());
    return verify_solution(Verify::sample, SystemKind::least_squares, a, b, matrix<dd_real>(rows, 1, std::move(x)), {},
                           progress);
  };
  EXPECT_TRUE(verify(ones, numbers, {3}).verified);
  EXPECT_TRUE(verify(ones, numbers, {dd_real(3.0, 0x9p-106)}).verified);
  const SolveVerification off = verify(ones, numbers, {dd_real(3.0, 0xfp-106)});
  EXPECT_FALSE(off.verified);
  EXPECT_NEAR(off.errors->largest_of_entry_u2, 5.0, 1e-9);
  EXPECT_FALSE(off.backward_error_u2.has_value());
  EXPECT_FALSE(verify(ones, numbers, {2}).verified);
  EXPECT_TRUE(verify(both, sum, {3, 3}).verified);
  EXPECT_FALSE(verify(both, sum, {2, 4}).verified);
  const SolveVerification s = verify(matrix<dd_real>(2, 1, {0, 0}), matrix<dd_real>(2, 1, {1, 1}), {0});
  EXPECT_TRUE(s.errors->is_singular);
  EXPECT_FALSE(s.verified);
}
#endif

}  // namespace
}  // namespace hilo::cli
