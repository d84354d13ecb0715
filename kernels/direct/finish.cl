// After the product: super-chunks added in order, entries that are not finite computed again, alpha, beta, C.
//
// PANEL_LANES rows of a partial sum store their hi words, then their lo words.
#pragma once

#include "direct/sums.cl"
#include "direct/update.cl"
#include "number/factors.cl"
#include "product/panel.cl"
#include "product/triangle.cl"

// C = beta * C, rows x columns.
__kernel void scale(__global double2* c, matrix_view view, int rows, int columns, double4 beta) {
  int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= rows || j >= columns) return;
  scale_element(c, view.offset + i * view.row_stride + j * view.column_stride, beta);
}

// Adds `planes` partial sums [plane][column][row] in order to the totals of earlier slices of k; after the last
// slice, completes C, rows x columns. The views of A and B begin at this block's first row and column, and their
// whole `steps` are read again where a total is not finite. interval is 0 for the FMA sequence, which needs no
// second look at overflowed splittings, else the steps between two renormalisations.
__kernel void finish(__global const double* partial, __global double2* totals, __global double2* c,
                     __global const double2* a, __global const double2* b, finish_arguments p, factors f,
                     __global int* recomputed) {
  int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= p.rows || j >= p.columns || !is_wanted(p.triangle, i + p.diagonal, j)) return;
  dd sum[PARTS];
  for (int part = 0; part < PARTS; ++part) {
    int column = j * PARTS + part;
    size_t entry = (size_t)column * p.padded_rows + i;
    dd total = {0.0, 0.0};
    if (!p.is_first_slice) total = load(totals, (long)entry);
    for (int plane = 0; plane < p.planes; ++plane) {
      size_t at = entry + (size_t)plane * p.padded_rows * p.padded_columns;
      size_t lane = at % PANEL_LANES;
      __global const double* group = partial + 2 * (at - lane) + lane;
      dd value = {group[0], group[PANEL_LANES]};
      total = add_finite(total, value);
    }
    if (!p.is_last_slice) {
      store(totals, (long)entry, total);
    } else if (!is_finite(total)) {
      if (p.interval) total = sum_scaled(a, p.a, b, p.b, i, column, p.steps, p.interval);
      if (!is_finite(total)) {
        total = sum_plain(a, p.a, b, p.b, i, column, p.steps);
        atomic_inc(recomputed);
      }
    }
    sum[part] = total;
  }
  if (p.is_last_slice) {
    update_element(c, p.c.offset + i * p.c.row_stride + j * p.c.column_stride, sum, alpha_of(f), beta_of(f));
  }
}
