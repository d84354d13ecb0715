// The direct engine's sum over one super-chunk of 4096 steps for a block of C, from packed panels, without edges.
//
// A work-group computes PANEL_ROWS x PANEL_COLUMNS of C, a work-item ITEM_ROWS x ITEM_COLUMNS of them, interleaved:
//
//        columns ty, ty + GROUP_COLUMNS, ...
//        +---+---+---+---+
//   rows | x |   | x |   |     tx, tx + GROUP_ROWS, ... (of HILO_LANES rows each): neighbours in a work-group read
//   tx   |   |   |   |   |     neighbours in memory
//        | x |   | x |   |
//        +---+---+---+---+
//
//   ITEM_ROWS, ITEM_COLUMNS     1 ... 8; ITEM_ROWS a multiple of HILO_LANES
//   GROUP_ROWS, GROUP_COLUMNS   1 ... 32 work-items
//   DEPTH                       4 8 16 32 64   steps held in local memory at a time
//   LOCAL_STAGES                0 operands straight from global memory (CPU: no copy, and the cache keeps them);
//                               1 one tile in local memory; 2 two, the next one on its way through registers
//   SUM_IN_GLOBAL               0 1   the sum of the chunks waits in registers, or in `partial`
//   RENORMALISE_EVERY           1 4   steps between two renormalisations; fixes the bits
//   HILO_FMA                    0 1   which of the two sequences of the step; fixes the bits
//
// The order of summation is docs/error-bounds.md's; none of the other parameters can change a bit.

#define CHUNK 64
#define SUPERCHUNK 4096
#define PANEL_ROWS (ITEM_ROWS * GROUP_ROWS)
#define PANEL_COLUMNS (ITEM_COLUMNS * GROUP_COLUMNS)
#define ITEM_GROUPS (ITEM_ROWS / HILO_LANES)
#define PANEL_GROUPS (PANEL_ROWS / HILO_LANES)

#if HILO_FMA
#define STEP step_fma
#else
#define STEP step_split
#endif

#define FOR_TILE \
  _Pragma("unroll") for (int i = 0; i < ITEM_GROUPS; ++i) _Pragma("unroll") for (int j = 0; j < ITEM_COLUMNS; ++j)

// One step of every entry of the tile; LEFT(i) and RIGHT(j) are the operands in memory.
#define STEP_TILE(LEFT, RIGHT)                                                      \
  {                                                                                 \
    dd a[ITEM_GROUPS], b[ITEM_COLUMNS];                                             \
    _Pragma("unroll") for (int i = 0; i < ITEM_GROUPS; ++i) a[i] = from_pair(LEFT); \
    _Pragma("unroll") for (int j = 0; j < ITEM_COLUMNS; ++j) b[j] = broadcast(RIGHT); \
    FOR_TILE sum[i][j] = STEP(sum[i][j], a[i], b[j]);                               \
  }

#define RENORMALISE_TILE FOR_TILE sum[i][j] = fast_two_sum(sum[i][j].hi, sum[i][j].lo);

#if SUM_IN_GLOBAL
#define PARTIAL(i, j) partial[(size_t)(j * GROUP_COLUMNS) * row_groups + i * GROUP_ROWS]
#define CLOSE_CHUNK                                                                                              \
  FOR_TILE {                                                                                                     \
    PARTIAL(i, j) = to_pair(add_finite(from_pair(PARTIAL(i, j)), two_sum(sum[i][j].hi, sum[i][j].lo)));          \
    sum[i][j].hi = sum[i][j].lo = literal(0.0);                                                                  \
  }
#else
#define CLOSE_CHUNK                                                                    \
  FOR_TILE {                                                                           \
    chunks[i][j] = add_finite(chunks[i][j], two_sum(sum[i][j].hi, sum[i][j].lo));      \
    sum[i][j].hi = sum[i][j].lo = literal(0.0);                                        \
  }
#endif

