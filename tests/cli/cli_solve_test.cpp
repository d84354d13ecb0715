// `hilo solve` as a person or a script runs it: solutions, what is refused, and that nothing else is written.
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
const std::string two_by_two = array + "2 2\n1\n2\n3\n4\n", two_by_three = array + "2 3\n1\n0\n0\n1\n1\n1\n";

TEST_F(Program, SolvesFiles) {
  folder.write("a.mtx", two_by_two);
  folder.write("b.mtx", two_by_three);
  const Outcome run = hilo("solve a.mtx b.mtx -o x.mtx");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  for (const char* words :
       {"system     dd, 2 x 2, 3 right-hand sides, column layout\n", "solved     to full accuracy, LU in double, ",
        "of the largest entry of x, not proved\n", "written    x.mtx\n"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
  EXPECT_EQ(folder.read("x.mtx"),
            "%%MatrixMarket matrix array real general\n% written by hilo\n2 3\n-2\n1\n1.5\n-0.5\n-0.5\n0.5\n");
  for (const char* layout : {"row", "column"}) {
    EXPECT_EQ(hilo(std::string("solve a.mtx x.mtx --output y.npy --verify --layout ") + layout).code, 0);
    const auto y = data::read_matrix<dd_real>(folder.file("y.npy"), Layout::row);
    EXPECT_EQ(y(0, 0), dd_real(5.5));
    EXPECT_EQ(y(1, 2), dd_real(-0.75));
  }
  // In its own file's place.
  EXPECT_EQ(hilo("solve a.mtx x.mtx -o x.mtx").code, 0);
  EXPECT_EQ(data::read_matrix<dd_real>(folder.file("x.mtx"), Layout::row)(0, 0), dd_real(5.5));
  folder.write("c.mtx", "%%MatrixMarket matrix array complex general\n1 1\n0 2\n");
  EXPECT_EQ(hilo("solve c.mtx c.mtx --precision z -o y.mtx").code, 0);
  EXPECT_EQ(data::read_matrix<std::complex<double>>(folder.file("y.mtx"), Layout::row)(0, 0), 1.0);
}

TEST_F(Program, SolvesInEveryPrecision) {
  for (const char* precision : {"s", "d", "c", "z", "dd", "zdd"}) {
    for (const char* options : {"", "--accuracy backward --layout row", "--certify --factors DD --fma off"}) {
      SCOPED_TRACE(std::string(precision) + ' ' + options);
      const json r = hilo_json(std::string("solve -n 30 --nrhs 2 --verify --precision ") + precision + ' ' + options);
      EXPECT_EQ(r["verified"], true) << r;
      EXPECT_EQ(r["solved"], true);
      EXPECT_EQ(r["accuracy_delivered"], r["accuracy"]);
      const bool is_certified = options[0] && options[2] == 'c';
      EXPECT_EQ(r["certified"], is_certified);
      EXPECT_EQ(r["bounds_violated"], is_certified ? json(0) : json());
      EXPECT_EQ(r["path"], is_certified ? "LU in double-double" : "LU in double");
      const bool is_double_double = precision[0] == 'd' && precision[1] == 'd';
      const double unit = is_double_double || precision == std::string("zdd")              ? 0x1p-106
                          : precision == std::string("s") || precision == std::string("c") ? 0x1p-24
                                                                                           : 0x1p-53;
      if (is_certified) {
        EXPECT_GE(r["error_bound"].get<double>(), r["max_error_u2"].get<double>() * unit);
      } else {
        EXPECT_TRUE(r["error_bound"].is_null());
      }
      if (r["accuracy"] == "full") {
        EXPECT_LT(r["max_entry_error_u2"].get<double>(), 1.001);
        EXPECT_GE(r["error_estimate"].get<double>(), r["max_error_u2"].get<double>() * unit / 3.0);
      }
    }
  }
}

TEST_F(Program, SolveJsonHasItsKeysInOrder) {
  std::vector<std::string> keys;
  const auto ordered = nlohmann::ordered_json::parse(hilo("solve -n 5 --seed 3 --json").out);
  for (const auto& item : ordered.items()) keys.push_back(item.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"precision",
                                            "m",
                                            "n",
                                            "nrhs",
                                            "kind",
                                            "layout",
                                            "engine",
                                            "accuracy",
                                            "solved",
                                            "accuracy_delivered",
                                            "path",
                                            "steps",
                                            "condition",
                                            "growth",
                                            "backward_error_u2",
                                            "error_estimate",
                                            "certified",
                                            "error_bound",
                                            "failure",
                                            "backend",
                                            "device",
                                            "threads",
                                            "repeat",
                                            "seconds_kernel",
                                            "seconds_total",
                                            "verified",
                                            "max_backward_error_u2",
                                            "max_error_u2",
                                            "max_entry_error_u2",
                                            "bounds_violated"}));
  const json r = hilo_json("solve -n 12 --init hilbert --threads 1 --engine direct");
  EXPECT_EQ(r["engine"], "direct");
  EXPECT_EQ(r["threads"], 1);
  EXPECT_NEAR(r["condition"].get<double>(), 1e16, 9e15);
  EXPECT_GT(r["steps"].get<int>(), 0);
  EXPECT_TRUE(r["verified"].is_null());
}

