// Single entries of a double-double product by the direct engine's definition.

#include "direct/sums.cl"
#include "direct/update.cl"

#define ENTRY_ITEMS 64
// Steps whose operands are loaded at a time, a multiple of RENORMALISE_EVERY.
#define AHEAD 8

// A work-group takes a real part of an entry (row, column) of positions; an item a chunk of each super-chunk.
__kernel __attribute__((reqd_work_group_size(ENTRY_ITEMS, 1, 1))) void direct_sums(
    __global const double2* a, matrix_view a_view, __global const double2* b, matrix_view b_view, long steps,
    __global const int2* positions, __global double2* sums, __global int* recomputed) {
  __local double2 partial[ENTRY_ITEMS];
  int item = (int)get_local_id(0), part = (int)get_group_id(0) % PARTS;
  long entry = (long)get_group_id(0) / PARTS;
  long row = positions[entry].x, column = (long)positions[entry].y * PARTS + part;
  dd total = {0.0, 0.0};
  for (long start = 0; start < steps; start += SUPERCHUNK) {
    long chunk = start + item * CHUNK;
    dd sum = {0.0, 0.0};
    // Loads go ahead of the steps: elements of a column are far apart.
    for (long first = chunk; first < min(steps, chunk + CHUNK); first += AHEAD) {
      dd left[AHEAD], right[AHEAD];
      for (int i = 0; i < AHEAD; ++i) {
        long s = min(first + i, steps - 1);
        left[i] = left_operand(a, a_view, row, s);
        right[i] = right_operand(b, b_view, s, column);
      }
      for (int i = 0; i < AHEAD && first + i < steps; ++i) {
        sum = STEP(sum, left[i], right[i]);
        if (i % RENORMALISE_EVERY == RENORMALISE_EVERY - 1) sum = fast_two_sum(sum.hi, sum.lo);
      }
    }
    sum = two_sum(sum.hi, sum.lo);
    partial[item] = (double2)(sum.hi, sum.lo);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
      dd of_superchunk = {0.0, 0.0};
      for (int c = 0; c < ENTRY_ITEMS && start + c * CHUNK < steps; ++c) {
        dd value = {partial[c].x, partial[c].y};
        of_superchunk = add_finite(of_superchunk, value);
      }
      total = add_finite(total, of_superchunk);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item != 0) return;
  if (!is_finite(total)) {
#if !HILO_FMA
    total = sum_scaled(a, a_view, b, b_view, row, column, steps, RENORMALISE_EVERY);
#endif
    if (!is_finite(total)) {
      total = sum_plain(a, a_view, b, b_view, row, column, steps);
      atomic_inc(recomputed);
    }
  }
  sums[get_group_id(0)] = (double2)(total.hi, total.lo);
}

// values[entry] = alpha * sum + beta * C, C as it is before the product.
__kernel void direct_values(__global const double2* sums, __global const int2* positions, int count,
                            __global const double2* c, matrix_view c_view, double4 alpha, double4 beta,
                            __global double2* values) {
  int entry = (int)get_global_id(0);
  if (entry >= count) return;
  long element = c_view.offset + positions[entry].x * c_view.row_stride + positions[entry].y * c_view.column_stride;
  dd sum[PARTS];
  for (int part = 0; part < PARTS; ++part) {
    sum[part] = load(sums, (long)entry * PARTS + part);
    if (reads_element(beta)) values[(long)entry * PARTS + part] = c[element * PARTS + part];
  }
  update_element(values, entry, sum, alpha, beta);
}
