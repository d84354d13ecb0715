// Many small products of one shape in one launch, in every precision.
//
//      product 0        product 1            a work-group has so many products, or the same tile of each of them,
//     +----+----+      +----+----+           and a product GROUP_ROWS x GROUP_COLUMNS work-items; a work-item has
//     | x  | x  |      | x  | x  |           ITEM_ROWS x ITEM_COLUMNS entries, GROUP_ROWS and GROUP_COLUMNS apart,
//     +----+----+      +----+----+   ...     so that neighbours read and write neighbours
//     | x  | x  |      | x  | x  |
//     +----+----+      +----+----+
//
// Neighbours read what is side by side in memory, from one product to the next where these are packed: DEPTH terms of
// all products come to local memory at a time, and the next ones are on their way while these are multiplied.
//
//   PRODUCTS                    1 2 ...   products of a work-group
//   ITEM_ROWS, ITEM_COLUMNS     1 2 ...   entries of a work-item
//   GROUP_ROWS, GROUP_COLUMNS   1 2 ...   work-items of a product
//   DEPTH                       1 2 4 ... 32   terms of a stage; at least 8 where IS_STAGED
//   IS_STAGED                   0 1   whether a product may have more than DEPTH terms
//   HAS_OFFSETS                 0 1   whether matrices lie anywhere, instead of one stride apart
//   IS_UNROLLED                 0 1   see number/loops.cl

#include "number/arguments.cl"
#include "number/loops.cl"
#include "number/number.cl"
#if IS_DOUBLE_DOUBLE
#include "batch/double_double.cl"
#else
#include "batch/plain.cl"
#endif

#ifndef PRODUCTS
#define PRODUCTS 8
#endif
#ifndef ITEM_ROWS
#define ITEM_ROWS 1
#endif
#ifndef ITEM_COLUMNS
#define ITEM_COLUMNS 1
#endif
#ifndef GROUP_ROWS
#define GROUP_ROWS 4
#endif
#ifndef GROUP_COLUMNS
#define GROUP_COLUMNS 4
#endif
#ifndef DEPTH
#define DEPTH 8
#endif
#ifndef IS_STAGED
#define IS_STAGED 1
#endif
#ifndef HAS_OFFSETS
#define HAS_OFFSETS 0
#endif
#if PRODUCTS < 1 || ITEM_ROWS < 1 || ITEM_COLUMNS < 1 || GROUP_ROWS < 1 || GROUP_COLUMNS < 1
#error "hilo: a work-group has products, and these have entries"
#endif
#if DEPTH < 1 || DEPTH > 32 || (DEPTH & (DEPTH - 1)) || (IS_STAGED && DEPTH < 8)
#error "hilo: DEPTH is none of 1 2 4 8 16 32, or less than 8 in stages"
#endif

#define SLOT (GROUP_ROWS * GROUP_COLUMNS)
#define ITEMS (PRODUCTS * SLOT)
#define TILE_ROWS (GROUP_ROWS * ITEM_ROWS)
#define TILE_COLUMNS (GROUP_COLUMNS * ITEM_COLUMNS)
// Odd, so that those who copy the terms of a line do not meet in a bank.
#define ROW_PITCH (TILE_ROWS | 1)
#define COLUMN_PITCH (TILE_COLUMNS | 1)
#define COPIES(lines) ((PRODUCTS * DEPTH * (lines) + ITEMS - 1) / ITEMS)
#define FOR_ENTRIES FOR(i, ITEM_ROWS) FOR(j, ITEM_COLUMNS)

typedef struct {
  int product, line, term;
} place;

// Of element e of a stage. `reciprocal` is 2^31 / x rounded down, and 1: right for e x < 2^30.
static inline int divided(int e, int reciprocal) { return (int)mul_hi(2u * (uint)e, (uint)reciprocal); }