// The column of x.mtx, to the last digit.
void expect_column(const std::filesystem::path& file, const std::vector<double>& exact) {
  const auto x = data::read_matrix<dd_real>(file, Layout::column);
  ASSERT_EQ(x.entries.size(), exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_LE(std::fabs((x.entries[i] - exact[i]).hi), 0x1p-106 * exact[i]) << i;
  }
}

TEST_F(Program, SolvesByTheStructureOfTheMatrix) {
  struct Case {
    const char *option, *kind, *path;
  };
  for (const auto& [option, kind, path] : {Case{"--spd", "positive definite", "Cholesky in double"},
                                           {"--symmetric", "symmetric", "LDL^T in double"},
                                           {"--hermitian", "Hermitian", "LDL^T in double"}}) {
    for (const char* precision : {"s", "d", "c", "z", "dd", "zdd"}) {
      for (const char* init : {"uniform", "range:2"}) {
        SCOPED_TRACE(std::string(option) + ' ' + precision + ' ' + init);
        const json r = hilo_json(std::string("solve -n 20 --nrhs 2 --verify --certify --layout row --precision ") +
                                 precision + " --init " + init + ' ' + option);
        EXPECT_EQ(r["verified"], true) << r;
        EXPECT_EQ(r["certified"], true);
        EXPECT_EQ(r["bounds_violated"], 0);
        EXPECT_EQ(r["kind"], kind);
        EXPECT_EQ(r["path"], path);
      }
    }
    const json r = hilo_json(std::string("solve -n 10 --init hilbert --factors dd ") + option);
    EXPECT_EQ(r["path"], std::string(path).substr(0, std::string(path).find(' ')) + " in double-double");
  }
  EXPECT_EQ(hilo_json("solve -n 3")["kind"], "general");
  // Files: one that says so itself, and one that has both triangles.
  folder.write("a.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n2\n1\n3\n");
  folder.write("b.mtx", array + "2 1\n4\n7\n");
  for (const char* option : {"--spd", "--symmetric", "--hermitian", ""}) {
    const Outcome run = hilo(std::string("solve a.mtx b.mtx -o x.mtx --verify ") + option);
    EXPECT_EQ(run.code, 0) << run.err;
    expect_column(folder.file("x.mtx"), {1, 2});
  }
  folder.write("h.mtx", "%%MatrixMarket matrix array complex general\n2 2\n2 0\n0 -1\n0 1\n3 0\n");
  EXPECT_EQ(hilo("solve h.mtx b.mtx --precision zdd --spd --verify").code, 0);
  EXPECT_NE(hilo("solve h.mtx b.mtx --precision zdd --hermitian").out.find("zdd, 2 x 2 Hermitian, 1 right-hand side"),
            std::string::npos);
}

