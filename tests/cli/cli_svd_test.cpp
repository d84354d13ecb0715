// `hilo svd` as a person or a script runs it: values and vectors, what is refused, and that nothing else is written.
#include <cmath>
#include <complex>
#include <limits>

#include "cli_program.hpp"
#include "data/matrix.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;

const std::string array = "%%MatrixMarket matrix array real general\n";
// With the singular values 130 and 65 of (3, 4, 0) / 5, (-4, 3, 0) / 5 and (5, 12) / 13, (-12, 5) / 13.
const std::string three_by_two = array + "3 2\n78\n4\n0\n52\n111\n0\n";
const std::string complex_two_by_three =
    "%%MatrixMarket matrix array complex general\n2 3\n0 78\n0 52\n0 4\n0 111\n0 0\n0 0\n";
constexpr double few = 130 * 24 * 0x1p-106;

void expect_values(const std::filesystem::path& file) {
  const auto values = data::read_matrix<dd_real>(file, Layout::column);
  ASSERT_EQ(values.rows, 2);
  ASSERT_EQ(values.columns, 1);
  EXPECT_LE(std::fabs((values.entries[0] - 130.0).hi), few);
  EXPECT_LE(std::fabs((values.entries[1] - 65.0).hi), few);
}

TEST_F(Program, SingularValuesOfFiles) {
  folder.write("a.mtx", three_by_two);
  Outcome run = hilo("svd a.mtx -o values.mtx --left u.npy --right v.mtx --certify --layout row");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  for (const char* words :
       {"matrix     dd, 3 x 2, values and vectors, row layout\n", "solved     by refinement, ",
        "values     from 130 to 65\n", "residual   ", "vectors    orthogonal to ", " u^2 on the left, ",
        "error      of each value at most ", "written    values.mtx\nwritten    u.npy\nwritten    v.mtx\n"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
  expect_values(folder.file("values.mtx"));
  const auto u = data::read_matrix<dd_real>(folder.file("u.npy"), Layout::row);
  const auto v = data::read_matrix<dd_real>(folder.file("v.mtx"), Layout::row);
  ASSERT_EQ(u.rows, 3);
  ASSERT_EQ(u.columns, 2);
  ASSERT_EQ(v.rows, 2);
  ASSERT_EQ(v.columns, 2);
  EXPECT_LE(std::fabs((u(0, 0) * 4.0 - u(1, 0) * 3.0).hi), few);
  EXPECT_LE(std::fabs((v(0, 0) * 12.0 - v(1, 0) * 5.0).hi), few);
  EXPECT_LE(std::fabs((u(0, 0) * v(0, 0) - dd_real(15.0) / 65.0).hi), few);  // of the same sign
  EXPECT_LE(std::fabs((u(0, 1) * v(0, 1) - dd_real(48.0) / 65.0).hi), few);
  // Values alone, and vectors of one side, in A's own place.
  run = hilo("svd a.mtx --output values.npy");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("3 x 2, values alone, "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("error      not proved (--certify)\n"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("residual"), std::string::npos) << run.out;
  expect_values(folder.file("values.npy"));
  run = hilo("svd a.mtx --full --right v.npy --left u.npy");
  EXPECT_EQ(data::read_matrix<dd_real>(folder.file("u.npy"), Layout::row).columns, 3) << run.err;
  EXPECT_EQ(data::read_matrix<dd_real>(folder.file("v.npy"), Layout::row).columns, 2);
  run = hilo("svd a.mtx --left a.mtx --precision s");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("values and left vectors"), std::string::npos) << run.out;
  EXPECT_NEAR(std::fabs(data::read_matrix<float>(folder.file("a.mtx"), Layout::row)(1, 0)), 0.8, 1e-6);
}

TEST_F(Program, SingularValuesOfComplexFiles) {
  folder.write("a.mtx", complex_two_by_three);
  const Outcome run = hilo("svd a.mtx --precision zdd -o values.mtx --left u.mtx --right v.npy --full");
  EXPECT_EQ(run.code, 0) << run.err;
  expect_values(folder.file("values.mtx"));
  const auto a = data::read_matrix<dd_complex>(folder.file("a.mtx"), Layout::column);
  const auto u = data::read_matrix<dd_complex>(folder.file("u.mtx"), Layout::column);
  const auto v = data::read_matrix<dd_complex>(folder.file("v.npy"), Layout::column);
  ASSERT_EQ(v.rows, 3);
  ASSERT_EQ(v.columns, 3);
  // A V = U S.
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      dd_complex sum = j < 2 ? u(i, j) * (j == 0 ? -130.0 : -65.0) : dd_complex(0);
      for (std::int64_t k = 0; k < 3; ++k) sum = sum + a(i, k) * v(k, j);
      EXPECT_LE(std::fabs(sum.re.hi) + std::fabs(sum.im.hi), few) << i << ' ' << j;
    }
  }
}

