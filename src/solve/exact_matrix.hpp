// A matrix with every word of its entries apart, scaled, and products with it in K words.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "host/team.hpp"
#include "solve/scaling.hpp"
#include "solve/vectors.hpp"

namespace hilo::solver {

/// E is double, std::complex<double>, dd_real or dd_complex.
template <gemm_scalar E>
class ExactMatrix {
 public:
  using X = Solution<E>;

  /// entry(i, j) · 2^(scaling's exponents). Those of columns are found on the way where there is a place for them,
  /// scaling.columns itself: each column is read from memory once.
  template <class Entry>
  ExactMatrix(int threads, const Scaling& scaling, Entry entry, std::vector<int>* found = nullptr)
      : rows_(std::ssize(scaling.rows)), columns_(std::ssize(scaling.columns)), copy_(columns_, rows_, Open()) {
    data_ = copy_.line(0);
    row_stride_ = 1;
    column_stride_ = word_count * copy_.pitch();
    word_stride_ = copy_.pitch();
    std::atomic<bool> has_low = false;
    host::for_parts(threads, columns_, [&](std::int64_t begin, std::int64_t end) {
      bool has_own_low = false;
      for (std::int64_t j = begin; j < end; ++j) {
        int of_column = scaling.columns[static_cast<std::size_t>(j)];
        if (found) {
          double largest = 0.0;
          for (std::int64_t i = 0; i < rows(); ++i) {
            largest = std::max(largest, scaled(size_of(entry(i, j)), scaling.rows[static_cast<std::size_t>(i)]));
          }
          (*found)[static_cast<std::size_t>(j)] = of_column = exponent_to_one(largest);
        }
        for (std::int64_t i = 0; i < rows(); ++i) {
          const int e = scaling.rows[static_cast<std::size_t>(i)] + of_column;
          const E x = scaled(E(entry(i, j)), e);
          copy_.put(i, j, x);
          has_own_low = has_own_low || has_low_words(x);
        }
      }
      if (has_own_low) has_low = true;
    });
    has_low_ = has_low;
  }

  /// The same of a matrix that stays where it is, and is scaled as it is read.
  ExactMatrix(const MatrixInPlace& a, const Scaling& scaling, bool has_low)
      : rows_(std::ssize(scaling.rows)),
        columns_(std::ssize(scaling.columns)),
        copy_(0, 0, Open()),
        data_(a.data),
        row_stride_(a.words),
        column_stride_(a.column_stride),
        word_stride_(1),
        row_scales_(powers_of_two(scaling.rows)),
        column_scales_(powers_of_two(scaling.columns)),
        has_low_(has_low && words_of_part == 2) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  E operator()(std::int64_t i, std::int64_t j) const {
    if (row_scales_.empty()) return copy_.get(i, j);
    const double scale = row_scales_[static_cast<std::size_t>(i)] * column_scales_[static_cast<std::size_t>(j)];
    const double* const x = data_ + i * row_stride_ + j * column_stride_;
    if constexpr (std::same_as<E, dd_real>) {
      return dd_real(x[0] * scale, x[1] * scale);
    } else {
      return E(x[0] * scale);
    }
  }

  /// sum − op(A) · x of some lines x, op one of none and conjugate_transpose, in as many words as the sums have, all
  /// alike.
  void subtract_products(int threads, const KernelSet& kernels, Op op, const Vectors<X>& x,
                         const std::vector<LineSum<X>>& sums) const {
    if (sums.empty()) return;
    const std::int64_t n = is_transposed(op) ? rows() : columns(), pitch = sums[0].sum->pitch();
    const int words = sums[0].sum->words();
    std::vector<double> factors(2 * sums.size() * static_cast<std::size_t>(n));
    std::vector<WordLine> lines(sums.size());
    const auto add = [&](int part_of_a, int part_of_x, int part_of_sum, bool is_negative) {
      double* to = factors.data();
      for (std::size_t k = 0; k < sums.size(); ++k, to += 2 * n) {
        const double* const from = x.line(sums[k].line) + 2 * part_of_x * x.pitch();
        for (std::int64_t i = 0; i < n; ++i) {
          to[i] = is_negative ? -from[i] : from[i];
          to[n + i] = is_negative ? -from[x.pitch() + i] : from[x.pitch() + i];
        }
        lines[k] = {to, to + n, sums[k].sum->data() + part_of_sum * words * pitch};
      }
      multiply(threads, kernels.add_products[words], products(op, part_of_a, lines, pitch));
    };
    add(0, 0, 0, true);
    if constexpr (is_complex_of<E>) {
      const bool is_turned = is_transposed(op);
      add(1, 1, 0, is_turned);
      add(0, 1, 1, true);
      add(1, 0, 1, !is_turned);
    }
  }

