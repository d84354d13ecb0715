// B = A⁻¹ · B for triangles of at most SHORT rows and many columns of B, each of which LANES work-items solve for: what
// solve_few.cl does with the same bits, where there are columns enough to hide each other's chains of operations.
//
//   IS_UNIT       0 1   whether the triangle has ones on the diagonal
//   LANES         1 4   of which each has every LANES-th row
//   ITEMS         of a work-group, a multiple of SHORT
//   IS_UNROLLED   0 1   see number/loops.cl
#include "blas/divisor.cl"
#include "blas/triangle_view.cl"
#include "number/loops.cl"

#ifndef LANES
#define LANES 1
#endif
#if LANES != 1 && LANES != 4
#error "hilo: LANES is none of 1 4"
#endif
#define SHORT 64
#ifndef ITEMS
#define ITEMS 64
#endif
#if ITEMS < SHORT || ITEMS % SHORT != 0
#error "hilo: ITEMS is no multiple of 64"
#endif
#define COLUMNS (ITEMS / LANES)
#define TOGETHER 8  // entries of A that are under way
#define ROWS ((LANES == 1 ? 8 : 4) / PARTS)  // that a work-item has in registers
#define AHEAD 4           // rows that are under way

// Rows that are solved for at a time: those of all lanes.
#define STAGE (ROWS * LANES)

// Of −A the rows first … first + STAGE − 1, `first` a multiple of STAGE, as far as their diagonal, column after column, in
// one lane after the other: where those of column k begin.
#define FACTORS (SHORT * (SHORT + STAGE) / 2)
HILO_FN int place_in_factors(int first, int k) { return first * (first + STAGE) / 2 + k * STAGE; }

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void solve_many_columns(
    __global const part_in_memory* a, __global part_in_memory* b, triangle_arguments p) {
  __local part_in_memory factors[FACTORS * PARTS];
#if !IS_UNIT
  __local divisor diagonal[SHORT];
#endif
#if LANES > 1
  __local part_in_memory solved[2 * COLUMNS * PARTS];  // of a row and the one before
#endif
  const int item = (int)get_local_id(0), own = item % COLUMNS, lane = item / COLUMNS;
  const int row = item % SHORT, first_of_mine = row / STAGE * STAGE, is_row = row < p.order;
  const int place_of_mine = row % LANES * ROWS + row % STAGE / LANES;
  for (int begin = item / SHORT * TOGETHER; begin < p.order; begin += ITEMS / SHORT * TOGETHER) {
    element l[TOGETHER];
    FOR(t, TOGETHER) {
      l[t] = is_row && begin + t < row ? load_element(a, place_of(p.a, p.order, p.is_upper, row, begin + t))
                                       : zero_element();
    }
    FOR(t, TOGETHER) {
      if (begin + t < first_of_mine + STAGE) {
        const int at = place_in_factors(first_of_mine, begin + t) + place_of_mine;
        store_local(factors, at, negated(conjugated(l[t], p.a.conjugate)));
      }
    }
  }
#if !IS_UNIT
  element d = zero_element();
  d.p[0] = part_of_word(1);
  if (is_row) d = conjugated(load_element(a, place_of(p.a, p.order, p.is_upper, row, row)), p.a.conjugate);
  if (item < SHORT) diagonal[row] = divisor_of(d);
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  // Beyond B its last column, which nothing becomes of.
  const int column = (int)get_group_id(0) * COLUMNS + own, is_column = column < p.columns;
#if LANES == 1
  if (!is_column) return;
#endif
  const long home = row_of_b(p.b, p.order, p.is_upper, 0, min(column, p.columns - 1));
  const long next = p.is_upper ? -p.b.row_stride : p.b.row_stride;
  for (int first = 0; first < p.order; first += STAGE) {
    element mine[ROWS];
    // Others may be storing what lies beside B's end.
    FOR(r, ROWS) {
      const int at = first + r * LANES + lane;
      mine[r] = at < p.order && is_column ? load_element(b, home + at * next) : zero_element();
    }
    for (int k = 0; k < first; k += AHEAD) {
      element x[AHEAD];
      FOR(t, AHEAD) x[t] = load_element(b, home + (k + t) * next);
      FOR(t, AHEAD) {
        __local const part_in_memory* const l = factors + (place_in_factors(first, k + t) + lane * ROWS) * PARTS;
        FOR(r, ROWS) mine[r] = with_product(mine[r], load_local(l, r), x[t]);
      }
    }
    FOR(k, STAGE) {
      const int turn = k % LANES, at = k / LANES;
      element x;
      if (lane == turn) {
        x = mine[at];
        if (first + k > 0 || p.is_open) x = closed_element(x);
#if !IS_UNIT
        x = quotient(x, diagonal[first + k]);
#endif
        if (first + k < p.order && is_column) store_element(b, home + (first + k) * next, x);
#if LANES > 1
        store_local(solved, k % 2 * COLUMNS + own, x);
#endif
      }
#if LANES > 1
      barrier(CLK_LOCAL_MEM_FENCE);
      x = load_local(solved, k % 2 * COLUMNS + own);
#endif
      __local const part_in_memory* const l = factors + (place_in_factors(first, first + k) + lane * ROWS) * PARTS;
      FOR(r, ROWS) {
        if (r > at || (r == at && lane > turn)) mine[r] = with_product(mine[r], load_local(l, r), x);
      }
    }
#if LANES > 1
    // Lanes read each other's rows.
    barrier(CLK_GLOBAL_MEM_FENCE);
#endif
  }
}
