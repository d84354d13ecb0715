// Vectors of a system: numbers by words, and sums in K words.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "blas/words.hpp"
#include "host/workspace.hpp"
#include "solve/cpu/kernels.hpp"
#include "solve/precision.hpp"
#include "solve/word_sums.hpp"

namespace hilo::solver {

/// Vectors as lines of words.
template <gemm_scalar T>
class Vectors : public blas::Lines<T> {
 public:
  Vectors(std::int64_t count, std::int64_t length) : Vectors(count, length, Open()) {
    std::fill_n(memory_->data(), memory_->bytes() / host::bytes_per_double, 0.0);
  }
  /// Of no particular value.
  struct Open {};
  Vectors(std::int64_t count, std::int64_t length, Open)
      : Vectors(count, length, std::make_unique<host::AlignedMemory>(blas::Lines<T>::bytes(count, length))) {}

  std::int64_t count() const { return count_; }
  std::int64_t length() const { return length_; }

 private:
  using Memory = std::unique_ptr<host::AlignedMemory>;

  Vectors(std::int64_t count, std::int64_t length, Memory memory)
      : blas::Lines<T>(memory->data(), length), memory_(std::move(memory)), count_(count), length_(length) {}

  Memory memory_;
  std::int64_t count_, length_;
};

/// A vector of sums in K words, `words` words for each part of an entry, re first.
template <gemm_scalar X>
class VectorOfSums {
 public:
  VectorOfSums(int words, std::int64_t length)
      : words_(words),
        length_(length),
        pitch_(round_up(length, row_padding) + 16),  // of no page
        data_(static_cast<std::size_t>(parts * words * pitch_)) {}

  /// Sums first … first + count − 1, and what puts them back.
  VectorOfSums part(std::int64_t first, std::int64_t count) const {
    VectorOfSums some(words_, count);
    for (std::int64_t w = 0; w < parts * words_; ++w) {
      std::copy_n(data_.data() + w * pitch_ + first, count, some.data() + w * some.pitch_);
    }
    return some;
  }
  void put(std::int64_t first, const VectorOfSums& some) {
    for (std::int64_t w = 0; w < parts * words_; ++w) {
      std::copy_n(some.data_.data() + w * some.pitch_, some.length_, data() + w * pitch_ + first);
    }
  }

  int words() const { return words_; }
  /// Word w of entry i is at [w · pitch + i]; entries up to the next multiple of row_padding are memory, too.
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

/// A line of some vectors, and the sum that it belongs to.
template <gemm_scalar X>
struct LineSum {
  std::int64_t line;
  VectorOfSums<X>* sum;
};

}  // namespace hilo::solver
