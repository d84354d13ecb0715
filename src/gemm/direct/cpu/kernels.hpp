// The SIMD kernels of the direct engine: what the CPU driver calls, whatever the instruction set.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <string_view>
#include <vector>

namespace hilo::direct {

/// Register tiles: `vector_width` rows held in SIMD lanes by `scalar_width` columns that are broadcast.
///
/// Panels are packed step after step, each step `width` hi parts and then `width` lo parts. `sums` holds the tile,
/// column after column, each `vector_width` hi parts and then `vector_width` lo parts.
struct TileKernel {
  std::int64_t vector_width;
  std::int64_t scalar_width;
  /// sums = add_finite(sums, the canonical chunk of `steps` <= 64 steps). The vector panel is op(A)'s.
  void (*chunk)(std::int64_t steps, const double* vector_panel, const double* scalar_panel, double* sums);
  /// The same with op(A) in the scalar panel and op(B) in the vector panel.
  void (*chunk_swapped)(std::int64_t steps, const double* vector_panel, const double* scalar_panel, double* sums);
};

inline constexpr int tile_shapes = 3;

/// A line of double-doubles, hi and lo apart.
struct Line {
  double* hi;
  double* lo;
};

struct ComplexLine {
  Line re, im;
};

/// C = alpha · A · B + beta · C of so few entries that no panel is worth packing.
struct SmallProduct {
  MatrixView<const dd_real> a, b;
  MatrixView<dd_real> c;
  dd_real alpha, beta;

  static constexpr std::int64_t most_lines = 16, most_steps = 32;
};

/// What one instruction set offers. Arrays that lines point to are padded to `lanes` doubles.
struct KernelSet {
  std::string_view target;  ///< Highway's name
  std::int64_t lanes;
  bool has_fma;
  /// By Accuracy, then a wide tile, a narrow one for small products, and one for a single row or column; fma is empty
  /// where has_fma is false.
  TileKernel fma[2][tile_shapes], split[2][tile_shapes];
  /// By Accuracy; fma is empty where has_fma is false. False, and C as it was, where an entry is not finite.
  bool (*small_fma[2])(const SmallProduct& x);
  bool (*small_split[2])(const SmallProduct& x);
  static constexpr std::int64_t small_columns = 4;  ///< by `lanes` rows at a time
  /// total = add_finite(total, partial), n double-doubles. Returns whether all are finite.
  bool (*add_partial)(std::int64_t n, Line total, Line partial);
  /// c = alpha · sum + beta · c as scale_and_add defines it, n double-doubles.
  void (*scale_and_add)(std::int64_t n, dd_real alpha, Line sum, dd_real beta, Line c);
  /// The same of n neighbours in C, a multiple of `lanes`; they are not read where beta = 0.
  void (*scale_and_add_neighbours)(std::int64_t n, dd_real alpha, Line sum, dd_real beta, dd_real* c);
  void (*scale_and_add_complex)(std::int64_t n, dd_complex alpha, ComplexLine sum, dd_complex beta, ComplexLine c);
};

/// The sets this CPU can run, best first; the last needs nothing beyond the build's baseline.
const std::vector<const KernelSet*>& kernel_sets();

/// The set of that name, or the best for an empty one. Throws unsupported, naming those that exist.
const KernelSet& kernel_set(std::string_view target);

}  // namespace hilo::direct
