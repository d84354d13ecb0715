// `hilo eig` as a person or a script runs it: values and vectors, what is refused, and that nothing else is written.
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
// With the eigenvalues 1 and 3 of (1, -1) and (1, 1).
const std::string two_by_two = array + "2 2\n2\n1\n1\n2\n";
const std::string hermitian = "%%MatrixMarket matrix array complex general\n2 2\n2 0\n0 -1\n0 1\n2 0\n";

void expect_one_and_three(const std::filesystem::path& file) {
  const auto values = data::read_matrix<dd_real>(file, Layout::column);
  ASSERT_EQ(values.rows, 2);
  ASSERT_EQ(values.columns, 1);
  for (std::size_t i = 0; i < 2; ++i) {
    const dd_real error = values.entries[i] - (1.0 + 2.0 * static_cast<double>(i));
    EXPECT_LE(std::fabs(error.hi), 24 * 0x1p-106) << i;
  }
}

TEST_F(Program, EigenvaluesOfFiles) {
  folder.write("a.mtx", two_by_two);
  Outcome run = hilo("eig a.mtx -o values.mtx --vectors v.npy --certify --layout row");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  for (const char* words :
       {"matrix     dd, 2 x 2 symmetric, values and vectors, row layout\n", "solved     by refinement, ",
        "values     from 1 to 3\n", "residual   ", "vectors    orthogonal to ", "error      of each value at most ",
        "written    values.mtx\nwritten    v.npy\n"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
  expect_one_and_three(folder.file("values.mtx"));
  const auto v = data::read_matrix<dd_real>(folder.file("v.npy"), Layout::row);
  ASSERT_EQ(v.rows, 2);
  ASSERT_EQ(v.columns, 2);
  EXPECT_LE(std::fabs((v(0, 0) + v(1, 0)).hi), 24 * 0x1p-106);
  EXPECT_LE(std::fabs((v(0, 1) - v(1, 1)).hi), 24 * 0x1p-106);
  EXPECT_LE(std::fabs((v(0, 0) * v(0, 0) * 2.0 - 1.0).hi), 24 * 0x1p-106);
  // Values alone, and vectors alone, in A's own place.
  run = hilo("eig a.mtx --output values.npy");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("2 x 2 symmetric, values alone, "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("error      not proved (--certify)\n"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("residual"), std::string::npos) << run.out;
  expect_one_and_three(folder.file("values.npy"));
  EXPECT_EQ(hilo("eig a.mtx --vectors a.mtx --precision s").code, 0);
  EXPECT_NEAR(data::read_matrix<float>(folder.file("a.mtx"), Layout::row)(1, 1), std::sqrt(0.5), 1e-6);
}

TEST_F(Program, EigenvaluesOfHermitianFilesAndByOneTriangle) {
  folder.write("h.mtx", hermitian);
  folder.write("a.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n2\n1\n2\n");
  folder.write("upper.mtx", array + "2 2\n2\n77\n1\n2\n");
  data::Matrix<dd_complex> upper = data::zero_matrix<dd_complex>(2, 2, Layout::column, "upper");
  upper(0, 0) = upper(1, 1) = dd_complex(2, 0);
  upper(0, 1) = dd_complex(0, 1);
  upper(1, 0) = dd_complex(std::numeric_limits<double>::quiet_NaN(), 0);
  data::write_matrix(folder.file("upper.npy"), upper);
  for (const char* words :
       {"h.mtx --hermitian --precision zdd", "a.mtx", "a.mtx --hermitian", "a.mtx --upper", "upper.mtx --upper",
        "a.mtx --hermitian --precision zdd", "upper.npy --upper --hermitian --precision zdd --layout row"}) {
    const Outcome run = hilo(std::string("eig ") + words + " -o values.mtx --vectors v.mtx");
    EXPECT_EQ(run.code, 0) << run.err;
    expect_one_and_three(folder.file("values.mtx"));  // real, whatever A is
  }
  // A v = 3 v of the last one, v = (x, -i x).
  const auto v = data::read_matrix<dd_complex>(folder.file("v.mtx"), Layout::row);
  EXPECT_LE(std::fabs((v(0, 1).real() + v(1, 1).imag()).hi), 24 * 0x1p-106);
  EXPECT_LE(std::fabs((v(0, 1).imag() - v(1, 1).real()).hi), 24 * 0x1p-106);
}

TEST_F(Program, EigenvaluesInEveryPrecision) {
  for (const char* precision : {"s", "d", "c", "z", "dd", "zdd"}) {
    for (const char* options : {"", "--certify --layout row --vectors v.npy"}) {
      SCOPED_TRACE(std::string(precision) + ' ' + options);
      const bool is_complex = precision[0] == 'c' || precision[0] == 'z';
      const json r = hilo_json(std::string("eig -n 30 -o w.npy --precision ") + precision + ' ' + options +
                               (is_complex ? " --hermitian" : ""));
      EXPECT_EQ(r["solved"], true) << r;
      EXPECT_EQ(r["kind"], is_complex ? "Hermitian" : "symmetric");
      EXPECT_EQ(r["certified"], options[0] != 0);
      EXPECT_EQ(r["vectors"], options[0] != 0);
      EXPECT_LT(r["smallest"].get<double>(), r["largest"].get<double>());
      const bool is_refined = std::string(precision).ends_with("dd");
      EXPECT_EQ(r["path"] == "refinement", is_refined);
      for (const char* key : {"residual_u2", "orthogonality_u2", "error_bound"}) {
        EXPECT_EQ(r[key].is_null(), !options[0]) << key;
      }
      if (!options[0]) continue;
      EXPECT_LT(r["error_bound"].get<double>(), is_refined ? 1e-28 : 1e-3);
      EXPECT_LT(r["residual_u2"].get<double>(), is_refined ? 100.0 : 1e30);
    }
  }
  // Digits that double has not: the smallest value of Hilbert's matrix of 12 rows, by mpmath with 60 digits.
  EXPECT_NEAR(hilo_json("eig -n 12 --init hilbert")["smallest"].get<double>(), 1.0479463979622267e-16, 1e-30);
}

TEST_F(Program, EigJsonHasItsKeysInOrder) {
  std::vector<std::string> keys;
  const auto ordered = nlohmann::ordered_json::parse(hilo("eig -n 5 --seed 3 --threads 1 --engine direct --json").out);
  for (const auto& item : ordered.items()) keys.push_back(item.key());
  EXPECT_EQ(keys, (std::vector<std::string>{
                      "precision",        "n",         "kind",           "vectors",      "layout",  "engine",
                      "solved",           "path",      "updates",        "smallest",     "largest", "residual_u2",
                      "orthogonality_u2", "certified", "error_bound",    "failure",      "backend", "device",
                      "threads",          "repeat",    "seconds_kernel", "seconds_total"}));
  EXPECT_EQ(ordered["engine"], "direct");
  EXPECT_EQ(ordered["threads"], 1);
  EXPECT_TRUE(ordered["failure"].is_null());
}

TEST_F(Program, WrongEigenproblemsLeaveTheOutputsAlone) {
  folder.write("values.mtx", "as it was");
  folder.write("a.mtx", two_by_two);
  folder.write("h.mtx", hermitian);
  folder.write("bent.mtx", array + "2 2\n1\n2\n3\n4\n");
  folder.write("wide.mtx", array + "1 2\n1\n2\n");
  folder.write("none.mtx", array + "0 0\n");
  folder.write("short.mtx", array + "2 2\n1\n2\n3\n");
  folder.write("nan.mtx", array + "2 2\n1\nNaN\n3\n4\n");
  folder.write("c.mtx", "%%MatrixMarket matrix array complex symmetric\n2 2\n1 0\n2 1\n5 0\n");
  folder.write("i.mtx", "%%MatrixMarket matrix array complex general\n1 1\n2 1\n");
  data::Matrix<double> bad = data::zero_matrix<double>(2, 2, Layout::column, "bad");
  bad(1, 0) = bad(0, 1) = std::numeric_limits<double>::quiet_NaN();
  data::write_matrix(folder.file("nan.npy"), bad);
  const std::pair<const char*, const char*> cases[] = {
      {"bent.mtx", "hilo: bent.mtx is not symmetric: entry (1, 2) is not entry (2, 1)"},
      {"c.mtx --hermitian --precision zdd",
       "hilo: c.mtx is not Hermitian: entry (1, 2) is not the conjugate of entry (2, 1)"},
      {"i.mtx --hermitian --upper --precision c", "hilo: i.mtx is not Hermitian: entry (1, 1) is not real"},
      {"h.mtx --precision z", "hilo: --precision z takes --hermitian: "},
      {"h.mtx --hermitian", "use c, z or zdd"},
      {"wide.mtx", "hilo: wide.mtx is 1 x 2; a matrix with eigenvalues is square"},
      {"none.mtx", "hilo: none.mtx is 0 x 0; it has no eigenvalues"},
      {"short.mtx", "short.mtx:6: the file ends after 3 of 4 entries"},
      {"nan.mtx", "nan.mtx:4: 'NaN' is not a finite number"},
      {"nan.npy", "hilo: nan.npy: entry (2, 1) is NaN or Inf"},
      {"nan.npy --upper", "hilo: nan.npy: entry (2, 1) is NaN or Inf"},
      {"absent.mtx", "absent.mtx: cannot be opened: No such file or directory"},
      {"a.txt", "a.txt: the name of a matrix file ends in .mtx"},
      {"", "no matrix: give a matrix file, or -n for a generated matrix"},
      {"a.mtx a.mtx", "found 2 matrix files, the last 'a.mtx'; eig takes one, A"},
      {"a.mtx -n 3", "-n is for generated matrices; the sizes of files"},
      {"a.mtx --seed 3", "--init and --seed are for generated matrices"},
      {"-n 3 --upper", "--upper is for files"},
      {"-n 0", "-n 0 is less than 1"},
      {"-n 3 --threads 9999", "hilo: --threads 9999 is more than 1024"},
      {"-n 3 --repeat -1", "hilo: --repeat -1 is less than 0"},
      {"-n 3000000000 --precision d", "do not fit 64 bits"},
      {"a.mtx --vectors ./sub/../values.mtx",
       "hilo: -o values.mtx and --vectors ./sub/../values.mtx are the same file"},
      {"a.mtx --vectors none/v.mtx", "none/v.mtx: cannot be written: there is no folder none"},
      {"a.mtx --vectors v.txt", "v.txt: the name of a matrix file ends in .mtx"},
  };
  for (const auto& [words, message] : cases) expect_error(std::string("eig ") + words + " -o values.mtx", 2, message);
  for (const char* words : {"bent.mtx", "wide.mtx", "nan.npy", "none.mtx"}) {
    EXPECT_EQ(hilo(std::string("eig ") + words + " -o new.npy --vectors v.mtx --json").code, 2) << words;
  }
  expect_error("eig -n 10000000", 4, "no memory for A of 10000000 x 10000000 and the eigenvalues of 10000000 x 1 ");
  EXPECT_EQ(folder.read("values.mtx"), "as it was");
  EXPECT_FALSE(std::filesystem::exists(folder.file("new.npy")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("v.mtx")));
}

// Not computed: exit code 1 with the figures there are, and no output.
TEST_F(Program, EigenvaluesThatOverflowLeaveTheOutputsAlone) {
  folder.write("large.mtx", array + "2 2\n1.5e308\n1.5e308\n1.5e308\n1.5e308\n");
  folder.write("v.mtx", "as it was");
  Outcome run = hilo("eig large.mtx -o values.mtx --vectors v.mtx");
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.err,
            "hilo: the eigenvalues were not computed: values(1) overflows; values.mtx and v.mtx were not written\n");
  EXPECT_NE(run.out.find("solved     NO: values(1) overflows\n"), std::string::npos) << run.out;
  run = hilo("eig large.mtx -o values.mtx --json");
  EXPECT_EQ(run.code, 1);
  EXPECT_TRUE(run.err.ends_with("; values.mtx was not written\n")) << run.err;
  const json r = json::parse(run.out);
  EXPECT_EQ(r["solved"], false);
  EXPECT_EQ(r["failure"], "the eigenvalues were not computed: values(1) overflows");
  for (const char* key : {"path", "updates", "smallest", "largest", "residual_u2", "error_bound"}) {
    EXPECT_TRUE(r[key].is_null()) << key;
  }
  EXPECT_EQ(folder.read("v.mtx"), "as it was");
  EXPECT_FALSE(std::filesystem::exists(folder.file("values.mtx")));
}

// Where one output cannot be written, the other is not left, nor changed.
TEST_F(Program, EigWritesBothOutputsOrNeither) {
  folder.write("a.mtx", two_by_two);
  folder.write("old.mtx", "as it was");
  std::filesystem::create_symlink("/dev/full", folder.file("full.npy"));
  for (const char* words : {"-o full.npy --vectors ", "--vectors full.npy -o "}) {
    for (const char* other : {"new.mtx", "old.mtx"}) {
      expect_error(std::string("eig a.mtx ") + words + other, 2,
                   "full.npy: cannot be written: No space left on device");
    }
  }
  EXPECT_EQ(folder.read("old.mtx"), "as it was");
  EXPECT_FALSE(std::filesystem::exists(folder.file("new.mtx")));
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("."))) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".hilo-")) << entry.path();
  }
  EXPECT_EQ(hilo("eig a.mtx -o new.mtx --vectors old.mtx").code, 0);
  EXPECT_TRUE(folder.read("new.mtx").starts_with("%%MatrixMarket"));
  EXPECT_TRUE(folder.read("old.mtx").starts_with("%%MatrixMarket"));
}

}  // namespace
}  // namespace hilo