static inline place place_of(int e, batch_operand o) {
  place p;
  p.product = divided(e, o.both_reciprocal);
  const int within = e - p.product * o.both, outer = divided(within, o.inner_reciprocal);
  const int inner = within - outer * o.inner;
  p.line = o.by_lines ? inner : outer;
  p.term = o.by_lines ? outer : inner;
  return p;
}

// The first element of a product's A (which = 0), B (1) or C (2).
#if HAS_OFFSETS
#define FIRST_OF(offset, stride, product, which) (offsets[(which) * p.count + (product)])
#else
#define FIRST_OF(offset, stride, product, which) ((offset) + (product) * (stride))
#endif
#define FIRST_OF_OPERAND(view, product, which) FIRST_OF((view).offset, (view).batch_stride, product, which)
#define FIRST_OF_C(product) FIRST_OF(p.offset_of_c, p.stride_of_c, product, 2)
#define CAN_BE_DENSE (!IS_STAGED && !HAS_OFFSETS)

#define FETCH(to, copies, from, view, which, first_line, lines, first_term)                                     \
  if (CAN_BE_DENSE && (view).is_dense) {                                                                        \
    const long at = FIRST_OF_OPERAND(view, first_product, which);                                               \
    FOR(q, copies) {                                                                                            \
      if (item + q * ITEMS < products * (view).both) to[q] = element_at(from, at + item + q * ITEMS);           \
    }                                                                                                           \
  } else {                                                                                                      \
    FOR(q, copies) {                                                                                            \
      const place at = place_of(item + q * ITEMS, view);                                                        \
      if (at.product < products) {                                                                              \
        to[q] = element_at(from, FIRST_OF_OPERAND(view, first_product + at.product, which) +                    \
                                     (long)min((first_line) + at.line, (lines) - 1) * (view).line_stride +      \
                                     (long)min((first_term) + at.term, p.terms - 1) * (view).term_stride);      \
      }                                                                                                         \
    }                                                                                                           \
  }
#define KEEP(to, copies, from, view, pitch)                                                                     \
  FOR(q, copies) {                                                                                              \
    const place at = place_of(item + q * ITEMS, view);                                                          \
    if (at.product < products) {                                                                                \
      to[(at.product * DEPTH + at.term) * (pitch) + at.line] = conjugated(from[q], (view).conjugates);          \
    }                                                                                                           \
  }

#define MULTIPLY_TERM(t)                                                                                        \
  {                                                                                                             \
    operand of_a[ITEM_ROWS], of_b[ITEM_COLUMNS];                                                                \
    FOR(i, ITEM_ROWS) of_a[i] = operand_of(own_left[(t) * ROW_PITCH + i * GROUP_ROWS]);                         \
    FOR(j, ITEM_COLUMNS) of_b[j] = operand_of(own_right[(t) * COLUMN_PITCH + j * GROUP_COLUMNS]);               \
    FOR_ENTRIES add_term(&sum[i][j], &of_a[i], &of_b[j], (t));                                                  \
  }