TEST_F(Program, SolvesLeastSquares) {
  // 3 + 5 t at 0, 1, 2, and (1, -2, 1), which is orthogonal to all lines.
  folder.write("a.mtx", array + "3 2\n1\n1\n1\n0\n1\n2\n");
  folder.write("b.mtx", array + "3 1\n4\n6\n14\n");
  Outcome run = hilo("solve a.mtx b.mtx --least-squares -o x.mtx --verify");
  EXPECT_EQ(run.code, 0) << run.err;
  expect_column(folder.file("x.mtx"), {3, 5});
  for (const char* words :
       {"system     dd, 3 x 2 least squares, 1 right-hand side", "QR in double", "verified   yes, against MPFR\n"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
  // The smallest of those that solve.
  folder.write("wide.mtx", array + "1 2\n3\n4\n");
  folder.write("one.mtx", array + "1 1\n25\n");
  run = hilo("solve wide.mtx one.mtx --least-squares -o x.mtx --verify --precision d");
  EXPECT_EQ(run.code, 0) << run.err;
  expect_column(folder.file("x.mtx"), {3, 4});
  for (const char* precision : {"s", "d", "c", "z", "dd", "zdd"}) {
    for (const char* sizes : {"-m 25 -n 10", "-m 7 -n 12", "-n 9"}) {
      SCOPED_TRACE(std::string(precision) + ' ' + sizes);
      const json r =
          hilo_json(std::string("solve --least-squares --nrhs 2 --verify --precision ") + precision + ' ' + sizes);
      EXPECT_EQ(r["verified"], true) << r;
      EXPECT_EQ(r["kind"], "least squares");
      EXPECT_TRUE(r["max_backward_error_u2"].is_null());
      EXPECT_LE(r["max_entry_error_u2"].get<double>(), 4.0);
      EXPECT_FALSE(r["max_error_u2"].is_null());
    }
  }
  EXPECT_EQ(hilo_json("solve --least-squares -m 9 -n 4 --accuracy backward")["m"], 9);
  EXPECT_EQ(hilo_json("solve --least-squares -m 200 -n 57 --verify=full --precision d")["verified"], true);
}

TEST_F(Program, WrongStructuresLeaveTheOutputAlone) {
  folder.write("x.mtx", "as it was");
  folder.write("a.mtx", two_by_two);
  folder.write("b.mtx", array + "2 1\n1\n2\n");
  folder.write("wide.mtx", two_by_three);
  folder.write("indefinite.mtx", array + "2 2\n1\n2\n2\n1\n");
  folder.write("c.mtx", "%%MatrixMarket matrix array complex symmetric\n2 2\n1 0\n2 1\n5 0\n");
  folder.write("i.mtx", "%%MatrixMarket matrix array complex general\n1 1\n2 1\n");
  folder.write("twice.mtx", array + "3 2\n1\n1\n1\n2\n2\n2\n");
  folder.write("long.mtx", array + "3 1\n1\n2\n3\n");
  const std::pair<const char*, const char*> cases[] = {
      {"a.mtx b.mtx --spd", "hilo: a.mtx is not symmetric: entry (1, 2) is not entry (2, 1)"},
      {"a.mtx b.mtx --symmetric", "hilo: a.mtx is not symmetric: entry (1, 2) is not entry (2, 1)"},
      {"a.mtx b.mtx --hermitian --precision z",
       "hilo: a.mtx is not Hermitian: entry (1, 2) is not the conjugate of entry (2, 1)"},
      {"c.mtx b.mtx --hermitian --precision zdd",
       "hilo: c.mtx is not Hermitian: entry (1, 2) is not the conjugate of entry (2, 1)"},
      {"i.mtx i.mtx --spd --precision c", "hilo: i.mtx is not Hermitian: entry (1, 1) is not real"},
      {"wide.mtx b.mtx --symmetric", "hilo: wide.mtx is 2 x 3; the matrix of a system is square"},
      {"long.mtx b.mtx --least-squares", "hilo: b.mtx is 2 x 1, long.mtx is 3 x 1: b must have 3 rows"},
      {"a.mtx b.mtx --spd --hermitian", "hilo: --spd and --hermitian are of different systems: give one of them"},
      {"a.mtx b.mtx --least-squares -m 3", "hilo: -m, -n and --nrhs are for generated systems"},
      {"-n 3 -m 4", "hilo: -m is for --least-squares; the matrix of a system is square"},
      {"-n 3 --least-squares --certify", "hilo: --certify: there is no proof of --least-squares"},
      {"-n 3 --least-squares --accuracy backward --verify", "hilo: --verify: of --least-squares with --accuracy "},
      {"-n 57 -m 200 --least-squares --verify", "hilo: --verify: least squares of 200 rows and 57 columns are "},
      {"-n 3 --spd --threads 9999", "hilo: --threads 9999 is more than 1024"},
  };
  for (const auto& [words, message] : cases) {
    expect_error(std::string("solve ") + words + " -o x.mtx", 2, message);
    expect_error(std::string("solve ") + words + " -o new.npy --json", 2, message);
  }
  const std::pair<const char*, const char*> unsolved[] = {
      {"indefinite.mtx b.mtx --spd", "hilo: the system was not solved: A is not positive definite to double-double; "},
      {"twice.mtx long.mtx --least-squares", "hilo: the system was not solved: "},
  };
  for (const auto& [words, message] : unsolved) {
    const Outcome run = hilo(std::string("solve ") + words + " -o x.mtx --json");
    EXPECT_EQ(run.code, 1) << words;
    EXPECT_TRUE(run.err.starts_with(message)) << run.err;
    EXPECT_EQ(json::parse(run.out)["solved"], false);
  }
  EXPECT_EQ(hilo("solve indefinite.mtx b.mtx --symmetric --verify").code, 0);
  EXPECT_EQ(folder.read("x.mtx"), "as it was");
  EXPECT_FALSE(std::filesystem::exists(folder.file("new.npy")));
}

// The errors of many unknowns only where all is asked for.
TEST_F(Program, VerifiesSolutionsOfManyUnknowns) {
  const json some = hilo_json("solve -n 257 --verify --precision d");
  EXPECT_EQ(some["verified"], true);
  EXPECT_LE(some["max_backward_error_u2"].get<double>(), 1.0);
  EXPECT_TRUE(some["max_error_u2"].is_null());
  EXPECT_NE(hilo("solve -n 257 --verify --precision d").out.find("the errors of x by --verify=full\n"),
            std::string::npos);
  EXPECT_LE(hilo_json("solve -n 257 --verify=full --precision d")["max_entry_error_u2"].get<double>(), 1.001);
}

// Not solved, or not as asked for: exit code 1 with the figures there are, and the output as it was.
TEST_F(Program, WhatIsNotSolvedLeavesTheOutputAlone) {
  folder.write("a.mtx", array + "2 2\n1\n2\n2\n4\n");
  folder.write("b.mtx", array + "2 1\n1\n2\n");
  folder.write("x.mtx", "as it was");
  Outcome run = hilo("solve a.mtx b.mtx -o x.mtx");
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.err,
            "hilo: the system was not solved: A is singular to double-double; x.mtx was not "
            "written\n");
  EXPECT_NE(run.out.find("solved     NO: A is singular to double-double"), std::string::npos) << run.out;
  run = hilo("solve a.mtx b.mtx -o 'x\ny.mtx'");
  EXPECT_TRUE(run.err.ends_with("; x\\ny.mtx was not written\n")) << run.err;
  run = hilo("solve a.mtx b.mtx --factors double --json -o new.npy");
  EXPECT_EQ(run.code, 1);
  const json r = json::parse(run.out);
  EXPECT_EQ(r["solved"], false);
  EXPECT_EQ(r["failure"], "the system was not solved: A is singular to double");
  for (const char* key : {"accuracy_delivered", "path", "condition", "error_estimate", "error_bound", "verified"}) {
    EXPECT_TRUE(r[key].is_null()) << key;
  }
  run = hilo("solve -n 40 --init hilbert -o x.mtx --verify");
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("singular to double-double"), std::string::npos) << run.err;
  // With a condition of 10^31, of which double-double numbers prove nothing.
  run = hilo("solve -n 22 --init hilbert --certify --json -o new.npy");
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.err, "hilo: no bound of the error was proved, as --certify asks for; new.npy was not written\n");
  EXPECT_EQ(json::parse(run.out)["solved"], true);
  EXPECT_EQ(json::parse(run.out)["certified"], false);
  folder.write("a.mtx", array + "2 2\n1\n0\n0\n1e-30\n");
  folder.write("b.mtx", array + "2 1\n1\n1e10\n");
  run = hilo("solve a.mtx b.mtx --precision s -o new.npy");
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.err, "hilo: the system was not solved: X(1, 0) overflows; new.npy was not written\n");
  EXPECT_EQ(folder.read("x.mtx"), "as it was");
  EXPECT_FALSE(std::filesystem::exists(folder.file("new.npy")));
  EXPECT_EQ(hilo("solve a.mtx b.mtx -o x.mtx").code, 0);
  EXPECT_TRUE(folder.read("x.mtx").starts_with("%%MatrixMarket"));
}

