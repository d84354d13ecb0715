// Sums of products of bytes modulo m: what products of bytes end with. m is 256 or odd, 3 <= m < 256.
//
// x < 2^32 is 2^16 hi + lo. 2^16 = high mod m with |high| <= 127, so hi high + lo = x mod m, and is below 2^23.01 in
// magnitude; the same of it once more makes y = x mod m, |y| < 2^16.4. The float 3 2^22 + y has the bits 0x4B400000 + y,
// and its difference from 3 2^22 + (m - 1) / 2 is exact: f = y - (m - 1) / 2.
//
// Where y = q m + s with 0 <= s < m, f / m is (s - (m - 1) / 2) / m away from q, so 1 / (2m) or more from the next tie.
// `inverse` is 1 / m but for 2^-23 of it, and the product, if it is rounded, errs by 2^-24 of it: together by less than
// 2^-6 / m. Hence adding 3 2^22 rounds to q, which lies in the sum's low bits. s = y - q m; it fits eight bits, so the
// low ones of the bit patterns are enough. For m = 256 they are right whatever q is.
#pragma once

typedef struct {
  int high, modulus;
  float shift, inverse;
} reduction;

inline reduction reduction_for(int m) {
  reduction r;
  r.modulus = m;
  r.shift = 12582912.0f + (float)((m - 1) / 2);
  // OpenCL's division errs by 2.5 units of the last place; with this correction it is right but for one rounding.
  const float inverse = 1.0f / (float)m;
  r.inverse = fma(inverse, fma(inverse, -(float)m, 1.0f), inverse);
  // A quotient next to a tie may be rounded either way.
  r.high = 65536 - m * convert_int_rte(65536.0f * r.inverse);
  return r;
}

// The low byte is x mod m, the others are of no use.
inline uint reduced(uint x, reduction r) {
  const int once = (int)(x >> 16) * r.high + (int)(x & 0xFFFF);
  const int y = (once >> 16) * r.high + ((once & 0xFFFF) | 0x4B400000);
  const float quotient = (as_float(y) - r.shift) * r.inverse + 12582912.0f;
  return as_uint(y - as_int(quotient) * r.modulus);
}
