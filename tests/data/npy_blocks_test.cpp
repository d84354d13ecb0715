#include "data/npy_blocks.hpp"

#include <gtest/gtest.h>

#include "data/file.hpp"
#include "data/generate.hpp"
#include "data/npy.hpp"
#include "same_bits.hpp"
#include "temporary_folder.hpp"

namespace hilo::data {
namespace {

using test::TemporaryFolder;

template <class T>
Matrix<T> made(std::int64_t rows, std::int64_t columns, Layout layout) {
  Matrix<T> a = zero_matrix<T>(rows, columns, layout, "a");
  generate({{Init::uniform, 0}, 1}, layout, rows, columns, a.entries.data(), a.leading());
  return a;
}

// f(i, j, rows, columns) of blocks that cut a matrix of 7 × 5.
template <class F>
void for_blocks(F f) {
  for (std::int64_t j = 0; j < 5; j += 3) {
    for (std::int64_t i = 0; i < 7; i += 3) f(i, j, std::min<std::int64_t>(3, 7 - i), std::min<std::int64_t>(3, 5 - j));
  }
}

template <class File, class T>
void expect_blocks(const std::string& path) {
  for (const Layout layout : {Layout::column, Layout::row}) {
    write_npy(path, made<File>(7, 5, layout));
    const Matrix<T> expected = read_npy<T>(path, Layout::column);
    const NpyBlocks file(path, precision_of<T>);
    EXPECT_EQ(file.rows(), 7);
    EXPECT_EQ(file.columns(), 5);
    Matrix<T> whole = zero_matrix<T>(7, 5, Layout::column, "whole");
    for_blocks([&](std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns) {
      file.read<T>(i, j, {whole.entries.data() + i + 7 * j, rows, columns, 1, 7});
    });
    EXPECT_EQ(test::first_difference(whole.entries, expected.entries), -1);
  }
}

TEST(NpyBlocks, AreThoseOfTheWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.npy");
  expect_blocks<dd_real, dd_real>(path);
  expect_blocks<float, dd_complex>(path);
  expect_blocks<std::complex<double>, dd_complex>(path);
  expect_blocks<double, double>(path);
}

TEST(NpyBlocks, MakeTheFileOfTheWhole) {
  const TemporaryFolder folder;
  for (const Layout layout : {Layout::column, Layout::row}) {
    const Matrix<dd_complex> a = made<dd_complex>(7, 5, layout);
    write_npy(folder.file("whole.npy"), a);
    OutputFile file(folder.file("blocks.npy"), Unfinished::named);
    const NpyShape shape{Precision::zdd, layout, 7, 5};
    file.write(shape.header());
    {
      const NpyBlockWriter one("blocks.npy", file.temporary(), shape), other("blocks.npy", file.temporary(), shape);
      const auto view = hilo::view(layout, Op::none, a.entries.data(), 7, 5, a.leading());
      for_blocks([&](std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns) {
        (i == 3 ? one : other).write<dd_complex>(i, j, view.sub(i, j, rows, columns));
      });
      one.finish();
    }
    EXPECT_FALSE(std::filesystem::exists(folder.file("blocks.npy")));
    file.commit();
    EXPECT_EQ(read_file(folder.file("blocks.npy")), read_file(folder.file("whole.npy")));
    std::filesystem::remove(folder.file("blocks.npy"));
  }
}

std::string complaint(const std::string& path, Precision as) {
  try {
    NpyBlocks file(path, as);
  } catch (const error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(NpyBlocks, RefuseWhatReadNpyRefuses) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.npy");
  write_npy(path, made<dd_real>(3, 2, Layout::column));
  EXPECT_EQ(complaint(path, Precision::dd), "accepted");
  EXPECT_EQ(complaint(path, Precision::z), path + ": the file's precision is dd, which z does not hold");
  const std::string bytes = read_file(path);
  folder.write("a.npy", bytes.substr(0, bytes.size() - 1));
  EXPECT_EQ(complaint(path, Precision::dd),
            path + ": the file has 95 bytes behind its header; expected 96 for 3 x 2 entries");
  EXPECT_EQ(complaint(folder.file("b.npy"), Precision::dd),
            folder.file("b.npy") + ": cannot be opened: No such file or directory");
  EXPECT_EQ(complaint("/dev/null", Precision::dd), "/dev/null: ranks read files alone, and this is none");
}

TEST(GenerateBlock, IsThatOfTheWhole) {
  for (const Init init : {Init::uniform, Init::positive, Init::range, Init::dominant, Init::hilbert}) {
    const Recipe recipe{{init, 2.0}, 5, Terms::along_rows};
    Matrix<dd_complex> whole = zero_matrix<dd_complex>(7, 5, Layout::column, "whole"), blocks = whole;
    generate(recipe, Layout::column, 7, 5, whole.entries.data(), 7);
    for_blocks([&](std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns) {
      generate_block<dd_complex>(recipe, i, j, {blocks.entries.data() + i + 7 * j, rows, columns, 1, 7});
    });
    EXPECT_EQ(test::first_difference(blocks.entries, whole.entries), -1);
  }
}

}  // namespace
}  // namespace hilo::data
