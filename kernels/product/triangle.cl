// Products of which only a triangle is wanted, or with a triangular operand.
#pragma once

#define LOWER 1
#define UPPER 2

// Which operand of a product is a triangle, beside which it has zeros: a row of the left one, or a column of the right
// one, ends with its diagonal, or begins with it. In S, D, C and Z those steps are left out.
#define LEFT_ENDS 1
#define LEFT_BEGINS 2
#define RIGHT_ENDS 3
#define RIGHT_BEGINS 4
#define ENDS_EARLY(zeros) ((zeros) == LEFT_ENDS || (zeros) == RIGHT_ENDS)
#define BEGINS_LATE(zeros) ((zeros) == LEFT_BEGINS || (zeros) == RIGHT_BEGINS)

// Of row i and column j; triangle 0 has them all.
static inline int is_wanted(int triangle, int i, int j) {
  return triangle == LOWER ? i >= j : triangle == UPPER ? i <= j : 1;
}
