// Matrices of files and generated ones, of which each rank reads or makes its own tiles.
#pragma once

#include <functional>
#include <hilo/distributed.hpp>
#include <string>

#include "cli/progress.hpp"
#include "data/generate.hpp"

namespace hilo::cli {

template <class T>
struct RanksOperand {
  std::string name;
  std::int64_t rows, columns;
  /// Fills a matrix with it, or with its transpose (Op::transpose). All ranks together; throws what one of them met.
  std::function<void(const distributed::Matrix<T>&, Op)> fill;
};

/// Of a .npy file each rank reads its tiles, as they are asked for; a .mtx file is text, and rank 0 reads it whole and
/// shares it out. Throws on all ranks what one of them met.
template <class T>
RanksOperand<T> operand_of_file(const distributed::Cluster& cluster, const std::string& path, Progress& progress);

/// The matrix of generated_matrix.
template <class T>
RanksOperand<T> generated_operand(const data::Recipe& recipe, char which, std::int64_t rows, std::int64_t columns);

/// The same made positive definite as give_structure does.
template <class T>
RanksOperand<T> generated_positive_operand(const data::Recipe& recipe, char which, std::int64_t n);

/// Writes a matrix to a file, whole or not at all: a .npy file by tiles, each by its rank, into a file that has another
/// name until all are there; others, and devices and pipes, by rank 0, to which the matrix comes. Throws on all ranks
/// what one of them met.
template <class T>
void write_of_ranks(const distributed::Cluster& cluster, const std::string& path, Layout layout,
                    const distributed::Matrix<T>& matrix, Progress& progress);

}  // namespace hilo::cli
