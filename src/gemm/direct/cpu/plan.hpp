// How the direct engine computes products on the CPU: all that is decided before they run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hilo/gemm.hpp>
#include <memory>

#include "gemm/direct/cpu/kernels.hpp"
#include "gemm/direct/reference.hpp"
#include "matrix/product.hpp"
#include "matrix/sizes.hpp"

namespace hilo::direct {

/// How a product is cut to lines, tiles, tasks, blocks and super-chunks, and which lines lie in SIMD lanes.
struct Geometry {
  const TileKernel* kernel;
  std::int64_t lines[2];  // of the vector and of the scalar operand
  std::int64_t steps;
  std::int64_t width[2];  // of the register tile
  std::int64_t task[2];   // lines of a task, multiples of width
  std::int64_t outer[2];  // lines of a block, multiples of task
  bool swapped;           // op(A) is the scalar operand
  int threads;
  std::int64_t group;  // super-chunks computed side by side

  std::int64_t superchunks() const { return blocks(steps, superchunk_steps); }
  std::int64_t chunks_of_group() const { return blocks(std::min(steps, group * superchunk_steps), chunk_steps); }
  std::int64_t outer_lines_of(int operand) const {
    return std::min(round_up(lines[operand], task[operand]), outer[operand]);
  }
  // Doubles.
  std::int64_t packed_size(int operand) const { return chunks_of_group() * chunk_steps * 2 * outer_lines_of(operand); }
  std::int64_t task_size() const { return 2 * task[0] * task[1]; }
  std::int64_t tasks(int operand) const { return blocks(outer_lines_of(operand), task[operand]); }
  // Tasks that run at one time.
  std::int64_t running() const { return std::min<std::int64_t>(threads, tasks(0) * tasks(1)); }
  std::int64_t partials_size() const { return (group > 1 ? group * tasks(0) * tasks(1) : running()) * task_size(); }
  std::int64_t totals_size() const { return (superchunks() > group ? tasks(0) * tasks(1) : running()) * task_size(); }
  std::int64_t workspace() const { return packed_size(0) + packed_size(1) + partials_size() + totals_size(); }
};

/// For any products of that precision, shape and batch.
struct CpuPlan {
  enum class Way : std::uint8_t {
    reference,  ///< no kernel on this CPU has the sequence asked for: the definition computes it
    small,      ///< one call of a kernel, without packing: SmallProduct
    tiled
  };

  const KernelSet* set;
  Accuracy accuracy;
  bool fma;
  Way way;
  bool is_by_batch;  ///< many small products: a thread takes whole ones, with a workspace of its own
  int threads;
  std::shared_ptr<const Geometry> geometry;  ///< tiled; without it a plan is made in less time than a small product

  /// Bytes of all threads.
  std::int64_t workspace() const;
};

/// From the precision, layout, sizes, batch and accuracy of a plan in DD or ZDD, of which it fills unit, threads, fma,
/// tiles, depth and workspace. Throws unsupported for an unknown options.target.
CpuPlan plan_product(GemmPlan& told, const GemmOptions& options);

/// Of a small product whose kernel has found an entry that is not finite.
Geometry geometry_of_small(const CpuPlan& plan, const Product<dd_real>& x);

}  // namespace hilo::direct
