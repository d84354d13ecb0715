// What couples pairs of singular vectors, and the corrections that follow: src/spectral/singular_host.hpp has the same on the
// host. R and S are Hermitian, so that t_ij, the conjugate of t_ji, r_ij and s_ij have all there is of the pair:
// α_ij = t_ij + σ_j r_ij, β_ij = conj(t_ji) + σ_j s_ij, p = (α + β) / 2, q = (α − β) / 2, and of (j, i) the conjugates with
// σ_i, α and β exchanged in their roles. T is m × n, `turned` Tᴴ. Columns lie side by side; a work-group has one.
#include "blas/operators.cl"
#include "number/arguments.cl"

#include "spectral/pairs.clh"

#define ITEMS 128

HILO_FN double size_of(element x) {
#if IS_COMPLEX
  const double re = leading(x.p[0]), im = leading(x.p[1]);
  return sqrt(re * re + im * im);
#else
  return fabs(leading(x.p[0]));
#endif
}
HILO_FN element with_multiple(element x, element y, part value) {
  FOR_PARTS x.p[part_] = plus(x.p[part_], product(y.p[part_], value));
  return x;
}
HILO_FN element added(element x, element y) {
  FOR_PARTS x.p[part_] = plus(x.p[part_], y.p[part_]);
  return x;
}
HILO_FN element without(element x, element y) { return added(x, negated(y)); }

// The sizes of couplings of (i, j) and of (j, i), and what divides them.
typedef struct {
  double one, other, gap;
} coupling;
typedef struct {
  coupling p, q;
  double of_alpha, of_beta;
  double half_p[PARTS], half_q[PARTS];  // p_ij and q_ij
} pair_of_sides;

HILO_FN pair_of_sides pair_of(element t, element turned, element r, element s, part of_row, part of_column,
                              int is_diagonal) {
  pair_of_sides x;
  const element alpha = is_diagonal ? t : with_multiple(t, r, of_column);
  const element beta = is_diagonal ? turned : with_multiple(turned, s, of_column);
  const element alpha_back = with_multiple(turned, r, of_row), beta_back = with_multiple(t, s, of_row);
  const element both = added(alpha, beta), difference = without(alpha, beta);
  x.of_alpha = size_of(alpha);
  x.of_beta = size_of(beta);
  FOR_PARTS x.half_p[part_] = leading(both.p[part_]) * 0.5;
  FOR_PARTS x.half_q[part_] = leading(difference.p[part_]) * 0.5;
  x.p.one = size_of(both) * 0.5;
  x.q.one = size_of(difference) * 0.5;
  x.p.other = size_of(added(alpha_back, beta_back)) * 0.5;
  x.q.other = is_diagonal ? x.q.one : size_of(without(alpha_back, beta_back)) * 0.5;
  x.p.gap = leading(plus(of_column, minus(of_row)));
  x.q.gap = leading(plus(of_column, of_row));
  return x;
}
// As src/spectral/noise_gate.hpp.
HILO_FN int is_noise(side_arguments g, coupling x) { return x.one <= g.noise && x.other <= g.noise; }
HILO_FN int is_near_noise(side_arguments g, coupling x) {
  return x.one / 2.0 <= g.noise && x.other / 2.0 <= g.noise;
}
HILO_FN int is_close(side_arguments g, coupling x, double rotation_by_noise) {
  const double most = fmax(x.one, x.other);
  return most > (most <= 16.0 * g.noise ? rotation_by_noise : g.rotation) * fabs(x.gap);
}
HILO_FN coupling beyond_of(element t, element r, part value) {
  coupling x;
  x.one = x.other = size_of(with_multiple(t, r, value));
  x.gap = leading(value);
  return x;
}

// Of each of m columns of U, of which n are V's, in lines of m numbers: what is summed and counted (SingularDevice has the
// same names).
#define OF_ALPHA 0
#define OF_BETA 1
#define OF_LEFT 2
#define OF_RIGHT 3
#define ERROR 4
#define BEYOND_NOISE 5
#define FAR_BEYOND_NOISE 6
#define UNRESOLVED 7
#define CLOSE 8
#define TO_ROTATE 9
#define CLOSE_BEYOND 10
#define TO_ROTATE_BEYOND 11
#define SUMS 12

