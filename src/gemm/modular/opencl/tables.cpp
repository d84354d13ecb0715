#include "gemm/modular/opencl/tables.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace hilo::modular {
namespace {

constexpr int most_limbs = 13;
static_assert(32 * most_limbs > 342 + 32);

// A natural number in 32-bit limbs, lowest first.
using Natural = std::array<std::uint32_t, most_limbs>;

int modulus(int index) { return moduli[static_cast<std::size_t>(index)]; }

// The product of the first `count` moduli but one.
Natural product_of(int count, int left_out = -1) {
  Natural x{1};
  for (int l = 0; l < count; ++l) {
    if (l == left_out) continue;
    std::uint64_t carry = 0;
    for (std::uint32_t& limb : x) {
      carry += static_cast<std::uint64_t>(limb) * static_cast<std::uint64_t>(modulus(l));
      limb = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  return x;
}

int bit_length(const Natural& x) {
  for (std::size_t i = x.size(); i-- > 0;) {
    if (x[i]) return static_cast<int>(32 * i) + 32 - std::countl_zero(x[i]);
  }
  return 0;
}

Natural shifted(const Natural& x, int bits) {
  Natural y{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto place = static_cast<std::size_t>(bits / 32) + i;
    const std::uint64_t two = static_cast<std::uint64_t>(x[i]) << bits % 32;
    if (place < y.size()) y[place] |= static_cast<std::uint32_t>(two);
    if (place + 1 < y.size()) y[place + 1] |= static_cast<std::uint32_t>(two >> 32);
  }
  return y;
}

Natural difference(const Natural& x, const Natural& y) {
  Natural z{};
  std::int64_t borrow = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    borrow += static_cast<std::int64_t>(x[i]) - static_cast<std::int64_t>(y[i]);
    z[i] = static_cast<std::uint32_t>(borrow);
    borrow >>= 32;
  }
  return z;
}

std::uint32_t byte_of(const Natural& x, int byte) {
  return x[static_cast<std::size_t>(byte / 4)] >> 8 * (byte % 4) & 255;
}

int remainder(const Natural& x, int m) {
  std::uint64_t rest = 0;
  for (std::size_t i = x.size(); i-- > 0;) rest = (rest << 32 | x[i]) % static_cast<std::uint64_t>(m);
  return static_cast<int>(rest);
}

int inverse_of(int x, int m) {
  for (int y = 1; y < m; ++y) {
    if (x * y % m == 1) return y;
  }
  return 0;
}

int power_of_two(int exponent, int m) {
  int power = 1 % m;
  for (int i = 0; i < exponent; ++i) power = power * 2 % m;
  return power;
}

}  // namespace

int integer_limbs(int bits) {
  if (bits <= 32 * 2 - 2) return 2;
  // A word's last place is then at most 2^64, and the top byte has none of the integer.
  if (bits <= 53 + 64) return 4;
  return bits <= 32 * 6 - 2 ? 6 : 11;
}

int residue_table_stride(int limbs) { return (limbs + 3) / 4 * 4 + 4; }

std::vector<std::uint32_t> residue_table(int count, int limbs, bool has_inverse) {
  const int stride = residue_table_stride(limbs);
  constexpr int read_beyond = 7;
  std::vector<std::uint32_t> table(static_cast<std::size_t>((count + read_beyond) * stride));
  for (int l = 0; l < count; ++l) {
    const int m = modulus(l), factor = has_inverse ? inverse_of(remainder(product_of(count, l), m), m) : 1;
    std::uint32_t* of_modulus = table.data() + l * stride;
    auto put = [&](int byte, int weight) {
      of_modulus[byte / 4] |= static_cast<std::uint32_t>(weight) << byte % 4 * 8;
    };
    auto weight = [&](int bit) { return power_of_two(bit, m) * factor % m; };
    const bool has_spare_byte = limbs == 4;
    const int bytes = 4 * limbs - has_spare_byte;
    for (int byte = 0; byte < bytes; ++byte) put(byte, weight(8 * byte));
    const int start = (m - weight(8 * bytes - 1)) % m;
    put(bytes, start);
    std::uint32_t* constants = of_modulus + stride - 4;
    constants[0] = has_spare_byte ? 0 : static_cast<std::uint32_t>(start);
    constants[1] = std::bit_cast<std::uint32_t>(1.0f / static_cast<float>(m));
    constants[2] = static_cast<std::uint32_t>(m);
    constants[3] = std::bit_cast<std::uint32_t>(0x1p127f / static_cast<float>(m));
  }
  return table;
}

RebuildSizes rebuild_sizes(int count) {
  int groups = (count + 3) / 4;
  // Sums of at most 49 numbers below M.
  int bits = bit_length(product_of(std::min(4 * groups, max_moduli))) + 6;
  return {groups, (bits + 31) / 32};
}

std::vector<std::uint32_t> rebuild_table(int count) {
  auto [groups, limbs] = rebuild_sizes(count);
  std::vector<Natural> cofactor;
  for (int l = 0; l < count; ++l) cofactor.push_back(product_of(count, l));
  std::vector<std::uint32_t> table;
  for (int byte = 0; byte < 4 * limbs; ++byte) {
    for (int g = 0; g < groups; ++g) {
      std::uint32_t four = 0;
      for (int t = 0; t < 4 && 4 * g + t < count; ++t) {
        four |= byte_of(cofactor[static_cast<std::size_t>(4 * g + t)], byte) << 8 * t;
      }
      table.push_back(four);
    }
  }
  Natural product = product_of(count);
  auto limb_of = [&](int i) { return product[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < limbs; ++i) table.push_back(limb_of(i));
  for (int i = 0; i < limbs; ++i) table.push_back(limb_of(i) >> 1 | limb_of(i + 1) << 31);
  for (int l = 0; l < 4 * groups; ++l) table.push_back(l < count ? static_cast<std::uint32_t>(modulus(l)) : 1u);
  double value = 0.0;
  for (int i = limbs; i-- > 0;) value = value * 0x1p32 + limb_of(i);
  table.push_back(
      std::bit_cast<std::uint32_t>(static_cast<float>(std::ldexp(1.0, 32 * std::max(limbs - 3, 0)) / value)));
  return table;
}

MatrixSizes matrix_sizes(int count) {
  return {(count + 15) / 16, std::max((bit_length(product_of(count)) + 63) / 64, 2)};
}

int matrix_shift(int count) { return 64 * matrix_sizes(count).blocks - bit_length(product_of(count)); }

std::vector<std::uint32_t> matrix_weights(int count, bool is_complex) {
  const auto [units, blocks] = matrix_sizes(count);
  const int shift = matrix_shift(count);
  const Natural product = shifted(product_of(count), shift);
  std::vector<std::uint32_t> table;
  for (bool is_minus : {false, true}) {
    if (is_minus && !is_complex) break;
    std::vector<Natural> weight;
    for (int l = 0; l < count; ++l) {
      weight.push_back(shifted(product_of(count, l), shift));
      if (is_minus) weight.back() = difference(product, weight.back());
    }
    for (int unit = 0; unit < units; ++unit) {
      for (int block = 0; block < blocks; ++block) {
        for (int lane = 0; lane < 32; ++lane) {
          // A lane's four moduli, and its column of the block: one of two bytes of a quad lane's chunk.
          const int column = lane / 4, byte = 2 * blocks * (column / 2) + 2 * block + column % 2;
          std::uint32_t four = 0;
          for (int i = 0; i < 4; ++i) {
            const int l = 16 * unit + 4 * (lane % 4) + i;
            if (l < count) four |= byte_of(weight[static_cast<std::size_t>(l)], byte) << 8 * i;
          }
          table.push_back(four);
        }
      }
    }
  }
  return table;
}

std::vector<std::uint32_t> matrix_modulus(int count) {
  const int limbs = matrix_sizes(count).limbs();
  const Natural product = shifted(product_of(count), matrix_shift(count)), minus = difference({}, product);
  double value = 0.0;
  for (int i = limbs; i-- > 0;) value = value * 0x1p32 + product[static_cast<std::size_t>(i)];
  const auto inverse = std::bit_cast<std::uint64_t>(std::ldexp(1.0, 32 * (limbs - 1)) / value);
  std::vector<std::uint32_t> words = {static_cast<std::uint32_t>(inverse), static_cast<std::uint32_t>(inverse >> 32)};
  for (int i = 0; i < limbs; ++i) words.push_back(minus[static_cast<std::size_t>(i)]);
  return words;
}

std::vector<std::uint32_t> plane_moduli(int count, int products) {
  std::vector<std::uint32_t> table;
  for (int l = 0; l < count; ++l)
    table.insert(table.end(), static_cast<std::size_t>(products), static_cast<std::uint32_t>(modulus(l)));
  return table;
}

cl::Buffer device_table(opencl::ContextState& context, const std::string& name,
                        const std::function<std::vector<std::uint32_t>()>& make) {
  return context.tables.get(name, [&] {
    std::vector<std::uint32_t> words = make();
    return cl::Buffer(context.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof words[0] * words.size(),
                      words.data());
  });
}

}  // namespace hilo::modular
