// What the modular engine's kernels share: a run's elements in SIMD lanes, in the order that lets eight vectors of
// residues be put together to bytes.
//
// For files that Highway's foreach_target.hpp compiles again and again.
#if defined(HILO_MODULAR_LANES_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HILO_MODULAR_LANES_HPP
#undef HILO_MODULAR_LANES_HPP
#else
#define HILO_MODULAR_LANES_HPP
#endif

#include <hwy/highway.h>

#include <bit>

#include "gemm/modular/cpu/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::modular::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<double> f64;
constexpr hn::ScalableTag<std::int64_t> i64;
constexpr hn::ScalableTag<std::uint64_t> u64;
constexpr hn::ScalableTag<std::int32_t> i32;
using Real = hn::Vec<decltype(f64)>;
using Integer = hn::Vec<decltype(i64)>;
using Integer32 = hn::Vec<decltype(i32)>;

constexpr std::int64_t lanes = HWY_LANES(double);

// A block is eight vectors: lane i of vector v is element 8 i + v, so that the eight bytes of a 64-bit lane are
// neighbours.
constexpr int vectors = 8;
constexpr std::int64_t block = vectors * lanes;
static_assert(block_bytes % block == 0);

// 2^n, 0 <= n <= 1023.
constexpr double power(int n) { return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52); }

// x · y + z where the exact value is a double's, or where the rounding does not matter.
HWY_INLINE Real multiply_add(Real x, Real y, Real z) { return hn::MulAdd(x, y, z); }

// Adding and subtracting 1.5 · 2^52 rounds to the nearest integer, ties to even; |x| < 2^51.
HWY_INLINE Real nearest(Real x) {
  Real magic = hn::Set(f64, 0x1.8p52);
  return hn::Sub(hn::Add(x, magic), magic);
}

// 2^n for −1022 <= n <= 1023.
HWY_INLINE Real power_of_two(Integer n) { return hn::BitCast(f64, hn::ShiftLeft<52>(hn::Add(n, hn::Set(i64, 1023)))); }

// x · 2^n where the result is in range. Results too small to matter may come out as zero.
struct Scale {
  Real first, second;

  explicit Scale(Integer n) {
    // Halves of what stays in range; zeros come with any n.
    n = hn::IfThenElse(hn::Gt(n, hn::Set(i64, 1500)), hn::Set(i64, 1500), n);
    n = hn::IfThenElse(hn::Lt(n, hn::Set(i64, -2000)), hn::Set(i64, -2000), n);
    Integer half = hn::ShiftRight<1>(n);
    first = power_of_two(half);
    second = power_of_two(hn::Sub(n, half));
  }
  HWY_INLINE Real operator()(Real x) const { return hn::Mul(hn::Mul(x, first), second); }
  // The same for a lo: far below the unit it still says which way a tie goes, and must not vanish, nor slow down what
  // follows as a subnormal.
  HWY_INLINE Real keep(Real x) const {
    Real least = hn::Set(f64, 0x1p-200), scaled = (*this)(x);
    auto is_lost = hn::And(hn::Lt(hn::Abs(scaled), least), hn::Ne(x, hn::Zero(f64)));
    return hn::IfThenElse(is_lost, hn::CopySign(least, x), scaled);
  }
};

// Blocks of a run. A last part that is shorter is copied and filled up with zeros, exponents too.
class Blocks {
 public:
  explicit Blocks(const Run& run, Exponents exponents = {nullptr, 0}) : run_(run), exponents_(exponents) {
    for (std::int64_t i = 0; i < lanes; ++i) base_index_[i] = 8 * i;
  }

  std::int64_t count() const { return (run_.count + block - 1) / block; }

