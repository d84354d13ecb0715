// Copies op(A) and op(B) into panels, zeros where a panel reaches past the matrix, so that the product needs no edges.
//
//   left:   panels of PANEL_ROWS rows, each step by step     [row / PANEL_ROWS][step][row % PANEL_ROWS]
//   right:  panels of PANEL_COLUMNS columns likewise         [column / PANEL_COLUMNS][step][column % PANEL_COLUMNS]
//
//   PANEL_ROWS, PANEL_COLUMNS   the part of C that a work-group computes
//   PANEL_LANES                 of the left panels: that many rows store their hi words, then their lo words

// `rows` and `steps` are those of the matrix, `depth` the steps of a panel.
__kernel void pack_left(__global const double2* a, matrix_view view, int rows, int steps, __global double* panels,
                        int panel_count, int depth) {
  int row = (int)get_global_id(0), step = (int)get_global_id(1);
  if (row >= panel_count * PANEL_ROWS || step >= depth) return;
  dd x = {0.0, 0.0};
  if (row < rows && step < steps) x = left_operand(a, view, row, step);
  size_t first = ((size_t)(row / PANEL_ROWS) * depth + step) * PANEL_ROWS + row % PANEL_ROWS;
  size_t lane = first % PANEL_LANES;
  __global double* group = panels + 2 * (first - lane);
  group[lane] = x.hi;
  group[lane + PANEL_LANES] = x.lo;
}

__kernel void pack_right(__global const double2* b, matrix_view view, int columns, int steps, __global double2* panels,
                         int panel_count, int depth) {
  int column = (int)get_global_id(0), step = (int)get_global_id(1);
  if (column >= panel_count * PANEL_COLUMNS || step >= depth) return;
  dd x = {0.0, 0.0};
  if (column < columns && step < steps) x = right_operand(b, view, step, column);
  panels[((size_t)(column / PANEL_COLUMNS) * depth + step) * PANEL_COLUMNS + column % PANEL_COLUMNS] =
      (double2)(x.hi, x.lo);
}
