// The largest entry of each line of a matrix, by the magnitude of leading words, of complex numbers the larger part's;
// Inf where a word of one is not finite. Terms of a line count times 2^exponents[term].
#include "blas/element.cl"
#include "number/arguments.cl"
#include "number/loops.cl"
#include "solve/powers.cl"

#define ITEMS 128
#define BATCH 8

#if IS_DOUBLE_DOUBLE
HILO_FN double size_of_part(part x) { return fabs(x.hi) + (x.lo - x.lo); }
#else
HILO_FN double size_of_part(part x) { return fabs((double)x); }
#endif

// That of a term, 0 beside the triangle.
HILO_FN double size_of(__global const part_in_memory* a, __global const int* exponents, largest_arguments p, long line,
                       long term) {
  const element x = load_element(a, p.a.offset + line * p.a.row_stride + term * p.a.column_stride);
  double r = size_of_part(x.p[0]);
#if IS_COMPLEX
  if (!p.has_real_diagonal || line != term) r = larger(r, size_of_part(x.p[1]));
#endif
  if ((p.part == 1 && line < term) || (p.part == 2 && line > term)) r = 0.0;
  return p.has_exponents ? times_power(r, exponents[term]) : r;
}
HILO_FN double finite_or_infinite(double x) { return x - x == 0.0 ? x : INFINITY; }

// Of chunk c of a line's terms at partial[c · lines + line]: neighbours are neighbouring lines.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void largest_of_chunks(__global const part_in_memory* a,
                                                                                   __global const int* exponents,
                                                                                   __global double* partial,
                                                                                   largest_arguments p) {
  const long line = (long)get_global_id(0), chunk = (long)get_global_id(1);
  if (line >= p.lines) return;
  const long begin = chunk * p.chunk, end = min(begin + p.chunk, p.terms);
  double most = 0.0;
  for (long k = begin; k < end; k += BATCH) {
    double some[BATCH];
    FOR(b, BATCH) some[b] = size_of(a, exponents, p, line, min(k + b, end - 1));
    FOR(b, BATCH) most = larger(most, some[b]);
  }
  partial[chunk * p.lines + line] = most;
}
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void largest_of_all(__global const double* partial,
                                                                                __global double* largest,
                                                                                largest_arguments p) {
  const long line = (long)get_global_id(0);
  if (line >= p.lines) return;
  double most = 0.0;
  for (long c = 0; c * p.chunk < p.terms; ++c) most = larger(most, partial[c * p.lines + line]);
  largest[line] = finite_or_infinite(most);
}

// Neighbours are neighbouring terms of a line, which a work-group has.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void largest_of_lines(__global const part_in_memory* a,
                                                                                  __global const int* exponents,
                                                                                  __global double* largest,
                                                                                  largest_arguments p) {
  __local double own[ITEMS];
  const int item = (int)get_local_id(0);
  const long line = (long)get_group_id(0);
  double most = 0.0;
  for (long k = item; k < p.terms; k += BATCH * ITEMS) {
    double some[BATCH];
    FOR(b, BATCH) some[b] = size_of(a, exponents, p, line, min(k + b * ITEMS, p.terms - 1));
    FOR(b, BATCH) most = larger(most, some[b]);
  }
  own[item] = most;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int other = ITEMS / 2; other > 0; other /= 2) {
    if (item < other) own[item] = larger(own[item], own[item + other]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) largest[line] = finite_or_infinite(own[0]);
}