HILO_FN void count_coupling(side_arguments g, coupling x, double* of) {
  const int matters = !is_noise(g, x);
  of[BEYOND_NOISE] += matters;
  of[FAR_BEYOND_NOISE] += !is_near_noise(g, x);
  of[UNRESOLVED] += matters && is_close(g, x, g.rotation_by_noise);
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void sum_sides(__global const part_in_memory* t,
                                                                           __global const part_in_memory* turned,
                                                                           __global const part_in_memory* r,
                                                                           __global const part_in_memory* s,
                                                                           __global const double2* values,
                                                                           __global double* sums, side_arguments g) {
  __local double partial[SUMS * ITEMS];
  const int item = (int)get_local_id(0);
  const long m = g.rows, n = g.columns, j = (long)get_group_id(0);
  const int is_beyond = j >= n;
  const part own = part_of(values[is_beyond ? 0 : j]);
  double of[SUMS];
  FOR(q, SUMS) of[q] = 0.0;
  for (long i = item; i < m; i += ITEMS) {
    const element rij = load_whole(r, i + j * m);
    of[OF_LEFT] += size_of(rij);
    if (!is_beyond && i < n) {
      const element sij = load_whole(s, i + j * n);
      of[OF_RIGHT] += size_of(sij);
      const pair_of_sides x =
          pair_of(load_whole(t, i + j * m), load_whole(turned, i + j * n), rij, sij, part_of(values[i]), own, i == j);
      of[OF_ALPHA] += i == j ? x.q.one : x.of_alpha;
      of[OF_BETA] += i == j ? x.q.one : x.of_beta;
      if (!is_noise(g, x.q)) of[ERROR] += x.q.one * (x.q.one / fabs(x.q.gap));
      if (i != j && !is_noise(g, x.p)) of[ERROR] += x.p.one * (x.p.one / fabs(x.p.gap));
      if (i <= j) {
        count_coupling(g, x.q, of);
        const int is_q = is_close(g, x.q, g.rotation_by_noise);
        of[CLOSE] += is_q;
        of[TO_ROTATE] += is_q && !is_noise(g, x.q);
      }
      if (i < j) {
        count_coupling(g, x.p, of);
        const int is_p = is_close(g, x.p, g.rotation_of_differences);
        of[CLOSE] += is_p;
        of[TO_ROTATE] += is_p && !is_noise(g, x.p);
      }
    } else if (!is_beyond) {
      const coupling x = beyond_of(load_whole(t, i + j * m), rij, own);
      of[OF_ALPHA] += x.one;
      if (!is_noise(g, x)) of[ERROR] += x.one * (x.one / fabs(x.gap));
      count_coupling(g, x, of);
      const int is_there = is_close(g, x, g.rotation_by_noise);
      of[CLOSE_BEYOND] += is_there;
      of[TO_ROTATE_BEYOND] += is_there && !is_noise(g, x);
    }
  }
  FOR(q, SUMS) partial[q * ITEMS + item] = of[q];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int other = ITEMS / 2; other > 0; other /= 2) {
    if (item < other) {
      FOR(q, SUMS) partial[q * ITEMS + item] += partial[q * ITEMS + item + other];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item < SUMS) sums[item * m + j] = partial[item * ITEMS];
}

// Of each chosen column a byte for each row i <= j: 1 where p is close, and 2 unresolved; 4 and 8 the same of q.
__kernel void mark_sides(__global const part_in_memory* t, __global const part_in_memory* turned,
                         __global const part_in_memory* r, __global const part_in_memory* s,
                         __global const double2* values, __global const int* chosen, __global uchar* marks,
                         side_arguments g) {
  const long i = (long)get_global_id(0), c = (long)get_global_id(1), m = g.rows, n = g.columns;
  if (i >= n || c >= g.count) return;
  const long j = chosen[c];
  int mark = 0;
  if (i <= j) {
    const pair_of_sides x = pair_of(load_whole(t, i + j * m), load_whole(turned, i + j * n), load_whole(r, i + j * m),
                                    load_whole(s, i + j * n), part_of(values[i]), part_of(values[j]), i == j);
    if (i < j && is_close(g, x.p, g.rotation_of_differences)) mark |= is_noise(g, x.p) ? 1 : 3;
    if (is_close(g, x.q, g.rotation_by_noise)) mark |= is_noise(g, x.q) ? 4 : 12;
  }
  marks[i + c * n] = (uchar)mark;
}

// Column j of F, and where V has it, of G: by first order, else R / 2 and S / 2, which g.only_halves is everywhere. labels[n]
// is that of values near zero; without labels all differ. largest: of each column of F, then of G.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void find_corrections(
    __global const part_in_memory* t, __global const part_in_memory* turned, __global const part_in_memory* r,
    __global const part_in_memory* s, __global const double2* values, __global const int* labels, __global double* of_u,
    __global double* of_v, __global double* largest, side_arguments g) {
  __local double partial[2 * ITEMS];
  const int item = (int)get_local_id(0);
  const long m = g.rows, n = g.columns, j = (long)get_group_id(0);
  const int is_beyond = j >= n;
  const part own = part_of(values[is_beyond ? 0 : j]);
  const int zero = g.has_labels ? labels[n] : -1, label = g.has_labels && !is_beyond ? labels[j] : -2;
  double most_f = 0.0, most_g = 0.0;
  for (long i = item; i < m; i += ITEMS) {
    const element rij = load_whole(r, i + j * m);
    double f[PARTS], e[PARTS];
    FOR_PARTS f[part_] = leading(rij.p[part_]) * 0.5;
    if (!is_beyond && i < n) {
      const element sij = load_whole(s, i + j * n);
      FOR_PARTS e[part_] = leading(sij.p[part_]) * 0.5;
      if (!g.only_halves) {
        const pair_of_sides x = pair_of(load_whole(t, i + j * m), load_whole(turned, i + j * n), rij, sij,
                                        part_of(values[i]), own, i == j);
        const int is_together = i == j || (g.has_labels && labels[i] == label);
        const int by_p = !is_together && !is_noise(g, x.p), by_q = !(is_together && label == zero) && !is_noise(g, x.q);
        FOR_PARTS {
          double same = f[part_] + e[part_], opposite = f[part_] - e[part_];
          if (by_p) same = x.half_p[part_] * (2.0 / x.p.gap);
          if (by_q) opposite = x.half_q[part_] * (2.0 / x.q.gap) + (i == j ? opposite : 0.0);
          f[part_] = (same + opposite) * 0.5;
          e[part_] = (same - opposite) * 0.5;
        }
      }
      FOR_PARTS of_v[(i + j * n) * PARTS + part_] = e[part_];
#if IS_COMPLEX
      most_g = fmax(most_g, sqrt(e[0] * e[0] + e[1] * e[1]));
#else
      most_g = fmax(most_g, fabs(e[0]));
#endif
    } else if (!g.only_halves && is_beyond != (i >= n)) {
      // Of U's columns beyond V's the conjugate of what couples column i with them.
      const part value = is_beyond ? part_of(values[i]) : own;
      const int is_near_zero = g.has_labels && (is_beyond ? labels[i] : label) == zero;
      const element x =
          with_multiple(is_beyond ? load_whole(turned, i + j * n) : load_whole(t, i + j * m), rij, value);
      if (!is_near_zero && !(size_of(x) <= g.noise)) {
        const double by = 1.0 / leading(value);
        FOR_PARTS {
          const double first = leading(x.p[part_]) * by;
          f[part_] = is_beyond ? leading(rij.p[part_]) - first : first;
        }
      }
    }
    FOR_PARTS of_u[(i + j * m) * PARTS + part_] = f[part_];
#if IS_COMPLEX
    most_f = fmax(most_f, sqrt(f[0] * f[0] + f[1] * f[1]));
#else
    most_f = fmax(most_f, fabs(f[0]));
#endif
  }
  partial[item] = most_f;
  partial[ITEMS + item] = most_g;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int other = ITEMS / 2; other > 0; other /= 2) {
    if (item < other) {
      partial[item] = fmax(partial[item], partial[item + other]);
      partial[ITEMS + item] = fmax(partial[ITEMS + item], partial[ITEMS + item + other]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item < 2) largest[item * m + j] = partial[item * ITEMS];
}

// What is left of T in each cluster's spaces without its middle value, rounded: of g.count members a column each.
__kernel void take_blocks(__global const part_in_memory* t, __global const part_in_memory* turned,
                          __global const part_in_memory* r, __global const part_in_memory* s,
                          __global const cluster_member* members, __global double* blocks, side_arguments g) {
  const long k = (long)get_global_id(0), l = (long)get_global_id(1), m = g.rows, n = g.columns;
  if (l >= g.count) return;
  const cluster_member own = members[l];
  if (k >= own.count) return;
  const long i = members[own.first + k].column, j = own.column;
  const part middle = {own.hi, own.lo};
  const element both = added(load_whole(t, i + j * m), load_whole(turned, i + j * n));
  element x = added(load_whole(r, i + j * m), load_whole(s, i + j * n));
  FOR_PARTS x.p[part_] = plus(both.p[part_], product(x.p[part_], middle));
  if (i == j) {
    const part twice = {2.0 * own.hi, 2.0 * own.lo};
    x.p[0] = plus(x.p[0], minus(twice));
  }
  FOR_PARTS blocks[(own.offset + k) * PARTS + part_] = leading(x.p[part_]) * 0.5;
}

// Leading words of T's rows and columns that are chosen: g.count columns.
__kernel void take_block(__global const part_in_memory* t, __global const int* rows, __global const int* columns,
                         __global double* block, long rows_of_block, side_arguments g) {
  const long k = (long)get_global_id(0), l = (long)get_global_id(1);
  if (k >= rows_of_block || l >= g.count) return;
  const element x = load_whole(t, rows[k] + (long)columns[l] * g.rows);
  FOR_PARTS block[(k + l * rows_of_block) * PARTS + part_] = leading(x.p[part_]);
}

// What stands on the diagonals of T, R and S, one after the other.
__kernel void take_diagonals(__global const part_in_memory* t, __global const part_in_memory* r,
                             __global const part_in_memory* s, __global double2* to, side_arguments g) {
  const long i = (long)get_global_id(0), m = g.rows, n = g.columns;
  if (i >= n) return;
  to[i] = t[i * (m + 1) * PARTS];
  to[n + i] = r[i * (m + 1) * PARTS];
  to[2 * n + i] = s[i * (n + 1) * PARTS];
}

// Of each column of V, in lines of n numbers: Σ|y_ij − u_ij σ_j|², Σ|r_ij|² of its rows, Σ|s_ij|².
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void sum_squares(__global const part_in_memory* y,
                                                                             __global const part_in_memory* u,
                                                                             __global const part_in_memory* r,
                                                                             __global const part_in_memory* s,
                                                                             __global const double2* values,
                                                                             __global double* sums, side_arguments g) {
  __local double partial[3 * ITEMS];
  const int item = (int)get_local_id(0);
  const long m = g.rows, n = g.columns, j = (long)get_group_id(0);
  const part value = part_of(values[j]);
  double residual = 0.0, left = 0.0, right = 0.0;
  for (long i = item; i < m; i += ITEMS) {
    const element of_y = load_whole(y, i + j * m), of_u = load_whole(u, i + j * m);
    FOR_PARTS {
      const double w = leading(plus(of_y.p[part_], minus(product(of_u.p[part_], value))));
      residual += w * w;
    }
    if (i < n) {
      const element of_r = load_whole(r, i + j * m), of_s = load_whole(s, i + j * n);
      FOR_PARTS left += leading(of_r.p[part_]) * leading(of_r.p[part_]);
      FOR_PARTS right += leading(of_s.p[part_]) * leading(of_s.p[part_]);
    }
  }
  partial[item] = residual;
  partial[ITEMS + item] = left;
  partial[2 * ITEMS + item] = right;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int other = ITEMS / 2; other > 0; other /= 2) {
    if (item < other) {
      FOR(q, 3) partial[q * ITEMS + item] += partial[q * ITEMS + item + other];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item < 3) sums[item * n + j] = partial[item * ITEMS];
}
