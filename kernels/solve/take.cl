// A matrix scaled by powers of two, whole and with columns side by side: entries in as many doubles as hold them exactly.
#include "blas/element.cl"
#include "number/arguments.cl"
#include "solve/powers.cl"

#if IS_DOUBLE_DOUBLE
typedef double2 part_of_entry;
HILO_FN part_of_entry scaled_part(part x, int e) { return (double2)(times_power(x.hi, e), times_power(x.lo, e)); }
#else
typedef double part_of_entry;
HILO_FN part_of_entry scaled_part(part x, int e) { return times_power((double)x, e); }
#endif

// p.part is 0, or a Hermitian matrix's triangle that is read: 1 the lower, 2 the upper one.
__kernel void take_matrix(__global const part_in_memory* a, __global const int* row_exponents,
                          __global const int* column_exponents, __global part_of_entry* to, take_arguments p) {
  const long i = (long)get_global_id(0), j = (long)get_global_id(1);
  if (i >= p.order || j >= p.order) return;
  const int is_mirrored = (p.part == 1 && i < j) || (p.part == 2 && i > j);
  const long row = is_mirrored ? j : i, column = is_mirrored ? i : j;
  element x = load_element(a, p.a.offset + row * p.a.row_stride + column * p.a.column_stride);
  x = conjugated(x, p.a.conjugate);
#if IS_COMPLEX
  if (is_mirrored) x.p[1] = minus(x.p[1]);
  if (p.part != 0 && i == j) x.p[1] = part_of_word(0);
#endif
  const int e = row_exponents[i] + column_exponents[j];
  FOR_PARTS to[(i + j * p.order) * PARTS + part_] = scaled_part(x.p[part_], e);
}
