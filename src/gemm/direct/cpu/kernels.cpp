// The direct engine's inner loops on SIMD lanes, compiled once for each instruction set by Highway.
//
// Chunks of 64 steps run in registers; only their sums touch memory. The bits are those of the scalar reference.
#include "gemm/direct/cpu/kernels.hpp"

#include <algorithm>

#include "dd/targets.hpp"
#include "gemm/direct/reference.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gemm/direct/cpu/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "dd/kernel_sets.hpp"
#include "dd/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::direct::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hilo::HWY_NAMESPACE::Lanes;
using dd = Lanes::dd;
constexpr Lanes::Tag tag;
constexpr std::int64_t lanes = HWY_LANES(double);

HWY_INLINE dd load(Line x, std::int64_t i) { return {hn::LoadU(tag, x.hi + i), hn::LoadU(tag, x.lo + i)}; }
HWY_INLINE void store(dd x, Line y, std::int64_t i) {
  hn::StoreU(x.hi, tag, y.hi + i);
  hn::StoreU(x.lo, tag, y.lo + i);
}

template <bool Fma, bool Swapped>
HWY_INLINE dd step(dd sum, dd vector, dd scalar) {
  if constexpr (Fma) {
    return Swapped ? Lanes::step_fma(sum, scalar, vector) : Lanes::step_fma(sum, vector, scalar);
  } else {
    return Swapped ? Lanes::step_split(sum, scalar, vector) : Lanes::step_split(sum, vector, scalar);
  }
}

// A tile of Vectors SIMD vectors by Columns broadcast values, two words each, in registers.
template <int Vectors, int Columns, bool Fma, bool Swapped>
struct Tile {
  static constexpr std::int64_t width = Vectors * lanes;
  dd sum[Vectors][Columns];

  HWY_INLINE void step_all(const double* v, const double* s) {
    dd vector[Vectors];
    HWY_UNROLL(8)
    for (int i = 0; i < Vectors; ++i) {
      vector[i] = {hn::LoadU(tag, v + i * lanes), hn::LoadU(tag, v + width + i * lanes)};
    }
    HWY_UNROLL(8)
    for (int j = 0; j < Columns; ++j) {
      dd scalar = {hn::Set(tag, s[j]), hn::Set(tag, s[Columns + j])};
      HWY_UNROLL(8)
      for (int i = 0; i < Vectors; ++i) sum[i][j] = step<Fma, Swapped>(sum[i][j], vector[i], scalar);
    }
  }

  HWY_INLINE void renormalise() {
    HWY_UNROLL(8)
    for (int j = 0; j < Columns; ++j) {
      HWY_UNROLL(8)
      for (int i = 0; i < Vectors; ++i) sum[i][j] = Lanes::fast_two_sum(sum[i][j].hi, sum[i][j].lo);
    }
  }
};

template <int Vectors, int Columns, bool Fma, bool Swapped, int Interval>
void chunk(std::int64_t steps, const double* v, const double* s, double* sums) {
  using T = Tile<Vectors, Columns, Fma, Swapped>;
  T tile;
  HWY_UNROLL(8)
  for (int j = 0; j < Columns; ++j) {
    HWY_UNROLL(8)
    for (int i = 0; i < Vectors; ++i) tile.sum[i][j] = {hn::Zero(tag), hn::Zero(tag)};
  }
  std::int64_t t = 0;
  for (; t + Interval <= steps; t += Interval) {
    HWY_UNROLL(8)
    for (int u = 0; u < Interval; ++u) {
      tile.step_all(v, s);
      v += 2 * T::width;
      s += 2 * Columns;
    }
    tile.renormalise();
  }
  for (; t < steps; ++t) {
    tile.step_all(v, s);
    v += 2 * T::width;
    s += 2 * Columns;
  }
  HWY_UNROLL(8)
  for (int j = 0; j < Columns; ++j) {
    HWY_UNROLL(8)
    for (int i = 0; i < Vectors; ++i) {
      double* hi = sums + 2 * j * T::width + i * lanes;
      dd total = {hn::LoadU(tag, hi), hn::LoadU(tag, hi + T::width)};
      total = Lanes::add_finite(total, Lanes::two_sum(tile.sum[i][j].hi, tile.sum[i][j].lo));
      hn::StoreU(total.hi, tag, hi);
      hn::StoreU(total.lo, tag, hi + T::width);
    }
  }
}

bool add_partial(std::int64_t n, Line total, Line partial) {
  auto all_finite = hn::Eq(hn::Zero(tag), hn::Zero(tag));
  for (std::int64_t i = 0; i < n; i += lanes) {
    dd sum = Lanes::add_finite(load(total, i), load(partial, i));
    store(sum, total, i);
    all_finite = hn::And(all_finite, hn::Eq(sum.hi - sum.hi, hn::Zero(tag)));
  }
  return hn::AllTrue(tag, all_finite);
}

