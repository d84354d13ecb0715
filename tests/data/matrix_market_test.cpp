#include "data/matrix_market.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "comma_locale.hpp"
#include "data/generate.hpp"
#include "data/memory.hpp"
#include "temporary_folder.hpp"

namespace hilo::data {
namespace {

using test::TemporaryFolder;
using Z = std::complex<double>;

class MatrixMarket : public ::testing::Test {
 protected:
  template <class T = dd_real>
  Matrix<T> read(std::string_view text, Layout layout = Layout::column) {
    return read_matrix_market<T>(folder.write("x.mtx", text), layout);
  }

  // The message of the error that reading `text` ends in, without the path, and its code.
  template <class T = dd_real>
  std::string complaint(std::string_view text, errc code = errc::parse) {
    std::string path = folder.write("x.mtx", text);
    try {
      read_matrix_market<T>(path, Layout::column);
    } catch (const error& e) {
      EXPECT_EQ(e.code(), code) << e.what();
      std::string what = e.what();
      EXPECT_TRUE(what.starts_with(path + ":")) << what;
      return what.substr(path.size() + 1);
    }
    return "accepted";
  }

  template <class T>
  void round_trip(Init init, double phi) {
    for (Layout layout : {Layout::column, Layout::row}) {
      Matrix<T> a = zero_matrix<T>(13, 7, layout, "a");
      generate({{init, phi}, 1}, layout, 13, 7, a.entries.data(), a.leading());
      std::string path = folder.file("a.mtx");
      write_matrix_market(path, a);
      Matrix<T> b = read_matrix_market<T>(path, layout);
      ASSERT_EQ(b.rows, 13);
      ASSERT_EQ(b.columns, 7);
      EXPECT_EQ(a.entries, b.entries);
    }
  }

  TemporaryFolder folder;
};

TEST_F(MatrixMarket, WrittenAndReadBackExactly) {
  round_trip<float>(Init::range, 4);
  round_trip<double>(Init::range, 40);
  round_trip<std::complex<float>>(Init::uniform, 0);
  round_trip<Z>(Init::uniform, 0);
  round_trip<dd_real>(Init::range, 40);
  round_trip<dd_complex>(Init::range, 4);
}

TEST_F(MatrixMarket, HardNumbersReadBackExactly) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Matrix<dd_real> a = zero_matrix<dd_real>(3, 3, Layout::column, "a");
  a.entries = {dd_real(-0.0),           dd_real(1.0, 0x1p-1074),       dd_real(0x1p-1074),
               dd_real(-1.0, 0x1p-600), dd_real(0x1p-1000, 0x1p-1074), std::numeric_limits<dd_real>::max(),
               dd_real(1) / 3,          dd_real(0x1p1023, -0x1p-1074), dd_real(0x1p-969)};
  std::string path = folder.file("a.mtx");
  write_matrix_market(path, a);
  EXPECT_EQ(read_matrix_market<dd_real>(path, Layout::column).entries, a.entries);
  EXPECT_TRUE(std::signbit(read_matrix_market<dd_real>(path, Layout::column).entries[0].hi));

  std::string before = folder.read("a.mtx");
  for (double bad : {inf, -inf, std::numeric_limits<double>::quiet_NaN()}) {
    a(2, 1) = dd_real(bad);
    try {
      write_matrix_market(path, a);
      ADD_FAILURE();
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::unsupported);
      EXPECT_NE(std::string(e.what()).find("entry (3, 2)"), std::string::npos) << e.what();
    }
  }
  EXPECT_EQ(folder.read("a.mtx"), before);
  EXPECT_EQ(folder.count(), 1);
}

TEST_F(MatrixMarket, ArrayInColumnOrderWhateverTheLayout) {
  for (Layout layout : {Layout::column, Layout::row}) {
    auto a = read<double>("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n", layout);
    EXPECT_EQ(a(0, 0), 1);
    EXPECT_EQ(a(1, 0), 2);
    EXPECT_EQ(a(0, 2), 5);
    EXPECT_EQ(a.leading(), layout == Layout::column ? 2 : 3);
  }
}

TEST_F(MatrixMarket, CommentsBlankLinesCaseAndCrlf) {
  auto a = read<double>(
      "%%matrixmarket MATRIX Coordinate Integer General\r\n% a comment\r\n\r\n%\r\n  2 2 2\r\n\r\n1 2  +7\r\n% "
      "another\n"
      "\t2 1 -3");
  EXPECT_EQ(a(0, 1), 7);
  EXPECT_EQ(a(1, 0), -3);
  EXPECT_EQ(a(0, 0), 0);
}

