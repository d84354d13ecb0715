// Which rows of a panel a warp of rebuild_mma.cl has, and which of their columns are wanted.
//
//   TRIANGLE   0 1   whether only a triangle is
//
// A segment is SEGMENT columns. Of a whole panel warps have every panel.stride-th row of a segment; of a triangle a
// segment has so many warps that each has up to panel.stride rows, and only those with an entry that is wanted.
#pragma once

#include "number/arguments.cl"
#include "product/triangle.cl"

#ifndef TRIANGLE
#define TRIANGLE 0
#endif
#if TRIANGLE != 0 && TRIANGLE != 1
#error "hilo: TRIANGLE is none of 0 1"
#endif

// Rows row, row + stride ... before `end`; none where row is not before it.
typedef struct {
  int segment, row, stride, end;
} warp_rows;

#if TRIANGLE
#define WANTED_ARGUMENTS , wanted_arguments wanted
#define WANTED , int2 wanted
#define IS_WANTED(column, columns) ((column) >= wanted.x && (column) < wanted.y)

static inline warp_rows rows_of_warp(int place, rebuild_arguments panel, wanted_arguments wanted) {
  warp_rows r = {0, 0, 0, 0};
  for (int first = 0; first < panel.columns; first += SEGMENT) {
    const int last = min(first + SEGMENT, panel.columns) - 1;
    r.row = wanted.triangle == LOWER ? max(first - wanted.diagonal, 0) : 0;
    r.end = wanted.triangle == UPPER ? min(last - wanted.diagonal + 1, panel.rows) : panel.rows;
    r.stride = (max(r.end - r.row, 0) + panel.stride - 1) / panel.stride;
    if (place < r.stride) break;
    place -= r.stride;
    r.stride = 0;
    ++r.segment;
  }
  r.row += place;
  if (r.stride == 0) r.row = r.end;
  return r;
}

// From the lane's first column on, of which there are so many: from x on, and before y.
static inline int2 columns_of_row(int row, int column, int columns, wanted_arguments wanted) {
  const int diagonal = row + wanted.diagonal - column;
  return (int2)(wanted.triangle == UPPER ? diagonal : 0,
                wanted.triangle == LOWER ? min(diagonal + 1, columns) : columns);
}
#else
#define WANTED_ARGUMENTS
#define WANTED
#define IS_WANTED(column, columns) ((column) < (columns))
#endif
