// B = A⁻¹ · B for triangles of at most SHORT rows and many columns of B, each of which a work-item solves for: what
// solve_short_block (triangle.cl) does with the same bits, where there are columns enough to hide each other's chains of
// operations.
//
//   IS_UNIT   0 1   whether the triangle has ones on the diagonal
#include "blas/divisor.cl"
#include "blas/triangle_view.cl"

#ifndef IS_UNIT
#define IS_UNIT 0
#endif
#if IS_UNIT != 0 && IS_UNIT != 1
#error "hilo: IS_UNIT is none of 0 1"
#endif
#define SHORT 64
#define ITEMS SHORT
#define TOGETHER 8  // entries of A that are under way
#define ROWS (8 / PARTS)  // that a work-item has in registers
#define AHEAD 4           // rows that are under way
#define FOR(index, count) _Pragma("unroll") for (int index = 0; index < (count); ++index)

// Of −A the rows first … first + ROWS − 1, `first` a multiple of ROWS, as far as their diagonal, column after column: where
// those of column k begin.
#define FACTORS (SHORT * (SHORT + ROWS) / 2)
HILO_FN int place_in_factors(int first, int k) { return first * (first + ROWS) / 2 + k * ROWS; }

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void solve_many_columns(
    __global const part_in_memory* a, __global part_in_memory* b, triangle_arguments p) {
  __local part_in_memory factors[FACTORS * PARTS];
#if !IS_UNIT
  __local divisor diagonal[SHORT];
#endif
  const int item = (int)get_local_id(0), column = (int)get_group_id(0) * ITEMS + item, row = item;
  const int first_of_mine = row / ROWS * ROWS, is_row = row < p.order;
  for (int begin = 0; begin < p.order; begin += TOGETHER) {
    element l[TOGETHER];
    FOR(t, TOGETHER) {
      l[t] = is_row && begin + t < row ? load_element(a, place_of(p.a, p.order, p.is_upper, row, begin + t))
                                       : zero_element();
    }
    FOR(t, TOGETHER) {
      if (begin + t < first_of_mine + ROWS) {
        const int at = place_in_factors(first_of_mine, begin + t) + row % ROWS;
        store_local(factors, at, negated(conjugated(l[t], p.a.conjugate)));
      }
    }
  }
#if !IS_UNIT
  element d = zero_element();
  d.p[0] = part_of_word(1);
  if (is_row) d = conjugated(load_element(a, place_of(p.a, p.order, p.is_upper, row, row)), p.a.conjugate);
  diagonal[row] = divisor_of(d);
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  if (column >= p.columns) return;
  const long home = row_of_b(p.b, p.order, p.is_upper, 0, column);
  const long next = p.is_upper ? -p.b.row_stride : p.b.row_stride;
  for (int first = 0; first < p.order; first += ROWS) {
    element mine[ROWS];
    // Beyond B its last row, which nothing becomes of.
    FOR(r, ROWS) mine[r] = load_element(b, home + min(first + r, p.order - 1) * next);
    for (int k = 0; k < first; k += AHEAD) {
      element x[AHEAD];
      FOR(t, AHEAD) x[t] = load_element(b, home + (k + t) * next);
      FOR(t, AHEAD) {
        __local const part_in_memory* const l = factors + place_in_factors(first, k + t) * PARTS;
        FOR(r, ROWS) mine[r] = with_product(mine[r], load_local(l, r), x[t]);
      }
    }
    FOR(k, ROWS) {
      if (first + k > 0 || p.is_open) mine[k] = closed_element(mine[k]);
#if !IS_UNIT
      mine[k] = quotient(mine[k], diagonal[first + k]);
#endif
      if (first + k < p.order) store_element(b, home + (first + k) * next, mine[k]);
      __local const part_in_memory* const l = factors + place_in_factors(first, first + k) * PARTS;
      FOR(r, ROWS) {
        if (r > k) mine[r] = with_product(mine[r], load_local(l, r), mine[k]);
      }
    }
  }
}
