// Exact products of matrices of bytes: what the modular engine spends its time in.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <string>
#include <string_view>

namespace hilo::modular {

/// The most terms of a sum: 65536 · 255 · 128 is below 2^31.
inline constexpr std::int64_t max_byte_depth = 65536;

/// op(X): element (i, j) at data[i * leading + j], or data[j * leading + i] where transposed. `leading` is at least the
/// number of elements that lie side by side, where there is more than one line of them.
template <class Byte>
struct ByteMatrix {
  const Byte* data;
  std::int64_t leading;
  bool transposed;
};

/// Where sums go, row-major: row i from data + i * leading on.
struct ByteSums {
  std::int32_t* data;
  std::int64_t leading, rows, columns;
};

/// What multiplies bytes here: `automatic` is AMX where there is any, else oneDNN where it is built in and its
/// start-up check passes. Never returns `automatic`. Throws errc::unsupported, saying why, for what cannot be used.
Int8Library int8_library(Int8Library wanted);

/// "AMX", "oneDNN 2.6.3" or "plain loops"; of `automatic`, what it stands for.
std::string int8_library_name(Int8Library library);

/// How the library multiplies on this CPU, as far as speeds differ by factors: "amx", "onednn-amx",
/// "onednn-avx512-vnni", "onednn-avx2-vnni", "onednn" elsewhere, "plain".
std::string_view int8_path(Int8Library library);

/// Why oneDNN is not used, for people: "not in this build", say; empty where it is.
std::string int8_obstacle();

/// sums = first · second: rows × columns, row-major, every entry exact, on the calling thread alone. A depth of 0 gives
/// zeros. depth <= max_byte_depth; leading_sums >= columns; `library` is what int8_library returned.
void multiply_bytes(Int8Library library, std::int64_t rows, std::int64_t columns, std::int64_t depth,
                    ByteMatrix<std::uint8_t> first, ByteMatrix<std::int8_t> second, std::int32_t* sums,
                    std::int64_t leading_sums);

/// Whether operands that are multiplied more than once gain by being packed first. Where that is false pack_bytes() and
/// multiply_packed_bytes() are not to be called.
bool packs_bytes(Int8Library library);

/// What an operand takes, packed: its lines are the rows of the first one, the columns of the second. Line l is
/// l / packed_lines · packed_bytes(packed_lines, terms) bytes further on, for l a multiple of packed_lines.
inline constexpr std::int64_t packed_lines = 64;
std::int64_t packed_bytes(std::int64_t lines, std::int64_t terms);

/// `to` begins a cache line, and gets packed_bytes(lines, terms).
void pack_bytes(ByteMatrix<std::uint8_t> first, std::int64_t lines, std::int64_t terms, std::uint8_t* to);
void pack_bytes(ByteMatrix<std::int8_t> second, std::int64_t lines, std::int64_t terms, std::uint8_t* to);

/// multiply_bytes() of packed operands; depth >= 1 is that of packing, and there are rows and columns.
void multiply_packed_bytes(std::int64_t rows, std::int64_t columns, std::int64_t depth, const std::uint8_t* first,
                           const std::uint8_t* second, std::int32_t* sums, std::int64_t leading_sums);

}  // namespace hilo::modular
