// A whole product in DD or ZDD by one launch, for sizes whose time is the launches': a work-item sums a chunk of an
// entry. After sums.cl and update.cl.
//
//   RENORMALISE_EVERY   1 4   steps, as in multiply.cl
//   CHUNKS              1 2 4 ...   chunks of an entry that are summed at a time
//
// At most SUPERCHUNK steps, so that chunks are all that is to be added.

#define SIDE 8
// Steps whose operands are loaded at a time, a multiple of RENORMALISE_EVERY.
#define AHEAD 8

#if HILO_FMA
#define STEP step_fma
#else
#define STEP step_split
#endif

HILO_FN dd sum_of_chunk(__global const double2* a, matrix_view a_view, __global const double2* b, matrix_view b_view,
                        int row, int column, int chunk, int steps) {
  const int end = min(steps, (chunk + 1) * CHUNK);
  dd sum = {0.0, 0.0};
  for (int first = chunk * CHUNK; first < end; first += AHEAD) {
    dd left[AHEAD], right[AHEAD];
    _Pragma("unroll") for (int i = 0; i < AHEAD; ++i) {
      const int s = min(first + i, steps - 1);
      left[i] = left_operand(a, a_view, row, s);
      right[i] = right_operand(b, b_view, s, column);
    }
    _Pragma("unroll") for (int i = 0; i < AHEAD; ++i) {
      if (first + i < end) {
        sum = STEP(sum, left[i], right[i]);
        if (i % RENORMALISE_EVERY == RENORMALISE_EVERY - 1) sum = fast_two_sum(sum.hi, sum.lo);
      }
    }
  }
  return two_sum(sum.hi, sum.lo);
}

// Real columns are SIDE to a work-group, of which recomputed[group] counts entries as finish.cl does. interval is 0 for
// the FMA sequence, which needs no second look at overflowed splittings.
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, CHUNKS))) void multiply_small(
    __global const double2* a, matrix_view a_view, __global const double2* b, matrix_view b_view, __global double2* c,
    matrix_view c_view, int rows, int columns, int steps, double4 alpha, double4 beta, int interval,
    __global int* recomputed) {
  __local double2 partial[CHUNKS][SIDE][SIDE];
  __local int count;
  const int x = (int)get_local_id(0), y = (int)get_local_id(1), z = (int)get_local_id(2);
  const int row = (int)get_group_id(0) * SIDE + x, column = (int)get_group_id(1) * SIDE + y;
  const int is_entry = row < rows && column < columns * PARTS;
  const int chunks = (steps + CHUNK - 1) / CHUNK;
  dd total = {0.0, 0.0};
  if (x + y + z == 0) count = 0;
  for (int first = 0; first < chunks; first += CHUNKS) {
    if (is_entry && first + z < chunks) {
      const dd sum = sum_of_chunk(a, a_view, b, b_view, row, column, first + z, steps);
      partial[z][y][x] = (double2)(sum.hi, sum.lo);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_entry && z == 0) {
      for (int i = 0; i < CHUNKS && first + i < chunks; ++i) {
        dd value = {partial[i][y][x].x, partial[i][y][x].y};
        total = add_finite(total, value);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (is_entry && z == 0) {
    // To a total of no super-chunks.
    const dd none = {0.0, 0.0};
    total = add_finite(none, total);
    if (!is_finite(total)) {
      if (interval) total = sum_scaled(a, a_view, b, b_view, row, column, steps, interval);
      if (!is_finite(total)) {
        total = sum_plain(a, a_view, b, b_view, row, column, steps);
        atomic_inc(&count);
      }
    }
    partial[0][y][x] = (double2)(total.hi, total.lo);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_entry && z == 0 && column % PARTS == 0) {
    dd sum[PARTS];
    for (int part = 0; part < PARTS; ++part) {
      sum[part].hi = partial[0][y + part][x].x;
      sum[part].lo = partial[0][y + part][x].y;
    }
    update_element(c, c_view.offset + row * c_view.row_stride + column / PARTS * c_view.column_stride, sum, alpha,
                   beta);
  }
  if (x + y + z == 0) recomputed[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = count;
}
