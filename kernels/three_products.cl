// A complex product as three real ones (3M): with P = Re A Re B, Q = Im A Im B and R = (Re A + Im A)(Re B + Im B),
// A B = P - Q + i (R - P - Q). Sums are halved, and R is a quarter, so that nothing overflows before A B does. After number.cl and number_operands.cl, IS_COMPLEX 1, and update_run.cl, ROW_RUN 1.

#define BLOCK 32
#define BLOCK_ITEMS 8

static inline void put_parts(__global WORD* planes, long at, long plane, number x) {
  planes[at] = x.x;
  planes[at + plane] = x.y;
  planes[at + 2 * plane] = x.x * (WORD)0.5 + x.y * (WORD)0.5;
}

// The three left or right factors, plane by plane: [step][line], `pitch` words a step. Lines that are apart are read
// along their steps, and turned in local memory.
#define DEFINE_SPLIT(NAME, NUMBER)                                                                                 \
  __kernel __attribute__((reqd_work_group_size(BLOCK, BLOCK_ITEMS, 1))) void NAME(                                 \
      __global const number* x, matrix_view view, int lines, int steps, int is_together, __global WORD* planes,    \
      int pitch, long plane) {                                                                                     \
    __local number turned[BLOCK][BLOCK + 1];                                                                       \
    const int blocks = (lines + BLOCK - 1) / BLOCK, group = (int)get_group_id(0);                                  \
    const int first_line = group % blocks * BLOCK, first_step = group / blocks * BLOCK;                            \
    const int across = (int)get_local_id(0), first = (int)get_local_id(1);                                         \
    if (!is_together) {                                                                                            \
      for (int down = first; down < BLOCK; down += BLOCK_ITEMS) {                                                  \
        const int line = first_line + down, step = first_step + across;                                            \
        turned[down][across] = line < lines && step < steps ? NUMBER(line, step) : (number)(0);                    \
      }                                                                                                            \
    }                                                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
    for (int down = first; down < BLOCK; down += BLOCK_ITEMS) {                                                    \
      const int line = first_line + across, step = first_step + down;                                              \
      if (line >= lines || step >= steps) continue;                                                                \
      const number value = is_together ? NUMBER(line, step) : turned[across][down];                                \
      put_parts(planes, (long)step * pitch + line, plane, value);                                                  \
    }                                                                                                              \
  }
#define LEFT_NUMBER(line, step) left_number(x, view, line, step)
#define RIGHT_NUMBER(line, step) right_number(x, view, step, line)
DEFINE_SPLIT(split_left, LEFT_NUMBER)
DEFINE_SPLIT(split_right, RIGHT_NUMBER)

// C = alpha * A B + beta * C from P, Q and R, columns of `pitch` words; rows of C lie side by side.
__kernel void combine_products(__global const WORD* products, int pitch, long plane, __global number* c, long offset,
                               long stride, int rows, int columns, number alpha, number beta) {
  const int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= rows || j >= columns) return;
  __global const WORD* at = products + (long)j * pitch + i;
  const WORD p = at[0], q = at[plane], r = at[2 * plane];
  const WORD quarter = (WORD)0.25;
  const number sum = (number)(p - q, (r - p * quarter - q * quarter) * (WORD)4);
  update_run(c + offset + j * stride + i, &sum, 1, 0, alpha, beta);
}
