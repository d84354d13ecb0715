// Scaling to integers, residues, and the reduction of sums of bytes on SIMD lanes.
//
// For files that Highway's foreach_target.hpp compiles again and again.
#if defined(HILO_MODULAR_RESIDUE_KERNELS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HILO_MODULAR_RESIDUE_KERNELS_HPP
#undef HILO_MODULAR_RESIDUE_KERNELS_HPP
#else
#define HILO_MODULAR_RESIDUE_KERNELS_HPP
#endif

#include "gemm/modular/cpu/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::modular::HWY_NAMESPACE {
namespace {

// Takes from x its multiple of 2^bit nearest to it, and returns that in units of 2^bit. |x| < 2^(bit + 51).
HWY_INLINE Real take(Real& x, int bit) {
  Real magic = hn::Set(f64, 0x1.8p52 * power(bit));
  Real taken = hn::Sub(hn::Add(x, magic), magic);
  x = hn::Sub(x, taken);
  return hn::Mul(taken, hn::Set(f64, 1.0 / power(bit)));
}

// The integer nearest to hi + lo, ties to even; the rest of a canonical pair below some limb.
HWY_INLINE Real round_sum(Real hi, Real lo) {
  Real half = hn::Set(f64, 0.5), zero = hn::Zero(f64);
  Real whole_hi = nearest(hi), whole_lo = nearest(lo);
  Real whole = whole_hi + whole_lo;
  Real x = hi - whole_hi, y = lo - whole_lo;
  Real sum = x + y, seen = sum - x;
  Real rest = (x - (sum - seen)) + (y - seen);
  // Half a unit goes where the rest points, and to the even neighbour without one.
  auto is_half = hn::Eq(hn::Abs(sum), half);
  Real twin = whole * half;
  auto is_odd = hn::Ne(nearest(twin), twin);
  auto goes_out = hn::Or(hn::Gt(rest * sum, zero), hn::And(hn::Eq(rest, zero), is_odd));
  Real step = hn::IfThenElse(hn::And(is_half, goes_out), sum + sum, nearest(sum));
  return whole + step;
}

// The integer nearest to a scaled word (and its lo) in limbs of 42 bits, lowest first.
template <int Limbs>
HWY_INLINE void split(Real hi, Real (&limb)[Limbs]) {
  for (int l = Limbs - 1; l > 0; --l) limb[l] = take(hi, l * limb_bits);
  limb[0] = nearest(hi);
}

template <int Limbs>
HWY_INLINE void split(Real hi, Real lo, Real (&limb)[Limbs]) {
  for (int l = Limbs - 1; l > 0; --l) {
    limb[l] = take(hi, l * limb_bits);
    // lo does not reach the highest limb.
    if (l < Limbs - 1) limb[l] = limb[l] + take(lo, l * limb_bits);
  }
  limb[0] = round_sum(hi, lo);
}

// What the direct engine takes must not reach its neighbours' bytes.
HWY_INLINE hn::Mask<decltype(f64)> is_finite(Real x) {
  return hn::Lt(hn::Abs(x), hn::Set(f64, std::numeric_limits<double>::infinity()));
}

// Limbs of a block, of each part and for complex elements of the sum of the parts.
template <int Limbs>
struct Split {
  alignas(64) double limb[3][vectors][Limbs][lanes];

  HWY_INLINE void load(const Blocks& blocks, const Run& run) {
    if (blocks.has_one_exponent()) {
      Scale scale(blocks.exponent(0));
      for (int v = 0; v < vectors; ++v) load(blocks, run, v, scale);
    } else {
      for (int v = 0; v < vectors; ++v) load(blocks, run, v, Scale(blocks.exponent(v)));
    }
  }