// What of alpha · sum + beta · c is to be done.
struct Scales {
  bool scales, adds, scales_c;
  dd x, y;
  HWY_INLINE Scales(dd_real alpha, dd_real beta)
      : scales(!(alpha == dd_real(1))),
        adds(!(beta == dd_real(0))),
        scales_c(!(beta == dd_real(1))),
        x(Lanes::broadcast(alpha)),
        y(Lanes::broadcast(beta)) {}
  // alpha · sum + beta · old(), which is read where beta != 0.
  template <class Old>
  HWY_INLINE dd result(dd sum, Old old) const {
    dd r = scales ? Lanes::multiply(x, sum) : sum;
    if (adds) r = Lanes::add(r, scales_c ? Lanes::multiply(y, old()) : old());
    return r;
  }
};

void scale_and_add(std::int64_t n, dd_real alpha, Line sum, dd_real beta, Line c) {
  const Scales scales(alpha, beta);
  for (std::int64_t i = 0; i < n; i += lanes) {
    store(scales.result(load(sum, i), [&] { return load(c, i); }), c, i);
  }
}

void scale_and_add_neighbours(std::int64_t n, dd_real alpha, Line sum, dd_real beta, dd_real* c) {
  const Scales scales(alpha, beta);
  auto* words = reinterpret_cast<double*>(c);
  for (std::int64_t i = 0; i < n; i += lanes) {
    const dd r = scales.result(load(sum, i), [&] {
      dd old;
      hn::LoadInterleaved2(tag, words + 2 * i, old.hi, old.lo);
      return old;
    });
    hn::StoreInterleaved2(r.hi, r.lo, tag, words + 2 * i);
  }
}

// The sums of `lanes` rows by small_columns columns: a column of Line after the other.
template <bool Fma, int Interval>
HWY_INLINE bool small_sums(const double* vectors, const MatrixView<const dd_real>& b, std::int64_t column,
                           double* out) {
  constexpr int columns = KernelSet::small_columns;
  dd sum[columns];
  HWY_UNROLL(8)
  for (int j = 0; j < columns; ++j) sum[j] = {hn::Zero(tag), hn::Zero(tag)};
  // Of columns past the last, the last again.
  const dd_real* scalars[columns];
  for (int j = 0; j < columns; ++j) scalars[j] = &b(0, std::min(column + j, b.columns - 1));
  for (std::int64_t t = 0; t < b.rows; ++t) {
    const dd vector = {hn::LoadU(tag, vectors + 2 * lanes * t), hn::LoadU(tag, vectors + 2 * lanes * t + lanes)};
    HWY_UNROLL(8)
    for (int j = 0; j < columns; ++j) {
      const dd_real& x = scalars[j][t * b.row_stride];
      sum[j] = step<Fma, false>(sum[j], vector, {hn::Set(tag, x.hi), hn::Set(tag, x.lo)});
      if ((t + 1) % Interval == 0) sum[j] = Lanes::fast_two_sum(sum[j].hi, sum[j].lo);
    }
  }
  auto all_finite = hn::Eq(hn::Zero(tag), hn::Zero(tag));
  HWY_UNROLL(8)
  for (int j = 0; j < columns; ++j) {
    // Added to zero, as a chunk and as a super-chunk, it stays what it is: neither word of this sum is −0.
    const dd total = Lanes::two_sum(sum[j].hi, sum[j].lo);
    hn::StoreU(total.hi, tag, out + 2 * lanes * j);
    hn::StoreU(total.lo, tag, out + 2 * lanes * j + lanes);
    all_finite = hn::And(all_finite, hn::Eq(total.hi - total.hi, hn::Zero(tag)));
  }
  return hn::AllTrue(tag, all_finite);
}

template <bool Fma, int Interval>
bool small_product(const SmallProduct& x) {
  constexpr std::int64_t most = SmallProduct::most_lines, columns = KernelSet::small_columns;
  constexpr std::int64_t row_blocks = (most + lanes - 1) / lanes;
  const std::int64_t m = x.c.rows, n = x.c.columns, k = x.a.columns;
  alignas(64) double vectors[SmallProduct::most_steps * 2 * lanes];
  alignas(64) double sums[row_blocks][2 * lanes * most];
  for (std::int64_t block = 0; block * lanes < m; ++block) {
    const std::int64_t first = block * lanes, rows = std::min(lanes, m - first);
    for (std::int64_t t = 0; t < k; ++t) {
      double* to = vectors + 2 * lanes * t;
      for (std::int64_t i = 0; i < rows; ++i) {
        const dd_real& e = x.a(first + i, t);
        to[i] = e.hi;
        to[lanes + i] = e.lo;
      }
      for (std::int64_t i = rows; i < lanes; ++i) to[i] = to[lanes + i] = 0.0;
    }
    for (std::int64_t j = 0; j < n; j += columns) {
      if (!small_sums<Fma, Interval>(vectors, x.b, j, sums[block] + 2 * lanes * j)) return false;
    }
  }
  const bool is_plain = x.alpha == dd_real(1) && x.beta == dd_real(0);
  for (std::int64_t block = 0; block * lanes < m; ++block) {
    const std::int64_t first = block * lanes, rows = std::min(lanes, m - first);
    for (std::int64_t j = 0; j < n; ++j) {
      double* hi = sums[block] + 2 * lanes * j;
      alignas(64) double c[2 * lanes] = {};
      if (!is_plain) {
        for (std::int64_t i = 0; i < rows && !(x.beta == dd_real(0)); ++i) {
          c[i] = x.c(first + i, j).hi;
          c[lanes + i] = x.c(first + i, j).lo;
        }
        scale_and_add(lanes, x.alpha, {hi, hi + lanes}, x.beta, {c, c + lanes});
        hi = c;
      }
      for (std::int64_t i = 0; i < rows; ++i) {
        dd_real& e = x.c(first + i, j);
        e.hi = hi[i];
        e.lo = hi[lanes + i];
      }
    }
  }
  return true;
}

