// What proves bounds of eigenvalues: numbers rounded to multiples of 2^-117, so that products of them are exact, and sums of
// squares of columns. Work-groups have a column each; src/spectral/eigenvalue_bound.hpp has the proof.
#include "blas/operators.cl"

#define ITEMS 256

// Where hi is a multiple itself lo is rounded, else hi is, and lo is less than half of one.
HILO_FN part rounded_to_places(part x) {
  if (fabs(x.hi) < 0x1p-65) {
    const part r = {rint(x.hi * 0x1p117) * 0x1p-117, 0.0};
    return r;
  }
  return fast_two_sum(x.hi, rint(x.lo * 0x1p117) * 0x1p-117);
}
HILO_FN element rounded(element x) {
  FOR_PARTS x.p[part_] = rounded_to_places(x.p[part_]);
  return x;
}
HILO_FN double square_of(element x) {
  double r = 0.0;
  FOR_PARTS r += leading(x.p[part_]) * leading(x.p[part_]);
  return r;
}

// The sums of two numbers of each work-item, at sums[j] and sums[n + j].
__attribute__((always_inline)) HILO_FN void put_sums(__local double* partial, int item, double one, double other,
                                                     __global double* sums, long n, long j) {
  partial[item] = one;
  partial[ITEMS + item] = other;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int upper = ITEMS / 2; upper > 0; upper /= 2) {
    if (item < upper) {
      partial[item] += partial[item + upper];
      partial[ITEMS + item] += partial[ITEMS + item + upper];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item < 2) sums[item * n + j] = partial[item * ITEMS];
}

// [A X] and [X; −Λ], rounded, columns of X in an order, `values` those of −Λ; I. Of each column what the rounding took from A,
// squared, and the square of X's.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void take_factors(
    __global const part_in_memory* a, __global const part_in_memory* x, __global const int* order,
    __global const double2* values, __global part_in_memory* left, __global part_in_memory* right,
    __global part_in_memory* unit, __global double* sums, long n) {
  __local double partial[2 * ITEMS];
  const int item = (int)get_local_id(0);
  const long j = (long)get_group_id(0), from = order[j];
  double lost = 0.0, square = 0.0;
  for (long i = item; i < n; i += ITEMS) {
    const element of_a = load_whole(a, i + j * n), kept = rounded(of_a);
    const element of_x = rounded(load_whole(x, i + from * n));
    element difference;
    FOR_PARTS difference.p[part_] = plus(of_a.p[part_], minus(kept.p[part_]));
    lost += square_of(difference);
    square += square_of(of_x);
    element value = zero_element(), one = zero_element();
    if (i == j) {
      value.p[0] = part_of(values[j]);
      one.p[0] = part_of_word(1);
    }
    store_whole(left, i + j * n, kept);
    store_whole(left, i + (n + j) * n, of_x);
    store_whole(right, i + j * 2 * n, of_x);
    store_whole(right, n + i + j * 2 * n, value);
    store_whole(unit, i + j * n, one);
  }
  put_sums(partial, item, lost, square, sums, n, j);
}

// Of each column of two matrices.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void sum_two_squares(__global const part_in_memory* x,
                                                                                 __global const part_in_memory* y,
                                                                                 __global double* sums, long n) {
  __local double partial[2 * ITEMS];
  const int item = (int)get_local_id(0);
  const long j = (long)get_group_id(0);
  double of_x = 0.0, of_y = 0.0;
  for (long i = item; i < n; i += ITEMS) {
    of_x += square_of(load_whole(x, i + j * n));
    of_y += square_of(load_whole(y, i + j * n));
  }
  put_sums(partial, item, of_x, of_y, sums, n, j);
}
