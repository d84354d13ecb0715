#include "solve/cpu/kernels.hpp"

#include "dd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/cpu/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "dd/kernel_sets.hpp"
#include "dd/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::solver::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hilo::HWY_NAMESPACE::Lanes;
using dd = Lanes::dd;
using real = Lanes::real;
constexpr Lanes::Tag tag;
constexpr std::int64_t lanes = HWY_LANES(double);

// What lies `ahead` numbers behind x is on its way to a cache.
HWY_INLINE void expect(const double* x, std::int64_t ahead) {
  const auto place = reinterpret_cast<std::uintptr_t>(x) + static_cast<std::uintptr_t>(ahead) * sizeof(double);
  __builtin_prefetch(reinterpret_cast<const void*>(place));
}

// A vector of sums.
template <int Words>
struct Sum {
  real word[Words];

  HWY_INLINE void load(const double* from, std::int64_t pitch) {
    HWY_UNROLL(8)
    for (int w = 0; w < Words; ++w) word[w] = hn::LoadU(tag, from + w * pitch);
  }
  HWY_INLINE void store(double* to, std::int64_t pitch) const {
    HWY_UNROLL(8)
    for (int w = 0; w < Words; ++w) hn::StoreU(word[w], tag, to + w * pitch);
  }
  HWY_INLINE void add(real t) {
    HWY_UNROLL(8)
    for (int w = 0; w + 1 < Words; ++w) {
      const dd s = Lanes::two_sum(word[w], t);
      word[w] = s.hi;
      t = s.lo;
    }
    word[Words - 1] = word[Words - 1] + t;
  }
  HWY_INLINE void add_term(real x, real y) {
    const dd p = Lanes::two_prod(x, y);
    add(p.hi);
    add(p.lo);
  }
  HWY_INLINE void add_product(real x, real y_hi, real y_lo) {
    if constexpr (Words == 2) {
      add_rounded(x, y_hi, Lanes::mul(x, y_lo));
    } else {
      add_term(x, y_hi);
      add_term(x, y_lo);
    }
  }
  HWY_INLINE void add_product(real x_hi, real x_lo, real y_hi, real y_lo) {
    if constexpr (Words == 2) {
      add_rounded(x_hi, y_hi, Lanes::mul(x_hi, y_lo) + Lanes::mul(x_lo, y_hi));
    } else {
      add_term(x_hi, y_hi);
      add_term(x_hi, y_lo);
      add_term(x_lo, y_hi);
      add_term(x_lo, y_lo);
    }
  }

 private:
  HWY_INLINE void add_rounded(real x, real y, real rest) {
    const dd p = Lanes::two_prod(x, y), s = Lanes::two_sum(word[0], p.hi);
    const dd r = Lanes::fast_two_sum(s.hi, word[1] + (s.lo + (p.lo + rest)));
    word[0] = r.hi;
    word[1] = r.lo;
  }
};

// Elements of a column in neighbouring rows.
struct Contiguous {
  HWY_INLINE real load(const double* x) const { return hn::LoadU(tag, x); }
};
struct Strided {
  std::int64_t stride;
  HWY_INLINE real load(const double* x) const {
    alignas(64) double some[lanes];
    HWY_UNROLL(8)
    for (std::int64_t i = 0; i < lanes; ++i) some[i] = x[i * stride];
    return hn::Load(tag, some);
  }
};

template <int Words, bool HasLow, int Vectors, class Rows>
HWY_INLINE void add_rows(const WordProducts& p, std::int64_t i, const Rows& rows) {
  Sum<Words> sum[Vectors];
  HWY_UNROLL(4)
  for (int v = 0; v < Vectors; ++v) sum[v].load(p.sums + i + v * lanes, p.pitch);
  // Columns lie far apart: those that come soon are asked for.
  constexpr std::int64_t ahead = 8;
  for (std::int64_t j = 0; j < p.columns; ++j) {
    const std::int64_t place = i * p.row_stride + j * p.column_stride;
    const real x_hi = hn::Set(tag, p.x_hi[j]), x_lo = hn::Set(tag, p.x_lo[j]);
    HWY_UNROLL(4)
    for (int v = 0; v < Vectors; ++v) {
      const std::int64_t at = place + v * lanes * p.row_stride;
      if (p.row_stride == 1) {
        expect(p.hi + at, ahead * p.column_stride);
        if (HasLow) expect(p.lo + at, ahead * p.column_stride);
      }
      const real hi = rows.load(p.hi + at);
      if constexpr (HasLow) {
        sum[v].add_product(hi, rows.load(p.lo + at), x_hi, x_lo);
      } else {
        sum[v].add_product(hi, x_hi, x_lo);
      }
    }
  }
  HWY_UNROLL(4)
  for (int v = 0; v < Vectors; ++v) sum[v].store(p.sums + i + v * lanes, p.pitch);
}

template <int Words, bool HasLow, class Rows>
void add_all(const WordProducts& p, const Rows& rows) {
  // As many chains as hide the latency of one.
  constexpr int vectors = Words <= 4 ? 4 : 2;
  std::int64_t i = 0;
  for (; i + vectors * lanes <= p.rows; i += vectors * lanes) add_rows<Words, HasLow, vectors>(p, i, rows);
  for (; i < p.rows; i += lanes) add_rows<Words, HasLow, 1>(p, i, rows);
}

template <int Words>
void add_products(const WordProducts& p) {
  const bool has_low = p.lo != nullptr;
  if (p.row_stride == 1) {
    has_low ? add_all<Words, true>(p, Contiguous()) : add_all<Words, false>(p, Contiguous());
  } else {
    has_low ? add_all<Words, true>(p, Strided{p.row_stride}) : add_all<Words, false>(p, Strided{p.row_stride});
  }
}

}  // namespace

const KernelSet* kernels() {
  static const KernelSet set = {
      hwy::TargetName(HWY_TARGET),
      {nullptr, nullptr, add_products<2>, add_products<3>, add_products<4>, nullptr, add_products<6>}};
  return &set;
}

}  // namespace hilo::solver::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hilo::solver {

HWY_EXPORT(kernels);

const KernelSet& kernel_set(std::string_view target) {
  // Never destroyed: destructors of static objects may still compute.
  static const auto& sets =
      *new std::vector<const KernelSet*>(detail::supported_kernel_sets(HWY_DISPATCH_TABLE(kernels)));
  return detail::kernel_set_of_name(sets, target);
}

}  // namespace hilo::solver
#endif