TEST_F(MatrixMarket, Symmetries) {
  auto s = read<double>("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n");
  EXPECT_EQ(s(2, 1), 5);
  EXPECT_EQ(s(1, 2), 5);
  EXPECT_EQ(s(0, 2), 3);
  EXPECT_EQ(s(2, 2), 6);
  auto k = read<double>("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n");
  EXPECT_EQ(k(1, 0), 1);
  EXPECT_EQ(k(0, 1), -1);
  EXPECT_EQ(k(1, 2), -3);
  EXPECT_EQ(k(1, 1), 0);
  auto h = read<dd_complex>("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 5 0\n2 1 1.5 -2\n");
  EXPECT_EQ(h(0, 1), dd_complex(1.5, 2));
  EXPECT_EQ(h(1, 0), dd_complex(1.5, -2));
  EXPECT_EQ(h(0, 0), dd_complex(5, 0));
  auto c = read<Z>("%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 1 2\n");
  EXPECT_EQ(c(0, 1), Z(1, 2));
  auto p = read<float>("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n");
  EXPECT_EQ(p(0, 1), 1.0f);
  EXPECT_EQ(p(0, 0), 0.0f);
  auto r = read<Z>("%%MatrixMarket matrix array real general\n1 1\n2.5\n");
  EXPECT_EQ(r(0, 0), Z(2.5, 0));
}

TEST_F(MatrixMarket, EmptyMatrices) {
  EXPECT_EQ(read("%%MatrixMarket matrix array real general\n0 5\n").columns, 5);
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real general\n3 0 0\n").rows, 3);
}

// Nothing counts to the other size.
TEST_F(MatrixMarket, NoRowsOfManyColumnsReturnAtOnce) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::string sizes = "0 9223372036854775807", array = "%%MatrixMarket matrix array real general\n";
  EXPECT_EQ(read(array + sizes + "\n").columns, most);
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real general\n" + sizes + " 0\n").columns, most);
  EXPECT_EQ(complaint(array + sizes + "\n1\n"), "3: found '1' behind the last of 0 entries");
  EXPECT_EQ(read(array + "9223372036854775807 0\n").rows, most);
  Matrix<dd_real> a = zero_matrix<dd_real>(0, most, Layout::column, "a");
  write_matrix_market(folder.file("a.mtx"), a);
  EXPECT_EQ(folder.read("a.mtx"), array + "% written by hilo\n" + sizes + "\n");
  generate({{Init::uniform, 0}, 1}, Layout::column, 0, most, a.entries.data(), 1);
}

// A header asks for 400 MB that the file does not fill, then for more than there is.
TEST_F(MatrixMarket, NoMemoryForHeadersAlone) {
  auto peak = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // KiB
  };
  const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";
  const long before = peak();
  EXPECT_EQ(complaint(coordinate + "25000000 1 2\n1 1 1\n"), "4: the file ends after 1 of 2 entries");
  EXPECT_LT(peak() - before, 100 * 1024);
  const std::string rows = std::to_string(free_bytes() / 8);
  EXPECT_EQ(complaint(coordinate + rows + " 1 1\n1 1 1\n", errc::out_of_memory),
            "2: no memory for " + rows + " x 1 entries of 16 bytes each");
}

TEST_F(MatrixMarket, NumbersAreCorrectlyRounded) {
  const char* text = "%%MatrixMarket matrix array real general\n1 1\n0.1\n";
  dd_real tenth = read(text)(0, 0);
  EXPECT_EQ(tenth, dd_real(0.1, -0x1.999999999999ap-58));
  EXPECT_EQ(read<float>(text)(0, 0), 0.1f);
  EXPECT_EQ(read<double>("%%MatrixMarket matrix array real general\n1 1\n1e-400\n")(0, 0), 0.0);
  EXPECT_EQ(read<float>("%%MatrixMarket matrix array real general\n1 1\n1e-42\n")(0, 0), 1e-42f);
}

TEST_F(MatrixMarket, NumbersAreThoseOfEveryLocale) {
  const hilo::test::CommaLocale comma;
  const std::string array = "%%MatrixMarket matrix array real general\n1 1\n";
  EXPECT_EQ(read<double>(array + "-1.5e-400\n")(0, 0), 0.0);
  EXPECT_TRUE(std::signbit(read<double>(array + "-1.5e-400\n")(0, 0)));
  EXPECT_EQ(complaint<double>(array + "1.5e400\n"), "3: '1.5e400' is too large for this precision");
  EXPECT_EQ(complaint<float>(array + "-1.5e39\n"), "3: '-1.5e39' is too large for this precision");
}

