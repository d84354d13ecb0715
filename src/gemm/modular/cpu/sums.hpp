// The sum test: how many bits the entries of a product ask for, by lower bounds of (|A||B|)_ij that a product of bytes
// gives. docs/modular.md, 1.3.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <memory>
#include <vector>

#include "gemm/modular/cpu/bytes.hpp"
#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/cpu/operand.hpp"
#include "gemm/modular/guarantee.hpp"
#include "host/workspace.hpp"

namespace hilo::modular {

struct SumTestRequest {
  Int8Library library;
  int threads;
  std::int64_t bytes;  ///< of magnitudes that are held at a time, about
};

/// First bits of lines of an operand as bytes, a row for each term where runs are along lines, else a row for each
/// line; and packed where the library gains by that.
struct Magnitudes {
  std::int64_t leading = 0, depth = 0;
  bool along = false;
  std::unique_ptr<host::Workspace> bytes, packed;

  std::uint8_t* row(std::int64_t r) const { return reinterpret_cast<std::uint8_t*>(bytes->data()) + r * leading; }
  template <class Byte>
  ByteMatrix<Byte> from(std::int64_t line, bool is_first_operand) const {
    return {reinterpret_cast<const Byte*>(along ? row(0) + line : row(line)), leading, along == is_first_operand};
  }
  std::uint8_t* packed_from(std::int64_t line) const {
    return reinterpret_cast<std::uint8_t*>(packed->data()) + packed_at(line, 0, depth);
  }
};

/// What one look at an operand finds of its lines.
struct LineSums {
  std::vector<double> largest;       ///< |x|; Inf of a line with Inf or NaN
  std::vector<float> norm;           ///< ρ' or σ'; negative of lines without nonzero elements, or with bad ones
  std::vector<std::int64_t> shift;   ///< v or w
  std::vector<std::int32_t> places;  ///< what brings elements to bytes
  Magnitudes all;                    ///< of all lines, where they are few enough to be held
};

/// Reads the operand once. operand: 0 for A, 1 for B, which are packed in different ways.
LineSums line_sums(int operand, const Operand& x, const KernelSet& kernels, const SumTestRequest& request);

/// Reads operands again where their magnitudes are not held.
SumTestFigures sum_test(const Operand (&operand)[2], const LineSums (&lines)[2], const KernelSet& kernels,
                        const SumTestRequest& request);

}  // namespace hilo::modular
