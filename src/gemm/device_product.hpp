// Products of matrices that are in device memory: the engine, its commands, its report.
#pragma once

#include <hilo/device.hpp>
#include <hilo/gemm.hpp>

#include "gemm/direct/opencl/product.hpp"
#include "gemm/modular/opencl/product.hpp"
#include "matrix/arguments.hpp"

namespace hilo {

/// Throws unsupported for engines, accuracies and precisions that a device does not have.
template <gemm_scalar T>
GemmPlan device_plan(opencl::ContextState& context, const GemmShape& shape, std::int64_t batch,
                     const GemmOptions& options);

/// A product, or a batch of them, in device memory.
template <class T>
struct DeviceProduct {
  T alpha;
  tile::OpenclMatrix a, b;
  T beta;
  tile::OpenclMatrix c;
  BatchShape batch = {};

  /// Product i of the batch, alone.
  DeviceProduct at(std::int64_t i) const {
    DeviceProduct one = *this;
    one.a.offset += i * batch.stride_a;
    one.b.offset += i * batch.stride_b;
    one.c.offset += i * batch.stride_c;
    one.batch = {};
    return one;
  }
};

tile::OpenclMatrix device_matrix(Layout layout, Op op, cl::Buffer buffer, std::int64_t offset, std::int64_t leading);

/// What was enqueued. `recomputed` counts entries that were computed again as doubles, by cl_uint
/// counters to add, or no buffer.
/// `parts` of C are complete before the event; none where all of it is only then.
struct DeviceRun {
  Event event;
  GemmPlan plan;
  std::int64_t entries_direct = 0;
  opencl::Workspace recomputed;
  std::vector<modular::Part> parts = {};
  std::int64_t counters = 1;
};

/// One product, m, n >= 1, after the events of wait_list, in at least row_parts parts where the engine can. Throws
/// before C is written.
template <gemm_scalar T>
DeviceRun enqueue_product(opencl::QueueState& queue, const GemmPlan& plan, const GemmShape& shape,
                          const GemmOptions& options, const DeviceProduct<T>& product,
                          const std::vector<cl::Event>& wait_list, int row_parts = 0);

/// Products in S, D, C and Z by the direct engine, as one.
template <gemm_scalar T>
DeviceRun enqueue_batch(opencl::QueueState& queue, const GemmPlan& plan, const DeviceProduct<T>& products,
                        const std::vector<cl::Event>& wait_list);

/// Whether they are enqueue_batch's.
template <gemm_scalar T>
bool runs_as_batch(const GemmPlan& plan) {
  return !double_double<T> && plan.engine == Engine::direct;
}

}  // namespace hilo
