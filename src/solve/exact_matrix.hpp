// A matrix with every word of its entries apart, scaled, and products with it in K words.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "blas/words.hpp"
#include "host/team.hpp"
#include "host/workspace.hpp"
#include "solve/cpu/kernels.hpp"
#include "solve/scaling.hpp"
#include "solve/word_sums.hpp"

namespace hilo::solver {

/// Vectors as lines of words, and zeros behind them as far as kernels may read.
template <gemm_scalar T>
class Vectors : public blas::Lines<T> {
 public:
  Vectors(std::int64_t count, std::int64_t length) : Vectors(count, length, zeros(count, length)) {}
  /// Of no particular value, but for the zeros: who has written line k calls close(k).
  struct Open {};
  Vectors(std::int64_t count, std::int64_t length, Open) : Vectors(count, length, lines_after(count, length)) {}

  void close(std::int64_t k) {
    for (int w = 0; w < blas::word_count<T>; ++w) {
      double* const words = this->line(k) + w * this->pitch();
      std::fill(words + length_, words + this->pitch(), 0.0);
    }
  }

  std::int64_t count() const { return count_; }
  std::int64_t length() const { return length_; }

 private:
  using Memory = std::unique_ptr<host::AlignedMemory>;

  Vectors(std::int64_t count, std::int64_t length, Memory memory)
      : blas::Lines<T>(memory->data(), length), memory_(std::move(memory)), count_(count), length_(length) {}

  static Memory lines_after(std::int64_t count, std::int64_t length) {
    auto memory = std::make_unique<host::AlignedMemory>(blas::Lines<T>::bytes(count + row_padding, length));
    std::fill_n(memory->data() + blas::Lines<T>::bytes(count, length) / host::bytes_per_double,
                blas::Lines<T>::bytes(row_padding, length) / host::bytes_per_double, 0.0);
    return memory;
  }
  static Memory zeros(std::int64_t count, std::int64_t length) {
    const std::int64_t bytes = blas::Lines<T>::bytes(count + row_padding, length);
    auto memory = std::make_unique<host::AlignedMemory>(bytes);
    std::fill_n(memory->data(), bytes / host::bytes_per_double, 0.0);
    return memory;
  }

  Memory memory_;
  std::int64_t count_, length_;
};

/// E is double, std::complex<double>, dd_real or dd_complex.
template <gemm_scalar E>
class ExactMatrix {
 public:
  using X = Solution<E>;

