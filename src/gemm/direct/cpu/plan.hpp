// How the direct engine computes products on the CPU: all that is decided before they run.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <memory>

#include "gemm/direct/cpu/geometry.hpp"

namespace hilo::direct {

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
/// tiles, depth and workspace; `fma` stands for options.fma. Throws unsupported for an unknown options.target.
CpuPlan plan_product(GemmPlan& told, Fma fma, const GemmOptions& options);

}  // namespace hilo::direct
