// C = alpha * sum + beta * C in S, D, C and Z for rows side by side.
#pragma once

#include "product/run.cl"

typedef union {
  ROW_CHUNK all;
  number each[ROW_RUN];
} run_of_c;

// The rows and columns of C from one entry on, columns `stride` numbers apart. is_aligned: a whole run of rows at a time
// may be read and written.
typedef struct {
  __global number* at;
  long stride;
  int rows, columns, is_aligned;
} part_of_c;

static inline number plus_scaled(number x, number beta, number c) { return x + (is_word(beta, 1) ? c : times(beta, c)); }

// The first `present` rows of a run, is_aligned as in part_of_c. beta = 0 does not read C.
static inline void update_run(__global number* c, const number* sum, int present, int is_aligned, number alpha,
                              number beta) {
  const int reads = !is_word(beta, 0), scales = !is_word(alpha, 1);
  run_of_c run;
  if (is_aligned && present >= ROW_RUN) {
    if (reads) run.all = *(__global ROW_CHUNK*)c;
    _Pragma("unroll") for (int e = 0; e < ROW_RUN; ++e) {
      number r = scales ? times(alpha, sum[e]) : sum[e];
      run.each[e] = reads ? plus_scaled(r, beta, run.each[e]) : r;
    }
    *(__global ROW_CHUNK*)c = run.all;
  } else {
    _Pragma("unroll") for (int e = 0; e < ROW_RUN; ++e) {
      if (e < present) {
        number r = scales ? times(alpha, sum[e]) : sum[e];
        c[e] = reads ? plus_scaled(r, beta, c[e]) : r;
      }
    }
  }
}
