// Residues of an operand's elements in the layout that products of bytes take (bytes/plain.cl), for any device.

#include "modular/four_products.cl"
#include "modular/residues.cl"

// Plane `plane` of an element.
static inline integer integer_of_plane(ulong* element, int plane, int negates, int shift) {
#if PARTS == 2
  negate(element + WORDS, negates);
  if (plane == 1) return rounded_fixed(element + WORDS, shift);
  if (plane == 2) return sum_of(rounded_fixed(element, shift), rounded_fixed(element + WORDS, shift));
#endif
  return rounded_fixed(element, shift);
}

// The remainder of a sum, as a byte. The sum is below 2^23, so that with the bits of 2^23 it is the float that is 2^23
// more. With h = (m - 1) / 2 taken away the quotient by rounding in float is the nearest integer, which is the whole part
// of sum / m: sums stay below 2^22, and no integer less h is nearer to half a modulus than 1 / (2 m), for odd m; for m = 256 the low
// byte is right whatever the quotient is. Both constants are multiples of 256.
static inline uint residue_of(uint sum, __constant uint* constants) {
  const float least = 8388608.0f + (float)((constants[2] - 1) / 2);
  sum |= 0x4b000000u;
  const float quotient = (as_float(sum) - least) * as_float(constants[1]) + 12582912.0f;
  return (sum - as_uint(quotient) * constants[2]) & 0xffu;
}

static inline uint sum_of_bytes(const integer* x, __constant uint* weights, uint sum) {
  for (int w = 0; w < LIMBS; ++w) sum = four_products(x->limb[w], weights[w], sum);
  return sum;
}

// The residues of 16 terms; `out` is where those modulo the first number go, others follow pitch apart.
static inline void store_residues(const integer* value, __constant uint* table, int moduli, __global uint4* out,
                                  long pitch) {
  for (int l = 0; l < moduli; ++l, table += TABLE_STRIDE, out += pitch) {
    __constant uint* constants = table + WEIGHT_WORDS;
    uint packed[4];
    for (int g = 0; g < 4; ++g) {
      packed[g] = 0;
      for (int i = 0; i < 4; ++i) {
        packed[g] |= residue_of(sum_of_bytes(value + 4 * g + i, table, constants[0]), constants) << (8 * i);
      }
    }
    *out = (uint4)(packed[0], packed[1], packed[2], packed[3]);
  }
}

#if PARTS == 2
// The same in every other plane of those of moduli that split.
static inline void store_split(const integer* re, const integer* im, __constant uint* table, int moduli,
                               __global uint4* out, long pitch) {
  for (int l = 0; l < moduli; ++l, table += 2 * SPLIT_STRIDE, out += 2 * pitch) {
    __constant uint* constants = table + 2 * WEIGHT_WORDS;
    uint packed[4];
    for (int g = 0; g < 4; ++g) {
      packed[g] = 0;
      for (int i = 0; i < 4; ++i) {
        uint sum = sum_of_bytes(re + 4 * g + i, table, constants[0]);
        // The sum of both parts would reach 2^22.
        if (LIMBS > 6) sum = residue_of(sum, constants);
        sum = sum_of_bytes(im + 4 * g + i, table + WEIGHT_WORDS, sum);
        packed[g] |= residue_of(sum, constants) << (8 * i);
      }
    }
    *out = (uint4)(packed[0], packed[1], packed[2], packed[3]);
  }
}
#endif

// Where a line's chunk lies among the residues of one plane modulo one number.
static inline long place_of_chunk(int line, int chunk, int chunks, int panel_lines) {
  const int place = place_of_line(line, IN_QUADS);
  return ((long)(place / panel_lines) * chunks + chunk) * panel_lines + place % panel_lines;
}

// The integers of a plane of 16 terms; e is the line's exponent.
static inline void load_integers(__global const ulong* x, __global const int* balance, const residue_arguments* block,
                                 int line, int chunk, int e, int plane, integer* value) {
  for (int t = 0; t < CHUNK; ++t) {
    int term = chunk * CHUNK + t;
    ulong words[ELEMENT_WORDS];
    for (int i = 0; i < ELEMENT_WORDS; ++i) words[i] = 0;
    int shift = 0;
    if (!(e == line_is_bad || e == line_of_zeros || term >= block->terms)) {
      long at = block->view.offset + line * block->view.row_stride + (block->first_term + term) * block->view.column_stride;
      for (int i = 0; i < ELEMENT_WORDS; ++i) words[i] = x[at * ELEMENT_WORDS + i];
      shift = block->bits - e + (block->sign ? block->sign * balance[block->first_term + term] : 0);
    }
    value[t] = raised(integer_of_plane(words, plane, (int)block->view.conjugate, shift));
  }
}

// One item for 16 terms of a line of a plane of a modulus; `lines` and `terms` are those there are, what is padded is 0.
// Terms begin at first_term of the view, lines with it.
__kernel void residues(__global const ulong* x, __global const int* exponents, __global const int* balance,
                       __constant uint* table, __global uint4* out, residue_arguments block OTHER_OPERAND(__constant)) {
  const int lines = block.lines, padded_lines = block.padded_lines, panel_lines = block.panel_lines;
  int line = (int)get_global_id(0), chunk = (int)get_global_id(1), plane = (int)get_global_id(2);
#if FOR_BOTH
  if (line >= max(padded_lines, other.padded_lines) || chunk * CHUNK >= block.padded_terms) return;
#else
  if (line >= padded_lines || chunk * CHUNK >= block.padded_terms) return;
#endif
  const int e = line < lines ? exponents[block.first_exponent + line] : line_is_bad;
  const int chunks = block.padded_terms / CHUNK;
  const long plane_size = block.plane;
  out += block.first_chunk + place_of_chunk(line, chunk, chunks, panel_lines);
  const int is_inside = line < padded_lines;
#if FOR_BOTH
  const int is_inside_other = line < other.padded_lines;
  const long other_size = (long)other.padded_lines * chunks;
  other_out += place_of_chunk(line, chunk, chunks, other.panel_lines);
#endif
  integer value[CHUNK];
#if PARTS == 2
  if (plane < SPLIT_PLANES && block.split > 0) {
    integer imaginary[CHUNK];
    load_integers(x, balance, &block, line, chunk, e, 0, value);
    load_integers(x, balance, &block, line, chunk, e, 1, imaginary);
    const long first_word = block.first_split_word + plane * SPLIT_STRIDE;
#if FOR_BOTH
    if (is_inside_other) {
      store_split(value, imaginary, other_table + first_word, (int)block.split, other_out + plane * other_size, other_size);
    }
#endif
    if (is_inside) store_split(value, imaginary, table + first_word, (int)block.split, out + plane * plane_size, plane_size);
  }
#endif
  if (block.moduli == 0) return;
  load_integers(x, balance, &block, line, chunk, e, plane, value);
  const long first_plane = SPLIT_PLANES * block.split + plane;
#if FOR_BOTH
  if (is_inside_other) {
    store_residues(value, other_table + block.first_word, block.moduli, other_out + first_plane * other_size,
                   PLANES * other_size);
  }
#endif
  if (is_inside) {
    store_residues(value, table + block.first_word, block.moduli, out + first_plane * plane_size, PLANES * plane_size);
  }
}
