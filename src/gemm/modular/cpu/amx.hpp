// Products of bytes by AMX, the matrix unit of x86-64.
#pragma once

#include <cstdint>

#include "gemm/modular/cpu/bytes.hpp"

namespace hilo::modular {

/// Whether this build, CPU and system have it. Asks the system for its registers.
bool has_amx();

/// multiply_bytes where has_amx() was true; depth >= 1. False, and nothing written, for want of memory.
bool multiply_amx(std::int64_t depth, ByteMatrix<std::uint8_t> first, ByteMatrix<std::int8_t> second,
                  const ByteSums& sums);

/// What packs_bytes() in bytes.hpp tells of.
std::int64_t amx_packed_bytes(std::int64_t lines, std::int64_t terms);
std::int64_t amx_packed_at(std::int64_t line, std::int64_t term, std::int64_t depth);
void pack_amx(ByteMatrix<std::uint8_t> first, std::int64_t lines, std::int64_t terms, std::int64_t depth,
              std::uint8_t* to);
void pack_amx(ByteMatrix<std::int8_t> second, std::int64_t lines, std::int64_t terms, std::int64_t depth,
              std::uint8_t* to);
void transpose_amx(const std::uint8_t* rows, std::uint8_t* to);
void multiply_amx_packed(std::int64_t terms, std::int64_t depth, const std::uint8_t* first, const std::uint8_t* second,
                         const ByteSums& sums, const NextRows& next);

}  // namespace hilo::modular
