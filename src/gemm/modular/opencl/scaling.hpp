// The guardrail of the modular engine on an OpenCL device: exponents, their spread, bits and moduli (scaling.hpp is the
// CPU's, docs/modular.md defines both).
#pragma once

#include <algorithm>
#include <cstdint>
#include <hilo/gemm.hpp>
#include <optional>
#include <vector>

#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/opencl/direct_entries.hpp"
#include "gemm/modular/opencl/operand.hpp"
#include "gemm/modular/opencl/scan.hpp"
#include "gemm/modular/opencl/spread_test.hpp"
#include "opencl/call.hpp"

namespace hilo::modular {

/// What the figures of a product decide.
struct ScalingChoice {
  Path path = Path::modular;
  int bits[2] = {0, 0};   ///< p: what scales A's lines to integers, and B's, beside their exponents
  int extra[2] = {0, 0};  ///< bits that a line's integers may have beyond p
  int moduli = 0;
  bool is_by_sums = false;  ///< exponents are those of the lines less v and w

  bool operator==(const ScalingChoice&) const = default;
  bool is_modular() const { return path == Path::modular || path == Path::modular_balanced; }
  /// Of an integer of either operand.
  int most_bits() const { return std::max(bits[0] + extra[0], bits[1] + extra[1]); }
};

/// What scales A and B to integers.
struct ScaledOperands {
  ScalingChoice choice;
  /// Exponents of the lines of A and then of B (int), as the kernels' LINE_ constants say where a line has none.
  cl::Buffer exponents;
  /// The balance of each term (int); null where there is none.
  cl::Buffer balance;
};

/// What the last product in this context took that was alike but for m and n, and settled by the sum test; for who
/// begins with that.
std::optional<ScalingChoice> noted_choice(const opencl::ContextState& context, ElementKind kind, Accuracy accuracy,
                                          std::int64_t k);
/// For the next one; none where the sum test did not settle it.
void note_choice(opencl::ContextState& context, ElementKind kind, Accuracy accuracy, std::int64_t k,
                 const std::optional<ScalingChoice>& choice);

/// Whether residues made by one choice are those of the other: they differ in bits of integers that are not used.
bool makes_same_residues(const ScalingChoice& made, const ScalingChoice& wanted, ElementKind kind);

/// Its memory stays until the end of the call.
struct DeviceScaling : ScaledOperands {
  int esc = 0;
  double error_bound_u2 = 0.0;
  DirectList direct;  ///< entries for the direct engine
};

struct DeviceScalingRequest {
  Accuracy accuracy;
  int bits;                   ///< for Accuracy::bits
  int most_moduli;            ///< more are slower than the direct engine
  ByteUnit unit;              ///< that multiplies bytes
  int triangle;               ///< that entries for the direct engine are of, as triangle_of() has it
  bool is_tentative = false;  ///< entries that cannot be scaled end the product (direct_for_operands)
};

/// The largest e + f of an entry that the direct engine does not have to look at: |sum| < 2^1022 there.
std::int64_t most_exponent(Accuracy accuracy, std::int64_t k, bool is_complex);

/// Bytes that a Guardrail takes at most, for a product m × n × k whose exponents do not spread widely. Those of
/// elements and of entries are free again after release(); a few words of each line and term stay until the end of
/// the call.
std::int64_t scaling_bytes(Accuracy accuracy, ElementKind kind, std::int64_t m, std::int64_t n, std::int64_t k);

/// Four stages: the scan of both operands (k >= 1), which is on its way once there is a Guardrail; what a like product
/// before it lets expect, for who begins with that; the figures, which come after all that is enqueued when they are
/// asked for; and what they decide, for which the device is waited for: once where the magnitudes of ordinary matrices
/// tell how many moduli it takes, a few times more where exponents spread widely.
class Guardrail {
 public:
  /// `operand` and `call` must outlive it. Throws out_of_memory.
  Guardrail(opencl::Call& call, ElementKind kind, const DeviceOperand (&operand)[2],
            const DeviceScalingRequest& request);

  std::optional<ScaledOperands> expected() const;

  /// Once, before settle().
  void begin_read() { scan_.begin_read(); }

  /// Throws unsupported where `tight` or `exact` cannot be met, out_of_memory.
  DeviceScaling settle();

  /// Gives back the memory of elements and of entries.
  void release();

 private:
  void decide();
  bool choose_by_sums();
  void choose_by_spread();
  void choose_given_bits();
  void choose_exact_bits();
  void use_all_bits();
  // Products with zeros beside a triangle take other moduli than their likes.
  bool takes_notes() const { return !request_.is_tentative; }

  opencl::ContextState& context_;
  const ElementKind kind_;
  const DeviceScalingRequest request_;
  const std::int64_t m_, n_, k_;
  const Guarantee guarantee_;
  const std::vector<int> thresholds_;  // of spread
  Scan scan_;
  SpreadTest spread_;
  cl::Buffer scaled_;  // exponents by the sum test
  DeviceScaling scaling_;
};

}  // namespace hilo::modular
