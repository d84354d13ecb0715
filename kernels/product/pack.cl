// Copies op(A) and op(B) into panels, zeros where a panel reaches past the matrix, so that the product needs no edges.
//
//   left:   panels of PANEL_ROWS rows, each step by step     [row / PANEL_ROWS][step][row % PANEL_ROWS]
//   right:  panels of PANEL_COLUMNS columns likewise         [column / PANEL_COLUMNS][step][column % PANEL_COLUMNS]
#pragma once

#include "product/turn.cl"

#include "product/panel.cl"

#define TURN_PARAMETERS __global number *panels, int panel_count, int depth

static inline void put(__global number* panels, size_t at, number value, int lanes) {
#if WORDS == 2
  const size_t lane = at % lanes;
  __global WORD* group = (__global WORD*)(panels + (at - lane));
  group[lane] = value.x;
  group[lane + lanes] = value.y;
#else
  panels[at] = value;
#endif
}

#define PLACE_IN_PANEL(line, step, size) (((size_t)((line) / (size)) * depth + (step)) * (size) + (line) % (size))
#define PUT_LEFT(line, step, value) put(panels, PLACE_IN_PANEL(line, step, PANEL_ROWS), value, PANEL_LANES)
#define PUT_RIGHT(line, step, value) put(panels, PLACE_IN_PANEL(line, step, PANEL_COLUMNS), value, 1)
DEFINE_TURN(pack_left, LEFT_NUMBER, panel_count * PANEL_ROWS, depth, PUT_LEFT)
DEFINE_TURN(pack_right, RIGHT_NUMBER, panel_count * PANEL_COLUMNS, depth, PUT_RIGHT)
