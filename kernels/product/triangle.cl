// Products of which only a triangle is wanted.
#pragma once

#define LOWER 1
#define UPPER 2

// Of row i and column j; triangle 0 has them all.
static inline int is_wanted(int triangle, int i, int j) {
  return triangle == LOWER ? i >= j : triangle == UPPER ? i <= j : 1;
}
