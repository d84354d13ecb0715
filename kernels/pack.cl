// Copies op(A) and op(B) into panels, zeros where a panel reaches past the matrix, so that the product needs no edges.
// After number_operands.cl or operands.cl.
//
//   left:   panels of PANEL_ROWS rows, each step by step     [row / PANEL_ROWS][step][row % PANEL_ROWS]
//   right:  panels of PANEL_COLUMNS columns likewise         [column / PANEL_COLUMNS][step][column % PANEL_COLUMNS]
//
//   PANEL_ROWS, PANEL_COLUMNS   the part of C that a work-group computes
//   PANEL_LANES                 of the left panels: so many rows of two words store their first words, then the others

#define BLOCK 32
#define BLOCK_ITEMS 8

// Lines that are apart are read along their steps, and turned in local memory. `lines` and `steps` are those of the
// matrix, `depth` the steps of a panel; a work-group takes a block of them. Only the first dimension of a launch may be
// long everywhere.
#define DEFINE_PACK(NAME, NUMBER, LINES, LANES)                                                                     \
  __kernel __attribute__((reqd_work_group_size(BLOCK, BLOCK_ITEMS, 1))) void NAME(                                  \
      __global const number* x, matrix_view view, int lines, int steps, int is_together, __global number* panels,   \
      int panel_count, int depth) {                                                                                 \
    __local number turned[BLOCK][BLOCK + 1];                                                                        \
    const int blocks = (panel_count * LINES + BLOCK - 1) / BLOCK, group = (int)get_group_id(0);                     \
    const int first_line = group % blocks * BLOCK, first_step = group / blocks * BLOCK;                             \
    const int across = (int)get_local_id(0), first = (int)get_local_id(1);                                          \
    if (!is_together) {                                                                                             \
      for (int down = first; down < BLOCK; down += BLOCK_ITEMS) {                                                   \
        const int line = first_line + down, step = first_step + across;                                             \
        turned[down][across] = line < lines && step < steps ? NUMBER(line, step) : (number)(0);                     \
      }                                                                                                             \
    }                                                                                                               \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                   \
    for (int down = first; down < BLOCK; down += BLOCK_ITEMS) {                                                     \
      const int line = first_line + across, step = first_step + down;                                               \
      if (line >= panel_count * LINES || step >= depth) continue;                                                   \
      number value;                                                                                                 \
      if (is_together) {                                                                                            \
        value = line < lines && step < steps ? NUMBER(line, step) : (number)(0);                                    \
      } else {                                                                                                      \
        value = turned[across][down];                                                                               \
      }                                                                                                             \
      put(panels, ((size_t)(line / LINES) * depth + step) * LINES + line % LINES, value, LANES);                    \
    }                                                                                                               \
  }

static inline void put(__global number* panels, size_t at, number value, int lanes) {
#if WORDS == 2
  const size_t lane = at % lanes;
  __global WORD* group = (__global WORD*)(panels + (at - lane));
  group[lane] = value.x;
  group[lane + lanes] = value.y;
#else
  panels[at] = value;
#endif
}

#define LEFT_NUMBER(line, step) left_number(x, view, line, step)
#define RIGHT_NUMBER(line, step) right_number(x, view, step, line)
DEFINE_PACK(pack_left, LEFT_NUMBER, PANEL_ROWS, PANEL_LANES)
DEFINE_PACK(pack_right, RIGHT_NUMBER, PANEL_COLUMNS, 1)