TEST_F(Program, WrongSystemsLeaveTheOutputAlone) {
  folder.write("a.mtx", two_by_two);
  folder.write("wide.mtx", two_by_three);
  folder.write("long.mtx", array + "3 1\n1\n2\n3\n");
  folder.write("none.mtx", array + "0 0\n");
  folder.write("columns.mtx", array + "2 0\n");
  folder.write("short.mtx", array + "2 2\n1\n2\n3\n");
  folder.write("nan.mtx", array + "2 2\n1\nNaN\n3\n4\n");
  folder.write("x.mtx", "as it was");
  data::Matrix<double> bad = data::zero_matrix<double>(2, 2, Layout::column, "bad");
  bad(1, 0) = std::numeric_limits<double>::quiet_NaN();
  data::write_matrix(folder.file("nan.npy"), bad);
  bad(1, 0) = std::numeric_limits<double>::infinity();
  data::write_matrix(folder.file("inf.npy"), bad);
  const std::pair<const char*, const char*> cases[] = {
      {"wide.mtx a.mtx", "hilo: wide.mtx is 2 x 3; the matrix of a system is square"},
      {"a.mtx long.mtx", "hilo: long.mtx is 3 x 1, a.mtx is 2 x 2: b must have 2 rows"},
      {"none.mtx none.mtx", "hilo: none.mtx is 0 x 0; there is nothing to solve"},
      {"a.mtx columns.mtx", "hilo: columns.mtx is 2 x 0; there is nothing to solve"},
      {"short.mtx a.mtx", "short.mtx:6: the file ends after 3 of 4 entries"},
      {"nan.mtx a.mtx", "nan.mtx:4: 'NaN' is not a finite number"},
      {"nan.npy a.mtx", "hilo: nan.npy: entry (2, 1) is NaN or Inf"},
      {"a.mtx inf.npy", "hilo: inf.npy: entry (2, 1) is NaN or Inf"},
      {"a.mtx absent.mtx", "absent.mtx: cannot be opened: No such file or directory"},
      {"a.txt a.mtx", "a.txt: the name of a matrix file ends in .mtx"},
  };
  for (const auto& [files, words] : cases) {
    expect_error(std::string("solve ") + files + " -o x.mtx", 2, words);
    expect_error(std::string("solve ") + files + " -o new.npy --json", 2, words);
  }
  EXPECT_EQ(folder.read("x.mtx"), "as it was");
  EXPECT_FALSE(std::filesystem::exists(folder.file("new.npy")));
  expect_error("solve -n 3 -o none/x.mtx", 2, "none/x.mtx: cannot be written: there is no folder none");
  expect_error("solve -n 3 -o x.txt", 2, "x.txt: the name of a matrix file ends in .mtx");
  std::filesystem::permissions(folder.write("mine.mtx", "as it was"), std::filesystem::perms::owner_read);
  expect_error("solve -n 3 -o mine.mtx", 2, "mine.mtx: cannot be written: it is read-only");
  std::filesystem::create_symlink("/dev/full", folder.file("full.npy"));
  expect_error("solve -n 3 -o full.npy", 2, "full.npy: cannot be written: No space left on device");
}

