#include "cli/ranks/operand.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "cli/operands.hpp"
#include "cli/problem/structure.hpp"
#include "cli/ranks/messages.hpp"
#include "data/file.hpp"
#include "data/npy_blocks.hpp"

namespace hilo::cli {
namespace {

template <class T>
RanksOperand<T> operand_of_blocks(const distributed::Cluster& cluster, const std::string& path) {
  std::shared_ptr<data::NpyBlocks> file;
  cluster.agree([&] { file = std::make_shared<data::NpyBlocks>(path, precision_of<T>); });
  return {path, file->rows(), file->columns(), [file](const distributed::Matrix<T>& matrix, Op op) {
            matrix.change_tiles([&](std::int64_t i, std::int64_t j, const MatrixView<T>& tile) {
              if (op == Op::transpose) std::swap(i, j);
              file->read(i, j, tile.turned(op));
            });
          }};
}

template <class T>
RanksOperand<T> operand_of_text(const distributed::Cluster& cluster, const std::string& path, Progress& progress) {
  const auto whole = std::make_shared<data::Matrix<T>>();
  cluster.agree([&] {
    if (cluster.rank() == 0) *whole = matrix_from_file<T>(path, Layout::column, progress);
  });
  std::int64_t sizes[] = {whole->rows, whole->columns};
  from_first_rank(sizes);
  return {path, sizes[0], sizes[1],
          [whole](const distributed::Matrix<T>& matrix, Op op) { matrix.scatter(view_of(*whole).turned(op)); }};
}

data::Recipe own_recipe(const data::Recipe& recipe, char which) {
  data::Recipe own = recipe;
  own.seed = data::seed_of_matrix(recipe.seed, which);
  return own;
}

// Entries of a positive definite matrix, by its lower triangle.
template <class T>
class PositiveBlocks {
 public:
  PositiveBlocks(const data::Recipe& recipe, std::int64_t n) : recipe_(recipe), n_(n) {}

  void make(std::int64_t i, std::int64_t j, const MatrixView<T>& tile) const {
    std::vector<T> memory(static_cast<std::size_t>(tile.rows * tile.columns));
    const MatrixView<T> mirror{memory.data(), tile.columns, tile.rows, 1, tile.columns};
    data::generate_block(recipe_, i, j, tile);
    data::generate_block(recipe_, j, i, mirror);
    for (std::int64_t c = 0; c < tile.columns; ++c) {
      for (std::int64_t r = 0; r < tile.rows; ++r) {
        if (i + r < j + c) tile(r, c) = mirrored(mirror(c, r), SystemKind::positive);
        if (i + r == j + c) tile(r, c) = diagonal(i + r, tile(r, c));
      }
    }
  }

 private:
  // Row i to the left of the diagonal, then column i below it, which mirrors what is to its right.
  T diagonal(std::int64_t i, const T& given) const {
    const T real = data::from_parts<T>(data::real_part(given), data::real_of<T>(0));
    if (recipe_.generator.init == data::Init::hilbert) return real;
    std::vector<T> line(static_cast<std::size_t>(n_));
    data::generate_block<T>(recipe_, i, 0, {line.data(), 1, i, 1, 1});
    line[static_cast<std::size_t>(i)] = real;
    data::generate_block<T>(recipe_, i + 1, i, {line.data() + i + 1, n_ - i - 1, 1, 1, n_});
    double sum = 0.0;
    for (const T& x : line) sum += sum_of_parts(x);
    return data::from_parts<T>(static_cast<data::real_of<T>>(2.0 * sum), data::real_of<T>(0));
  }

  data::Recipe recipe_;
  std::int64_t n_;
};

}  // namespace

template <class T>
RanksOperand<T> operand_of_file(const distributed::Cluster& cluster, const std::string& path, Progress& progress) {
  progress.at("reading " + path);
  return data::is_npy(path) ? operand_of_blocks<T>(cluster, path) : operand_of_text<T>(cluster, path, progress);
}

template <class T>
RanksOperand<T> generated_operand(const data::Recipe& recipe, char which, std::int64_t rows, std::int64_t columns) {
  return {std::string(1, which), rows, columns,
          [own = own_recipe(recipe, which)](const distributed::Matrix<T>& matrix, Op op) {
            matrix.change_tiles([&](std::int64_t i, std::int64_t j, const MatrixView<T>& tile) {
              if (op == Op::transpose) std::swap(i, j);
              data::generate_block(own, i, j, tile.turned(op));
            });
          }};
}

template <class T>
RanksOperand<T> generated_positive_operand(const data::Recipe& recipe, char which, std::int64_t n) {
  return {std::string(1, which), n, n,
          [blocks = PositiveBlocks<T>(own_recipe(recipe, which), n)](const distributed::Matrix<T>& matrix, Op op) {
            matrix.change_tiles([&](std::int64_t i, std::int64_t j, const MatrixView<T>& tile) {
              if (op == Op::transpose) std::swap(i, j);
              blocks.make(i, j, tile.turned(op));
            });
          }};
}

template <class T>
void write_of_ranks(const distributed::Cluster& cluster, const std::string& path, Layout layout,
                    const distributed::Matrix<T>& matrix, Progress& progress) {
  const bool is_first = cluster.rank() == 0;
  const data::NpyShape shape{precision_of<T>, layout, matrix.rows(), matrix.columns()};
  progress.at("writing " + path);
  // Of rank 0: the file that has no name yet, but that which ranks write to; none of devices and pipes.
  std::optional<data::OutputFile> file;
  cluster.agree([&] {
    if (!is_first || !data::is_npy(path)) return;
    file.emplace(path, data::Unfinished::named);
    if (file->temporary().empty()) return file.reset();
    file->write(shape.header());
  });
  const std::string temporary = from_first_rank(file ? file->temporary() : "");
  if (!temporary.empty()) {
    std::optional<data::NpyBlockWriter> writer;
    cluster.agree([&] { writer.emplace(path, temporary, shape); });
    matrix.read_tiles(
        [&](std::int64_t i, std::int64_t j, const MatrixView<const T>& tile) { writer->write<T>(i, j, tile); });
    cluster.agree([&] { writer->finish(); });
    cluster.agree([&] {
      if (is_first) file->commit();
    });
    return;
  }
  data::Matrix<T> whole;
  cluster.agree([&] {
    if (is_first) whole = data::zero_matrix<T>(matrix.rows(), matrix.columns(), layout, path);
  });
  matrix.gather(view_of(whole));
  cluster.agree([&] {
    if (is_first) matrix_to_file(path, whole, progress);
  });
}

#define HILO_INSTANTIATE(T)                                                                                            \
  template RanksOperand<T> operand_of_file(const distributed::Cluster&, const std::string&, Progress&);                \
  template RanksOperand<T> generated_operand(const data::Recipe&, char, std::int64_t, std::int64_t);                   \
  template RanksOperand<T> generated_positive_operand(const data::Recipe&, char, std::int64_t);                        \
  template void write_of_ranks(const distributed::Cluster&, const std::string&, Layout, const distributed::Matrix<T>&, \
                               Progress&);
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::cli
