// C = alpha * sum + beta * C in S, D, C and Z for rows side by side.
#pragma once

#include "product/run.cl"
#include "product/triangle.cl"

typedef union {
  ROW_CHUNK all;
  number each[ROW_RUN];
} run_of_c;

// The rows and columns of C from one entry on, columns `stride` numbers apart. is_aligned: a whole run of rows at a time
// may be read and written. Of a triangle column j meets the diagonal in row j + diagonal.
typedef struct {
  __global number* at;
  long stride;
  int rows, columns, is_aligned, triangle, diagonal;
} part_of_c;

// Rows of a column that are wanted: from the first of these to before the second.
static inline int2 rows_of_column(part_of_c c, int column) {
  const int at = column + c.diagonal;
  return (int2)(c.triangle == LOWER ? at : 0, column >= c.columns ? 0 : c.triangle == UPPER ? min(at + 1, c.rows) : c.rows);
}

static inline number plus_scaled(number x, number beta, number c) { return x + (is_word(beta, 1) ? c : times(beta, c)); }

// Rows of a run that are wanted, is_aligned as in part_of_c. beta = 0 does not read C.
static inline void update_run(__global number* c, const number* sum, int2 rows, int is_aligned, number alpha,
                              number beta) {
  const int reads = !is_word(beta, 0), scales = !is_word(alpha, 1);
  run_of_c run;
  if (is_aligned && rows.x <= 0 && rows.y >= ROW_RUN) {
    if (reads) run.all = *(__global ROW_CHUNK*)c;
    _Pragma("unroll") for (int e = 0; e < ROW_RUN; ++e) {
      number r = scales ? times(alpha, sum[e]) : sum[e];
      run.each[e] = reads ? plus_scaled(r, beta, run.each[e]) : r;
    }
    *(__global ROW_CHUNK*)c = run.all;
  } else {
    _Pragma("unroll") for (int e = 0; e < ROW_RUN; ++e) {
      if (e >= rows.x && e < rows.y) {
        number r = scales ? times(alpha, sum[e]) : sum[e];
        c[e] = reads ? plus_scaled(r, beta, c[e]) : r;
      }
    }
  }
}
