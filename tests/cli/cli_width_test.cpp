// What the program prints fits a terminal of 80 columns: the table of every command, and every help text.
#include <sstream>

#include "cli_program.hpp"
#include "environment_variable.hpp"

namespace hilo {
namespace {

using test::Outcome;

class Width : public test::Program {
 protected:
  // A line may be wider where it has a name that a system gives: a word without a space behind its label.
  static bool fits(const std::string& line) {
    constexpr std::size_t columns = 80, widest_label = 12;
    if (line.size() <= columns) return true;
    const std::size_t name = line.rfind(' ') + 1;
    return name <= widest_label;
  }

  void expect_fits(const std::string& arguments) {
    const Outcome run = hilo(arguments);
    EXPECT_EQ(run.code, 0) << arguments << ": " << run.err;
    EXPECT_NE(run.out, "") << arguments;
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) EXPECT_TRUE(fits(line)) << arguments << ":\n" << line;
  }

  // The folder's name is longer than a line.
  const std::string long_name = std::string(60, 'f') + "/" + std::string(60, 'g');
  test::EnvironmentVariable tuning{"HILO_TUNING", folder.file(long_name + "/tuning.json").c_str()};
};

TEST_F(Width, OfHelp) {
  expect_fits("--help");
  for (const char* command :
       {"gemm", "solve", "eig", "svd", "bench", "accuracy", "model", "report", "tune", "info", "completion", "man"}) {
    expect_fits("help " + std::string(command));
  }
}

TEST_F(Width, OfTables) {
  std::filesystem::create_directories(folder.file(long_name));
  for (const char* arguments :
       {"-n 300 --repeat 1 --engine modular --precision d --timing", "-n 30 --accuracy normwise -o c.npy",
        "eig -n 30 --vectors v.npy", "svd -n 30 --left u.npy --right v.npy", "solve -n 30 --least-squares -m 40",
        "solve -n 30 --certify", "model --sizes 64,65536 --precision dd", "model --list",
        "model --device cypress --blocking --bus 4,16", "model --device h200 --routine gemm,getrf,potrf --bus 16",
        "tune --backend cpu --time 1", "info",
        "bench --sizes 64,200 --precision d,zdd --engine auto,direct,modular --repeat 1 --min-time 0",
        "bench --routine gemm,syrk,trsm,getrf,potrf,geqrf,solve --sizes 30 --repeat 1 --min-time 0 --csv b.csv --plot "
        "b.svg"}) {
    expect_fits(arguments);
  }
  ASSERT_EQ(hilo("bench --sizes 30 --min-time 0 --json >before.json").code, 0);
  expect_fits("bench --compare before.json before.json");
}

TEST_F(Width, OfVerifications) {
  for (const char* arguments :
       {"-n 30 --verify=full --accuracy normwise", "-n 30 --verify=full --accuracy tight --precision zdd",
        "-n 30 --verify --accuracy exact", "solve -n 30 --certify --verify=full",
        "accuracy -n 8 --phi 0,50 --k 64,10000", "accuracy -n 8 --routine getrf,potrf,geqrf,solve"}) {
    expect_fits(arguments);
  }
}

TEST_F(Width, OfWhatIsComputedOnADevice) {
  if (!has_device()) GTEST_SKIP() << "no OpenCL device";
  std::filesystem::create_directories(folder.file(long_name));
  for (const char* arguments :
       {"-n 30 --backend opencl --timing", "-n 30 --backend opencl --engine modular --timing",
        "-n 30 --backend opencl --dump k.bin", "svd -n 30 --backend opencl",
        "bench --sizes 30 --backend opencl --repeat 1 --min-time 0", "tune --precision s --size small --time 1"}) {
    expect_fits(arguments);
  }
}

TEST_F(Width, OfThePageOfAReport) { expect_fits("report " + std::string(100, 'r') + ".html --parts machine"); }

// Every line that a manual page has as it stands, as its examples.
TEST_F(Width, OfTheManual) {
  if (std::system("command -v groff >/dev/null 2>&1") != 0) GTEST_SKIP() << "no groff";
  expect_fits("man | groff -man -Tascii -P-c -rLL=80n | sed 's/.\b//g'");
}

}  // namespace
}  // namespace hilo
