// What products cost on this machine: a model of a few measured rates, by which `automatic` chooses its engine.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>

#include "gemm/arguments.hpp"

namespace hilo {

/// Seconds on one core. Both engines share the work among threads alike, so one core tells which is faster.
struct CostModel {
  double direct_step;   ///< of one term of a real sum
  double direct_entry;  ///< of a real sum, besides
  double scan;          ///< of a number of A or B: exponents, and its integer
  double residue;       ///< of a number of A or B, for each modulus
  double byte_product;  ///< of one product of bytes and its addition
  double byte_pack;     ///< of a byte of an operand of such a product
  double reduction;     ///< of a sum of bytes
  double rebuild;       ///< of an entry, for each modulus
  double entry;         ///< of an entry, besides
  double call;          ///< of a product of matrices of bytes, besides
};

/// The model for the options' instruction set, library of byte products, accuracy and FMA, measured at the first call
/// for them, which takes about as long as a direct product of 600 x 600 matrices.
const CostModel& cost_model(const GemmOptions& options);

/// Expected seconds of a DD or ZDD product on one core.
double direct_seconds(const CostModel& cost, Precision precision, std::int64_t m, std::int64_t n, std::int64_t k);
double modular_seconds(const CostModel& cost, Precision precision, std::int64_t m, std::int64_t n, std::int64_t k,
                       int moduli);

/// The least n from which on the modular engine is expected to be faster for n × n matrices; 0 if none up to 2^16.
std::int64_t crossover(const CostModel& cost, Precision precision, Accuracy accuracy);

/// Entries that the direct engine computes, with those of its register tiles that lie outside.
constexpr std::int64_t padded_entries(std::int64_t m, std::int64_t n) {
  auto up = [](std::int64_t x, std::int64_t to) { return (x + to - 1) / to * to; };
  std::int64_t rows = up(m, 16) * up(n, 2), columns = up(m, 2) * up(n, 16);
  return rows < columns ? rows : columns;
}

/// Products below this are not worth a look at the model: no machine is expected to gain there.
constexpr bool may_be_modular(Precision precision, std::int64_t m, std::int64_t n, std::int64_t k) {
  double steps = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  return m >= 64 && n >= 64 && k >= 32 && steps * (precision == Precision::zdd ? 4.0 : 1.0) >= 0x1p23;
}

/// What a DD or ZDD product is expected to take by either engine on one core, for entries whose exponents do not
/// spread. Zeros where it is too small to ask: the direct engine's.
struct Expectation {
  double seconds_direct, seconds_modular;
  Engine faster() const { return seconds_modular < seconds_direct ? Engine::modular : Engine::direct; }
};
Expectation expected_seconds(Precision precision, const GemmShape& shape, const GemmOptions& options);

/// The most moduli with which the modular engine is still expected to be as fast as the direct one.
int most_moduli_worthwhile(Precision precision, const GemmShape& shape, const GemmOptions& options);

}  // namespace hilo