  HWY_INLINE void load(const Blocks& blocks, const Run& run, int v, const Scale& scale) {
    for (int part = 0; part < run.parts; ++part) {
      Real out[Limbs];
      bool negates = part == 1 && run.negates_imaginary;
      Real hi = blocks.load(v, part * run.words);
      if (negates) hi = hn::Neg(hi);
      if (run.words == 2) {
        Real lo = blocks.load(v, part * run.words + 1);
        if (negates) lo = hn::Neg(lo);
        Real sum = hi + lo;
        if (HWY_UNLIKELY(!hn::AllTrue(f64, hn::And(hn::Eq(sum, hi), is_finite(hi))))) {
          // Words that are no double-double are made one, which is the same number.
          auto swaps = hn::Lt(hn::Abs(hi), hn::Abs(lo)), is_number = is_finite(sum);
          Real large = hn::IfThenElse(swaps, lo, hi), small = hn::IfThenElse(swaps, hi, lo);
          hi = hn::IfThenElseZero(is_number, sum);
          lo = hn::IfThenElseZero(is_number, small - (sum - large));
        }
        split(scale(hi), scale.keep(lo), out);
      } else {
        split(scale(hn::IfThenElseZero(is_finite(hi), hi)), out);
      }
      HWY_UNROLL(8)
      for (int l = 0; l < Limbs; ++l) hn::Store(out[l], f64, limb[part][v][l]);
    }
    if (run.parts == 1) return;
    HWY_UNROLL(8)
    for (int l = 0; l < Limbs; ++l) {
      hn::Store(hn::Load(f64, limb[0][v][l]) + hn::Load(f64, limb[1][v][l]), f64, limb[2][v][l]);
    }
  }

  // The residues of a block modulo one number: bytes in the elements' order. Of a number that splits plane 0 has those
  // of re + r im, plane 1 those of re − r im.
  HWY_INLINE void residues(int plane, const ResidueConstants& c, std::uint8_t* out) const {
    if (!c.splits) {
      store_residues(c, out, [&](int v, int l, Real sum) HWY_ATTR {
        return multiply_add(hn::Load(f64, limb[plane][v][l]), hn::Set(f64, c.coefficient[l]), sum);
      });
      return;
    }
    const double sign = plane == 0 ? 1.0 : -1.0;
    store_residues(c, out, [&](int v, int l, Real sum) HWY_ATTR {
      sum = multiply_add(hn::Load(f64, limb[0][v][l]), hn::Set(f64, c.coefficient[l]), sum);
      return multiply_add(hn::Load(f64, limb[1][v][l]), hn::Set(f64, sign * c.imaginary[l]), sum);
    });
  }