// A group's number in its second dimension is that of its tile. recomputed[group] counts entries as direct/finish.cl
// does, in DD and ZDD alone.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void multiply_batch(
    __global const number* restrict a, __global const number* restrict b, __global number* restrict c,
    batch_arguments p, factor alpha, factor beta, __global const long* restrict offsets, __global int* recomputed) {
  __local element left[PRODUCTS * DEPTH * ROW_PITCH], right[PRODUCTS * DEPTH * COLUMN_PITCH];
  const int item = (int)get_local_id(0), slot = item / SLOT, own = item % SLOT;
  const int x = p.by_columns ? own / GROUP_COLUMNS : own % GROUP_ROWS;
  const int y = p.by_columns ? own % GROUP_COLUMNS : own / GROUP_ROWS;
  const long first_product = (long)get_group_id(0) * PRODUCTS;
  const int products = (int)min(p.count - first_product, (long)PRODUCTS);
  const int first_row = (int)get_group_id(1) % p.row_tiles * TILE_ROWS;
  const int first_column = (int)get_group_id(1) / p.row_tiles * TILE_COLUMNS;
  __local const element* own_left = left + slot * DEPTH * ROW_PITCH + x;
  __local const element* own_right = right + slot * DEPTH * COLUMN_PITCH + y;
#if IS_DOUBLE_DOUBLE
  __local int count;
  if (item == 0) count = 0;
#endif
  entry sum[ITEM_ROWS][ITEM_COLUMNS];
  FOR_ENTRIES clear(&sum[i][j]);
  element next_left[COPIES(TILE_ROWS)], next_right[COPIES(TILE_COLUMNS)];
  FETCH(next_left, COPIES(TILE_ROWS), a, p.a, 0, first_row, p.rows, 0)
  FETCH(next_right, COPIES(TILE_COLUMNS), b, p.b, 1, first_column, p.columns, 0)
#if IS_STAGED
  for (int first = 0; first < p.terms; first += DEPTH) {
    barrier(CLK_LOCAL_MEM_FENCE);
#else
  const int first = 0;
  {
#endif
    KEEP(left, COPIES(TILE_ROWS), next_left, p.a, ROW_PITCH)
    KEEP(right, COPIES(TILE_COLUMNS), next_right, p.b, COLUMN_PITCH)
    barrier(CLK_LOCAL_MEM_FENCE);
    const int present = min(p.terms - first, DEPTH);
#if IS_STAGED
    if (first + DEPTH < p.terms) {
      FETCH(next_left, COPIES(TILE_ROWS), a, p.a, 0, first_row, p.rows, first + DEPTH)
      FETCH(next_right, COPIES(TILE_COLUMNS), b, p.b, 1, first_column, p.columns, first + DEPTH)
    }
#endif
#if DEPTH <= 8
    FOR(t, DEPTH) {
      if (t < present) MULTIPLY_TERM(t)
    }
#else
    if (present == DEPTH) {
#if IS_UNROLLED
      _Pragma("unroll 8")
#endif
      for (int t = 0; t < DEPTH; ++t) MULTIPLY_TERM(t)
    } else {
      for (int t = 0; t < present; ++t) MULTIPLY_TERM(t)
    }
#endif
#if IS_CHUNKED
    if ((first + DEPTH) % CHUNK_TERMS == 0 || first + DEPTH >= p.terms) FOR_ENTRIES close_chunk(&sum[i][j]);
#endif
  }

  if (slot < products) {
    const long product = first_product + slot;
    const matrix_view of_a = {FIRST_OF_OPERAND(p.a, product, 0), p.a.line_stride, p.a.term_stride, p.a.conjugates};
    const matrix_view of_b = {FIRST_OF_OPERAND(p.b, product, 1), p.b.term_stride, p.b.line_stride, p.b.conjugates};
    const long first_of_c = FIRST_OF_C(product);
    FOR_ENTRIES {
      const int row = first_row + x + i * GROUP_ROWS, column = first_column + y + j * GROUP_COLUMNS;
      if (row < p.rows && column < p.columns) {
        const int again = finish(&sum[i][j], a, of_a, b, of_b, row, column, p.terms, c,
                                 first_of_c + (long)row * p.row_stride + (long)column * p.column_stride, alpha, beta);
#if IS_DOUBLE_DOUBLE
        if (again) atomic_add(&count, again);
#endif
      }
    }
  }
#if IS_DOUBLE_DOUBLE
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) recomputed[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = count;
#endif
}

// C = beta * C, which is not read where beta = 0: a work-item has one entry of a product.
__kernel void scale_batch(__global number* restrict c, batch_arguments p, factor beta,
                          __global const long* restrict offsets) {
  const int entries = p.rows * p.columns;
  const long product = (long)get_global_id(0) / entries;
  const int within = (int)((long)get_global_id(0) % entries);
  if (product >= p.count) return;
  const int row = p.by_columns ? within / p.columns : within % p.rows;
  const int column = p.by_columns ? within % p.columns : within / p.rows;
  scale_element(c, FIRST_OF_C(product) + (long)row * p.row_stride + (long)column * p.column_stride, beta);
}
