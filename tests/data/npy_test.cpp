#include "data/npy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "data/generate.hpp"
#include "data/npy_header.hpp"
#include "temporary_folder.hpp"

namespace hilo::data {
namespace {

using test::TemporaryFolder;
using Z = std::complex<double>;

// A .npy file of a given version with a dictionary as NumPy writes it, and entries behind it.
template <class Word>
std::string npy(int version, const std::string& dictionary, const std::vector<Word>& words) {
  std::string header = dictionary + std::string(11, ' ') + "\n";
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  file += static_cast<char>(header.size());
  file += std::string(version == 1 ? 1 : 3, '\0');
  file += header;
  file.append(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(Word));
  return file;
}

std::string dictionary(const std::string& dtype, const std::string& shape, bool fortran = false) {
  return "{'descr': " + dtype + ", 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

class Npy : public ::testing::Test {
 protected:
  template <class T = dd_real>
  Matrix<T> read(const std::string& bytes, Layout layout = Layout::column) {
    return read_npy<T>(folder.write("x.npy", bytes), layout);
  }

  template <class T = dd_real>
  std::string complaint(const std::string& bytes, errc code = errc::parse) {
    std::string path = folder.write("x.npy", bytes);
    try {
      read_npy<T>(path, Layout::column);
    } catch (const error& e) {
      EXPECT_EQ(e.code(), code) << e.what();
      std::string what = e.what();
      EXPECT_TRUE(what.starts_with(path + ": ")) << what;
      return what.substr(path.size() + 2);
    }
    return "accepted";
  }

  template <class T>
  void round_trip() {
    for (Layout written : {Layout::column, Layout::row}) {
      Matrix<T> a = zero_matrix<T>(5, 11, written, "a");
      generate({{Init::uniform, 0}, 1}, written, 5, 11, a.entries.data(), a.leading());
      write_npy(folder.file("a.npy"), a);
      for (Layout layout : {Layout::column, Layout::row}) {
        Matrix<T> b = read_npy<T>(folder.file("a.npy"), layout);
        for (std::int64_t i = 0; i < 5; ++i) {
          for (std::int64_t j = 0; j < 11; ++j) ASSERT_EQ(a(i, j), b(i, j));
        }
      }
    }
  }

  TemporaryFolder folder;
};

TEST_F(Npy, WrittenAndReadBackExactly) {
  round_trip<float>();
  round_trip<double>();
  round_trip<std::complex<float>>();
  round_trip<Z>();
  round_trip<dd_real>();
  round_trip<dd_complex>();
}

// Of zeros the signs of all words.
TEST_F(Npy, ZerosReadBackExactly) {
  Matrix<dd_real> a = zero_matrix<dd_real>(4, 1, Layout::column, "a");
  a.entries = {dd_real(0.0, 0.0), dd_real(-0.0, 0.0), dd_real(0.0, -0.0), dd_real(-0.0, -0.0)};
  write_npy(folder.file("a.npy"), a);
  const Matrix<dd_real> b = read_npy<dd_real>(folder.file("a.npy"), Layout::column);
  EXPECT_EQ(std::memcmp(a.entries.data(), b.entries.data(), 4 * sizeof(dd_real)), 0);
  const Matrix<dd_complex> c = read_npy<dd_complex>(folder.file("a.npy"), Layout::column);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(std::signbit(c(i, 0).re.hi), std::signbit(a(i, 0).hi));
}

TEST_F(Npy, WrittenAsNumpyWrites) {
  Matrix<dd_real> a = zero_matrix<dd_real>(2, 1, Layout::column, "a");
  a.entries = {dd_real(1, 0x1p-60), dd_real(-2)};
  write_npy(folder.file("a.npy"), a);
  std::string bytes = folder.read("a.npy");
  ASSERT_EQ(bytes.size(), 128u + 32u);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(bytes.substr(10, 84),
            "{'descr': [('hi','<f8'),('lo','<f8')], 'fortran_order': True, 'shape': (2, 1), }    ");
  EXPECT_EQ(bytes[127], '\n');
  const double expected[] = {1, 0x1p-60, -2, 0};
  EXPECT_EQ(std::memcmp(bytes.data() + 128, expected, 32), 0);
}

TEST_F(Npy, VersionsOrdersAndSpellings) {
  std::vector<double> six = {1, 2, 3, 4, 5, 6};
  for (int version : {1, 2, 3}) {
    auto c = read<double>(npy(version, dictionary("'<f8'", "(2, 3)"), six));
    EXPECT_EQ(c(0, 1), 2);
    EXPECT_EQ(c(1, 0), 4);
    auto f = read<double>(npy(version, dictionary("'<f8'", "(2, 3)", true), six), Layout::row);
    EXPECT_EQ(f(0, 1), 3);
    EXPECT_EQ(f(1, 0), 2);
  }
  auto d = read<dd_real>(npy(1, dictionary("[('hi', '<f8'), ('lo', '<f8')]", "(1, 3)"), six));
  EXPECT_EQ(d(0, 2), dd_real::sum(5, 6));  // made canonical
  auto e =
      read<dd_real>(npy(1, "{\"shape\": (3,1), 'fortran_order':False,'descr':[(\"hi\",\"=f8\"),('lo','<f8',),]}", six));
  EXPECT_EQ(e(1, 0), dd_real::sum(3, 4));
  EXPECT_EQ(read<double>(npy(1, dictionary("'<f8'", "(0, 3)"), std::vector<double>{})).columns, 3);
}

TEST_F(Npy, WideningIsExact) {
  std::vector<float> f = {0.1f, -2};
  EXPECT_EQ(read<dd_real>(npy(1, dictionary("'<f4'", "(1, 2)"), f))(0, 0), dd_real(0.1f));
  EXPECT_EQ(read<Z>(npy(1, dictionary("'<f4'", "(1, 2)"), f))(0, 1), Z(-2, 0));
  EXPECT_EQ(read<dd_complex>(npy(1, dictionary("'<c8'", "(1, 1)"), f))(0, 0), dd_complex(0.1f, -2));
  std::vector<double> d = {0.1, -2};
  EXPECT_EQ(read<dd_real>(npy(1, dictionary("'<f8'", "(1, 2)"), d))(0, 0), dd_real(0.1));
  EXPECT_EQ(read<dd_complex>(npy(1, dictionary("'<c16'", "(1, 1)"), d))(0, 0), dd_complex(0.1, -2));
  std::vector<double> q = {1, 0x1p-60};
  EXPECT_EQ(read<dd_complex>(npy(1, dictionary("[('hi', '<f8'), ('lo', '<f8')]", "(1, 1)"), q))(0, 0),
            dd_complex(dd_real(1, 0x1p-60)));
}

TEST_F(Npy, WrongFiles) {
  std::vector<double> four = {1, 2, 3, 4};
  auto file = [&](const std::string& dtype, const std::string& shape) {
    return npy(1, dictionary(dtype, shape), four);
  };
  std::string good = file("'<f8'", "(2, 2)");
  std::string list =
      " is none of '<f4', '<f8', '<c8', '<c16', [('hi','<f8'),('lo','<f8')] and "
      "[('re_hi','<f8'),('re_lo','<f8'),('im_hi','<f8'),('im_lo','<f8')]";
  errc no = errc::unsupported;
  EXPECT_EQ(complaint(""), "the file is empty; a .npy file starts with \\x93NUMPY");
  EXPECT_EQ(complaint("%%MatrixMarket"), "the file does not start with \\x93NUMPY as a .npy file does");
  EXPECT_EQ(complaint(good.substr(0, 7)), "the file ends within the .npy header");
  EXPECT_EQ(complaint(good.substr(0, 9)), "the file ends within the .npy header");
  EXPECT_EQ(complaint(good.substr(0, 40)), "the file ends within the .npy header");
  EXPECT_EQ(complaint(npy(4, dictionary("'<f8'", "(2, 2)"), four)), ".npy version 4.0 is none of 1.0, 2.0 and 3.0");
  EXPECT_EQ(complaint(good.substr(0, good.size() - 1)),
            "the file has 31 bytes behind its header; expected 32 for 2 x 2 entries");
  EXPECT_EQ(complaint(good + "x"), "the file has 33 bytes behind its header; expected 32 for 2 x 2 entries");
  EXPECT_EQ(complaint(file("'<f8'", "(4,)"), no), "the array has 1 dimension; a matrix has 2");
  EXPECT_EQ(complaint(file("'<f8'", "(1, 2, 2)"), no), "the array has 3 dimensions; a matrix has 2");
  EXPECT_EQ(complaint(file("'<f8'", "()"), no), "the array has 0 dimensions; a matrix has 2");
  EXPECT_EQ(complaint(file("'<i8'", "(2, 2)"), no), "dtype '<i8'" + list);
  EXPECT_EQ(complaint(file("'>f8'", "(2, 2)"), no),
            "dtype '>f8' (big-endian: convert it with .astype or .byteswap)" + list);
  EXPECT_EQ(complaint(file("[('x', '<f8'), ('y', '<f8')]", "(2, 1)"), no), "dtype [('x','<f8'),('y','<f8')]" + list);
  EXPECT_EQ(complaint(file("[('hi', '<f8', (2,))]", "(2, 1)"), no), "dtype [('hi','<f8',…)]" + list);
  for (const char* dtype : {"[('hi', '<f8'), ('lo', '<f8']", "[('hi', '<f8' 'lo')]"}) {
    EXPECT_NE(complaint(file(dtype, "(1, 2)")).find(" was expected"), std::string::npos) << dtype;
  }
  EXPECT_TRUE(complaint(file("[('hi', '<f8',)), ('lo', '<f8')]", "(1, 2)"))
                  .starts_with("the .npy header has '), ('lo', '<f8')]"));
  EXPECT_EQ(complaint(file("'<f8'", "(2, -2)")),
            "the .npy header has '-2), }           \\n' where a size was expected");
  EXPECT_EQ(complaint(file("'<f8'", "(99999999999999999999, 2)"), errc::overflow),
            "a size in the .npy header does not fit 64 bits");
  EXPECT_EQ(complaint(file("'<f8'", "(4611686018427387904, 4)"), errc::overflow),
            "the bytes of 4611686018427387904 x 4 entries do not fit 64 bits");
  EXPECT_EQ(complaint(npy(1, "{'descr': '<f8', 'shape': (2, 2), }", four)), "the .npy header lacks fortran_order");
  EXPECT_EQ(complaint(npy(1, "{'colour': 3}", four)),
            "the .npy header has the key 'colour'; expected descr, fortran_order and shape");
  EXPECT_EQ(complaint(npy(1, "{'fortran_order': yes}", four)),
            "the .npy header has 'yes}           \\n' where True or False was expected");
  EXPECT_EQ(complaint(npy(1, dictionary("'<f8'", "(2, 2)") + " x", four)),
            "the .npy header has 'x           \\n' where its end was expected");
  EXPECT_EQ(complaint<double>(file("[('hi', '<f8'), ('lo', '<f8')]", "(2, 1)"), no),
            "the file's precision is dd, which d does not hold");
  EXPECT_EQ(complaint<float>(good, no), "the file's precision is d, which s does not hold");
  EXPECT_EQ(complaint<dd_real>(file("'<c16'", "(1, 2)"), no), "the file's precision is z, which dd does not hold");
  EXPECT_EQ(complaint<std::complex<float>>(file("'<c16'", "(1, 2)"), no),
            "the file's precision is z, which c does not hold");
  // And the next call works.
  EXPECT_EQ(read(good)(1, 1), dd_real(4));
}

TEST_F(Npy, NoRowsOfManyColumnsReturnAtOnce) {
  for (bool fortran : {false, true}) {
    for (const char* shape : {"(0, 9223372036854775807)", "(9223372036854775807, 0)"}) {
      EXPECT_TRUE(read(npy(1, dictionary("'<f8'", shape, fortran), std::vector<double>{})).entries.empty());
    }
  }
}

// Headers cut short or with one byte changed: an error or a matrix, never anything else.
TEST_F(Npy, BrokenHeadersAreErrors) {
  std::string good = npy(1, dictionary("[('hi', '<f8'), ('lo', '<f8')]", "(1, 2)"), std::vector<double>{1, 2, 3, 4});
  int refused = 0;
  for (std::size_t i = 0; i < good.size() - 32; ++i) {
    for (char c : {'\0', '(', ']', '\'', '9', '\xff'}) {
      std::string bad = good;
      bad[i] = c;
      try {
        NpyHeader header = read_npy_header("x", bad);
        EXPECT_LE(header.bytes, bad.size());
      } catch (const error&) {
        ++refused;
      }
    }
    EXPECT_THROW(read_npy_header("x", good.substr(0, i)), error);
  }
  EXPECT_GT(refused, 300);
}

TEST_F(Npy, UnwritableLeavesNothing) {
  Matrix<double> a = zero_matrix<double>(1, 1, Layout::column, "a");
  EXPECT_THROW(write_npy(folder.file("none/x.npy"), a), error);
  EXPECT_EQ(folder.count(), 0);
}

}  // namespace
}  // namespace hilo::data
