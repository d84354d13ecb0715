// Scaling to integers and their residues, against exact integers: every number of bits, every modulus, every
// instruction set, and from bytes where the CPU can.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gemm/modular/cpu/byte_residues.hpp"
#include "scaled_operand.hpp"

namespace hilo::modular {
namespace {

using std::int64_t;
using testing::Integer;
using testing::Numbers;
using testing::Operand;
using testing::power_of_two;

// Of the integers of real and imaginary part, and their sum, what a plane of a modulus has.
Integer of_plane(const std::vector<Integer> (&integers)[3], std::size_t i, int plane, const ResidueConstants& c) {
  if (!c.splits) return integers[plane][i];
  const int root = root_of_minus_one(static_cast<int>(c.modulus));
  return integers[0][i] + (plane == 0 ? root : -root) * integers[1][i];
}

// From bytes of the integers there are the same residues, `of_elements`: blocks of the operand are runs, one after the
// other, and all again.
void check_byte_residues(const Operand& operand, int bits, const ResidueConstants& constants, bool is_second,
                         const std::uint8_t* of_elements) {
  const int64_t size = operand.run.count, blocks = (size + block_bytes - 1) / block_bytes;
  auto first = [&](int64_t run) { return run % blocks * block_bytes; };
  auto expected = [&](int64_t run, int64_t i) { return first(run) + i < size ? of_elements[first(run) + i] : 0; };
  const ByteResidue modulus = byte_residue(constants, bits, is_second);
  for (const KernelSet* set : kernel_sets()) {
    for (bool along_lines : {false, true}) {
      IntegerTile tile(bits, along_lines);
      for (int64_t r = 0; r < IntegerTile::runs; ++r) {
        alignas(64) double limb[block_bytes * max_limbs];
        Run run = operand.run;
        run.data += first(r) * run.stride;
        run.count = std::min(block_bytes, size - first(r));
        const Exponents& shifts = operand.shifts;
        set->limbs(run, {shifts.base ? shifts.base + first(r) : nullptr, shifts.base0}, bits, limb);
        tile.set(r, limb);
      }
      for (auto [count, streams] :
           {std::pair{IntegerTile::runs, false}, {IntegerTile::runs, true}, {int64_t{5}, false}}) {
        constexpr std::uint8_t untouched = 0xa5;
        alignas(64) std::uint8_t rows[16][64];
        std::memset(rows, untouched, sizeof rows);
        tile.residues(modulus, count, rows[0], streams);
        finish_streams();
        for (int64_t r = 0; r < 16; ++r) {
          for (int64_t i = 0; i < 64; ++i) {
            const int want = r >= count    ? untouched
                             : along_lines ? expected(r % 4 * 4 + i % 4, r / 4 * 16 + i / 4)
                                           : expected(r, i);
            ASSERT_EQ(rows[r][i], want) << set->target << ", mod " << constants.modulus << ", bits " << bits << ", row "
                                        << r << ", byte " << i << (along_lines ? ", of lines" : ", of terms");
          }
        }
      }
    }
  }
}

// is_second: residues are signed, and multiplied by a factor, the first coefficient.
void check(const Operand& operand, int bits, const ResidueConstants* constants, int count, bool is_second) {
  int64_t size = operand.run.count, padded = (size + block_bytes - 1) / block_bytes * block_bytes, stride = padded + 64;
  const bool is_complex = operand.run.parts == 2;
  std::vector<Integer> integers[3];
  for (int q = 0; q < (is_complex ? 3 : 1); ++q) {
    for (int64_t i = 0; i < size; ++i) integers[q].push_back(operand.integer(i, q));
  }
  auto planes_of = [&](int l) { return !is_complex ? 1 : constants[l].splits ? 2 : 3; };
  int all_planes = 0;
  for (int l = 0; l < count; ++l) all_planes += planes_of(l);
  std::vector<std::vector<std::uint8_t>> results;
  for (const KernelSet* set : kernel_sets()) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(stride * all_planes), 0xa5);
    set->residues(operand.run, operand.shifts, bits, constants, count, bytes.data(), stride);
    results.push_back(bytes);
  }
  int plane = 0;
  for (int l = 0; l < count; ++l) {
    int m = static_cast<int>(constants[l].modulus), factor = static_cast<int>(constants[l].coefficient[0]);
    for (int q = 0; q < planes_of(l); ++q, ++plane) {
      auto row = static_cast<std::size_t>(plane * stride);
      for (std::size_t i = 0; i < static_cast<std::size_t>(stride); ++i) {
        auto element = static_cast<int64_t>(i);
        if (element >= size && element < padded) continue;
        int expected = 0xa5;
        if (element < size) {
          const Integer x = of_plane(integers, i, q, constants[l]);
          expected =
              !is_second ? testing::residue(x, m) : testing::symmetric_residue(testing::residue(x, m) * factor, m);
        }
        for (std::size_t t = 0; t < results.size(); ++t) {
          std::uint8_t byte = results[t][row + i];
          int got = is_second && element < size ? static_cast<std::int8_t>(byte) : byte;
          ASSERT_EQ(got, expected) << kernel_sets()[t]->target << ", mod " << m << " factor " << factor << " plane "
                                   << q << ", bits " << bits << ", element " << i << " of " << size
                                   << (element < size ? operand.text(element) : " overwritten");
        }
      }
    }
    if (!is_complex && has_byte_residues(bits)) {
      ASSERT_NO_FATAL_FAILURE(
          check_byte_residues(operand, bits, constants[l], is_second, results[0].data() + l * stride));
    }
  }
}

