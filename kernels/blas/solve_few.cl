// B = A⁻¹ · B for triangles of at most SHORT rows and few columns of B: LANES neighbouring work-items solve for each, of
// which each has every LANES-th row in registers. Row k is final in step k, when its work-item shows it to the others. The
// bits are those of solve_many.cl.
//
//   IS_UNIT       0 1    whether the triangle has ones on the diagonal
//   LANES         8 16   work-items of a column
//   ITEMS         of a work-group, a multiple of SHORT
//   NVIDIA        0 1    the lanes of a warp read each other's registers (blas/warp.cl); elsewhere local memory
//   IS_UNROLLED   0 1    see number/loops.cl
//
// What bounds it is the chain from row to row, so that all lanes do the same without branches: what those do who are not
// meant is left out at the end.
#include "blas/divisor.cl"
#include "blas/triangle_view.cl"
#include "blas/warp.cl"
#include "number/loops.cl"

#ifndef LANES
#define LANES 16
#endif
#if LANES != 8 && LANES != 16
#error "hilo: LANES is none of 8 16"
#endif
#define SHORT 64
#ifndef ITEMS
#define ITEMS 128
#endif
#if ITEMS < SHORT || ITEMS % SHORT != 0
#error "hilo: ITEMS is no multiple of 64"
#endif
#define COLUMNS (ITEMS / LANES)
#define ROWS (SHORT / LANES)  // of a work-item
#define TOGETHER 8            // entries of A that are under way

// Of −A the rows of a slot, `slot` · LANES and those after it, as far as their diagonal, column after column: where those
// of column k are.
#define FACTORS (SHORT * (SHORT + LANES) / 2)
HILO_FN int place_in_factors(int slot, int k) { return slot * (slot + 1) / 2 * LANES * LANES + k * LANES; }

#if NVIDIA
HILO_FN part part_of_lane(part x, int lane) {
#if IS_DOUBLE_DOUBLE
  part r = {as_double(long_of_lane(as_long(x.hi), lane)), as_double(long_of_lane(as_long(x.lo), lane))};
  return r;
#elif WORD_BYTES == 8
  return as_double(long_of_lane(as_long(x), lane));
#else
  return as_float(int_of_lane(as_int(x), lane));
#endif
}
#endif

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void solve_few_columns(
    __global const part_in_memory* a, __global part_in_memory* b, triangle_arguments p) {
  __local part_in_memory factors[FACTORS * PARTS];
#if !IS_UNIT
  __local divisor diagonal[SHORT];
#endif
#if !NVIDIA
  __local part_in_memory shown[2][COLUMNS * PARTS];
#endif
  const int item = (int)get_local_id(0), lane = item % LANES, own = item / LANES;
  const int column = (int)get_group_id(0) * COLUMNS + own, is_column = column < p.columns;
  // As place_of() and row_of_b() have them.
  const long down = p.is_upper ? -1 : 1, top = p.is_upper ? p.order - 1 : 0;
  const long home = p.b.offset + top * p.b.row_stride + min(column, p.columns - 1) * p.b.column_stride;
  element mine[ROWS];
  FOR(i, ROWS) {
    const int row = i * LANES + lane;
    mine[i] = row < p.order && is_column ? load_element(b, home + down * row * p.b.row_stride) : zero_element();
  }
  const int row = item % SHORT, is_row = row < p.order;
  const long of_row = p.a.offset + top * (p.a.row_stride + p.a.column_stride) + down * row * p.a.row_stride;
  const int place = place_in_factors(row / LANES, 0) + row % LANES;
  for (int begin = item / SHORT; begin < p.order; begin += ITEMS / SHORT * TOGETHER) {
    element l[TOGETHER];
    FOR(t, TOGETHER) {
      const int k = begin + t * (ITEMS / SHORT);
      l[t] = is_row && k < row ? load_element(a, of_row + down * k * p.a.column_stride) : zero_element();
    }
    FOR(t, TOGETHER) {
      const int k = begin + t * (ITEMS / SHORT);
      if (k / LANES <= row / LANES) store_local(factors, place + k * LANES, negated(conjugated(l[t], p.a.conjugate)));
    }
  }
#if !IS_UNIT
  if (item < SHORT && is_row) {
    diagonal[row] = divisor_of(conjugated(load_element(a, of_row + down * row * p.a.column_stride), p.a.conjugate));
  }
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR(i, ROWS) {
    for (int turn = 0; turn < LANES && i * LANES + turn < p.order; ++turn) {
      const int k = i * LANES + turn, is_mine = lane == turn;
      element x = mine[i];
      if (k > 0 || p.is_open) x = closed_element(x);
#if !IS_UNIT
      x = quotient_where(x, diagonal[k], is_mine && is_column);
#endif
      if (is_mine) mine[i] = x;
#if NVIDIA
      FOR_PARTS x.p[part_] = part_of_lane(x.p[part_], item % 32 / LANES * LANES + turn);
#else
      if (is_mine) store_local(shown[k % 2], own, x);
      barrier(CLK_LOCAL_MEM_FENCE);
      x = load_local(shown[k % 2], own);
#endif
      // The next row's first.
      FOR(j, ROWS) {
        if (j >= i) {
          const element rest = with_product(mine[j], load_local(factors, place_in_factors(j, k) + lane), x);
          if (j > i || lane > turn) mine[j] = rest;
        }
      }
    }
  }
  FOR(i, ROWS) {
    const int row = i * LANES + lane;
    if (row < p.order && is_column) store_element(b, home + down * row * p.b.row_stride, mine[i]);
  }
}
