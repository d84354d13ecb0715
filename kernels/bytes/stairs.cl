// Where only a triangle of a product is wanted: the tiles that have an entry of it. The others' residues stay.
//
//   STAIRS       0 1     whether it is
//   STAIR_ROWS   1 ...   rows of tiles in a band
#pragma once

#include "number/arguments.cl"

#ifndef STAIRS
#define STAIRS 0
#endif
#if STAIRS != 0 && STAIRS != 1
#error "hilo: STAIRS is none of 0 1"
#endif
#ifndef STAIR_ROWS
#define STAIR_ROWS 8
#endif
#if STAIR_ROWS < 1 || STAIR_ROWS > 1024
#error "hilo: STAIR_ROWS is not in 1 ... 1024"
#endif

#if STAIRS
#define STAIR_ARGUMENTS , stair_arguments stairs

#include "bytes/stairs.clh"

static inline staircase staircase_of_tiles(byte_product_arguments p, stair_arguments stairs) {
  return staircase_of(p.row_panels, p.column_panels, TILE_ROWS, TILE_COLUMNS, STAIR_ROWS, stairs.is_upper,
                      stairs.diagonal);
}

static inline int2 place_on_stairs(byte_product_arguments p, stair_arguments stairs, int tile) {
  const staircase s = staircase_of_tiles(p, stairs);
  const stair_place place = stair_place_of(s, stair_band_of(s, stair_band_from(s, 0, 0), tile), stairs.is_upper, tile);
  return (int2)(place.row, place.column);
}
#else
#define STAIR_ARGUMENTS
#endif