 private:
  // `add_limb(v, l, sum)` adds what limb l of vector v is worth.
  template <class AddLimb>
  HWY_INLINE void store_residues(const ResidueConstants& c, std::uint8_t* out, AddLimb add_limb) const {
    Real offset = hn::Set(f64, c.offset), inverse = hn::Set(f64, c.inverse), modulus = hn::Set(f64, c.modulus);
    Real magic = hn::Set(f64, 0x1.8p52);
    auto residue = [&](int v) HWY_ATTR {
      Real sum = offset;
      HWY_UNROLL(8)
      for (int l = 0; l < Limbs; ++l) {
        // Sums of more than four would leave the quotient too little room.
        if (l == 4) sum = multiply_add(hn::Sub(magic, multiply_add(sum, inverse, magic)), modulus, sum);
        sum = add_limb(v, l, sum);
      }
      Real quotient = hn::Sub(multiply_add(sum, inverse, magic), magic);
      return hn::NegMulAdd(quotient, modulus, sum);
    };
    // Four residues make a sum below 2^32, whose bits are those of the low half of sum + 2^52.
    Real bias = hn::Set(f64, c.bias), one = hn::Set(f64, 0x1p52);
    auto four = [&](int v) HWY_ATTR {
      Real sum = residue(v) + bias;
      sum = multiply_add(residue(v + 1), hn::Set(f64, 0x1p8), sum);
      sum = multiply_add(residue(v + 2), hn::Set(f64, 0x1p16), sum);
      sum = multiply_add(residue(v + 3), hn::Set(f64, 0x1p24), sum);
      return hn::BitCast(u64, sum + one);
    };
    auto low = hn::And(four(0), hn::Set(u64, 0xffffffffu));
    auto bytes = hn::Or(low, hn::ShiftLeft<32>(four(4)));
    std::uint64_t flip = std::uint64_t{c.flip} << 32 | c.flip;
    hn::StoreU(hn::Xor(bytes, hn::Set(u64, flip)), u64, reinterpret_cast<std::uint64_t*>(out));
  }
};

template <int Limbs>
void residues_of(const Run& run, Exponents shifts, const ResidueConstants* constants, int count, std::uint8_t* out,
                 std::int64_t plane_stride) {
  Blocks blocks(run, shifts);
  Split<Limbs> split_block;
  auto planes_at = [&](int l) { return run.parts == 1 ? 1 : constants[l].splits ? 2 : 3; };
  int all_planes = 0;
  for (int l = 0; l < count; ++l) all_planes += planes_at(l);
  for (std::int64_t b = 0; b < blocks.count(); ++b) {
    blocks.select_in_order(b);
    std::uint8_t* plane_out = out + b * block;
    for (int p = 0; p < all_planes; ++p) __builtin_prefetch(plane_out + p * plane_stride, 1, 3);
    split_block.load(blocks, run);
    for (int l = 0; l < count; ++l) {
      for (int plane = 0; plane < planes_at(l); ++plane, plane_out += plane_stride) {
        split_block.residues(plane, constants[l], plane_out);
      }
    }
  }
}

// f(std::integral_constant<int, the limbs of so many bits>).
template <class F>
void with_limbs(int bits, F f) {
  switch (limbs_for(bits)) {
    case 1:
      return f(std::integral_constant<int, 1>());
    case 2:
      return f(std::integral_constant<int, 2>());
    case 3:
      return f(std::integral_constant<int, 3>());
    case 4:
      return f(std::integral_constant<int, 4>());
    default:
      return f(std::integral_constant<int, max_limbs>());
  }
}

void residues(const Run& run, Exponents shifts, int bits, const ResidueConstants* constants, int count,
              std::uint8_t* out, std::int64_t plane_stride) {
  with_limbs(bits, [&](auto limbs) { residues_of<limbs>(run, shifts, constants, count, out, plane_stride); });
}

template <int Limbs>
void limbs_of(const Run& run, Exponents shifts, double* out) {
  Blocks blocks(run, shifts);
  Split<Limbs> split_block;
  for (std::int64_t b = 0; b < block_bytes / block; ++b) {
    if (b < blocks.count()) {
      blocks.select_in_order(b);
      split_block.load(blocks, run);
    }
    for (int v = 0; v < vectors; ++v) {
      for (int l = 0; l < Limbs; ++l) {
        double* to = out + (v * Limbs + l) * 8 + b * lanes;
        hn::StoreU(b < blocks.count() ? hn::Load(f64, split_block.limb[0][v][l]) : hn::Zero(f64), f64, to);
      }
    }
  }
}

void limbs(const Run& run, Exponents shifts, int bits, double* out) {
  with_limbs(bits, [&](auto limbs) { limbs_of<limbs>(run, shifts, out); });
}

constexpr hn::ScalableTag<float> f32;
constexpr hn::Rebind<std::int8_t, decltype(i32)> i8_of_i32;
using Single = hn::Vec<decltype(f32)>;
constexpr std::int64_t single_lanes = HWY_LANES(float);

// Symmetric residues of sums of bytes modulo an odd number, or modulo 256, whose residues are the lowest bytes: the
// only even one there is.
template <bool IsOfBytes>
struct Reducer {
  Single high, inverse, modulus;

  explicit Reducer(const ReductionConstants& c)
      : high(hn::Set(f32, c.high)), inverse(hn::Set(f32, c.inverse)), modulus(hn::Set(f32, c.modulus)) {}

