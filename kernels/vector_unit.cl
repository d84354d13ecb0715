// A work-group's part of C by the vector units: a work-item computes ITEM_ROWS x ITEM_COLUMNS of it, in runs that it
// reads and writes at a time, interleaved with those of the others:
//
//        ty * COLUMN_RUN, + GROUP_COLUMNS * COLUMN_RUN, ...
//        +---+---+---+---+
//   tx * | x |   | x |   |     neighbours in a work-group read neighbours in memory
//   ROW_ +---+---+---+---+
//   RUN  | x |   | x |   |     tx of GROUP_ROWS, ty of GROUP_COLUMNS
//        +---+---+---+---+
//
// After tile_copy.cl, and update_run.cl or lanes.cl. UNIT_ITEMS is 1.
//
//   ITEM_ROWS, ITEM_COLUMNS     1 2 ...; multiples of the runs
//   ROW_RUN, COLUMN_RUN         1 2 4   numbers side by side; with lanes, ROW_RUN = HILO_LANES
//   ROW_CHUNK, COLUMN_CHUNK     types of as many bytes
//   UNIT_DEPTH                  1

#define ROW_RUNS (ITEM_ROWS / ROW_RUN)
#define COLUMN_RUNS (ITEM_COLUMNS / COLUMN_RUN)
#define ROW_AT(run) ((tx + (run) * GROUP_ROWS) * ROW_RUN)
#define COLUMN_AT(run) ((ty + (run) * GROUP_COLUMNS) * COLUMN_RUN)
#define ROW_VALUES (ITEM_ROWS / HILO_LANES)

typedef union {
  ROW_CHUNK all;
  number each[ROW_RUN];
} row_chunk;
typedef union {
  COLUMN_CHUNK all;
  number each[COLUMN_RUN];
} column_chunk;

typedef struct {
  value sum[ROW_VALUES][ITEM_COLUMNS];
#if IS_DOUBLE_DOUBLE
  value chunks[ROW_VALUES][ITEM_COLUMNS];
#endif
} sums;

#define FOR_SUMS FOR(i, ROW_VALUES) FOR(j, ITEM_COLUMNS)

static inline void clear(sums* s) {
  FOR_SUMS s->sum[i][j] = zero_value();
#if IS_DOUBLE_DOUBLE
  FOR_SUMS s->chunks[i][j] = zero_value();
#endif
}

// The operands of a step.
typedef struct {
  value a[ROW_VALUES], b[ITEM_COLUMNS];
} fragments;

#if STAGES
#define OPERAND const __local
#else
#define OPERAND __global const
#undef LEFT_PITCH
#undef RIGHT_PITCH
#define LEFT_PITCH PANEL_ROWS
#define RIGHT_PITCH PANEL_COLUMNS
#endif

static inline void load_fragments(fragments* f, OPERAND number* left, OPERAND number* right, int step, int item) {
  const int tx = item % GROUP_ROWS, ty = item / GROUP_ROWS;
  FOR(run, ROW_RUNS) {
    OPERAND number* at = left + step * LEFT_PITCH + ROW_AT(run);
#if HILO_LANES > 1
    f->a[run] = value_of(*(OPERAND numbers*)at);
#else
    row_chunk x;
    x.all = *(OPERAND ROW_CHUNK*)at;
    FOR(e, ROW_RUN) f->a[run * ROW_RUN + e] = broadcast(x.each[e]);
#endif
  }
  FOR(run, COLUMN_RUNS) {
    column_chunk x;
    x.all = *(OPERAND COLUMN_CHUNK*)(right + step * RIGHT_PITCH + COLUMN_AT(run));
    FOR(e, COLUMN_RUN) f->b[run * COLUMN_RUN + e] = broadcast(x.each[e]);
  }
}

static inline void multiply_fragments(sums* s, const fragments* f) {
  FOR_SUMS s->sum[i][j] = multiply_add(s->sum[i][j], f->a[i], f->b[j]);
}

#if IS_DOUBLE_DOUBLE
static inline void renormalise(sums* s) { FOR_SUMS s->sum[i][j] = fast_two_sum(s->sum[i][j].hi, s->sum[i][j].lo); }

static inline void close_chunk(sums* s) {
  FOR_SUMS {
    s->chunks[i][j] = add_finite(s->chunks[i][j], two_sum(s->sum[i][j].hi, s->sum[i][j].lo));
    s->sum[i][j] = zero_value();
  }
}

// To the panel at `to` of a plane with columns of `stride` numbers, HILO_LANES of them at a time.
static inline void store_partial(const sums* s, __global number* to, long stride, int item) {
  const int tx = item % GROUP_ROWS, ty = item / GROUP_ROWS;
  FOR(j, ITEM_COLUMNS) {
    __global number* column = to + (COLUMN_AT(j / COLUMN_RUN) + j % COLUMN_RUN) * stride;
    FOR(i, ROW_VALUES) {
      const int row = ROW_AT(i * HILO_LANES / ROW_RUN) + i * HILO_LANES % ROW_RUN;
      *(__global numbers*)(column + row) = to_pair(s->chunks[i][j]);
    }
  }
}
#else
// The entries of C at `c`, the panel's first.
static inline void store(const sums* s, __global number* c, long stride, int rows, int columns, int is_aligned,
                         number alpha, number beta, int item) {
  const int tx = item % GROUP_ROWS, ty = item / GROUP_ROWS;
  FOR(j, ITEM_COLUMNS) {
    const int column = COLUMN_AT(j / COLUMN_RUN) + j % COLUMN_RUN;
    FOR(run, ROW_RUNS) {
      number sum[ROW_RUN];
#if HILO_LANES > 1
      split_lanes(s->sum[run][j], sum);
#else
      FOR(e, ROW_RUN) sum[e] = number_of(s->sum[run * ROW_RUN + e][j]);
#endif
      const int present = column < columns ? rows - ROW_AT(run) : 0;
      update_run(c + column * stride + ROW_AT(run), sum, present, is_aligned, alpha, beta);
    }
  }
}
#endif
