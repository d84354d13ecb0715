// Panels of packed operands.
//
//   PANEL_ROWS, PANEL_COLUMNS   the part of C that a work-group computes
//   PANEL_LANES                 of the left panels: so many rows of two words store their first words, then the others
#pragma once

#ifndef PANEL_ROWS
#define PANEL_ROWS 64
#endif
#if PANEL_ROWS < 1 || PANEL_ROWS > 131072
#error "hilo: PANEL_ROWS is not in 1 ... 131072"
#endif
#ifndef PANEL_COLUMNS
#define PANEL_COLUMNS 32
#endif
#if PANEL_COLUMNS < 1 || PANEL_COLUMNS > 131072
#error "hilo: PANEL_COLUMNS is not in 1 ... 131072"
#endif
#ifndef PANEL_LANES
#define PANEL_LANES 1
#endif
#if PANEL_LANES != 1 && PANEL_LANES != 2 && PANEL_LANES != 4 && PANEL_LANES != 8 && PANEL_LANES != 16
#error "hilo: PANEL_LANES is none of 1 2 4 8 16"
#endif