TEST_F(Program, SolveOptions) {
  folder.write("a.mtx", two_by_two);
  expect_error("solve", 2, "nothing to solve: give two matrix files, or -n");
  expect_error("solve a.mtx", 2, "found 1 matrix file, 'a.mtx'; a system takes two, A and b");
  expect_error("solve a.mtx a.mtx -n 3", 2, "-n and --nrhs are for generated systems");
  expect_error("solve a.mtx a.mtx --init hilbert", 2, "--init and --seed are for generated systems");
  expect_error("solve -n 3 --verify full", 2, "a value of --verify stands behind '='");
  expect_error("solve a.mtx a.mtx --verify full", 2, "a value of --verify stands behind '=': --verify=full");
  expect_error("solve -n 0", 2, "-n 0 is less than 1");
  expect_error("solve -n 3 --nrhs 0", 2, "--nrhs 0 is less than 1");
  expect_error("solve -n 3 --accuracy classic", 2, "--accuracy 'classic' is none of backward, full");
  expect_error("solve -n 3 --factors qr", 2, "--factors 'qr' is none of auto, double, dd");
  expect_error("solve -n 3 --engine fast", 2, "--engine 'fast' is none of auto, direct, modular, reproducible");
  expect_error("solve -n 3 --precision q", 2, "--precision 'q' is none of");
  expect_error("solve -n 3 --init range:20 --precision s", 2, "PHI is from 0 to 14");
  expect_error("solve -n 3 --threads 99999999", 2, "hilo: --threads 99999999 is more than 1024");
  expect_error("solve -n 3 --backend cuda", 2, "--backend 'cuda' is none of cpu, opencl");
  expect_error("solve -n 3 --repeat x", 2, "hilo: --repeat 'x' is not an integer of at least 0");
  expect_error("solve -n 3 --output ''", 2, "--output: found nothing");
  expect_error("solve -n 10000000", 4, "no memory for A of 10000000 x 10000000, b of ");
  expect_error("solve -n 3000000000 --precision d", 2, "do not fit 64 bits");
  EXPECT_EQ(hilo("solve -n 3 --engine modular --precision s --factors dd --fma OFF").code, 0);
}

// With one engine and FMA named, threads change no bit.
TEST_F(Program, SolutionsHaveTheSameBitsByAnyNumberOfThreads) {
  const std::string system = "solve -n 70 --init range:2 --engine direct --fma on --factors dd ";
  ASSERT_EQ(hilo(system + "-o x.npy --threads 1").code, 0);
  ASSERT_EQ(hilo(system + "-o y.npy --threads 3").code, 0);
  EXPECT_TRUE(folder.read("x.npy") == folder.read("y.npy"));
}

}  // namespace
}  // namespace hilo
