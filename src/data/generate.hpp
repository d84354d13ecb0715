// Matrices made from a seed: the same bits on every machine, in every layout, with any number of threads.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <string_view>

#include "data/matrix.hpp"

namespace hilo::data {

/// The kinds of generated matrices; every entry has all of its 106 bits filled.
enum class Init : std::uint8_t {
  uniform,   ///< in (−1, 1)
  positive,  ///< in (0, 1)
  range,     ///< (rand − ½)·exp(phi·normal): magnitudes over a range that grows with phi
  dominant,  ///< the first term of each sum of a product is near 1, the others are below 2^-26
  hilbert    ///< 1 / (i + j + 1)
};

/// Along which index of the matrix as stored the terms of a product's sums run: what `dominant` needs to know.
/// Columns for A and Bᵀ, rows for B and Aᵀ; a matrix that is added (C) has none and is all near 1.
enum class Terms : std::uint8_t { along_columns, along_rows, none };

/// What `--init` says: the kind, and for `range` its phi.
struct Generator {
  Init init = Init::uniform;
  double phi = 0.0;
};

/// The largest phi of `range` whose entries' exponents a precision holds.
constexpr double largest_phi(Precision p) { return p == Precision::s || p == Precision::c ? 14.0 : 100.0; }

/// All that a matrix is made from.
struct Recipe {
  Generator generator;
  std::uint64_t seed;
  Terms terms = Terms::along_columns;
};

/// "uniform", "positive", "range:PHI", "dominant" or "hilbert". Throws hilo::error (parse) for anything else.
Generator parse_generator(std::string_view text);

/// A seed for one of several matrices that are made from one seed: `matrix` is any tag, such as 'A' or 'B'.
std::uint64_t seed_of_matrix(std::uint64_t seed, char matrix);

/// Fills data, rows × columns with leading dimension `leading`, as BLAS lays it out; `watch` is told now and then how
/// much of it, from 0 to 1.
///
/// An entry depends on seed, its row and its column only; in a complex matrix the two parts are independent. Entries
/// in S, D, C and Z are those of DD and ZDD rounded. The normal deviate is the sum of twelve uniform ones less 6, so
/// it lies within ±6. Throws hilo::error for negative sizes, a short leading dimension, a null pointer, and for a phi
/// outside 0 … 100 (0 … 14 for S and C, whose exponents end sooner).
template <gemm_scalar T>
void generate(const Recipe& recipe, Layout layout, std::int64_t rows, std::int64_t columns, T* data,
              std::int64_t leading, const Watch& watch = {});

/// A block of that matrix, whose first entry is (i, j), by the thread that calls. `recipe` is one that generate() takes
/// for T.
template <gemm_scalar T>
void generate_block(const Recipe& recipe, std::int64_t i, std::int64_t j, const MatrixView<T>& block);

}  // namespace hilo::data
