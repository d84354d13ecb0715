// Copies of op(A) and op(B) in which lines (rows of A, columns of B) lie side by side.
//
//   TURN_PARAMETERS   the kernels' further ones, which say where a number goes
#pragma once

#include "product/operands.cl"

#define BLOCK 32
#define BLOCK_ITEMS 8

// A kernel that calls PUT(line, step, value) for all of ALL_LINES and ALL_STEPS, value NUMBER(line, step) in the matrix
// of `lines` and `steps`, and 0 past it. Lines that are apart are read along their steps, and turned in local memory. A
// work-group takes a block of them; only the first dimension of a launch may be long everywhere.
#define DEFINE_TURN(NAME, NUMBER, ALL_LINES, ALL_STEPS, PUT)                                                \
  __kernel __attribute__((reqd_work_group_size(BLOCK, BLOCK_ITEMS, 1))) void NAME(                          \
      __global const number* x, matrix_view view, int lines, int steps, int is_together, TURN_PARAMETERS) { \
    __local number turned[BLOCK][BLOCK + 1];                                                                \
    const int blocks = (ALL_LINES + BLOCK - 1) / BLOCK, group = (int)get_group_id(0);                       \
    const int first_line = group % blocks * BLOCK, first_step = group / blocks * BLOCK;                     \
    const int across = (int)get_local_id(0), first = (int)get_local_id(1);                                  \
    if (!is_together) {                                                                                     \
      for (int down = first; down < BLOCK; down += BLOCK_ITEMS) {                                           \
        const int line = first_line + down, step = first_step + across;                                     \
        turned[down][across] = line < lines && step < steps ? NUMBER(line, step) : (number)(0);             \
      }                                                                                                     \
    }                                                                                                       \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                           \
    for (int down = first; down < BLOCK; down += BLOCK_ITEMS) {                                             \
      const int line = first_line + across, step = first_step + down;                                       \
      if (line >= ALL_LINES || step >= ALL_STEPS) continue;                                                 \
      number value;                                                                                         \
      if (is_together) {                                                                                    \
        value = line < lines && step < steps ? NUMBER(line, step) : (number)(0);                            \
      } else {                                                                                              \
        value = turned[across][down];                                                                       \
      }                                                                                                     \
      PUT(line, step, value);                                                                               \
    }                                                                                                       \
  }

#define LEFT_NUMBER(line, step) left_number(x, view, line, step)
#define RIGHT_NUMBER(line, step) right_number(x, view, step, line)