TEST_F(MatrixMarket, AMillionDigits) {
  // 1/3 to a million places: the nearest dd_real is that of 1/3.
  std::string text = "%%MatrixMarket matrix array real general\n1 1\n0." + std::string(1000000, '3') + "\n";
  auto start = std::chrono::steady_clock::now();
  dd_real third = read(text)(0, 0);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 2.0);
  EXPECT_EQ(third, dd_real(0x1.5555555555555p-2, 0x1.5555555555555p-56));
  EXPECT_EQ(read<double>(text)(0, 0), 1.0 / 3);
}

TEST_F(MatrixMarket, WrongFiles) {
  const std::string array = "%%MatrixMarket matrix array real general\n";
  const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
  struct Case {
    std::string text, message;
    errc code = errc::parse;
  };
  const Case cases[] = {
      {"", "1: the file is empty; a Matrix Market file starts with '%%MatrixMarket matrix'"},
      {"1 2 3\n", "1: found '1 2 3'; a Matrix Market file starts with '%%MatrixMarket matrix'"},
      {"%%MatrixMarket matrix array real\n1 1\n1\n",
       "1: found '%%MatrixMarket matrix array real'; expected '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'"},
      {"%%MatrixMarket vector array real general\n", "1: object 'vector' is not matrix"},
      {"%%MatrixMarket matrix dense real general\n", "1: format 'dense' is not array or coordinate"},
      {"%%MatrixMarket matrix array double general\n", "1: field 'double' is not real, integer, complex or pattern"},
      {"%%MatrixMarket matrix array real triangular\n",
       "1: symmetry 'triangular' is not general, symmetric, skew-symmetric or hermitian"},
      {"%%MatrixMarket matrix array pattern general\n1 1\n", "1: a pattern file is coordinate, not array"},
      {"%%MatrixMarket matrix array real hermitian\n1 1\n1\n", "1: a hermitian file is complex"},
      {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n",
       "1: a pattern file is general or symmetric, not skew-symmetric"},
      {"%%MatrixMarket matrix array complex general\n1 1\n1 2\n",
       "1: the file is complex and cannot be read in a real precision (use c, z or zdd)", errc::unsupported},
      {array, "2: the file ends where the sizes were expected: ROWS COLUMNS"},
      {array + "2\n", "2: found '2' where the sizes were expected: ROWS COLUMNS"},
      {coordinate + "% c\n2 2\n", "3: found '2' where the sizes were expected: ROWS COLUMNS ENTRIES"},
      {array + "2 -2\n", "2: the number of columns '-2' is negative"},
      {array + "2 x\n", "2: the number of columns 'x' is not an integer"},
      {array + "2.0 2\n", "2: the number of rows '2.0' is not an integer"},
      {array + "99999999999999999999 2\n", "2: the number of rows '99999999999999999999' does not fit 64 bits",
       errc::overflow},
      {array + "4294967296 4294967296\n", "2: the size 4294967296 x 4294967296 does not fit 64 bits", errc::overflow},
      {coordinate + "2305843009213693951 2 1\n1 1 1\n",
       "2: the bytes of a 2305843009213693951 x 2 matrix do not fit 64 bits", errc::overflow},
      {coordinate + "100000000 100000000 1\n1 1 1\n", "2: no memory for 100000000 x 100000000 entries of 16 bytes each",
       errc::out_of_memory},
      {array + "1000 1000\n1\n", "2: the file of 53 bytes is too short for 1000000 entries"},
      {symmetric + "2 3 0\n", "2: the size 2 x 3 is not square, as a symmetric, skew-symmetric or hermitian matrix is"},
      {coordinate + "2 2 5\n", "2: 5 entries are more than the 4 of this matrix"},
      {symmetric + "2 2 4\n", "2: 4 entries are more than the 3 of this matrix"},
      {array + "2 2\n1\n2\n3\n", "6: the file ends after 3 of 4 entries"},
      {array + "2 2\n1\n2\n3\n4\n5\n", "7: found '5' behind the last of 4 entries"},
      {coordinate + "2 2 1\n1 1 1\n2 2 2\n", "4: found '2' behind the last of 1 entries"},
      {array + "1 1\n1 2\n", "3: found 2 words, the first '1'; expected 1 for an entry"},
      {coordinate + "2 2 1\n1 1\n", "3: found 2 words, the first '1'; expected 3 for an entry"},
      {coordinate + "2 2 1\n1 1 1 1 1 1 1 1\n", "3: found more than 5 words, the first '1'; expected 3 for an entry"},
      {array + "1 1\nnan\n", "3: 'nan' is not a finite number"},
      {array + "1 1\n-Inf\n", "3: '-Inf' is not a finite number"},
      {array + "1 1\n1,5\n", "3: '1,5' is not a number: the decimal point is '.', not ','"},
      {array + "1 1\n1.5x\n", "3: '1.5x' is not a number"},
      {array + "1 1\n1e\n", "3: '1e' is not a number"},
      {array + "1 1\n0x10\n", "3: '0x10' is not a number"},
      {array + "1 1\n1.5.5\n", "3: '1.5.5' is not a number"},
      {array + "1 1\n+-1\n", "3: '+-1' is not a number"},
      {array + "1 1\n1e999\n", "3: '1e999' is too large for this precision"},
      {"%%MatrixMarket matrix array integer general\n1 1\n1.5\n", "3: '1.5' is not an integer"},
      {coordinate + "2 2 1\n3 1 1\n", "3: row 3 is not within 1 and 2"},
      {coordinate + "2 2 1\n1 0 1\n", "3: column 0 is not within 1 and 2"},
      {coordinate + "2 2 2\n1 2 1\n1 2 1\n", "4: entry (1, 2) is given twice"},
      {coordinate + "9 9 5\n3 1 1\n2 1 1\n1 9 1\n2 1 1\n3 1 1\n", "6: entry (2, 1) is given twice"},
      {symmetric + "2 2 1\n1 2 1\n",
       "3: entry (1, 2) lies above the diagonal; a symmetric file gives the lower triangle"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
       "3: entry (1, 1) lies on the diagonal, which is zero in this file"},
  };
  for (const Case& c : cases) EXPECT_EQ(complaint(c.text, c.code), c.message) << c.text;
  EXPECT_EQ(complaint<dd_complex>("%%MatrixMarket matrix array complex hermitian\n1 1\n1 2\n"),
            "3: diagonal entry (1, 1) of a hermitian file is not real");
  EXPECT_EQ(complaint<float>(array + "1 1\ngröße\033\377\n"), R"(3: 'größe\x1b\xff' is not a number)");
  EXPECT_EQ(complaint<float>(array + "1 1\n1e39\n"), "3: '1e39' is too large for this precision");
  // And the next call works.
  EXPECT_EQ(read(array + "1 1\n4\n")(0, 0), dd_real(4));
}

