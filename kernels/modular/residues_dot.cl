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

// The residues of 16 terms; `out` is where those modulo the first number go, others follow pitch apart.
static inline void store_residues(const integer* value, __constant uint* table, int moduli, __global uint4* out,
                                  long pitch) {
  for (int l = 0; l < moduli; ++l, table += TABLE_STRIDE, out += pitch) {
    uint start = table[WEIGHT_WORDS], modulus = table[WEIGHT_WORDS + 2];
    float inverse = as_float(table[WEIGHT_WORDS + 1]);
    uint packed[4];
    for (int g = 0; g < 4; ++g) {
      packed[g] = 0;
      for (int i = 0; i < 4; ++i) {
        // Below 2^23, so with the bits of 2^23 the float that is 2^23 more: the quotient by rounding in float is the
        // nearest integer, as sums stay below 2^22 and no integer is nearer to half a modulus than 1 / (2 m).
        uint sum = start | 0x4b000000u;
        for (int w = 0; w < LIMBS; ++w) sum = four_products(value[4 * g + i].limb[w], table[w], sum);
        float quotient = (as_float(sum) - 8388608.0f) * inverse + 12582912.0f;
        // Both constants are multiples of 256, and no more than a byte is wanted.
        uint residue = sum - as_uint(quotient) * modulus;
        packed[g] |= (residue & 0xffu) << (8 * i);
      }
    }
    *out = (uint4)(packed[0], packed[1], packed[2], packed[3]);
  }
}

// Where a line's chunk lies among the residues of one plane modulo one number.
static inline long place_of_line(int line, int chunk, int chunks, int panel_lines) {
  return ((long)(line / panel_lines) * chunks + chunk) * panel_lines + line % panel_lines;
}

// One item for 16 terms of a line of a plane; `lines` and `terms` are those there are, what is padded is 0. Terms begin
// at first_term of the view, lines with it.
__kernel void residues(__global const ulong* x, __global const int* exponents, __global const int* balance,
                       __constant uint* table, __global uint4* out, residue_arguments block OTHER_OPERAND(__constant)) {
  const matrix_view view = block.view;
  const int lines = block.lines, first_term = block.first_term, terms = block.terms;
  const int padded_lines = block.padded_lines, padded_terms = block.padded_terms, panel_lines = block.panel_lines;
  const int bits = block.bits, sign = block.sign, moduli = block.moduli;
  int line = (int)get_global_id(0), chunk = (int)get_global_id(1), plane = (int)get_global_id(2);
#if FOR_BOTH
  if (line >= max(padded_lines, other.padded_lines) || chunk * CHUNK >= padded_terms) return;
#else
  if (line >= padded_lines || chunk * CHUNK >= padded_terms) return;
#endif
  int e = line < lines ? exponents[block.first_exponent + line] : LINE_IS_BAD;
  integer value[CHUNK];
  for (int t = 0; t < CHUNK; ++t) {
    int term = chunk * CHUNK + t;
    ulong words[ELEMENT_WORDS];
    for (int i = 0; i < ELEMENT_WORDS; ++i) words[i] = 0;
    int shift = 0;
    if (!(e == LINE_IS_BAD || e == LINE_OF_ZEROS || term >= terms)) {
      long at = view.offset + line * view.row_stride + (first_term + term) * view.column_stride;
      for (int i = 0; i < ELEMENT_WORDS; ++i) words[i] = x[at * ELEMENT_WORDS + i];
      shift = bits - e + (sign ? sign * balance[first_term + term] : 0);
    }
    value[t] = raised(integer_of_plane(words, plane, (int)view.conjugate, shift));
  }
  const int chunks = padded_terms / CHUNK;
  table += block.first_word;
#if FOR_BOTH
  if (line < other.padded_lines) {
    const long other_size = (long)other.padded_lines * chunks;
    other_out += plane * other_size + place_of_line(line, chunk, chunks, other.panel_lines);
    store_residues(value, other_table + block.first_word, moduli, other_out, PLANES * other_size);
  }
  if (line >= padded_lines) return;
#endif
  const long plane_size = block.plane;
  out += block.first_chunk + plane * plane_size + place_of_line(line, chunk, chunks, panel_lines);
  store_residues(value, table, moduli, out, PLANES * plane_size);
}
