// What a device has for products of bytes, as far as it says so itself.
#pragma once

#include <vector>

#include "gemm/modular/opencl/bytes.hpp"

namespace hilo::modular {

struct ByteFeatures {
  int compute_capability;  ///< NVIDIA's, 90 for 9.0; 0 elsewhere
  bool integer_dot;        ///< cl_khr_integer_dot_product with four signed bytes in a word
};

ByteFeatures byte_features(opencl::ContextState& context);

/// Why a device cannot have the unit, as far as its features tell; empty where it can. dot_product has none: it can be
/// built for any device, but where has_dot() is false, it is slower than plain.
std::string obstacle_of(ByteUnit unit, const ByteFeatures& features);
bool has_dot(const ByteFeatures& features);

/// The tiles a unit has, the one for large products first.
std::vector<ByteTile> byte_tiles(ByteUnit unit);

/// The unit's program for a tile.
opencl::ProgramRecipe byte_recipe(ByteUnit unit, const ByteTile& tile, const ByteFeatures& features,
                                  ByteResult result = ByteResult::residue);

/// Multiplies known matrices with every tile of the unit. Returns what is wrong, or an empty text; throws what building
/// and running throw. After a fault the context is of no further use.
std::string byte_self_test(opencl::ContextState& context, ByteUnit unit);

}  // namespace hilo::modular
