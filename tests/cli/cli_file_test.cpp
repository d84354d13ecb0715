// The hilo program's matrix files: what it reads and writes, and what it says of those that it cannot.
#include <cstdlib>

#include "cli_program.hpp"
#include "data/generate.hpp"
#include "data/matrix.hpp"
#include "gemm/direct/reference.hpp"

namespace hilo {
namespace {

using test::Outcome;
using test::Program;

const char* const two_by_two = "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n";
const char* const two_by_three = "%%MatrixMarket matrix array real general\n2 3\n1\n0\n0\n1\n1\n1\n";

TEST_F(Program, MultipliesFiles) {
  folder.write("a.mtx", two_by_two);
  folder.write("b.mtx", two_by_three);
  Outcome run = hilo("gemm a.mtx b.mtx -o c.mtx");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find("2 x 3 x 2"), std::string::npos) << run.out;
  EXPECT_EQ(folder.read("c.mtx"),
            "%%MatrixMarket matrix array real general\n% written by hilo\n2 3\n1\n2\n3\n4\n4\n6\n");
  // gemm is the default, and a file name may come after --verify.
  EXPECT_EQ(hilo("--verify a.mtx b.mtx --transa T -o d.npy").code, 0);
  data::Matrix<dd_real> d = data::read_matrix<dd_real>(folder.file("d.npy"), Layout::row);
  EXPECT_EQ(d(1, 2), dd_real(7));
  EXPECT_EQ(hilo("d.npy a.mtx --transa t --c b.mtx --beta 1").code, 2);
  EXPECT_EQ(hilo("a.mtx b.mtx --c d.npy --beta -2 --alpha 0.5 -o e.mtx --layout row").code, 0);
  data::Matrix<dd_real> e = data::read_matrix<dd_real>(folder.file("e.mtx"), Layout::row);
  EXPECT_EQ(e(0, 0), dd_real(0.5) * 1 - 2 * d(0, 0));
}

// The bits of a generated product, through the file, are those of the reference.
TEST_F(Program, WritesTheReferencesBits) {
  using data::Matrix;
  Matrix<dd_complex> a = data::zero_matrix<dd_complex>(9, 7, Layout::column, "a");
  Matrix<dd_complex> b = data::zero_matrix<dd_complex>(9, 11, Layout::column, "b"), c = b;
  c = data::zero_matrix<dd_complex>(7, 11, Layout::column, "c");
  data::generate({{data::Init::uniform, 0}, data::seed_of_matrix(3, 'A')}, Layout::column, 9, 7, a.entries.data(), 9);
  data::generate({{data::Init::uniform, 0}, data::seed_of_matrix(3, 'B')}, Layout::column, 9, 11, b.entries.data(), 9);
  data::generate({{data::Init::uniform, 0}, data::seed_of_matrix(3, 'C')}, Layout::column, 7, 11, c.entries.data(), 7);
  dd_complex alpha(0.5, -2), beta(3, 0.25);
  const dd_complex *pa = a.entries.data(), *pb = b.entries.data();
  direct::reference_gemm(alpha, view(Layout::column, Op::conjugate_transpose, pa, 7, 9, 9),
                         view(Layout::column, Op::none, pb, 9, 11, 9), beta,
                         view(Layout::column, Op::none, c.entries.data(), 7, 11, 7), Accuracy::fast, false);
  for (const char* name : {"c.mtx", "c.npy"}) {
    Outcome run = hilo(std::string("gemm -m 7 -n 11 -k 9 --precision zdd --seed 3 --transa C --alpha '(0.5,-2)' "
                                   "--beta 3,0.25 --accuracy fast --fma off -o ") +
                       name);
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(data::read_matrix<dd_complex>(folder.file(name), Layout::column).entries, c.entries);
  }
}

TEST_F(Program, NumpyReadsAndWritesTheSameFiles) {
  if (std::system(HILO_PYTHON " -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "no python3 with numpy";
  folder.write("make.py",
               "import numpy as np\n"
               "a = np.zeros((2, 3), dtype=[('hi', '<f8'), ('lo', '<f8')])\n"
               "a['hi'] = np.arange(6).reshape(2, 3); a['lo'] = a['hi'] * 2.0**-60\n"
               "np.save('a.npy', a); np.save('b.npy', np.asfortranarray(np.ones((3, 2))))\n");
  folder.write("check.py",
               "import numpy as np\n"
               "c = np.load('c.npy')\n"
               "assert c.dtype == [('hi', '<f8'), ('lo', '<f8')] and c.shape == (2, 2)\n"
               "assert (c['hi'] == [[3, 3], [12, 12]]).all() and (c['lo'] == c['hi'] * 2.0**-60).all()\n");
  std::string python = "cd '" + folder.file(".") + "' && " HILO_PYTHON " ";
  ASSERT_EQ(std::system((python + "make.py").c_str()), 0);
  for (const char* layout : {"row", "column"}) {
    EXPECT_EQ(hilo(std::string("a.npy b.npy -o c.npy --layout ") + layout).code, 0);
    EXPECT_EQ(std::system((python + "check.py").c_str()), 0);
  }
}

TEST_F(Program, WrongFilesLeaveTheOutputAlone) {
  folder.write("a.mtx", two_by_two);
  folder.write("b.mtx", two_by_three);
  folder.write("c.mtx", "as it was");
  const std::string array = "%%MatrixMarket matrix array real general\n";
  struct Case {
    std::string name, bytes, words;
  };
  const Case cases[] = {
      {"empty.mtx", "", "empty.mtx:1: the file is empty"},
      {"header.mtx", "2 2\n1\n2\n3\n4\n", "header.mtx:1: found '2 2'"},
      {"short.mtx", array + "2 2\n1\n2\n3\n", "short.mtx:6: the file ends after 3 of 4 entries"},
      {"nan.mtx", array + "2 2\n1\nNaN\n3\n4\n", "nan.mtx:4: 'NaN' is not a finite number"},
      {"comma.mtx", array + "2 2\n1\n2\n3,5\n4\n", "comma.mtx:5: '3,5' is not a number: the decimal point is '.'"},
      {"complex.mtx", "%%MatrixMarket matrix array complex general\n1 1\n1 2\n", "use c, z or zdd"},
      {"empty.npy", "", "empty.npy: the file is empty"},
      {"text.npy", two_by_two, "text.npy: the file does not start with"},
      {"name.txt", two_by_two, "name.txt: the name of a matrix file ends in .mtx"},
  };
  for (const Case& c : cases) {
    folder.write(c.name, c.bytes);
    expect_error("gemm a.mtx " + c.name + " -o c.mtx", 2, c.words);
    expect_error("gemm " + c.name + " a.mtx -o new.npy", 2, c.words);
  }
  expect_error("a.mtx none.mtx -o c.mtx", 2, "none.mtx: cannot be opened: No such file or directory");
  folder.write("long.mtx", array + "4611686018427387904 0\n");
  expect_error("long.mtx long.mtx --transb T -o c.mtx", 2,
               "hilo: C (long.mtx times long.mtx): the bytes of a 4611686018427387904 x 4611686018427387904 matrix do "
               "not fit 64 bits");
  expect_error("b.mtx a.mtx -o c.mtx", 2,
               "b.mtx is 2 x 3, a.mtx is 2 x 2: op(A) has 3 columns, op(B) 2 rows; they must be equal");
  expect_error("a.mtx a.mtx --c b.mtx --beta 1 -o c.mtx", 2, "--c b.mtx is 2 x 3; the product is 2 x 2");
  EXPECT_EQ(folder.read("c.mtx"), "as it was");
  EXPECT_FALSE(std::filesystem::exists(folder.file("new.npy")));
  EXPECT_EQ(hilo("a.mtx a.mtx -o c.mtx").code, 0);
  EXPECT_TRUE(folder.read("c.mtx").starts_with("%%MatrixMarket"));
}

TEST_F(Program, NoRowsOfManyColumns) {
  folder.write("a.mtx", "%%MatrixMarket matrix array real general\n0 9223372036854775807\n");
  folder.write("b.mtx", "%%MatrixMarket matrix array real general\n9223372036854775807 0\n");
  for (const char* product : {"a.mtx b.mtx", "a.mtx b.mtx --layout row", "-m 0 -n 9223372036854775807 -k 0"}) {
    EXPECT_EQ(hilo(std::string(product) + " --verify=full -o c.npy").code, 0) << product;
    EXPECT_EQ(hilo(std::string(product) + " -o c.mtx").code, 0) << product;
  }
}

TEST_F(Program, AMillionDigits) {
  folder.write("a.mtx", "%%MatrixMarket matrix array real general\n1 1\n0." + std::string(1000000, '3') + "\n");
  folder.write("b.mtx", "%%MatrixMarket matrix array real general\n1 1\n3\n");
  EXPECT_EQ(hilo("a.mtx b.mtx --verify -o c.mtx").code, 0);
}

TEST_F(Program, UnwritableOutput) {
  expect_error("-n 3 -o none/c.mtx", 2, "none/c.mtx: cannot be written: there is no folder none");
  std::filesystem::create_directory(folder.file("folder.mtx"));
  expect_error("-n 3 -o folder.mtx", 2, "folder.mtx: cannot be written: it is a folder");
  std::filesystem::create_symlink("loop.mtx", folder.file("loop.mtx"));
  expect_error("-n 3 -o loop.mtx", 2, "loop.mtx: cannot be written: its symbolic links form a loop");
  std::filesystem::permissions(folder.write("mine.mtx", "as it was"), std::filesystem::perms::owner_read);
  expect_error("-n 3 -o mine.mtx", 2, "mine.mtx: cannot be written: it is read-only");
  expect_error("-n 3 -o c.txt", 2, "c.txt: the name of a matrix file ends in .mtx");
  std::filesystem::create_symlink("/dev/full", folder.file("full.npy"));
  expect_error("-n 3 -o full.npy", 2, "full.npy: cannot be written: No space left on device");
  folder.write("a.mtx", "%%MatrixMarket matrix array real general\n1 1\n1e300\n");
  expect_error("a.mtx a.mtx -o c.mtx", 2, "c.mtx: entry (1, 1) is NaN or Inf, which Matrix Market cannot hold");
  EXPECT_FALSE(std::filesystem::exists(folder.file("c.mtx")));
  EXPECT_EQ(hilo("a.mtx a.mtx -o c.npy --verify").code, 0);
}

}  // namespace
}  // namespace hilo
