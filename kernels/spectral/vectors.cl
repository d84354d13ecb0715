// Matrices of vectors, columns side by side: Hermitian products completed, corrections added, columns that are rotated
// among themselves, and norms.
#include "blas/operators.cl"
#include "number/arguments.cl"
#include "solve/powers.cl"

#include "spectral/pairs.clh"

#define ITEMS 256
#define TILE 16

// A Hermitian matrix of which the lower triangle is there; `defect` 1: of I less it, 2: of half of that. A work-group has a
// tile of the triangle, and writes what mirrors it.
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void complete(__global part_in_memory* x, long n,
                                                                            int defect) {
  __local part_in_memory tile[TILE * (TILE + 1) * PARTS];
  const int row = (int)get_local_id(0), column = (int)get_local_id(1);
  const long tile_row = (long)get_group_id(0) * TILE, tile_column = (long)get_group_id(1) * TILE;
  const long i = tile_row + row, j = tile_column + column;
  const int is_there = i < n && j <= i;
  if (is_there) {
    element own = load_whole(x, i + j * n);
    if (defect) {
      FOR_PARTS {
        own.p[part_] = plus(part_of_word(i == j && part_ == 0 ? 1 : 0), minus(own.p[part_]));
        if (defect == 2) own.p[part_] = product(own.p[part_], part_of_word(0.5));
      }
      store_whole(x, i + j * n, own);
    }
    store_local(tile, column * (TILE + 1) + row, conjugated(own, 1));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const long to_row = tile_column + row, to_column = tile_row + column;
  if (to_column < n && to_row < to_column) {
    store_whole(x, to_row + to_column * n, load_local(tile, row * (TILE + 1) + column));
  }
}

// Of an m × n matrix Xᴴ.
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void turn(__global const part_in_memory* x,
                                                                        __global part_in_memory* to, long m, long n) {
  __local part_in_memory tile[TILE * (TILE + 1) * PARTS];
  const int row = (int)get_local_id(0), column = (int)get_local_id(1);
  const long tile_row = (long)get_group_id(0) * TILE, tile_column = (long)get_group_id(1) * TILE;
  const long i = tile_row + row, j = tile_column + column;
  if (i < m && j < n) store_local(tile, column * (TILE + 1) + row, conjugated(load_whole(x, i + j * m), 1));
  barrier(CLK_LOCAL_MEM_FENCE);
  const long to_row = tile_column + row, to_column = tile_row + column;
  if (to_row < n && to_column < m) {
    store_whole(to, to_row + to_column * n, load_local(tile, row * (TILE + 1) + column));
  }
}

// A view, times 2^exponent, with columns side by side.
__kernel void take_scaled(__global const part_in_memory* from, __global part_in_memory* to, copy_arguments p,
                          int exponent) {
  const long i = (long)get_global_id(0), j = (long)get_global_id(1);
  if (i >= p.rows || j >= p.columns) return;
  element x = load_whole(from, p.from.offset + i * p.from.row_stride + j * p.from.column_stride);
  x = conjugated(x, p.from.conjugate);
#if IS_DOUBLE_DOUBLE
  FOR_PARTS {
    x.p[part_].hi = times_power(x.p[part_].hi, exponent);
    x.p[part_].lo = times_power(x.p[part_].lo, exponent);
  }
#endif
  store_whole(to, i + j * p.rows, x);
}

// What stands on the diagonals of two Hermitian matrices, one after the other.
__kernel void take_diagonals(__global const part_in_memory* x, __global const part_in_memory* y, __global double2* to,
                             long n) {
  const long i = (long)get_global_id(0);
  if (i >= n) return;
  to[i] = x[i * (n + 1) * PARTS];
  to[n + i] = y[i * (n + 1) * PARTS];
}

// X + change, of doubles; `count` parts.
__kernel void add_doubles(__global part_in_memory* x, __global const double* change, long count) {
  const long i = (long)get_global_id(0);
  if (i < count) x[i] = in_memory(plus(part_of(x[i]), part_of_word(change[i])));
}
__kernel void add_numbers(__global part_in_memory* x, __global const part_in_memory* change, long count) {
  const long i = (long)get_global_id(0);
  if (i < count) x[i] = in_memory(plus(part_of(x[i]), part_of(change[i])));
}

// Columns `chosen` of X beside each other, and back.
__kernel void gather_columns(__global const part_in_memory* x, __global const int* chosen, __global part_in_memory* to,
                             long n, long count) {
  const long i = (long)get_global_id(0), k = (long)get_global_id(1);
  if (i < n && k < count) store_whole(to, i + k * n, load_whole(x, i + chosen[k] * n));
}
__kernel void scatter_columns(__global const part_in_memory* from, __global const int* chosen, __global part_in_memory* x,
                              long n, long count) {
  const long i = (long)get_global_id(0), k = (long)get_global_id(1);
  if (i < n && k < count) store_whole(x, i + chosen[k] * n, load_whole(from, i + k * n));
}
// Column chosen[k] of X as column k of a view, or −x_j where it is −1 − j.
__kernel void put_columns(__global const part_in_memory* x, __global const int* chosen, __global part_in_memory* to,
                          copy_arguments p) {
  const long i = (long)get_global_id(0), k = (long)get_global_id(1);
  if (i >= p.rows || k >= p.columns) return;
  const long j = chosen[k];
  const element own = load_whole(x, i + (j < 0 ? -1 - j : j) * p.from.column_stride);
  store_whole(to, p.to.offset + i * p.to.row_stride + k * p.to.column_stride, j < 0 ? negated(own) : own);
}

// Clusters of at most FEW columns of X, each times its Z: members[starts[c]] is the first of cluster c, whose `offset` is
// that of Z. A work-item has a row.
#define FEW 16
__kernel void rotate_few(__global part_in_memory* x, __global const cluster_member* members,
                         __global const int* starts, __global const part_in_memory* z, long n, long clusters) {
  const long i = (long)get_global_id(0), c = (long)get_global_id(1);
  if (i >= n || c >= clusters) return;
  __global const cluster_member* const first = members + starts[c];
  const int count = first->count;
  element own[FEW];
  for (int k = 0; k < count; ++k) own[k] = load_whole(x, i + first[k].column * n);
  for (int l = 0; l < count; ++l) {
    element sum = zero_element();
    for (int k = 0; k < count; ++k) sum = with_product(sum, own[k], load_whole(z, first[l].offset + k));
    store_whole(x, i + first[l].column * n, closed_element(sum));
  }
}

// Of each column, in lines of n numbers: Σ|y_ij − x_ij λ_j|² and Σ|r_ij|².
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void sum_squares(__global const part_in_memory* y,
                                                                             __global const part_in_memory* x,
                                                                             __global const part_in_memory* r,
                                                                             __global const double2* values,
                                                                             __global double* sums, long n) {
  __local double partial[2 * ITEMS];
  const int item = (int)get_local_id(0);
  const long j = (long)get_group_id(0);
  const part value = part_of(values[j]);
  double residual = 0.0, defect = 0.0;
  for (long i = item; i < n; i += ITEMS) {
    const element of_y = load_whole(y, i + j * n), of_x = load_whole(x, i + j * n), of_r = load_whole(r, i + j * n);
    FOR_PARTS {
      const double w = leading(plus(of_y.p[part_], minus(product(of_x.p[part_], value))));
      residual += w * w;
      defect += leading(of_r.p[part_]) * leading(of_r.p[part_]);
    }
  }
  partial[item] = residual;
  partial[ITEMS + item] = defect;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int other = ITEMS / 2; other > 0; other /= 2) {
    if (item < other) {
      partial[item] += partial[item + other];
      partial[ITEMS + item] += partial[ITEMS + item + other];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item < 2) sums[item * n + j] = partial[item * ITEMS];
}