  void select(std::int64_t index) {
    std::int64_t first = index * block, present = run_.count - first;
    data_ = run_.data + first * run_.stride;
    set_stride(run_.stride);
    base_ = exponents_.base ? exponents_.base + first : nullptr;
    if (present >= block) return;
    std::int64_t size = std::int64_t{run_.words} * run_.parts;
    for (std::int64_t i = 0; i < block; ++i) {
      for (std::int64_t w = 0; w < size; ++w) copy_[i * size + w] = i < present ? data_[i * stride_ + w] : 0.0;
      if (base_) base_copy_[i] = i < present ? base_[i] : 0;
    }
    data_ = copy_;
    set_stride(size);
    if (base_) base_ = base_copy_;
  }
  // The same, for load().
  HWY_INLINE void select_in_order(std::int64_t index) {
    select(index);
    for (int part = 0; part < run_.parts; ++part) put_in_order(part);
  }

  // Word `word` of the elements of vector v.
  HWY_INLINE Real load(int v, std::int64_t word) const { return hn::Load(f64, in_order_[word] + v * lanes); }

  // Whether a run is double-doubles, one after the other.
  bool is_packed() const { return stride_ == 2 && run_.words == 2; }
  HWY_INLINE void load_packed_neighbours(int v, Real& hi, Real& lo) const {
    hn::LoadInterleaved2(f64, data_ + v * lanes * 2, hi, lo);
  }

  // The same of the v-th `lanes` elements, which are neighbours.
  HWY_INLINE Real load_neighbours(int v, std::int64_t word) const {
    return hn::GatherIndex(f64, data_ + v * lanes * stride_ + word, hn::Load(i64, neighbour_index_));
  }

  bool has_one_exponent() const { return base_ == nullptr; }

  HWY_INLINE Integer exponent_of_neighbours(int v) const {
    Integer common = hn::Set(i64, exponents_.base0);
    return base_ ? hn::Add(hn::LoadU(i64, base_ + v * lanes), common) : common;
  }

  HWY_INLINE Integer exponent(int v) const {
    Integer common = hn::Set(i64, exponents_.base0);
    return base_ ? hn::Add(hn::GatherIndex(i64, base_ + v, hn::Load(i64, base_index_)), common) : common;
  }

 private:
  void set_stride(std::int64_t stride) {
    stride_ = stride;
    for (std::int64_t i = 0; i < lanes; ++i) neighbour_index_[i] = i * stride;
  }

  // Two elements at a time: gathers take several times as long.
  HWY_INLINE void put_in_order(int part) {
    const double* from = data_ + part * run_.words;
    double* to = in_order_[part * run_.words];
    const std::int64_t stride = stride_;
#if HWY_TARGET == HWY_SCALAR
    for (std::int64_t e = 0; e < block; ++e) {
      for (int w = 0; w < run_.words; ++w) to[w * block + e] = from[e * stride + w];
    }
#else
    const hn::FixedTag<double, 2> pair;
    for (std::int64_t i = 0; i < lanes; i += 2) {
      const double *first = from + 8 * i * stride, *second = first + 8 * stride;
      if (run_.words == 2) {
        HWY_UNROLL(8)
        for (std::int64_t v = 0; v < vectors; ++v) {
          const auto x = hn::LoadU(pair, first + v * stride), y = hn::LoadU(pair, second + v * stride);
          hn::Store(hn::InterleaveLower(pair, x, y), pair, to + v * lanes + i);
          hn::Store(hn::InterleaveUpper(pair, x, y), pair, to + block + v * lanes + i);
        }
      } else {
        HWY_UNROLL(8)
        for (std::int64_t v = 0; v < vectors; ++v) {
          to[v * lanes + i] = first[v * stride];
          to[v * lanes + i + 1] = second[v * stride];
        }
      }
    }
#endif
  }

  const Run& run_;
  Exponents exponents_;
  const double* data_ = nullptr;
  std::int64_t stride_ = 0;
  const std::int64_t* base_ = nullptr;
  alignas(64) double in_order_[4][block];  // words, element 8 i + v at v · lanes + i
  alignas(64) std::int64_t neighbour_index_[lanes];
  alignas(64) std::int64_t base_index_[lanes];
  double copy_[block * 4];
  std::int64_t base_copy_[block];
};

}  // namespace
}  // namespace hilo::modular::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
