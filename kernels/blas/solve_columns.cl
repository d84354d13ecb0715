// B = A⁻¹ · B for triangles of a few hundred rows in S and D, in one launch: a work-group has COLUMNS columns of B, of one of
// several triangles.
//
//   IS_UNIT   0 1   whether the triangle has ones on the diagonal
#ifndef IS_DOUBLE_DOUBLE
#define IS_DOUBLE_DOUBLE 0
#endif
#ifndef IS_COMPLEX
#define IS_COMPLEX 0
#endif
#include "blas/divisor.cl"
#include "blas/triangle_view.cl"
#include "number/loops.cl"

#if IS_DOUBLE_DOUBLE || IS_COMPLEX
#error "hilo: solve_columns.cl is for S and D"
#endif
#define SHORT 64  // rows of a block
#define COLUMNS 32
#define ITEMS 256
#define LANES (ITEMS / COLUMNS)
#define LANE_ROWS (SHORT / LANES)

// Rows and columns of a block lie so that neighbours in either direction are in different banks of local memory.
HILO_FN int place_of_row(int row, int column) { return row * COLUMNS + (column ^ (row % COLUMNS)); }

// PoCL loses what long functions that it does not inline leave in local memory.
#define IN_PLACE __attribute__((always_inline)) static inline

// What one load from local memory brings.
#if WORD_BYTES == 8
typedef double2 two_parts;
#else
typedef float2 two_parts;
#endif

#define LOADED_ROWS (SHORT * COLUMNS / ITEMS)
#define LOADED_FACTORS (SHORT * SHORT / ITEMS)

// The row and the column of the i-th number of a block of B: neighbours lie side by side.
HILO_FN int2 place_in_rows(triangle_arguments p, int i) {
  return p.b.row_stride <= p.b.column_stride ? (int2)(i % SHORT, i / SHORT) : (int2)(i / COLUMNS, i % COLUMNS);
}

// Rows first_row … of the work-group's columns. Beside B numbers of B, which nothing becomes of: loads without branches
// are under way together.
IN_PLACE void load_rows(__local part_in_memory* rows, __global const part_in_memory* b, triangle_arguments p,
                        int first_row, int first_column, int item) {
  element x[LOADED_ROWS];
  FOR(t, LOADED_ROWS) {
    const int2 at = place_in_rows(p, item + t * ITEMS);
    const int row = min(first_row + at.x, p.order - 1), column = min(first_column + at.y, p.columns - 1);
    x[t] = load_element(b, row_of_b(p.b, p.order, p.is_upper, row, column));
  }
  FOR(t, LOADED_ROWS) {
    const int2 at = place_in_rows(p, item + t * ITEMS);
    store_local(rows, place_of_row(at.x, at.y), x[t]);
  }
}
IN_PLACE void store_rows(__global part_in_memory* b, __local const part_in_memory* rows, triangle_arguments p,
                         int first_row, int first_column, int item) {
  FOR(t, LOADED_ROWS) {
    const int2 at = place_in_rows(p, item + t * ITEMS);
    const int row = first_row + at.x, column = first_column + at.y;
    if (row < p.order && column < p.columns) {
      store_element(b, row_of_b(p.b, p.order, p.is_upper, row, column), load_local(rows, place_of_row(at.x, at.y)));
    }
  }
}

// The i-th number of a block of A; of columns that are together four lines, so that neighbours are in different banks.
HILO_FN int2 place_in_factors(triangle_arguments p, int i) {
  return p.a.row_stride <= p.a.column_stride ? (int2)(i % SHORT, i / SHORT)
                                             : (int2)(i / 4 % 8 + i / 512 * 8, i % 4 + i / 32 % 16 * 4);
}

