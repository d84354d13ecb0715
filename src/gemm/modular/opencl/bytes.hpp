// Products of bytes modulo small numbers on an OpenCL device: a ladder of units, the best one that a device has and
// that passes its self-test (self_test.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opencl/native.hpp"

namespace hilo::modular {

/// What multiplies bytes, best first.
enum class ByteUnit : std::uint8_t {
  wgmma,        ///< NVIDIA sm_90a: warpgroup matrix units; instructions that are bound late (opencl/late_bound.hpp)
  mma_sync,     ///< NVIDIA from sm_80 on: matrix units
  dot_product,  ///< four products at a time
  plain         ///< integers, anywhere
};
inline constexpr int byte_units = 4;

std::string_view name(ByteUnit unit);

/// The part of C that a work-group computes. Operands come in panels of so many lines, their terms padded to a multiple
/// of `depth`; kernels/bytes/plain.cl draws the layout. Panels have their lines in order or in quads
/// (kernels/bytes/line_order.clh), and then multiples of 64 of them.
struct ByteTile {
  int rows, columns, depth;
  bool in_quads;
  bool is_montgomery;         ///< products leave sums times residue_factor()
  bool keeps_panels = false;  ///< of few terms may stay in local memory for a run of tiles (kernels/bytes/runs.clh)
};

/// What a product leaves of a sum x is x times this modulo m, in [0, m): 1, or of tiles that reduce as Montgomery does
/// −2^-32, and 1 for m = 256.
int residue_factor(bool is_montgomery, int m);

/// Terms that are summed up before a reduction: with residues below 256, less than 2^32 − 2^24.
inline constexpr std::int64_t max_device_depth = 65536;

/// A triangle of a product: entries beside and on one side of its diagonal, whose row i and column i + diagonal meet.
struct ByteTriangle {
  bool is_upper;
  std::int64_t diagonal;
};

/// Of products whose sums are tested: norms of A's lines, and of B's from the one that is named on; of the entries of
/// these lines the most bits that one asks for joins what is in a word of `figures` (kernels/bytes/sum_test.cl).
struct SumTestOfProduct {
  cl::Buffer norms_of_a, norms_of_b;
  int first_norm_of_b, lines_of_a, lines_of_b;
  cl::Buffer figures;
  int figure;
};

/// `planes` products: plane p is C_p = f · A_p · B_p mod modulus[first_plane + p], in [0, m), f the tile's
/// residue_factor().
/// A_p starts at first_of_a + p · row_panels · tile.rows · depth_of_a bytes of a, B_p likewise in b; C_p at
/// (first_plane + p) · rows · columns of c, row by row, rows and columns whole panels.
struct ByteProduct {
  cl::Buffer a, b, c;
  cl::Buffer moduli;  ///< int for each plane, 256 or odd
  int first_plane, planes;
  int row_panels, column_panels;
  std::int64_t depth;                           ///< terms, a multiple of tile.depth, at most max_device_depth
  bool accumulates;                             ///< adds to the residues that are in c
  std::int64_t first_of_b = 0;                  ///< bytes of b before B
  ByteTriangle triangle = {};                   ///< of multipliers of triangles: an entry of it, at least, is among C's
  std::int64_t first_of_a = 0;                  ///< bytes of a before A
  std::int64_t depth_of_a = 0, depth_of_b = 0;  ///< terms that panels have; 0 where these are `depth`
  /// Of multipliers of blocks (block_products.hpp): planes of A and B have the factors one after the other, row_panels,
  /// column_panels and depth are a block's, and C's blocks lie in it as they do in a matrix.
  int levels = 0;
  cl::Buffer scratch = {};     ///< scratch_bytes() of them, of which the first four are 0
  SumTestOfProduct test = {};  ///< of ByteResult::sum_test, whose only plane has no modulus and no C
  int run = 0;                 ///< tiles for which a panel may stay in local memory; 0: as many as pay, 1: none stays
};

/// Whose panels stay in local memory (runs.hpp), and for how many tiles; 1: nobody's.
struct TileRuns {
  int kept, run;
};

/// One way to multiply bytes, built for a context.
class ByteMultiplier {
 public:
  /// `groups` work-groups share the tiles of a product, as many as the device holds at a time; 0: one group for each.
  /// A triangle's tiles come in bands of stair_rows rows of them; 0 multiplies all.
  ByteMultiplier(opencl::ContextState& context, cl::Program program, const ByteTile& tile, int group_size, int groups,
                 int stair_rows, bool tests_sums)
      : context_(&context),
        program_(std::move(program)),
        tile_(tile),
        group_size_(group_size),
        groups_(groups),
        stair_rows_(stair_rows),
        tests_sums_(tests_sums) {}

  /// A kernel with its arguments set, and how many items to launch, in groups of `local`.
  struct Launch {
    opencl::BorrowedKernel kernel;
    cl::NDRange global, local;
  };
  Launch launch(const ByteProduct& product) const;