// left and right hold panels of `depth` steps, of which `steps` are the product's. Super-chunk z = get_group_id(2) goes
// to plane z of partial, as pairs [z][column][row / HILO_LANES].
__kernel __attribute__((reqd_work_group_size(GROUP_ROWS, GROUP_COLUMNS, 1))) void multiply_panels(
    __global const pair* restrict left, __global const double2* restrict right, __global pair* restrict partial,
    int depth, int steps) {
  const int tx = (int)get_local_id(0), ty = (int)get_local_id(1);
  const size_t column_block = get_group_id(0), row_block = get_group_id(1), plane = get_group_id(2);
  const size_t columns = get_num_groups(0) * PANEL_COLUMNS, row_groups = get_num_groups(1) * PANEL_GROUPS;
  const int start = (int)plane * SUPERCHUNK;
  const int count = min(steps - start, SUPERCHUNK);
  left += (row_block * depth + start) * PANEL_GROUPS;
  right += (column_block * depth + start) * PANEL_COLUMNS;
  partial += (plane * columns + column_block * PANEL_COLUMNS + ty) * row_groups + row_block * PANEL_GROUPS + tx;

  dd sum[ITEM_GROUPS][ITEM_COLUMNS];
  FOR_TILE sum[i][j].hi = sum[i][j].lo = literal(0.0);
#if SUM_IN_GLOBAL
  FOR_TILE PARTIAL(i, j) = to_pair(sum[i][j]);
#else
  dd chunks[ITEM_GROUPS][ITEM_COLUMNS];
  FOR_TILE chunks[i][j] = sum[i][j];
#endif

#if LOCAL_STAGES
#define ITEMS (GROUP_ROWS * GROUP_COLUMNS)
#define LEFT_TILE (DEPTH * PANEL_ROWS)
#define RIGHT_TILE (DEPTH * PANEL_COLUMNS)
#define FOR_LOADS(q, tile) _Pragma("unroll") for (int q = 0; q < (tile) / ITEMS; ++q)
  __local double2 left_tile[LOCAL_STAGES][LEFT_TILE], right_tile[LOCAL_STAGES][RIGHT_TILE];
  const int item = ty * GROUP_ROWS + tx;
  const int tiles = (count + DEPTH - 1) / DEPTH;
  left += item;
  right += item;
#if LOCAL_STAGES == 2
  double2 next_left[LEFT_TILE / ITEMS], next_right[RIGHT_TILE / ITEMS];
  FOR_LOADS(q, LEFT_TILE) next_left[q] = left[q * ITEMS];
  FOR_LOADS(q, RIGHT_TILE) next_right[q] = right[q * ITEMS];
#endif
  int stage = 0;
  for (int tile = 0; tile < tiles; ++tile) {
#if LOCAL_STAGES == 2
    FOR_LOADS(q, LEFT_TILE) left_tile[stage][item + q * ITEMS] = next_left[q];
    FOR_LOADS(q, RIGHT_TILE) right_tile[stage][item + q * ITEMS] = next_right[q];
    barrier(CLK_LOCAL_MEM_FENCE);
    left += LEFT_TILE;
    right += RIGHT_TILE;
    if (tile + 1 < tiles) {
      FOR_LOADS(q, LEFT_TILE) next_left[q] = left[q * ITEMS];
      FOR_LOADS(q, RIGHT_TILE) next_right[q] = right[q * ITEMS];
    }
#else
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_LOADS(q, LEFT_TILE) left_tile[0][item + q * ITEMS] = left[q * ITEMS];
    FOR_LOADS(q, RIGHT_TILE) right_tile[0][item + q * ITEMS] = right[q * ITEMS];
    barrier(CLK_LOCAL_MEM_FENCE);
    left += LEFT_TILE;
    right += RIGHT_TILE;
#endif
#define TILE_LEFT left_tile[stage][k * PANEL_ROWS + tx + i * GROUP_ROWS]
#define TILE_RIGHT right_tile[stage][k * PANEL_COLUMNS + ty + j * GROUP_COLUMNS]
    const int present = count - tile * DEPTH;
    if (present >= DEPTH) {
      _Pragma("unroll") for (int k = 0; k < DEPTH; ++k) {
        STEP_TILE(TILE_LEFT, TILE_RIGHT)
        if (k % RENORMALISE_EVERY == RENORMALISE_EVERY - 1) RENORMALISE_TILE
      }
    } else {
      for (int k = 0; k < present; ++k) {
        STEP_TILE(TILE_LEFT, TILE_RIGHT)
        if (k % RENORMALISE_EVERY == RENORMALISE_EVERY - 1) RENORMALISE_TILE
      }
    }
    if (tile % (CHUNK / DEPTH) == CHUNK / DEPTH - 1 || tile == tiles - 1) CLOSE_CHUNK
#if LOCAL_STAGES == 2
    stage ^= 1;
#endif
  }
#else
#define DIRECT_LEFT left[k * PANEL_GROUPS + tx + i * GROUP_ROWS]
#define DIRECT_RIGHT right[k * PANEL_COLUMNS + ty + j * GROUP_COLUMNS]
  for (int first = 0; first < count; first += CHUNK) {
    const int last = min(first + CHUNK, count);
    int k = first;
    while (k + RENORMALISE_EVERY <= last) {
      _Pragma("unroll") for (int r = 0; r < RENORMALISE_EVERY; ++r, ++k) STEP_TILE(DIRECT_LEFT, DIRECT_RIGHT)
      RENORMALISE_TILE
    }
    for (; k < last; ++k) STEP_TILE(DIRECT_LEFT, DIRECT_RIGHT)
    CLOSE_CHUNK
  }
#endif

#if !SUM_IN_GLOBAL
  FOR_TILE partial[(size_t)(j * GROUP_COLUMNS) * row_groups + i * GROUP_ROWS] = to_pair(chunks[i][j]);
#endif
}
