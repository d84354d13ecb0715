// A symmetric or Hermitian matrix times a vector, in DD and ZDD: the triangle is read once.
//
// Tiles of a chunk's rows and columns left of the diagonal serve twice: for their rows, and turned for rows above. They
// are taken in the order in which the memory has them: 16 contiguous lines at a time, from one end to the other.
// Threads take blocks of lines, and what these sum is kept for a round of blocks: sums over chunks are added up from
// left to right, so that those of row k come from tiles beside its place on the diagonal first, and then from tiles
// below.
#include "blas/cpu/chunk_rounds.hpp"
#include "blas/cpu/matrix_vector.hpp"

namespace hilo::blas {
namespace {

// Lines of a tile, of 1 KiB each, that stay in the nearest cache for their second turn.
constexpr std::int64_t near_lines = 16;

template <gemm_scalar T>
class SymmetricProduct {
 public:
  SymmetricProduct(const VectorCall& call, Symmetry symmetry, const MatrixView<const T>& a, const T* x, T* y)
      : call_(&call),
        rows_(*call.set),
        is_hermitian_(symmetry == Symmetry::hermitian),
        mirror_(is_hermitian_ ? Op::conjugate_transpose : Op::transpose),
        a_(a),
        n_(a.rows),
        x_(x),
        y_(y) {}

  // y += A · x, columns side by side.
  void add_columns() const {
    const std::int64_t all = blocks(n_, block), round = round_of(call_->threads, 2 * n_, all);
    const Zeros<T> sums(round * n_), turned(round * round_up(n_, block));
    const auto turned_of = [&](std::int64_t b) { return turned.data() + b * round_up(n_, block); };
    for (std::int64_t first = 0; first < all; first += round) {
      const std::int64_t count = std::min(round, all - first);
      host::for_each(call_->threads, count, [&](std::int64_t b, int) {
        add_columns_below((first + b) * block, sums.data() + b * n_, turned_of(b));
      });
      host::for_parts(call_->threads, all - first, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          const std::int64_t i = (first + r) * block, height = std::min(block, n_ - i);
          for (std::int64_t b = 0; b < std::min(r, count); ++b) rows_.close(height, sums.data() + b * n_ + i, y_ + i);
          if (r >= count) continue;
          add_diagonal(i);
          for (std::int64_t k = i + block; k < n_; k += block) rows_.close(block, turned_of(r) + k, y_ + i);
        }
      });
    }
  }

  // The same, rows side by side.
  void add_rows() const {
    const std::int64_t all = blocks(n_, block), round = round_of(call_->threads, n_, all);
    const Zeros<T> turned(round * n_);
    for (std::int64_t first = 0; first < all; first += round) {
      const std::int64_t count = std::min(round, all - first);
      host::for_each(call_->threads, count, [&](std::int64_t b, int) {
        add_rows_before((first + b) * block, turned.data() + b * n_);
        add_diagonal((first + b) * block);
      });
      host::for_parts(call_->threads, first + count - 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t b = 0; b < count; ++b) {
          const std::int64_t last = std::min(end, first + b);
          if (begin < last) {
            rows_.close((last - begin) * block, turned.data() + b * n_ + begin * block, y_ + begin * block);
          }
        }
      });
    }
  }

 private:
  static constexpr std::int64_t block = chunk_terms<T>;

  std::int64_t bytes(std::int64_t rows, std::int64_t columns) const {
    return (rows * a_.row_stride + columns * a_.column_stride) * static_cast<std::int64_t>(sizeof(T));
  }

  // y += what the tile on the diagonal is of it.
  void add_diagonal(std::int64_t k) const {
    const std::int64_t n = std::min(block, n_ - k);
    const MatrixView<const T> a = a_.sub(k, k, n, n);
    // Not a power of two, whose multiples share few places in a cache.
    constexpr std::int64_t apart = block + 4;
    const host::Workspace memory(apart * n * static_cast<std::int64_t>(sizeof(T)));
    T* const tile = reinterpret_cast<T*>(memory.data());
    T sums[block] = {};
    for (std::int64_t j = 0; j < n; ++j) {
      tile[j * apart + j] = is_hermitian_ ? T(real(a(j, j))) : element(a, j, j);
      for (std::int64_t i = j + 1; i < n; ++i) {
        const T below = element(a, i, j);
        tile[j * apart + i] = below;
        tile[i * apart + j] = conjugated(below, is_hermitian_);
      }
    }
    rows_.add_tile({tile, n, n, 1, apart}, x_ + k, sums, 0);
    rows_.close(n, sums, y_ + k);
  }

  // Columns k … k + block − 1 below the diagonal's tile, into a sum of each row, and sums of these columns over each
  // chunk of rows, from its first row on.
  void add_columns_below(std::int64_t k, T* sums, T* turned) const {
    const std::int64_t top = k + block;
    for (std::int64_t j = 0; j < block; j += near_lines) {
      for (std::int64_t i = top; i < n_; i += block) {
        const MatrixView<const T> tile = a_.sub(i, k + j, std::min(block, n_ - i), near_lines);
        // The next columns follow the end of these.
        const std::int64_t ahead = i + block < n_ ? RowSums<T>::along : bytes(top - i, near_lines);
        rows_.add_tile(tile.turned(mirror_), x_ + i, turned + i + j, ahead);
        rows_.add_tile(tile, x_ + k + j, sums + i, 0);
      }
    }
  }

  // Rows i … i + block − 1 before the diagonal's tile: y += what they are of it, and sums of all columns over these
  // rows.
  void add_rows_before(std::int64_t i, T* turned) const {
    T sums[near_lines] = {};
    const std::int64_t end = std::min(i + block, n_);
    for (std::int64_t j = i; j < end; j += near_lines) {
      const std::int64_t n = std::min(near_lines, end - j);
      for (std::int64_t k = 0; k < i; k += block) {
        const MatrixView<const T> tile = a_.sub(j, k, n, block);
        rows_.add_tile(tile, x_ + k, sums, k + block < i ? RowSums<T>::along : bytes(near_lines, -k));
        rows_.close(n, sums, y_ + j);
        rows_.add_tile(tile.turned(mirror_), x_ + j, turned + k, 0);
      }
    }
  }

  const VectorCall* call_;
  RowSums<T> rows_;
  bool is_hermitian_;
  Op mirror_;
  MatrixView<const T> a_;
  std::int64_t n_;
  const T* x_;
  T* y_;
};

}  // namespace

template <gemm_scalar T>
void multiply_symmetric(const VectorCall& call, Symmetry symmetry, const MatrixView<const T>& a, const T* x, T* y) {
  std::fill_n(y, a.rows, T(0));
  const SymmetricProduct<T> product(call, symmetry, a, x, y);
  if (a.row_stride == 1) {
    product.add_columns();
  } else {
    product.add_rows();
  }
  const bool is_hermitian = symmetry == Symmetry::hermitian;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const auto at = [&](std::int64_t k) {
      if (i == k && is_hermitian) return T(real(a(i, i)));
      return i >= k ? element(a, i, k) : conjugated(element(a, k, i), is_hermitian);
    };
    make_plain(y[i], 0, a.rows, at, x);
  }
}

template void multiply_symmetric<dd_real>(const VectorCall&, Symmetry, const MatrixView<const dd_real>&, const dd_real*,
                                          dd_real*);
template void multiply_symmetric<dd_complex>(const VectorCall&, Symmetry, const MatrixView<const dd_complex>&,
                                             const dd_complex*, dd_complex*);

}  // namespace hilo::blas