  /// Bytes of ByteProduct::scratch.
  std::int64_t scratch_bytes(const ByteProduct& product) const;

 private:
  /// Work-groups that share so many runs of tiles.
  std::int64_t groups_of(std::int64_t runs) const;
  TileRuns tile_runs(const ByteProduct& product, std::int64_t tiles) const;

  opencl::ContextState* context_;
  cl::Program program_;
  ByteTile tile_;
  int group_size_, groups_, stair_rows_;
  bool tests_sums_;
};

/// The work-groups that share the tiles of a product on a device with so many compute units; 0: each has one.
std::int64_t groups_at_once(ByteUnit unit, const ByteTile& tile, int compute_units);

/// Bytes of ByteProduct::scratch there: `tiles` of a block's result, of all planes.
std::int64_t block_scratch_bytes(ByteUnit unit, const ByteTile& tile, int compute_units, int levels,
                                 std::int64_t tiles);

/// What a device has for products of bytes, as far as it says so itself.
struct ByteFeatures {
  int compute_capability;  ///< NVIDIA's, 90 for 9.0; 0 elsewhere
  bool integer_dot;        ///< cl_khr_integer_dot_product with four bytes in a word

  bool has_dp4a() const { return compute_capability >= 61; }
};

ByteFeatures byte_features(opencl::ContextState& context);

/// Why a device cannot have the unit, as far as its features tell; empty where it can. dot_product has none: it can be
/// built for any device, but where has_dot() is false, it is slower than plain.
std::string obstacle_of(ByteUnit unit, const ByteFeatures& features);
bool has_dot(const ByteFeatures& features);

/// What a product has: all tiles, or those with an entry of a triangle, and then the others stay as they are, or all
/// tiles of all blocks of C.
enum class BytePart : std::uint8_t { whole, triangle, blocks };

/// What a device has of a unit.
struct UnitFinding {
  ByteUnit unit;
  std::string obstacle;              ///< why it cannot be used; empty where it can
  std::optional<errc> passing = {};  ///< the code of a failure that is the obstacle, and may pass
};

/// The units of a device from the best on, down to the first that can be used: each is tried on known products in a
/// context of its own, once for each device, driver and kernel text; bytes found right or wrong are kept with the cache
/// of programs. Where a call fails it is tried twice, and again later: for the next product where no other unit can be
/// used, else once some time has passed. Where a unit faults, NVIDIA's driver takes the device from the whole process;
/// after two such processes later ones start with the next unit. $HILO_INT8_UNIT, the name of a unit, asks for that one
/// alone.
std::vector<UnitFinding> find_units(opencl::ContextState& context);

/// The unit that find_units found. Throws self_test_failure with all obstacles, or the code of one that may pass, and
/// invalid_argument for a name in $HILO_INT8_UNIT that is none.
ByteUnit byte_unit(opencl::ContextState& context);

/// Whether a unit that find_units found also multiplies triangles or blocks: their kernels are tried as a unit's are,
/// with answers of their own, when they are first asked for. Whole products do not depend on it. Throws no hilo::error:
/// what keeps the device from an answer is an obstacle, which may pass.
UnitFinding find_part(opencl::ContextState& context, ByteUnit unit, BytePart part);
bool multiplies(opencl::ContextState& context, ByteUnit unit, BytePart part);

/// Multiplies known matrices, whole products, triangles or blocks, with every tile of the unit. Returns what is wrong,
/// or an empty text; throws what building and running throw. After a fault the context is of no further use.
std::string byte_self_test(opencl::ContextState& context, ByteUnit unit, BytePart part = BytePart::whole);

/// The tiles a unit has, the one for large products first.
std::vector<ByteTile> byte_tiles(ByteUnit unit);

/// The tile for products of rows × columns.
ByteTile byte_tile(ByteUnit unit, std::int64_t rows, std::int64_t columns);

/// The tile for a product's last columns, those beyond whole tiles: a narrower one where that saves work, else `tile`.
/// Its rows and depth are those of `tile`, so that both take the same residues of rows.
ByteTile edge_tile(ByteUnit unit, const ByteTile& tile, std::int64_t columns);

/// What becomes of a sum of products.
enum class ByteResult : std::uint8_t {
  residue,  ///< modulo the plane's number
  sum_test  ///< none is kept, but what ByteProduct::test asks; of sums below 2^31
};

/// The unit's program for a tile.
opencl::ProgramRecipe byte_recipe(ByteUnit unit, const ByteTile& tile, const ByteFeatures& features,
                                  ByteResult result = ByteResult::residue, BytePart part = BytePart::whole);

/// Builds it, or takes it from the context. Throws build_failure.
ByteMultiplier byte_multiplier(opencl::ContextState& context, ByteUnit unit, const ByteTile& tile,
                               ByteResult result = ByteResult::residue, BytePart part = BytePart::whole);

}  // namespace hilo::modular
