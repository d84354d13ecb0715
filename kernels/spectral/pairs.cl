// What couples pairs of vectors in the refinement of a Hermitian matrix's eigenvectors, and the corrections that follow:
// src/spectral/hermitian_host.hpp has the same on the host. R and S are Hermitian, so that entry (i, j) has all there is
// of the pair: N_ij = s_ij + λ_j r_ij, and N_ji is conj(s_ij + λ_i r_ij). Each matrix is read once, columns side by side:
// a work-group has a column.
#include "blas/operators.cl"
#include "number/arguments.cl"

#include "spectral/pairs.clh"

#define ITEMS 256

typedef struct {
  double one, other, gap;  // |N_ij|, |N_ji|, λ_j − λ_i
  element coupling;        // N_ij
} pair_of_vectors;

HILO_FN double size_of(element x) {
#if IS_COMPLEX
  const double re = leading(x.p[0]), im = leading(x.p[1]);
  return sqrt(re * re + im * im);
#else
  return fabs(leading(x.p[0]));
#endif
}
HILO_FN element with_multiple(element s, element r, part value) {
  FOR_PARTS s.p[part_] = plus(s.p[part_], product(r.p[part_], value));
  return s;
}
HILO_FN pair_of_vectors pair_of(element s, element r, part of_row, part of_column) {
  pair_of_vectors x;
  x.coupling = with_multiple(s, r, of_column);
  x.one = size_of(x.coupling);
  x.other = size_of(with_multiple(s, r, of_row));
  x.gap = leading(plus(of_column, minus(of_row)));
  return x;
}
// As src/spectral/noise_gate.hpp.
HILO_FN int is_noise(pair_arguments gate, pair_of_vectors x) { return x.one <= gate.noise && x.other <= gate.noise; }
HILO_FN int is_left_alone(pair_arguments gate, pair_of_vectors x) {
  return is_noise(gate, x) && !(fmax(x.one, x.other) < gate.harmless_rotation * fabs(x.gap));
}
HILO_FN int is_close(pair_arguments gate, pair_of_vectors x) {
  const double most = fmax(x.one, x.other);
  return most > (most <= 16.0 * gate.noise ? gate.rotation_by_noise : gate.rotation) * fabs(x.gap);
}

// Of each column, in lines of n numbers: Σ|N_ij| and Σ|r_ij|, Σ|N_ij|² / |λ_j − λ_i| of what is no noise, and how many pairs
// are no noise, unresolved, and close with i < j.
#define SUMS 6
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void sum_couplings(__global const part_in_memory* s,
                                                                               __global const part_in_memory* r,
                                                                               __global const double2* values,
                                                                               __global double* sums,
                                                                               pair_arguments p) {
  __local double partial[SUMS * ITEMS];
  const int item = (int)get_local_id(0);
  const long n = p.order, j = (long)get_group_id(0);
  const part own = part_of(values[j]);
  double of[SUMS];
  FOR(q, SUMS) of[q] = 0.0;
  for (long i = item; i < n; i += ITEMS) {
    const element rij = load_whole(r, i + j * n), sij = load_whole(s, i + j * n);
    const pair_of_vectors x = pair_of(sij, rij, part_of(values[i]), own);
    of[1] += size_of(rij);
    if (i != j) {
      const int matters = !is_noise(p, x), near = is_close(p, x);
      of[0] += x.one;
      if (matters) of[2] += x.one * (x.one / fabs(x.gap));
      of[3] += matters;
      of[4] += matters && near;
      of[5] += near && i < j;
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
  if (item < SUMS) sums[item * n + j] = partial[item * ITEMS];
}

// Of each chosen column a byte for each row: of i < j 1 where the pair is close, 2 where it is unresolved, too.
__kernel void mark_pairs(__global const part_in_memory* s, __global const part_in_memory* r,
                         __global const double2* values, __global const int* chosen, __global uchar* marks,
                         pair_arguments p) {
  const long i = (long)get_global_id(0), c = (long)get_global_id(1), n = p.order;
  if (i >= n || c >= p.count) return;
  const long j = chosen[c];
  uchar mark = 0;
  if (i < j) {
    const pair_of_vectors x =
        pair_of(load_whole(s, i + j * n), load_whole(r, i + j * n), part_of(values[i]), part_of(values[j]));
    if (is_close(p, x)) mark = is_noise(p, x) ? 1 : 2;
  }
  marks[i + c * n] = mark;
}

// E by first order where two vectors have different labels, but where noise is left alone; else R / 2, which
// p.only_halves is everywhere; of each column the largest |e|. Without labels they all differ.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void find_corrections(__global const part_in_memory* s,
                                                                                  __global const part_in_memory* r,
                                                                                  __global const double2* values,
                                                                                  __global const int* labels,
                                                                                  __global double* e,
                                                                                  __global double* largest,
                                                                                  pair_arguments p) {
  __local double partial[ITEMS];
  const int item = (int)get_local_id(0);
  const long n = p.order, j = (long)get_group_id(0);
  const part own = part_of(values[j]);
  const int label = p.has_labels ? labels[j] : 0;
  double most = 0.0;
  for (long i = item; i < n; i += ITEMS) {
    const element rij = load_whole(r, i + j * n);
    double of[PARTS];
    FOR_PARTS of[part_] = leading(rij.p[part_]) * 0.5;
    if (!p.only_halves && i != j && (!p.has_labels || labels[i] != label)) {
      const pair_of_vectors x = pair_of(load_whole(s, i + j * n), rij, part_of(values[i]), own);
      if (!is_left_alone(p, x)) {
        FOR_PARTS of[part_] = leading(x.coupling.p[part_]) / x.gap;
      }
    }
    FOR_PARTS e[(i + j * n) * PARTS + part_] = of[part_];
#if IS_COMPLEX
    most = fmax(most, sqrt(of[0] * of[0] + of[1] * of[1]));
#else
    most = fmax(most, fabs(of[0]));
#endif
  }
  partial[item] = most;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int other = ITEMS / 2; other > 0; other /= 2) {
    if (item < other) partial[item] = fmax(partial[item], partial[item + other]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) largest[j] = partial[0];
}

// S − µ (I − R) in each cluster, rounded: of p.count members a column each.
__kernel void take_blocks(__global const part_in_memory* s, __global const part_in_memory* r,
                          __global const cluster_member* members, __global double* t, pair_arguments p) {
  const long k = (long)get_global_id(0), l = (long)get_global_id(1);
  if (l >= p.count) return;
  const cluster_member own = members[l];
  if (k >= own.count) return;
  const long i = members[own.first + k].column, j = own.column;
  const part middle = {own.hi, own.lo};
  element x = with_multiple(load_whole(s, i + j * p.order), load_whole(r, i + j * p.order), middle);
  if (i == j) x.p[0] = plus(x.p[0], minus(middle));
  FOR_PARTS t[(own.offset + k) * PARTS + part_] = leading(x.p[part_]);
}