// −A's rows first_row … by columns first_column …, column after column; on A's diagonal itself, which has ones beside
// A, and zeros beside its triangle.
IN_PLACE void load_factors(__local part_in_memory* factors, __global const part_in_memory* a, triangle_arguments p,
                           int first_row, int first_column, int item) {
  element x[LOADED_FACTORS];
  FOR(t, LOADED_FACTORS) {
    const int2 at = place_in_factors(p, item + t * ITEMS);
    const int row = min(first_row + at.x, p.order - 1), column = min(first_column + at.y, row - IS_UNIT);
    x[t] = load_element(a, place_of(p.a, p.order, p.is_upper, row, max(column, 0)));
  }
  FOR(t, LOADED_FACTORS) {
    const int2 at = place_in_factors(p, item + t * ITEMS);
    const int row = first_row + at.x, column = first_column + at.y;
    if (row == column) {
      if (IS_UNIT || row >= p.order) x[t].p[0] = part_of_word(1);
    } else {
      x[t] = row < p.order && column < row ? negated(x[t]) : zero_element();
    }
    store_local(factors, at.y * SHORT + at.x, x[t]);
  }
}

// What a row that is solved for leaves of LANE_ROWS others.
IN_PLACE void subtract_row(element* mine, __local const part_in_memory* minus_l, element x) {
  FOR(i, LANE_ROWS / 2) {
    const two_parts l = ((__local const two_parts*)minus_l)[i];
    mine[2 * i].p[0] = step_of(mine[2 * i].p[0], l.x, x.p[0]);
    mine[2 * i + 1].p[0] = step_of(mine[2 * i + 1].p[0], l.y, x.p[0]);
  }
}

// A work-item has LANE_ROWS rows of one column: all subtract what blocks before theirs have, then one lane after the
// other solves for its rows, and those after it subtract them.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void solve_columns(__global const part_in_memory* a,
                                                                               __global part_in_memory* b,
                                                                               triangle_arguments first_of_all) {
  triangle_arguments p = first_of_all;
  __local part_in_memory factors[SHORT * SHORT] __attribute__((aligned(16)));
  __local part_in_memory rows[SHORT * COLUMNS];
  const int item = (int)get_local_id(0), column = item % COLUMNS, lane = item / COLUMNS;
  const int first_column = (int)get_group_id(0) * COLUMNS;
  p.a.offset += (long)get_group_id(1) * p.next_of_a;
  p.b.offset += (long)get_group_id(1) * p.next_of_b;
  for (int first = 0; first < p.order; first += SHORT) {
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    load_rows(rows, b, p, first, first_column, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    element mine[LANE_ROWS];
    FOR(i, LANE_ROWS) mine[i] = load_local(rows, place_of_row(lane * LANE_ROWS + i, column));
    for (int before = 0; before < first; before += SHORT) {
      barrier(CLK_LOCAL_MEM_FENCE);
      load_factors(factors, a, p, first, before, item);
      load_rows(rows, b, p, before, first_column, item);
      barrier(CLK_LOCAL_MEM_FENCE);
      _Pragma("unroll 8") for (int k = 0; k < SHORT; ++k) {
        subtract_row(mine, factors + k * SHORT + lane * LANE_ROWS, load_local(rows, place_of_row(k, column)));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    load_factors(factors, a, p, first, first, item);
    for (int turn = 0; turn < LANES; ++turn) {
      const int done = turn * LANE_ROWS;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (lane == turn) {
        FOR(k, LANE_ROWS) {
          __local const part_in_memory* const l = factors + (done + k) * SHORT + done;
#if !IS_UNIT
          mine[k] = quotient(mine[k], divisor_of(load_local(l, k)));
#endif
          FOR(i, LANE_ROWS) {
            if (i > k) mine[i] = with_product(mine[i], load_local(l, i), mine[k]);
          }
          store_local(rows, place_of_row(done + k, column), mine[k]);
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (lane > turn) {
        FOR(k, LANE_ROWS) {
          const element x = load_local(rows, place_of_row(done + k, column));
          subtract_row(mine, factors + (done + k) * SHORT + lane * LANE_ROWS, x);
        }
      }
    }
    // Beside B others have read what is stored here.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    store_rows(b, rows, p, first, first_column, item);
  }
}