TEST_F(Program, SingularValuesInEveryPrecision) {
  for (const char* precision : {"s", "d", "c", "z", "dd", "zdd"}) {
    for (const char* options : {"-n 30", "-n 20 --certify --layout row --left u.npy --right v.npy"}) {
      SCOPED_TRACE(std::string(precision) + ' ' + options);
      const bool is_whole = options[3] == '2';
      const json r = hilo_json(std::string("svd -m 30 -o w.npy --precision ") + precision + ' ' + options);
      EXPECT_EQ(r["solved"], true) << r;
      EXPECT_EQ(r["certified"], is_whole);
      EXPECT_EQ(r["left"], is_whole);
      EXPECT_GT(r["largest"].get<double>(), r["smallest"].get<double>());
      const bool is_refined = std::string(precision).ends_with("dd");
      EXPECT_EQ(r["path"] == "refinement", is_refined) << r;
      for (const char* key : {"residual_u2", "left_orthogonality_u2", "right_orthogonality_u2", "error_bound"}) {
        EXPECT_EQ(r[key].is_null(), !is_whole) << key;
      }
      if (!is_whole) continue;
      EXPECT_LT(r["error_bound"].get<double>(), is_refined ? 1e-28 : 1e-3);
      EXPECT_LT(r["residual_u2"].get<double>(), is_refined ? 100.0 : 1e30);
    }
  }
  // Digits that double has not: the smallest value of Hilbert's matrix of 12 rows, by mpmath with 60 digits.
  EXPECT_NEAR(hilo_json("svd -n 12 --init hilbert")["smallest"].get<double>(), 1.0479463979622267e-16, 1e-30);
}

TEST_F(Program, SmallSingularValuesWithTheirOwnDigits) {
  folder.write("a.mtx", array + "2 2\n1\n1\n1e-100\n-1e-100\n");
  const Outcome run = hilo("svd a.mtx --relative -o values.mtx");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("solved     by Jacobi in double-double, "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("sweep"), std::string::npos) << run.out;
  const auto values = data::read_matrix<dd_real>(folder.file("values.mtx"), Layout::column);
  const dd_real ratio = values.entries[1] / values.entries[0] * dd_real(1e100);
  EXPECT_NEAR(ratio.hi, 1.0, 1e-15);
  EXPECT_EQ(hilo_json("svd a.mtx --relative")["relative"], true);
}

TEST_F(Program, SvdJsonHasItsKeysInOrder) {
  std::vector<std::string> keys;
  const auto ordered =
      nlohmann::ordered_json::parse(hilo("svd -m 7 -n 5 --seed 3 --threads 1 --engine direct --json").out);
  for (const auto& item : ordered.items()) keys.push_back(item.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"precision",
                                            "m",
                                            "n",
                                            "left",
                                            "right",
                                            "relative",
                                            "layout",
                                            "engine",
                                            "solved",
                                            "path",
                                            "updates",
                                            "largest",
                                            "smallest",
                                            "residual_u2",
                                            "left_orthogonality_u2",
                                            "right_orthogonality_u2",
                                            "certified",
                                            "error_bound",
                                            "failure",
                                            "backend",
                                            "device",
                                            "threads",
                                            "repeat",
                                            "seconds_kernel",
                                            "seconds_total"}));
  EXPECT_EQ(ordered["engine"], "direct");
  EXPECT_EQ(ordered["m"], 7);
  EXPECT_EQ(ordered["n"], 5);
  EXPECT_EQ(ordered["threads"], 1);
  EXPECT_TRUE(ordered["failure"].is_null());
}

TEST_F(Program, WrongDecompositionsLeaveTheOutputsAlone) {
  folder.write("values.mtx", "as it was");
  folder.write("a.mtx", three_by_two);
  folder.write("c.mtx", complex_two_by_three);
  folder.write("none.mtx", array + "0 3\n");
  folder.write("short.mtx", array + "2 2\n1\n2\n3\n");
  data::Matrix<double> bad = data::zero_matrix<double>(2, 3, Layout::column, "bad");
  bad(1, 0) = std::numeric_limits<double>::quiet_NaN();
  data::write_matrix(folder.file("nan.npy"), bad);
  // Links to what is not there yet.
  std::filesystem::create_symlink("new.mtx", folder.file("first.mtx"));
  std::filesystem::create_symlink("./first.mtx", folder.file("second.mtx"));
  const std::pair<const char*, const char*> cases[] = {
      {"c.mtx", "use c, z or zdd"},
      {"none.mtx", "hilo: none.mtx is 0 x 3; it has no singular values"},
      {"short.mtx", "short.mtx:6: the file ends after 3 of 4 entries"},
      {"nan.npy", "hilo: nan.npy: entry (2, 1) is NaN or Inf"},
      {"absent.mtx", "absent.mtx: cannot be opened: No such file or directory"},
      {"", "no matrix: give a matrix file, or -n for a generated matrix"},
      {"-m 3", "no matrix: give a matrix file, or -n for a generated matrix"},
      {"a.mtx a.mtx", "found 2 matrix files, the last 'a.mtx'; svd takes one, A"},
      {"a.mtx -m 3 -n 3", "-m and -n are for generated matrices"},
      {"a.mtx --seed 3", "--init and --seed are for generated matrices"},
      {"a.mtx --full", "hilo: --full is for singular vectors: give --left or --right"},
      {"-n 0", "-n 0 is less than 1"},
      {"-n 3 -m 0", "-m 0 is less than 1"},
      {"-n 3 --threads 9999", "hilo: --threads 9999 is more than 1024"},
      {"-n 3 --left u.mtx --threads 9999", "hilo: --threads 9999 is more than 1024"},
      {"-n 3 --repeat -1", "hilo: --repeat -1 is less than 0"},
      {"-n 3000000000 --precision d", "do not fit 64 bits"},
      {"a.mtx --right ./sub/../values.mtx", "hilo: -o values.mtx and --right ./sub/../values.mtx are the same file"},
      {"a.mtx --left u.mtx --right u.mtx", "hilo: --left u.mtx and --right u.mtx are the same file"},
      {"a.mtx --left new.mtx --right first.mtx", "hilo: --left new.mtx and --right first.mtx are the same file"},
      {"a.mtx --left second.mtx --right new.mtx", "hilo: --left second.mtx and --right new.mtx are the same file"},
      {"a.mtx --left none/u.mtx", "none/u.mtx: cannot be written: there is no folder none"},
      {"a.mtx --right v.txt", "v.txt: the name of a matrix file ends in .mtx"},
  };
  for (const auto& [words, message] : cases) expect_error(std::string("svd ") + words + " -o values.mtx", 2, message);
  expect_error("svd -n 10000000", 4, "no memory for A of 10000000 x 10000000 and the singular values of 10000000 x 1 ");
  EXPECT_EQ(folder.read("values.mtx"), "as it was");
  EXPECT_FALSE(std::filesystem::exists(folder.file("u.mtx")));
}