  // |x| < 2^22 + 2^9, an integer: no half of an odd number is one. Modulo 256 as it is.
  HWY_INLINE Single residue(Single x) const {
    if constexpr (IsOfBytes) return x;
    Single magic = hn::Set(f32, 0x1.8p23f);
    Single quotient = hn::Sub(hn::MulAdd(x, inverse, magic), magic);
    return hn::NegMulAdd(quotient, modulus, x);
  }
  // A smaller number congruent to the sum: its high half times 2^16 mod m and its low half, −2^15 to 2^15 − 1.
  HWY_INLINE Single fold(const std::int32_t* sum) const {
    auto x = hn::LoadU(i32, sum);
    auto upper = hn::ShiftRight<16>(x + hn::Set(i32, 0x8000));
    auto lower = x - hn::ShiftLeft<16>(upper);
    return hn::MulAdd(hn::ConvertTo(f32, upper), high, hn::ConvertTo(f32, lower));
  }
  HWY_INLINE void store(Single x, std::int8_t* out) const {
    // The bits of an integer plus 1.5 · 2^23 tell it, without a conversion's care for what overflows.
    Single magic = hn::Set(f32, 0x1.8p23f);
    auto integer = hn::BitCast(i32, residue(x) + magic) - hn::BitCast(i32, magic);
    if constexpr (IsOfBytes) integer = hn::ShiftRight<24>(hn::ShiftLeft<24>(integer));
    hn::StoreU(hn::DemoteTo(i8_of_i32, integer), i8_of_i32, out);
  }
};

// f(reducer) with the one for the modulus.
template <class F>
HWY_INLINE void with_reducer(const ReductionConstants& constants, F f) {
  if (constants.modulus == 256.0f) {
    f(Reducer<true>(constants));
  } else {
    f(Reducer<false>(constants));
  }
}

HWY_INLINE Single add_residues(Single x, const Added& added, int part, std::int64_t at) {
  for (int i = 0; i < added.count; ++i) {
    x = x + hn::ConvertTo(f32, hn::PromoteTo(i32, hn::LoadU(i8_of_i32, added.part[part][i] + at)));
  }
  return x;
}

void reduce(std::int64_t count, const ReductionConstants& constants, const std::int32_t* sum, const Added& added,
            std::int8_t* residue) {
  with_reducer(constants, [&](const auto& reducer) HWY_ATTR {
    for (std::int64_t i = 0; i < count; i += single_lanes) {
      reducer.store(add_residues(reducer.fold(sum + i), added, 0, i), residue + i);
    }
  });
}

void reduce_complex(std::int64_t count, const ReductionConstants& constants, const std::int32_t* const (&sum)[3],
                    const Added& added, std::int8_t* re, std::int8_t* im) {
  with_reducer(constants, [&](const auto& reducer) HWY_ATTR {
    for (std::int64_t i = 0; i < count; i += single_lanes) {
      Single x = reducer.residue(reducer.fold(sum[0] + i));
      Single y = reducer.residue(reducer.fold(sum[1] + i));
      Single z = reducer.residue(reducer.fold(sum[2] + i));
      Single real = add_residues(x - y, added, 0, i), imaginary = add_residues(z - x - y, added, 1, i);
      reducer.store(real, re + i);
      reducer.store(imaginary, im + i);
    }
  });
}

void reduce_split(std::int64_t count, const ReductionConstants& constants, const std::int32_t* const (&sum)[2],
                  const Added& added, std::int8_t* re, std::int8_t* im) {
  const Reducer<false> reducer(constants);
  const Single inverse_root = hn::Set(f32, constants.inverse_root);
  for (std::int64_t i = 0; i < count; i += single_lanes) {
    Single x = reducer.residue(reducer.fold(sum[0] + i));
    Single y = reducer.residue(reducer.fold(sum[1] + i));
    Single real = add_residues(x + y, added, 0, i), imaginary = add_residues((x - y) * inverse_root, added, 1, i);
    reducer.store(real, re + i);
    reducer.store(imaginary, im + i);
  }
}

// Bytes modulo m, 256 or at most 253: natural ones below m, or from −m/2 to (m − 1)/2.
class NaturalBytes {
 public:
  static constexpr hn::CappedTag<std::uint8_t, block_bytes> tag{};
  using Vector = hn::Vec<decltype(tag)>;