// Lines' exponents are those of doubles, moved by balancing; elements may be far smaller than their line, and lines may
// be left out.
int64_t some_shift(testing::Inputs& inputs, int bits) {
  if (inputs.below(30) == 0) return leave_out;
  switch (inputs.below(6)) {
    case 0:
      return bits + 1073 - inputs.below(60);
    case 1:
      return bits - 1024 + inputs.below(60);
    case 2:
      return bits - inputs.below(3);
    case 3:
      return bits - 1024 - inputs.below(4500);
    default:
      return bits - 1024 + inputs.below(2098);
  }
}

TEST(ModularResiduesTest, OfTheNearestInteger) {
  testing::Inputs inputs(1);
  for (int done = 0, many = testing::input_count(60'000); done < many;) {
    int bits = 1 + inputs.below(max_bits), words = 1 + inputs.below(2), parts = 1 + inputs.below(2);
    int64_t count = 1 + inputs.below(200), stride = words * parts + inputs.below(2) * inputs.below(300);
    Operand operand(count, stride, words, parts, inputs.below(2));
    std::vector<int64_t> base;
    int64_t base0 = some_shift(inputs, bits);
    bool has_base = inputs.below(2);
    Numbers numbers(inputs, bits, words);
    for (int64_t i = 0; i < count; ++i) {
      int64_t shift = has_base ? some_shift(inputs, bits) : base0;
      base.push_back(shift - base0);
      for (int part = 0; part < parts; ++part) operand.set(i, part, numbers(shift));
    }
    operand.shifts = {has_base ? base.data() : nullptr, base0};
    int n = 1 + inputs.below(max_moduli), from = inputs.below(n), some = std::min(n - from, 1 + inputs.below(8));
    bool is_second = inputs.below(2);
    const Basis& b = basis(n, parts == 2);
    ASSERT_NO_FATAL_FAILURE(check(operand, bits, (is_second ? b.second : b.first) + from, some, is_second));
    done += static_cast<int>(count);
  }
}

TEST(ModularResiduesTest, OfEveryNumberOfBitsAtItsEnds) {
  for (int bits = 1; bits <= max_bits; ++bits) {
    double top = std::ldexp(1.0, bits), under = std::nextafter(top, 0.0);
    double half_unit = 0.25 * (std::nextafter(top, 2.0 * top) - top);
    const dd_real ends[] = {dd_real(top),
                            dd_real(under),
                            dd_real(under, -0.5 * half_unit),
                            dd_real(top, -half_unit),
                            dd_real(top, -0.5),
                            dd_real(top, -0x1p-100),
                            dd_real(0.5 * top, 0.499 * half_unit),
                            dd_real(0.5),
                            dd_real(0.5, 0x1p-900),
                            dd_real(0.5, -0x1p-900),
                            dd_real(1.5, -0x1p-60),
                            dd_real(1.5),
                            dd_real(0.5, 0x1p-1074),
                            dd_real(-0.0, 0.0)};
    Operand real(2 * std::size(ends), 2, 2, 1, false), complex(2 * std::size(ends), 4, 2, 2, bits % 2 == 0);
    for (std::size_t i = 0; i < std::size(ends); ++i) {
      dd_real x = ends[i].hi + ends[i].lo == ends[i].hi ? ends[i] : dd_real(ends[i].hi);
      dd_real y = ends[(i * 5 + 1) % std::size(ends)];
      for (int64_t negative : {0, 1}) {
        auto at = static_cast<int64_t>(2 * i) + negative;
        real.set(at, 0, negative ? -x : x);
        complex.set(at, 0, negative ? -x : x);
        complex.set(at, 1, i % 3 == 0 ? x : y.hi + y.lo == y.hi ? y : dd_real(y.hi));
      }
    }
    real.shifts = complex.shifts = {nullptr, 0};
    for (const Operand* operand : {&real, &complex}) {
      const Basis& b = basis(max_moduli, operand == &complex);
      ASSERT_NO_FATAL_FAILURE(check(*operand, bits, b.first, max_moduli, false));
      ASSERT_NO_FATAL_FAILURE(check(*operand, bits, b.second, max_moduli, true));
    }
  }
}

// Four limbs, or fewer, at their largest, those below them zero; of the sign that makes the sum of coefficient · limb
// largest. The lowest of them takes the sum through every residue, those half way between two multiples of m among
// them.
void check_largest_sums(const ResidueConstants& c, bool is_second, int limbs, int parts, testing::Inputs& inputs) {
  int m = static_cast<int>(c.modulus), zeros = std::max(limbs - 4, 0), top = limbs - zeros - 1;
  int64_t count = 2 * m;
  Operand operand(count, 2 * parts, 2, parts, false);
  operand.shifts = {nullptr, limb_bits * zeros};
  // The words end near bits 115 and 31 of four limbs, and so have bits in each.
  int low_unit = top == 0 ? 0 : 31;
  for (int64_t negative : {0, 1}) {
    Integer x[2] = {0, 0}, step[2];
    for (int part = 0; part < parts; ++part) {
      // Of a modulus that splits the plane whose coefficients the imaginary part has as they are.
      const double* coefficient = part == 1 && c.splits ? c.imaginary : c.coefficient;
      auto sign = [&](int l) { return (coefficient[zeros + l] < 0.0) == negative ? 1 : -1; };
      step[part] = sign(0) * power_of_two(low_unit);
      for (int l = top; l >= 0; --l) {
        Integer less = l == 0 ? power_of_two(low_unit) : l == 2 && top == 3 ? power_of_two(32) : Integer(2);
        x[part] += sign(l) * (power_of_two(41) - less) * power_of_two(limb_bits * l);
      }
    }
    for (int64_t i = negative; i < count; i += 2) {
      // In both parts, or in one with its neighbour in the other.
      const bool is_neighbour = parts == 2 && inputs.below(2);
      operand.set(i, 0, testing::nearest_pair(x[0], 0));
      if (parts == 2) operand.set(i, 1, testing::nearest_pair(is_neighbour ? Integer(x[1] - step[1]) : x[1], 0));
      for (int part = 0; part < parts; ++part) x[part] -= step[part];
    }
  }
  check(operand, limb_bits * limbs - 1, &c, 1, is_second);
}

TEST(ModularResiduesTest, OfTheLargestSums) {
  testing::Inputs inputs(2);
  bool is_long = testing::input_count(0) > 0;
  for (int n = is_long ? 1 : max_moduli; n <= max_moduli; ++n) {
    for (int l = 0; l < n; ++l) {
      for (int limbs = 1; limbs <= max_limbs; ++limbs) {
        for (int parts : {1, 2}) {
          if (!is_long && (l + limbs) % 2 == parts % 2) continue;
          const Basis& b = basis(n, parts == 2);
          ASSERT_NO_FATAL_FAILURE(check_largest_sums(b.first[l], false, limbs, parts, inputs));
          ASSERT_NO_FATAL_FAILURE(check_largest_sums(b.second[l], true, limbs, parts, inputs));
        }
      }
    }
  }
}

// What the kernel does with a sum of bytes, for all that there may be.
TEST(ModularResiduesTest, OfEverySumOfBytes) {
  const Basis& b = basis(max_moduli, false);
  for (int l = 0; l < max_moduli; ++l) {
    for (int bits : {41, 83, 125}) {
      const bool is_second = bits == 83;
      const ByteResidue x = byte_residue(is_second ? b.second[l] : b.first[l], bits, is_second);
      std::uint32_t least = 0, most = 0;
      for (int i = 0; i < 4 * (limbs_for(bits) + 1); ++i) {
        const int weight = static_cast<std::int8_t>(x.weights[i / 4] >> (8 * (i % 4)));
        (weight < 0 ? least : most) += static_cast<std::uint32_t>(255 * std::abs(weight));
      }
      ASSERT_GE(x.start, static_cast<std::int32_t>(least) + (1 << 16));
      ASSERT_LT(static_cast<std::uint32_t>(x.start) + most, std::uint32_t{1} << 21);
      for (std::uint32_t sum = static_cast<std::uint32_t>(x.start) - least; sum <= x.start + most; ++sum) {
        const std::uint32_t residue = (sum * x.reciprocal >> 16) * x.modulus >> 16;
        ASSERT_EQ(residue, sum % x.modulus) << sum << " mod " << x.modulus;
      }
    }
  }
}

TEST(ModularResiduesTest, ZerosComeWithAnyShift) {
  constexpr int64_t far = int64_t{1} << 40;
  const int64_t base[] = {-far, -20000, -2001, -2000, -1, 0, 1500, 1501, 20000, far};
  constexpr int64_t count = std::size(base);
  const double zeros[4 * count] = {0.0, 0.0, -0.0, 0.0, -0.0, -0.0, 0.0, -0.0};
  for (const KernelSet* set : kernel_sets()) {
    std::vector<std::uint8_t> bytes(3 * block_bytes, 9);
    set->residues({zeros, count, 4, 2, 2, true}, {base, 3}, 100, basis(5, false).second + 2, 1, bytes.data(),
                  block_bytes);
    for (std::size_t q = 0; q < 3; ++q) {
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(bytes[q * block_bytes + i], 0) << set->target << ' ' << base[i];
    }
  }
}

}  // namespace
}  // namespace hilo::modular