TEST_F(MatrixMarket, FilesThatCannotBeRead) {
  for (auto [path, words] : {std::pair{folder.file("none.mtx"), "cannot be opened: No such file or directory"},
                             std::pair{folder.file("."), "cannot be read: it is a folder"}}) {
    try {
      read_matrix_market<double>(path, Layout::column);
      ADD_FAILURE();
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::io);
      EXPECT_EQ(e.what(), path + ": " + words);
    }
  }
}

TEST_F(MatrixMarket, FilesThatCannotBeWritten) {
  Matrix<double> a = zero_matrix<double>(1, 1, Layout::column, "a");
  for (auto [path, words] : {std::pair{folder.file("none/x.mtx"), "there is no folder " + folder.file("none")},
                             std::pair{folder.file("."), std::string("it is a folder")}}) {
    try {
      write_matrix_market(path, a);
      ADD_FAILURE();
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::io);
      EXPECT_EQ(e.what(), path + ": cannot be written: " + words);
    }
  }
  EXPECT_EQ(folder.count(), 0);
}

TEST_F(MatrixMarket, ReplacingKeepsPermissionsAndLinks) {
  Matrix<double> a = zero_matrix<double>(1, 1, Layout::column, "a");
  std::string path = folder.write("a.mtx", "old"), link = folder.file("link.mtx");
  chmod(path.c_str(), 0640);
  std::filesystem::create_symlink(path, link);
  write_matrix_market(link, a);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  struct stat status;
  stat(path.c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_EQ(read_matrix_market<double>(path, Layout::column).entries, a.entries);
  EXPECT_EQ(folder.count(), 2);
  // Two links, the second to what is not there yet.
  std::filesystem::create_symlink("second.mtx", folder.file("first.mtx"));
  std::filesystem::create_symlink("new.mtx", folder.file("second.mtx"));
  write_matrix_market(folder.file("first.mtx"), a);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("first.mtx")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("second.mtx")));
  EXPECT_EQ(read_matrix_market<double>(folder.file("new.mtx"), Layout::column).entries, a.entries);
  write_matrix_market("/dev/null", a);
}

}  // namespace
}  // namespace hilo::data