  // 256 itself is no byte, and sums of bytes are modulo 256 as they are.
  explicit NaturalBytes(int modulus)
      : modulus_(hn::Set(tag, static_cast<std::uint8_t>(modulus))),
        most_(hn::Set(tag, static_cast<std::uint8_t>(modulus - 1))) {}
  HWY_INLINE Vector add(Vector x, Vector y) const {
    return hn::IfThenElse(hn::Gt(hn::SaturatedAdd(x, y), most_), x + y - modulus_, x + y);
  }
  HWY_INLINE Vector subtract(Vector x, Vector y) const { return hn::IfThenElse(hn::Lt(x, y), x - y + modulus_, x - y); }

 private:
  Vector modulus_, most_;
};
class SymmetricBytes {
 public:
  static constexpr hn::CappedTag<std::int8_t, block_bytes> tag{};
  using Vector = hn::Vec<decltype(tag)>;

  explicit SymmetricBytes(int modulus)
      : modulus_(hn::Set(tag, static_cast<std::int8_t>(modulus))),
        least_(hn::Set(tag, static_cast<std::int8_t>(-(modulus / 2)))),
        most_(hn::Set(tag, static_cast<std::int8_t>((modulus - 1) / 2))) {}
  HWY_INLINE Vector subtract(Vector x, Vector y) const {
    // Modulo 256, and as far as it is a byte.
    const Vector difference = x - y, saturated = hn::SaturatedSub(x, y);
    const Vector below = hn::IfThenElse(hn::Gt(saturated, most_), difference - modulus_, difference);
    return hn::IfThenElse(hn::Lt(saturated, least_), difference + modulus_, below);
  }

 private:
  Vector modulus_, least_, most_;
};

void block_sums(int operand, std::int64_t count, int modulus, std::uint8_t* bytes, std::int64_t stride) {
  const auto for_each = [&](auto arithmetic, auto f) HWY_ATTR {
    using Byte = hn::TFromD<decltype(arithmetic.tag)>;
    constexpr std::int64_t width = HWY_MIN(HWY_LANES(std::uint8_t), block_bytes);
    for (std::int64_t i = 0; i < count; i += width) {
      auto at = [&](int factor) HWY_ATTR { return reinterpret_cast<Byte*>(bytes + factor * stride + i); };
      f(
          arithmetic, [&](int factor) HWY_ATTR { return hn::LoadU(arithmetic.tag, at(factor)); },
          [&](int factor, auto x) HWY_ATTR { hn::StoreU(x, arithmetic.tag, at(factor)); });
    }
  };
  if (operand == 0) {
    for_each(NaturalBytes(modulus), [](const auto& m, auto load, auto store) HWY_ATTR {
      const auto x11 = load(0), x12 = load(1), x21 = load(2), x22 = load(3);
      const auto s1 = m.add(x21, x22), s2 = m.subtract(s1, x11);
      store(2, m.subtract(x12, s2));
      store(4, s1);
      store(5, s2);
      store(6, m.subtract(x11, x21));
    });
  } else {
    for_each(SymmetricBytes(modulus), [](const auto& m, auto load, auto store) HWY_ATTR {
      const auto x11 = load(0), x21 = load(1), x22 = load(2), x12 = load(3);
      const auto t1 = m.subtract(x12, x11), t2 = m.subtract(x22, t1);
      store(3, m.subtract(x21, t2));
      store(4, t1);
      store(5, t2);
      store(6, m.subtract(x22, x12));
    });
  }
}

}  // namespace
}  // namespace hilo::modular::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
