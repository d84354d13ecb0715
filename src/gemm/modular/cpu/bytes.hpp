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

/// Whether operands gain by being packed as residues are found. Where that is false none of what follows is to be
/// called.
bool packs_bytes(Int8Library library);

/// What an operand takes, packed, a multiple of 64: its lines are the rows of the first one, the columns of the second.
std::int64_t packed_bytes(std::int64_t lines, std::int64_t terms);

/// Where a part of an operand of `depth` terms begins: `line` is a multiple of packed_lines, `term` of packed_side.
/// packed_lines · packed_side bytes lie together.
inline constexpr std::int64_t packed_lines = 16, packed_side = 64;
std::int64_t packed_at(std::int64_t line, std::int64_t term, std::int64_t depth);

/// Packs a part of an operand, lines and terms up to multiples of packed_side or the operand's ends, to where it
/// begins. Packed operands begin cache lines.
void pack_bytes(ByteMatrix<std::uint8_t> first, std::int64_t lines, std::int64_t terms, std::int64_t depth,
                std::uint8_t* to);
void pack_bytes(ByteMatrix<std::int8_t> second, std::int64_t lines, std::int64_t terms, std::int64_t depth,
                std::uint8_t* to);

/// Makes of packed_lines · packed_side bytes that one operand would have so together what the other has: 16 × 16 words
/// of four terms, transposed. Both begin cache lines, and may be the same.
void transpose_words(const std::uint8_t* rows, std::uint8_t* to);

/// Rows of the first operand that are multiplied after so many more calls: they are brought to cache meanwhile.
struct NextRows {
  const std::uint8_t* first = nullptr;  ///< where they begin; there are none without
  std::int64_t calls = 0;
};

/// multiply_bytes() of parts of packed operands, from where they begin; terms >= 1, and there are rows and columns.
void multiply_packed_bytes(std::int64_t rows, std::int64_t columns, std::int64_t terms, std::int64_t depth,
                           const std::uint8_t* first, const std::uint8_t* second, std::int32_t* sums,
                           std::int64_t leading_sums, const NextRows& next = {});

}  // namespace hilo::modular
