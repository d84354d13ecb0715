// `hilo bench --plot`: the picture, and what stands in its way.
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "bench_reference.hpp"
#include "cli_program.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;
using test::reference;

TEST_F(Program, BenchPlot) {
  const std::string bench = "bench --sizes 8,4,16 --repeat 1 --min-time 0 --plot p.svg ";
  folder.write("p.svg", "as it was");
  script("reference.sh", reference);
  expect_error(bench + "--reference ./reference.sh", 4, "a plot needs gnuplot, which does not start",
               "PATH=/nonexistent");
  EXPECT_EQ(folder.read("calls.txt"), "");
  EXPECT_EQ(folder.read("p.svg"), "as it was");
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no gnuplot";
  script("fails.sh", "exit 1\n");
  expect_error(bench + "--reference ./fails.sh", 4, "./fails.sh 8 failed");
  EXPECT_EQ(folder.read("p.svg"), "as it was");
  json r = hilo_json(bench + "--reference ./reference.sh");
  EXPECT_EQ(r["plot"], "p.svg");
  std::string svg = folder.read("p.svg");
  for (const char* words : {"</svg>", "ddgemm NN, classic", ">direct<", ">modular<", ">cu_BLAS {D}<", "GFlop/s"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(svg.find("dashed"), std::string::npos);  // on the CPU nothing is moved
  Outcome run = hilo("bench --sizes 4 --repeat 1 --min-time 0 --engine direct --plot p.svg");
  EXPECT_NE(run.out.find("\nplot       p.svg\n"), std::string::npos) << run.out;
  EXPECT_EQ(folder.read("p.svg").find(">modular<"), std::string::npos);
}

// What gnuplot is given: each curve's points from left to right, whatever the order of the sizes.
TEST_F(Program, BenchDrawsSizesInOrder) {
  script("gnuplot", "cat >script.txt; echo '<svg></svg>'\n");
  const Outcome run =
      hilo("bench --sizes 32,8 --shapes 4,64,16 16 --repeat 1 --min-time 0 --plot p.svg", "PATH=.:$PATH");
  ASSERT_EQ(run.code, 0) << run.err;
  std::istringstream lines(folder.read("script.txt"));
  std::vector<double> curve;
  int curves = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line == "e") {
      EXPECT_EQ(curve, (std::vector<double>{8, 16, 16, 32}));
      curve.clear();
      ++curves;
    }
    double n, speed;
    if (std::istringstream(line) >> n >> speed) curve.push_back(std::round(n));
  }
  EXPECT_EQ(curves, 2);
}

}  // namespace
}  // namespace hilo
