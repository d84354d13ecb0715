// The constants of residues and of rebuilding as the kernels take them: 32-bit limbs and bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gemm/modular/moduli.hpp"
#include "opencl/native.hpp"

namespace hilo::modular {

/// 32-bit limbs of the integers of an operand of `bits` bits, which kernels/modular/residues.cl is built with.
int integer_limbs(int bits);

/// What residues are multiplied by: nothing, or for the columns of a product the inverse of M / m, or of that and of
/// what products leave of sums (residue_factor in bytes.hpp).
enum class OperandWeight : std::uint8_t { of_rows, of_columns, of_montgomery_columns };

/// Of the first `count` moduli of real or complex products, as modular/residues.cl reads it.
std::vector<std::uint32_t> residue_table(int count, int limbs, OperandWeight weight, bool is_complex);
/// Where a modulus begins in it.
std::int64_t residue_table_word(int index, int limbs, bool is_complex);

/// What modular/rebuild.cl is built with.
struct RebuildSizes {
  int groups;  ///< of four moduli
  int limbs;
  bool operator==(const RebuildSizes&) const = default;
};
RebuildSizes rebuild_sizes(int count, bool is_complex);

std::vector<std::uint32_t> rebuild_table(int count, bool is_complex);

/// What modular/rebuild_mma.cl is built with: units of 16 moduli, and blocks of 64 bits, which hold M.
struct MatrixSizes {
  int units, blocks;
  int limbs() const { return 2 * blocks; }
};
MatrixSizes matrix_sizes(int count, bool is_complex);

/// How far modular/rebuild_mma.cl shifts integers to the left, so that M's highest bit is that of its limbs.
int matrix_shift(int count, bool is_complex);

/// Its weights, four bytes in a word: of M / m, and for complex products of M − M / m too; of moduli that split of
/// M / m, of that times 1 / r, and of M less it.
std::vector<std::uint32_t> matrix_weights(int count, bool is_complex);

/// Its modulus_product.
std::vector<std::uint32_t> matrix_modulus(int count, bool is_complex);

/// A table in device memory, made once for a context. Throws device_failure, out_of_memory.
cl::Buffer device_table(opencl::ContextState& context, const std::string& name,
                        const std::function<std::vector<std::uint32_t>()>& make);

/// The moduli of all planes of the first `count` moduli, in device memory.
cl::Buffer moduli_of_planes(opencl::ContextState& context, int count, bool is_complex);

}  // namespace hilo::modular