TEST_F(Program, SingularValuesHaveTheSameBitsByAnyNumberOfThreads) {
  const std::string decomposition = "svd -m 90 -n 70 --init range:2 --engine direct --fma on ";
  ASSERT_EQ(hilo(decomposition + "-o s.npy --left u.npy --right v.npy --threads 1").code, 0);
  ASSERT_EQ(hilo(decomposition + "-o t.npy --left x.npy --right y.npy --threads 3").code, 0);
  EXPECT_TRUE(folder.read("s.npy") == folder.read("t.npy"));
  EXPECT_TRUE(folder.read("u.npy") == folder.read("x.npy"));
  EXPECT_TRUE(folder.read("v.npy") == folder.read("y.npy"));
}

// Not computed: exit code 1 with the figures there are, and no output.
TEST_F(Program, SingularValuesThatOverflowLeaveTheOutputsAlone) {
  folder.write("large.mtx", array + "2 2\n1.5e308\n1.5e308\n1.5e308\n1.5e308\n");
  folder.write("v.mtx", "as it was");
  Outcome run = hilo("svd large.mtx -o values.mtx --left u.mtx --right v.mtx");
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.err,
            "hilo: the singular values were not computed: values(0) overflows; values.mtx, u.mtx and v.mtx were not "
            "written\n");
  EXPECT_NE(run.out.find("solved     NO: values(0) overflows\n"), std::string::npos) << run.out;
  run = hilo("svd large.mtx -o values.mtx --json");
  EXPECT_EQ(run.code, 1);
  EXPECT_TRUE(run.err.ends_with("; values.mtx was not written\n")) << run.err;
  const json r = json::parse(run.out);
  EXPECT_EQ(r["solved"], false);
  EXPECT_EQ(r["failure"], "the singular values were not computed: values(0) overflows");
  for (const char* key : {"path", "updates", "smallest", "largest", "residual_u2", "error_bound"}) {
    EXPECT_TRUE(r[key].is_null()) << key;
  }
  EXPECT_EQ(folder.read("v.mtx"), "as it was");
  EXPECT_FALSE(std::filesystem::exists(folder.file("values.mtx")));
}

// Where one output cannot be written, the others are not left, nor changed.
TEST_F(Program, SvdWritesAllOutputsOrNone) {
  folder.write("a.mtx", three_by_two);
  folder.write("old.mtx", "as it was");
  std::filesystem::create_symlink("/dev/full", folder.file("full.npy"));
  for (const char* words : {"-o full.npy --left old.mtx --right new.mtx", "--left full.npy -o old.mtx --right new.mtx",
                            "--right full.npy --left new.mtx -o old.mtx"}) {
    expect_error(std::string("svd a.mtx ") + words, 2, "full.npy: cannot be written: No space left on device");
    EXPECT_EQ(folder.read("old.mtx"), "as it was") << words;
    EXPECT_FALSE(std::filesystem::exists(folder.file("new.mtx"))) << words;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("."))) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".hilo-")) << entry.path();
  }
  EXPECT_EQ(hilo("svd a.mtx -o new.mtx --left old.mtx --right v.mtx").code, 0);
  EXPECT_TRUE(folder.read("new.mtx").starts_with("%%MatrixMarket"));
  EXPECT_TRUE(folder.read("old.mtx").starts_with("%%MatrixMarket"));
}

}  // namespace
}  // namespace hilo
