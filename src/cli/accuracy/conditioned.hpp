// Matrices of a given condition.
#pragma once

#include "data/matrix.hpp"

namespace hilo::cli {

/// n × n matrices with singular values in geometric progression from 1 down to 1 / condition, by columns, with bits
/// that are the same on every machine: U · S · Vᴴ, U and V of QR factorisations of generated matrices, all by the
/// direct engine.
template <double_double T>
class Conditioned {
 public:
  /// Throws hilo::error (out_of_memory, invalid_argument).
  Conditioned(std::int64_t n, std::uint64_t seed, int threads);

  data::Matrix<T> general(double condition) const;
  /// Symmetric, or Hermitian, and positive definite.
  data::Matrix<T> positive(double condition) const;

 private:
  data::Matrix<T> product(const data::Matrix<T>& right, double condition) const;

  GemmOptions options_;
  data::Matrix<T> left_, right_;
};

}  // namespace hilo::cli
