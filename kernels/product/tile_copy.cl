// Tiles of the operands on their way to local memory: DEPTH steps of a panel of lines (rows of A, columns of B).
//
//   local memory     [step][line], PITCH numbers a step: what is read or written at a time lies in different banks
//   global memory    lines side by side (LEFT_TOGETHER), or the steps of a line
//
// What lies past the matrix becomes zero, so that products have no edges.
//
// Of a tile whose lines are apart COPY_STEPS steps of neighbouring lines are read at a time: whole memory sectors, and
// writes to different banks.
#pragma once

#include "number/loops.cl"
#include "product/tile.cl"

#define PAD (NUMBER_BYTES == 4 ? 4 : 32 / NUMBER_BYTES)
#if STAGES
#define LEFT_PITCH (PANEL_ROWS + (LEFT_TOGETHER && UNIT_DEPTH == 1 ? 0 : PAD))
#define RIGHT_PITCH (PANEL_COLUMNS + (RIGHT_TOGETHER && UNIT_DEPTH == 1 ? 0 : PAD))
#else
#define LEFT_PITCH PANEL_ROWS
#define RIGHT_PITCH PANEL_COLUMNS
#endif
#define COPY_STEPS (NUMBER_BYTES == 16 ? 4 : 32 / NUMBER_BYTES)

// Where the next tile of an operand begins, and how much of its panel there is.
typedef struct {
  __global const number* at;
  long stride;  // between steps, or lines that are apart
  int lines;
} source;

#define COPIES(lines, run) (((lines) / (run) * DEPTH + ITEMS - 1) / ITEMS)
#define IS_UNEVEN(lines, run) ((lines) / (run) * DEPTH % ITEMS != 0)

// A source begins with the work-item's own first copy, where that is the same for all tiles. It saves DD registers; in S
// NVIDIA's compiler makes slower programs of it.
#define BEGINS_WITH_OWN(packed) (IS_DOUBLE_DOUBLE && (packed) && ASYNC < 2)

// Of copy c, the q-th of its work-item, the line it begins with, its step, and where that is; in a packed panel tiles
// are contiguous.
#define LINE(c, lines, run, together) ((together) ? (c) % ((lines) / (run)) * (run) : (c) / COPY_STEPS % (lines))
#define STEP_OF(c, lines, run, together) \
  ((together) ? (c) / ((lines) / (run)) : (c) % COPY_STEPS + (c) / (COPY_STEPS * (lines)) * COPY_STEPS)
#define PLACE(from, c, q, line, step, run, together, packed)              \
  ((from).at + (BEGINS_WITH_OWN(packed) ? (q) * ITEMS * (run)             \
                : (packed)              ? (c) * (run)                     \
                : (together)            ? (step) * (from).stride + (line) \
                                        : (line) * (from).stride + (step)))

#if ASYNC
static inline uint local_address(const __local void* p) { return (uint)(size_t)p; }
#endif

#if STAGES && ASYNC == 2
#define LEFT_TILE_BYTES (DEPTH * PANEL_ROWS * NUMBER_BYTES)
#define RIGHT_TILE_BYTES (DEPTH * PANEL_COLUMNS * NUMBER_BYTES)
#if LEFT_PITCH != PANEL_ROWS || RIGHT_PITCH != PANEL_COLUMNS || !LEFT_PACKED || !RIGHT_PACKED
#error "hilo: tiles that are copied whole are packed, without room between steps"
#endif
#elif STAGES && ASYNC
#define BEGIN_COPY_OF(cache, bytes, to, from, present)                                               \
  asm volatile("cp.async." #cache ".shared.global [%0], [%1], " #bytes ", %2;" ::"r"(to), "l"(from), \
               "r"((present) * NUMBER_BYTES)                                                         \
               : "memory")
#define BEGIN_COPY(to, from, present, run)    \
  if ((run) * NUMBER_BYTES == 16) {           \
    BEGIN_COPY_OF(cg, 16, to, from, present); \
  } else if ((run) * NUMBER_BYTES == 8) {     \
    BEGIN_COPY_OF(ca, 8, to, from, present);  \
  } else {                                    \
    BEGIN_COPY_OF(ca, 4, to, from, present);  \
  }

// `steps` of the tile are there, or more.
#define DEFINE_COPY(NAME, LINES, PITCH, TOGETHER, PACKED, RUN)                                 \
  static inline void NAME(uint to, source from, int steps, int item) {                         \
    FOR(q, COPIES(LINES, RUN)) {                                                               \
      const int c = item + q * ITEMS;                                                          \
      const int line = LINE(c, LINES, RUN, TOGETHER), step = STEP_OF(c, LINES, RUN, TOGETHER); \
      if (IS_UNEVEN(LINES, RUN) && step >= DEPTH) break;                                       \
      const int present = PACKED ? RUN : step < steps ? clamp(from.lines - line, 0, RUN) : 0;  \
      __global const number* at = PLACE(from, c, q, line, step, RUN, TOGETHER, PACKED);        \
      BEGIN_COPY(to + (step * (PITCH) + line) * NUMBER_BYTES, at, present, RUN)                \
    }                                                                                          \
  }
DEFINE_COPY(copy_left, PANEL_ROWS, LEFT_PITCH, LEFT_TOGETHER, LEFT_PACKED, LEFT_COPY)
DEFINE_COPY(copy_right, PANEL_COLUMNS, RIGHT_PITCH, RIGHT_TOGETHER, RIGHT_PACKED, RIGHT_COPY)
#define END_OF_COPIES asm volatile("cp.async.commit_group;" ::: "memory");
// All but the last STAGES - 2 tiles are there.
#define WAIT_FOR_COPIES asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
#elif STAGES
#define DEFINE_COPY(LOAD, STORE, LINES, PITCH, TOGETHER, PACKED)                                           \
  static inline void LOAD(number* kept, source from, int steps, int item) {                                \
    FOR(q, COPIES(LINES, 1)) {                                                                             \
      const int c = item + q * ITEMS;                                                                      \
      const int line = LINE(c, LINES, 1, TOGETHER), step = STEP_OF(c, LINES, 1, TOGETHER);                 \
      if (!PACKED) kept[q] = (number)(0);                                                                  \
      if (PACKED ? !IS_UNEVEN(LINES, 1) || step < DEPTH : step < min(steps, DEPTH) && line < from.lines) { \
        kept[q] = *PLACE(from, c, q, line, step, 1, TOGETHER, PACKED);                                     \
      }                                                                                                    \
    }                                                                                                      \
  }                                                                                                        \
  static inline void STORE(__local number* to, const number* kept, int item) {                             \
    FOR(q, COPIES(LINES, 1)) {                                                                             \
      const int c = item + q * ITEMS;                                                                      \
      const int line = LINE(c, LINES, 1, TOGETHER), step = STEP_OF(c, LINES, 1, TOGETHER);                 \
      if (!IS_UNEVEN(LINES, 1) || step < DEPTH) to[step * (PITCH) + line] = kept[q];                       \
    }                                                                                                      \
  }
DEFINE_COPY(load_left, store_left, PANEL_ROWS, LEFT_PITCH, LEFT_TOGETHER, LEFT_PACKED)
DEFINE_COPY(load_right, store_right, PANEL_COLUMNS, RIGHT_PITCH, RIGHT_TOGETHER, RIGHT_PACKED)
#endif