  /// |A| · y of leading words, of complex numbers the larger parts; each row in the order of columns.
  std::vector<double> multiply_magnitudes(int threads, const KernelSet& kernels, const std::vector<double>& y) const {
    std::vector<double> sums(static_cast<std::size_t>(round_up(rows(), row_padding)));
    if constexpr (is_complex_of<E>) {
      host::for_parts(rows() < 200 ? 1 : threads, blocks(rows(), 64), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t j = 0; j < columns(); ++j) {
          const double factor = y[static_cast<std::size_t>(j)];
          for (std::int64_t i = begin * 64; i < std::min(end * 64, rows()); ++i) {
            sums[static_cast<std::size_t>(i)] += size_of((*this)(i, j)) * factor;
          }
        }
      });
    } else {
      const std::vector<WordLine> lines = {{y.data(), nullptr, sums.data()}};
      WordProducts p = products(Op::none, 0, lines, 0);
      if (p.row_stride == 1) p.lo = nullptr;
      multiply(threads, kernels.add_magnitudes, p);
    }
    sums.resize(static_cast<std::size_t>(rows()));
    return sums;
  }

 private:
  using Open = typename Vectors<E>::Open;
  static constexpr int words_of_part = precisions::words(precision_of<E>), word_count = blas::word_count<E>;

  WordProducts products(Op op, int part, const std::vector<WordLine>& lines, std::int64_t pitch) const {
    const double* const hi = data_ + part * words_of_part * word_stride_;
    WordProducts p{rows(),
                   columns(),
                   hi,
                   has_low_ ? hi + word_stride_ : nullptr,
                   row_stride_,
                   column_stride_,
                   row_scales_.empty() ? nullptr : row_scales_.data(),
                   row_scales_.empty() ? nullptr : column_scales_.data(),
                   lines.data(),
                   std::ssize(lines),
                   pitch};
    if (is_transposed(op)) {
      std::swap(p.rows, p.columns);
      std::swap(p.row_stride, p.column_stride);
      std::swap(p.row_scales, p.column_scales);
    }
    return p;
  }

  // Rows are shared among threads.
  static void multiply(int threads, void (*kernel)(const WordProducts&), const WordProducts& p) {
    const int team = p.rows * p.columns * p.count < 16384 ? 1 : threads;
    host::for_parts(team, blocks(p.rows, row_padding), [&](std::int64_t first, std::int64_t last) {
      WordProducts some = p;
      const std::int64_t begin = first * row_padding;
      some.rows = std::min(last * row_padding, p.rows) - begin;
      some.hi += begin * p.row_stride;
      if (some.lo) some.lo += begin * p.row_stride;
      if (some.row_scales) some.row_scales += begin;
      std::vector<WordLine> lines(p.lines, p.lines + p.count);
      for (WordLine& line : lines) line.sums += begin;
      some.lines = lines.data();
      kernel(some);
    });
  }

  static bool has_low_words(const E& x) {
    if constexpr (std::same_as<E, dd_complex>) {
      return x.re.lo != 0.0 || x.im.lo != 0.0;
    } else if constexpr (std::same_as<E, dd_real>) {
      return x.lo != 0.0;
    } else {
      return false;
    }
  }

  std::int64_t rows_, columns_;
  Vectors<E> copy_;  // of none where the matrix stays where it is
  const double* data_ = nullptr;
  std::int64_t row_stride_ = 0, column_stride_ = 0, word_stride_ = 0;  // in doubles
  std::vector<double> row_scales_, column_scales_;                     // of what stays where it is
  bool has_low_ = false;  // else the terms of low words, which are 0, are left out
};

}  // namespace hilo::solver
