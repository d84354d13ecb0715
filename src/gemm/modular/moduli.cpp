#include "gemm/modular/moduli.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace hilo::modular {
namespace {

// A natural number below 2^369 in base 2^41, lowest digit first.
using Natural = std::array<std::int64_t, max_digits>;

constexpr std::int64_t base = std::int64_t{1} << digit_bits;

void multiply(Natural& x, int factor) {
  std::int64_t carry = 0;
  for (std::int64_t& digit : x) {
    std::int64_t product = digit * factor + carry;
    digit = product % base;
    carry = product / base;
  }
}

int remainder(const Natural& x, int modulus) {
  std::int64_t rest = 0;
  for (std::size_t i = x.size(); i-- > 0;) rest = (rest * (base % modulus) + x[i]) % modulus;
  return static_cast<int>(rest);
}

// Digits in [−2^40, 2^40): the same number.
void make_signed(Natural& x) {
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    if (x[i] < base / 2) continue;
    x[i] -= base;
    x[i + 1] += 1;
  }
}

Natural product_of(int count, bool is_complex, int left_out = -1) {
  Natural x{1};
  for (int i = 0; i < count; ++i) {
    if (i != left_out) multiply(x, modulus_at(i, is_complex));
  }
  return x;
}

// The one of x's residues that is nearest to zero.
int symmetric(int x, int modulus) {
  x %= modulus;
  return 2 * x > modulus ? x - modulus : x;
}

ResidueConstants residue_constants(int modulus, int factor, bool is_signed, bool splits) {
  ResidueConstants c{};
  c.splits = splits;
  int power = factor;
  for (int i = 0; i < max_limbs; ++i) {
    c.coefficient[i] = symmetric(power, modulus);
    c.imaginary[i] = splits ? symmetric(power * root_of_minus_one(modulus), modulus) : 0;
    for (int bit = 0; bit < limb_bits; ++bit) power = power * 2 % modulus;
  }
  // No integer lies half way between two multiples of m after it.
  c.offset = !is_signed ? -0.5 * (modulus - 1) : modulus % 2 ? 0.0 : 0.5;
  c.modulus = modulus;
  c.inverse = 1.0 / modulus;
  constexpr double four_ones = 0x01010101;
  c.bias = ((is_signed ? 128.0 : 0.0) - c.offset) * four_ones;
  c.flip = is_signed ? 0x80808080u : 0u;
  return c;
}

Basis make_basis(int count, bool is_complex) {
  Basis b{};
  b.count = count;
  Natural product = product_of(count, is_complex);
  int top = max_digits - 1;
  while (product[static_cast<std::size_t>(top)] == 0) --top;
  auto digit_of_product = [&](int i) { return static_cast<double>(product[static_cast<std::size_t>(i)]); };
  double leading = digit_of_product(top);
  for (int i = 1; i <= 2; ++i) {
    leading *= 0x1p41;
    if (top >= i) leading += digit_of_product(top - i);
  }
  b.product_below = std::ldexp(leading * (1.0 - 0x1p-51), digit_bits * (top - 2));
  b.inverse_product = 1.0 / std::ldexp(leading, digit_bits * (top - 2));
  // The sign takes a bit.
  b.digits = product[static_cast<std::size_t>(top)] < base / 2 ? top + 1 : top + 2;
  make_signed(product);
  for (std::size_t i = 0; i < product.size(); ++i) b.product[i] = static_cast<double>(product[i]);
  for (int l = 0; l < count; ++l) {
    const int modulus = modulus_at(l, is_complex);
    const bool is_split = splits(l, is_complex);
    Natural cofactor = product_of(count, is_complex, l);
    const int inverse = inverse_of((is_split ? 2 : 1) * remainder(cofactor, modulus) % modulus, modulus);
    make_signed(cofactor);
    for (std::size_t i = 0; i < cofactor.size(); ++i) b.cofactor[l][i] = static_cast<double>(cofactor[i]);
    b.first[l] = residue_constants(modulus, 1, false, is_split);
    b.second[l] = residue_constants(modulus, inverse, true, is_split);
  }
  return b;
}

}  // namespace

ReductionConstants reduction_constants(int modulus, bool splits) {
  ReductionConstants c{};
  c.high = static_cast<float>(symmetric(65536, modulus));
  c.modulus = static_cast<float>(modulus);
  c.inverse = 1.0f / c.modulus;
  // r · −r = 1.
  if (splits) c.inverse_root = static_cast<float>(symmetric(modulus - root_of_minus_one(modulus), modulus));
  return c;
}

const Basis& basis(int count, bool is_complex) {
  static std::once_flag made[2][max_moduli];
  static Basis all[2][max_moduli];
  const std::size_t kind = is_complex ? 1 : 0;
  const auto i = static_cast<std::size_t>(count - 1);
  std::call_once(made[kind][i], [&] { all[kind][i] = make_basis(count, is_complex); });
  return all[kind][i];
}

namespace {

double largest_sum(int count, bool is_complex) { return basis(count, is_complex).product_below * (1.0 - 0x1p-28); }

// In units of an operand's largest integer times the other's.
double sum_of_largest(std::int64_t k, bool is_complex) { return static_cast<double>(k) * (is_complex ? 4.0 : 2.0); }

}  // namespace

bool holds(int count, std::int64_t k, bool is_complex, int bits) {
  return sum_of_largest(k, is_complex) <= std::ldexp(largest_sum(count, is_complex), -bits);
}

int largest_bits(int count, std::int64_t k, bool is_complex) {
  // A quotient of doubles does not round up to a power of two.
  const int all = std::ilogb(largest_sum(count, is_complex) / sum_of_largest(k, is_complex));
  return all < 0 ? -1 : std::min(all / 2, max_bits);
}

int least_moduli(std::int64_t k, bool is_complex, int bits) {
  for (int count = 1; count <= max_moduli; ++count) {
    if (holds(count, k, is_complex, bits)) return count;
  }
  return 0;
}

}  // namespace hilo::modular