struct ComplexLanes {
  dd re, im;
};

HWY_INLINE ComplexLanes multiply(ComplexLanes x, ComplexLanes y) {
  return {Lanes::subtract(Lanes::multiply(x.re, y.re), Lanes::multiply(x.im, y.im)),
          Lanes::add(Lanes::multiply(x.re, y.im), Lanes::multiply(x.im, y.re))};
}

void scale_and_add_complex(std::int64_t n, dd_complex alpha, ComplexLine sum, dd_complex beta, ComplexLine c) {
  bool scales = !(alpha == dd_complex(1)), adds = !(beta == dd_complex(0)), scales_c = !(beta == dd_complex(1));
  ComplexLanes x = {Lanes::broadcast(alpha.re), Lanes::broadcast(alpha.im)};
  ComplexLanes y = {Lanes::broadcast(beta.re), Lanes::broadcast(beta.im)};
  for (std::int64_t i = 0; i < n; i += lanes) {
    ComplexLanes r = {load(sum.re, i), load(sum.im, i)};
    if (scales) r = multiply(x, r);
    if (adds) {
      ComplexLanes old = {load(c.re, i), load(c.im, i)};
      if (scales_c) old = multiply(y, old);
      r = {Lanes::add(r.re, old.re), Lanes::add(r.im, old.im)};
    }
    store(r.re, c.re, i);
    store(r.im, c.im, i);
  }
}

// Register tiles. Wide: enough independent sums to hide the latency of a step, 28 cycles of additions in a row; its 24
// registers fit AVX-512 and NEON, AVX2 spills some and is still faster than with fewer. Narrow: for what is left.
// The two parts of a complex entry are neighbours and must fall into the same tile, so widths are even.
struct Wide {
  static constexpr int vectors = 2, columns = 6;
};
struct Narrow {
  static constexpr int vectors = lanes > 1 ? 1 : 2, columns = 8;
};

// Few sums for nothing beside a single line, and just enough of them to hide the latency of a step.
struct Single {
  static constexpr int vectors = 2, columns = 2;
};

template <class Shape, bool Fma, int Interval>
constexpr TileKernel tile_kernel() {
  constexpr int v = Shape::vectors, c = Shape::columns;
  static_assert(v * lanes % 2 == 0 && c % 2 == 0);
  return {v * lanes, c, chunk<v, c, Fma, false, Interval>, chunk<v, c, Fma, true, Interval>};
}

}  // namespace

const KernelSet* kernels() {
  static const KernelSet set = {
    hwy::TargetName(HWY_TARGET),
    lanes,
    HWY_NATIVE_FMA != 0,
#if HWY_NATIVE_FMA
    {{tile_kernel<Wide, true, 1>(), tile_kernel<Narrow, true, 1>(), tile_kernel<Single, true, 1>()},
     {tile_kernel<Wide, true, 4>(), tile_kernel<Narrow, true, 4>(), tile_kernel<Single, true, 4>()}},
#else
    {},
#endif
    {{tile_kernel<Wide, false, 1>(), tile_kernel<Narrow, false, 1>(), tile_kernel<Single, false, 1>()},
     {tile_kernel<Wide, false, 4>(), tile_kernel<Narrow, false, 4>(), tile_kernel<Single, false, 4>()}},
#if HWY_NATIVE_FMA
    {small_product<true, 1>, small_product<true, 4>},
#else
    {},
#endif
    {small_product<false, 1>, small_product<false, 4>},
    add_partial,
    scale_and_add,
    scale_and_add_neighbours,
    scale_and_add_complex,
  };
  return &set;
}

}  // namespace hilo::direct::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hilo::direct {

HWY_EXPORT(kernels);

const std::vector<const KernelSet*>& kernel_sets() {
  // Never destroyed: destructors of static objects may still multiply.
  static const auto& sets =
      *new std::vector<const KernelSet*>(detail::supported_kernel_sets(HWY_DISPATCH_TABLE(kernels)));
  return sets;
}

const KernelSet& kernel_set(std::string_view target) { return detail::kernel_set_of_name(kernel_sets(), target); }

}  // namespace hilo::direct
#endif