  /// entry(i, j) · 2^(scaling's exponents). Those of columns are found on the way where there is a place for them,
  /// scaling.columns itself: each column is read from memory once.
  template <class Entry>
  ExactMatrix(int threads, const Scaling& scaling, Entry entry, std::vector<int>* found = nullptr)
      : columns_(static_cast<std::int64_t>(scaling.columns.size()), static_cast<std::int64_t>(scaling.rows.size()),
                 typename Vectors<E>::Open()) {
    std::atomic<bool> has_low = false;
    host::for_parts(threads, columns_.count(), [&](std::int64_t begin, std::int64_t end) {
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
          columns_.put(i, j, x);
          has_own_low = has_own_low || has_low_words(x);
        }
        columns_.close(j);
      }
      if (has_own_low) has_low = true;
    });
    has_low_ = has_low;
  }

  std::int64_t rows() const { return columns_.length(); }
  std::int64_t columns() const { return columns_.count(); }
  E operator()(std::int64_t i, std::int64_t j) const { return columns_.get(i, j); }

  /// sum − op(A) · x rounded once, op one of none and conjugate_transpose: `sum` has `words` words for each part of an
  /// entry, re first, word w of entry i at [w · pitch + i], `pitch` at least the result's entries and row_padding.
  void subtract_product(int threads, const KernelSet& kernels, int words, Op op, const Vectors<X>& x, std::int64_t line,
                        double* sum, std::int64_t pitch) const {
    const bool is_turned = is_transposed(op);
    const std::int64_t m = is_turned ? columns() : rows(), n = is_turned ? rows() : columns();
    const std::int64_t stride = columns_.line(1) - columns_.line(0);
    const auto add = [&](int part_of_a, int part_of_x, int part_of_sum, bool is_negative) {
      std::vector<double> factor(static_cast<std::size_t>(2 * n));
      const double* const from = x.line(line) + 2 * part_of_x * x.pitch();
      for (std::int64_t i = 0; i < n; ++i) {
        factor[static_cast<std::size_t>(i)] = is_negative ? -from[i] : from[i];
        factor[static_cast<std::size_t>(n + i)] = is_negative ? -from[x.pitch() + i] : from[x.pitch() + i];
      }
      const double* const hi = columns_.line(0) + part_of_a * words_of_part * columns_.pitch();
      const WordProducts p{m,
                           n,
                           hi,
                           has_low_ ? hi + columns_.pitch() : nullptr,
                           is_turned ? stride : 1,
                           is_turned ? 1 : stride,
                           factor.data(),
                           factor.data() + n,
                           sum + part_of_sum * words * pitch,
                           pitch};
      host::for_parts(m * n < 16384 ? 1 : threads, blocks(m, task_rows), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin * task_rows; i < std::min(end * task_rows, m); i += task_rows) {
          WordProducts some = p;
          some.rows = std::min(task_rows, m - i);
          some.hi += i * p.row_stride;
          if (some.lo) some.lo += i * p.row_stride;
          some.sums += i;
          kernels.add_products[words](some);
        }
      });
    };
    add(0, 0, 0, true);
    if constexpr (is_complex_of<E>) {
      add(1, 1, 0, is_turned);
      add(0, 1, 1, true);
      add(1, 0, 1, !is_turned);
    }
  }

 private:
  static constexpr int words_of_part = precisions::words(precision_of<E>);
  static constexpr std::int64_t task_rows = 64;

  static bool has_low_words(const E& x) {
    if constexpr (std::same_as<E, dd_complex>) {
      return x.re.lo != 0.0 || x.im.lo != 0.0;
    } else if constexpr (std::same_as<E, dd_real>) {
      return x.lo != 0.0;
    } else {
      return false;
    }
  }

  Vectors<E> columns_;
  bool has_low_ = false;  // else the terms of low words, which are 0, are left out
};

/// The rounded sums of a vector of K words, for subtract_product.
template <gemm_scalar X>
class VectorOfSums {
 public:
  VectorOfSums(int words, std::int64_t length)
      : words_(words),
        length_(length),
        pitch_(round_up(length, row_padding) + row_padding),
        data_(static_cast<std::size_t>(parts * words * pitch_)) {}

  /// f(data, pitch) on sums first … first + count − 1, as the sums that subtract_product takes.
  template <class F>
  void on_part(std::int64_t first, std::int64_t count, F f) {
    VectorOfSums part(words_, count);
    const auto copy = [&](auto move) {
      for (std::int64_t w = 0; w < parts * words_; ++w) {
        for (std::int64_t i = 0; i < count; ++i) move(data()[w * pitch_ + first + i], part.data()[w * part.pitch_ + i]);
      }
    };
    copy([](double& own, double& of_part) { of_part = own; });
    f(part.data(), part.pitch());
    copy([](double& own, double& of_part) { own = of_part; });
  }

  double* data() { return data_.data(); }
  std::int64_t pitch() const { return pitch_; }

  void add(std::int64_t i, const X& x) {
    if constexpr (is_complex_of<X>) {
      sum(0, i).add(x.re);
      sum(1, i).add(x.im);
    } else {
      sum(0, i).add(x);
    }
  }
  X close(std::int64_t i) {
    if constexpr (is_complex_of<X>) {
      const dd_real re = sum(0, i).close();
      return {re, sum(1, i).close()};
    } else {
      return sum(0, i).close();
    }
  }

 private:
  static constexpr int parts = precisions::parts(precision_of<X>);

  WordSum sum(int part, std::int64_t i) { return {words_, data() + part * words_ * pitch_ + i, pitch_}; }

  int words_;
  std::int64_t length_, pitch_;
  std::vector<double> data_;
};

}  // namespace hilo::solver
