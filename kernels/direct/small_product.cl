// A whole product in DD or ZDD by one launch, for sizes whose time is the launches' and what memory takes to answer: a
// work-item sums one chunk of an entry of C.
//
//   CHUNKS              1 2 4   chunks of an entry that are summed at a time
//
// At most SUPERCHUNK steps, so that chunks are all that is to be added. A work-group has SIDE x SIDE entries; its part
// of A and B comes to local memory STAGE terms of each chunk at a time, all of a stage read at once, and the next one
// on its way while a stage is multiplied.

#include "direct/sums.cl"
#include "direct/term.cl"
#include "direct/update.cl"
#include "number/factors.cl"
#include "product/triangle.cl"

#ifndef CHUNKS
#define CHUNKS 1
#endif
#if CHUNKS != 1 && CHUNKS != 2 && CHUNKS != 4
#error "hilo: CHUNKS is none of 1 2 4"
#endif

#define SIDE 8
#define TERMS (CHUNK / PARTS)
#define STAGE (TERMS / 2)
#define STAGES (TERMS / STAGE)
// Numbers of a stage of an operand, with room between its terms: those that copy terms of a line write side by side.
#define PITCH (SIDE * PARTS + 1)
#define NUMBERS (STAGE * SIDE * PARTS)
#define COPIES (NUMBERS / (SIDE * SIDE))

typedef struct {
  int line, term, part;
} place;

// Of number e of a stage: what lies side by side in memory has neighbouring numbers.
HILO_FN place place_of(int e, int is_line_after_line) {
  const int part = e % PARTS, r = e / PARTS;
  place p = {is_line_after_line ? r % SIDE : r / STAGE, is_line_after_line ? r / SIDE : r % STAGE, part};
  return p;
}

HILO_FN void load_left(dd* to, __global const double2* a, matrix_view v, int first_row, int rows, int first_term,
                       int terms, int item) {
  FOR(q, COPIES) {
    const place p = place_of(item + q * SIDE * SIDE, v.row_stride == 1);
    to[q] = left_operand(a, v, min(first_row + p.line, rows - 1), min(first_term + p.term, terms - 1) * PARTS + p.part);
  }
}

HILO_FN void load_right(dd* to, __global const double2* b, matrix_view v, int first_column, int columns,
                        int first_term, int terms, int item) {
  FOR(q, COPIES) {
    const place p = place_of(item + q * SIDE * SIDE, v.column_stride == 1);
    to[q] = right_operand(b, v, min(first_term + p.term, terms - 1) * PARTS,
                          min(first_column + p.line, columns - 1) * PARTS + p.part);
  }
}

HILO_FN void keep(__local double2* to, const dd* from, int is_line_after_line, int item) {
  FOR(q, COPIES) {
    const place p = place_of(item + q * SIDE * SIDE, is_line_after_line);
    to[p.term * PITCH + p.line * PARTS + p.part] = (double2)(from[q].hi, from[q].lo);
  }
}

// recomputed[group] counts entries as finish.cl does. interval is 0 for the FMA sequence, which needs no second look at
// overflowed splittings.
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, CHUNKS))) void multiply_small(
    __global const double2* a, __global const double2* b, __global double2* c, small_arguments p, factors f,
    __global int* recomputed) {
  const matrix_view a_view = p.a, b_view = p.b;
  const int rows = p.rows, columns = p.columns, terms = p.terms;
  __local double2 left[CHUNKS][STAGE * PITCH], right[CHUNKS][STAGE * PITCH];
  __local double2 partial[CHUNKS][SIDE * SIDE][PARTS];
  __local int count;
  const int x = (int)get_local_id(0), y = (int)get_local_id(1), z = (int)get_local_id(2);
  const int item = y * SIDE + x;
  const int first_row = (int)get_group_id(0) * SIDE, first_column = (int)get_group_id(1) * SIDE;
  const int row = first_row + x, column = first_column + y, is_entry = row < rows && column < columns && is_wanted((int)p.triangle, row, column);
  const int chunks = (terms + TERMS - 1) / TERMS;
  const int left_by_line = a_view.row_stride == 1, right_by_line = b_view.column_stride == 1;
  dd total[PARTS];
  FOR(part, PARTS) total[part] = broadcast((double2)(0.0));
  if (item + z == 0) count = 0;
  for (int first = 0; first < chunks; first += CHUNKS) {
    const int first_term = (first + z) * TERMS;
    dd next_left[COPIES], next_right[COPIES], sum[PARTS];
    FOR(part, PARTS) sum[part] = broadcast((double2)(0.0));
    load_left(next_left, a, a_view, first_row, rows, first_term, terms, item);
    load_right(next_right, b, b_view, first_column, columns, first_term, terms, item);
    for (int stage = 0; stage < STAGES; ++stage) {
      barrier(CLK_LOCAL_MEM_FENCE);
      keep(left[z], next_left, left_by_line, item);
      keep(right[z], next_right, right_by_line, item);
      barrier(CLK_LOCAL_MEM_FENCE);
      const int from = first_term + stage * STAGE;
      if (stage + 1 < STAGES && from + STAGE < terms) {
        load_left(next_left, a, a_view, first_row, rows, from + STAGE, terms, item);
        load_right(next_right, b, b_view, first_column, columns, from + STAGE, terms, item);
      }
      const int present = min(terms - from, STAGE);
      _Pragma("unroll 8") for (int t = 0; t < present; ++t) {
        dd l[PARTS], r[PARTS];
        FOR(part, PARTS) {
          l[part] = broadcast(left[z][t * PITCH + x * PARTS + part]);
          r[part] = broadcast(right[z][t * PITCH + y * PARTS + part]);
        }
        multiply_term(sum, l, r, t * PARTS);
      }
    }
    FOR(part, PARTS) {
      const dd chunk = two_sum(sum[part].hi, sum[part].lo);
      partial[z][item][part] = (double2)(chunk.hi, chunk.lo);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (z == 0) {
      for (int i = 0; i < CHUNKS && first + i < chunks; ++i) {
        FOR(part, PARTS) total[part] = add_finite(total[part], broadcast(partial[i][item][part]));
      }
    }
  }
  if (is_entry && z == 0) {
    FOR(part, PARTS) {
      // To a total of no super-chunks.
      total[part] = add_finite(broadcast((double2)(0.0)), total[part]);
      if (!is_finite(total[part])) {
        const int real_column = column * PARTS + part, steps = terms * PARTS;
        if (p.interval) total[part] = sum_scaled(a, a_view, b, b_view, row, real_column, steps, p.interval);
        if (!is_finite(total[part])) {
          total[part] = sum_plain(a, a_view, b, b_view, row, real_column, steps);
          atomic_inc(&count);
        }
      }
    }
    update_element(c, p.c.offset + row * p.c.row_stride + column * p.c.column_stride, total, alpha_of(f), beta_of(f));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item + z == 0) recomputed[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = count;
}
