// The product of scaled operands on an OpenCL device, panel by panel: residues, their products, C.
#pragma once

#include <cstdint>
#include <vector>

#include "gemm/modular/opencl/plan.hpp"
#include "gemm/modular/opencl/product.hpp"
#include "gemm/modular/opencl/rebuild.hpp"
#include "gemm/modular/opencl/residues.hpp"

namespace hilo::modular {

/// Whether alpha and beta come after rounding.
bool has_factors(const DevicePlan& plan, const DeviceProduct& product);

class Multiplication {
 public:
  /// Takes its kernels and its memory. `plan`, `product`, `operand` and `call` must outlive it. Throws build_failure,
  /// out_of_memory.
  Multiplication(opencl::Call& call, const DevicePlan& plan, const DeviceProduct& product,
                 const DeviceOperand (&operand)[2], const ScaledOperands& scaled, int row_parts);

  void describe(DeviceOutcome& outcome) const;
  const ScalingChoice& choice() const { return scaled_.choice; }

  /// Multiplies without writing to C, where that is one panel.
  void begin();

  /// The parts of C that are complete before the others; none where all are at the end.
  std::vector<Part> run();

  /// Gives its memory back.
  void release();

 private:
  struct Loaded {
    Range panel, chunk, terms;
    bool operator==(const Loaded&) const = default;
  };

  // By place: the operand of the product's rows, of its columns, and of the last columns, which are the edge.
  static constexpr int column_places[] = {1, 2};
  int operand_at(int place) const { return place == 0 ? first_ : 1 - first_; }
  int tile_lines(int place) const;
  std::int64_t padded_lines(int place) const;

  std::int64_t rows_at_once() const;
  void multiply_panel();
  void multiply_columns(int place, Range chunk, Range terms);
  void find_residues(int place, Range chunk, Range terms);
  void rebuild_panel();
  void rebuild_columns(int place);

  opencl::Call& call_;
  const DevicePlan& plan_;
  const DeviceProduct& p_;
  int row_parts_;
  ScaledOperands scaled_;
  int first_;
  DevicePanelProblem problem_;
  DevicePanels panels_;
  ByteMultiplier multiplier_[2];  // this and result_residues_ by place - 1
  Rebuilder rebuilder_;
  Residues residues_;
  cl::Buffer moduli_;
  opencl::Workspace operand_residues_[3], result_residues_[2];
  bool has_begun_ = false;
  Range panel_[3];
  Loaded loaded_[3];
};

}  // namespace hilo::modular
