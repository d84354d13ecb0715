#include "gemm/modular/opencl/tables.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <initializer_list>

#include "gemm/modular/opencl/bytes.hpp"

namespace hilo::modular {
namespace {

constexpr int most_limbs = 13;
static_assert(32 * most_limbs > 342 + 32);

// A natural number in 32-bit limbs, lowest first.
using Natural = std::array<std::uint32_t, most_limbs>;

void multiply(Natural& x, int factor) {
  std::uint64_t carry = 0;
  for (std::uint32_t& limb : x) {
    carry += static_cast<std::uint64_t>(limb) * static_cast<std::uint64_t>(factor);
    limb = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
}

// The product of the first `count` moduli but one.
Natural product_of(int count, bool is_complex, int left_out = -1) {
  Natural x{1};
  for (int l = 0; l < count; ++l) {
    if (l != left_out) multiply(x, modulus_at(l, is_complex));
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

namespace {

// Words of the weights of an integer's bytes and of its start.
int weight_words(int limbs) { return (limbs + 3) / 4 * 4; }
constexpr int constant_words = 4;

// Of a plane of a modulus: weights of one integer, or of both parts'.
int row_words(int limbs, int integers) { return integers * weight_words(limbs) + constant_words; }

// A row whose integers are multiplied by these factors.
void put_row(std::uint32_t* row, int m, int limbs, std::initializer_list<int> factors) {
  int all_starts = 0;
  for (const int factor : factors) {
    auto put = [&](int byte, int weight) { row[byte / 4] |= static_cast<std::uint32_t>(weight) << byte % 4 * 8; };
    auto weight = [&](int bit) { return power_of_two(bit, m) * factor % m; };
    const bool has_spare_byte = limbs == 4;
    const int bytes = 4 * limbs - has_spare_byte;
    for (int byte = 0; byte < bytes; ++byte) put(byte, weight(8 * byte));
    const int start = (m - weight(8 * bytes - 1)) % m;
    put(bytes, start);
    if (!has_spare_byte) all_starts += start;
    row += weight_words(limbs);
  }
  row[0] = static_cast<std::uint32_t>(all_starts);
  row[1] = std::bit_cast<std::uint32_t>(1.0f / static_cast<float>(m));
  row[2] = static_cast<std::uint32_t>(m);
  // Rounded upward.
  float inverse = 0x1p127f / static_cast<float>(m);
  if (static_cast<double>(inverse) * m < 0x1p127) inverse = std::nextafter(inverse, 0x1p127f);
  row[3] = std::bit_cast<std::uint32_t>(inverse);
}

}  // namespace

std::int64_t residue_table_word(int index, int limbs, bool is_complex) {
  const int split = is_complex ? std::min(index, split_moduli) : 0, all_split = is_complex ? split_moduli : 0;
  if (index < all_split) return std::int64_t{2} * split * row_words(limbs, 2);
  return std::int64_t{2} * all_split * row_words(limbs, 2) + (index - all_split) * row_words(limbs, 1);
}

std::vector<std::uint32_t> residue_table(int count, int limbs, OperandWeight weight, bool is_complex) {
  constexpr int read_beyond = 7;
  const int rows_split = is_complex ? split_moduli : 0;
  std::vector<std::uint32_t> table(
      static_cast<std::size_t>(residue_table_word(std::max(count, rows_split), limbs, is_complex)) +
      static_cast<std::size_t>(read_beyond * row_words(limbs, 2)));
  for (int l = 0; l < count; ++l) {
    const int m = modulus_at(l, is_complex);
    const bool is_split = splits(l, is_complex);
    const int cofactor = remainder(product_of(count, is_complex, l), m);
    const int left = residue_factor(weight == OperandWeight::of_montgomery_columns, m);
    const int factor =
        weight == OperandWeight::of_rows ? 1 : inverse_of((is_split ? 2 : 1) * cofactor % m * left % m, m);
    std::uint32_t* row = table.data() + residue_table_word(l, limbs, is_complex);
    if (is_split) {
      const int of_imaginary = factor * root_of_minus_one(m) % m;
      put_row(row, m, limbs, {factor, of_imaginary});
      put_row(row + row_words(limbs, 2), m, limbs, {factor, m - of_imaginary});
    } else {
      put_row(row, m, limbs, {factor});
    }
  }
  return table;
}

RebuildSizes rebuild_sizes(int count, bool is_complex) {
  int groups = (count + 3) / 4;
  // Sums of at most 49 numbers below M.
  int bits = bit_length(product_of(std::min(4 * groups, max_moduli), is_complex)) + 6;
  return {groups, (bits + 31) / 32};
}

std::vector<std::uint32_t> rebuild_table(int count, bool is_complex) {
  auto [groups, limbs] = rebuild_sizes(count, is_complex);
  std::vector<Natural> cofactor;
  for (int l = 0; l < count; ++l) cofactor.push_back(product_of(count, is_complex, l));
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
  Natural product = product_of(count, is_complex);
  auto limb_of = [&](int i) { return product[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < limbs; ++i) table.push_back(limb_of(i));
  for (int i = 0; i < limbs; ++i) table.push_back(limb_of(i) >> 1 | limb_of(i + 1) << 31);
  for (int l = 0; l < 4 * groups; ++l)
    table.push_back(l < count ? static_cast<std::uint32_t>(modulus_at(l, is_complex)) : 1u);
  double value = 0.0;
  for (int i = limbs; i-- > 0;) value = value * 0x1p32 + limb_of(i);
  table.push_back(
      std::bit_cast<std::uint32_t>(static_cast<float>(std::ldexp(1.0, 32 * std::max(limbs - 3, 0)) / value)));
  for (int l = 0; is_complex && l < split_moduli; ++l) {
    const int m = modulus_at(l, is_complex);
    table.push_back(static_cast<std::uint32_t>(m - root_of_minus_one(m)));
    table.push_back(0xffffffffu / static_cast<std::uint32_t>(m) + 1);
  }
  return table;
}

MatrixSizes matrix_sizes(int count, bool is_complex) {
  return {(count + 15) / 16, std::max((bit_length(product_of(count, is_complex)) + 63) / 64, 2)};
}

int matrix_shift(int count, bool is_complex) {
  return 64 * matrix_sizes(count, is_complex).blocks - bit_length(product_of(count, is_complex));
}

namespace {

// What the residues modulo one number are multiplied by, in the set 0 or 1 of weights, or 2 of those that split.
Natural weight_of(int index, int set, int count, bool is_complex) {
  const int m = modulus_at(index, is_complex), root = is_complex ? root_of_minus_one(m) : 0;
  Natural weight = product_of(count, is_complex, index);
  if (splits(index, is_complex)) {
    // 1 / r = −r.
    multiply(weight, set == 0 ? 1 : set == 1 ? m - root : root);
  } else if (set == 1) {
    weight = difference(product_of(count, is_complex), weight);
  }
  return shifted(weight, matrix_shift(count, is_complex));
}

}  // namespace

std::vector<std::uint32_t> matrix_weights(int count, bool is_complex) {
  const auto [units, blocks] = matrix_sizes(count, is_complex);
  std::vector<std::uint32_t> table;
  for (int set = 0; set < (is_complex ? 3 : 1); ++set) {
    // The first unit alone splits.
    for (int unit = 0; unit < (set == 2 ? 1 : units); ++unit) {
      std::vector<Natural> weight;
      for (int l = 16 * unit; l < std::min(16 * unit + 16, count); ++l) {
        weight.push_back(weight_of(l, set, count, is_complex));
      }
      for (int block = 0; block < blocks; ++block) {
        for (int lane = 0; lane < 32; ++lane) {
          // A lane's four moduli, and its column of the block: one of two bytes of a quad lane's chunk.
          const int column = lane / 4, byte = 2 * blocks * (column / 2) + 2 * block + column % 2;
          std::uint32_t four = 0;
          for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t l = 4 * static_cast<std::size_t>(lane % 4) + i;
            if (l < weight.size()) four |= byte_of(weight[l], byte) << 8 * i;
          }
          table.push_back(four);
        }
      }
    }
  }
  return table;
}

std::vector<std::uint32_t> matrix_modulus(int count, bool is_complex) {
  const int limbs = matrix_sizes(count, is_complex).limbs();
  const Natural product = shifted(product_of(count, is_complex), matrix_shift(count, is_complex)),
                minus = difference({}, product);
  double value = 0.0;
  for (int i = limbs; i-- > 0;) value = value * 0x1p32 + product[static_cast<std::size_t>(i)];
  const auto inverse = std::bit_cast<std::uint64_t>(std::ldexp(1.0, 32 * (limbs - 1)) / value);
  std::vector<std::uint32_t> words = {static_cast<std::uint32_t>(inverse), static_cast<std::uint32_t>(inverse >> 32)};
  for (int i = 0; i < limbs; ++i) words.push_back(minus[static_cast<std::size_t>(i)]);
  return words;
}

cl::Buffer device_table(opencl::ContextState& context, const std::string& name,
                        const std::function<std::vector<std::uint32_t>()>& make) {
  return context.tables.get(name, [&] {
    std::vector<std::uint32_t> words = make();
    return cl::Buffer(context.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof words[0] * words.size(),
                      words.data());
  });
}

cl::Buffer moduli_of_planes(opencl::ContextState& context, int count, bool is_complex) {
  const std::string name = "moduli " + std::to_string(count) + (is_complex ? " of parts" : "");
  return device_table(context, name, [&] {
    std::vector<std::uint32_t> table;
    for (int l = 0; l < count; ++l) {
      const int planes = planes_of(l + 1, is_complex) - planes_of(l, is_complex);
      table.insert(table.end(), static_cast<std::size_t>(planes),
                   static_cast<std::uint32_t>(modulus_at(l, is_complex)));
    }
    return table;
  });
}

}  // namespace hilo::modular
