// Products of matrices that are in device memory: the plan, its commands, its report.
#pragma once

#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <variant>

#include "gemm/direct/opencl/plan.hpp"
#include "gemm/modular/opencl/product.hpp"
#include "gemm/native/opencl/plan.hpp"
#include "matrix/arguments.hpp"
#include "matrix/device_product.hpp"

namespace hilo {

/// All that is decided before a product runs, once, for any product of the shape.
struct DevicePlan {
  GemmPlan told;
  GemmOptions options;
  std::variant<direct::DevicePlan, native::DevicePlan, modular::DevicePlan> engine;
};

/// The shape is the product's, as its caller names it. Throws unsupported for engines, accuracies and precisions that a
/// device does not have.
DevicePlan plan_product(opencl::ContextState& context, const GemmShape& shape, const DeviceProduct& product,
                        const GemmOptions& options);

/// The same of a product inside a routine, whose workspace is raised to the least there is.
DevicePlan plan_routine_product(opencl::ContextState& context, const GemmShape& shape, const DeviceProduct& product,
                                const GemmOptions& options);

/// plan_routine_product of a product inside a factorisation, which needs errors only in proportion to the largest
/// entries of rows and columns: in DD and ZDD, where options leave the engine open and do not ask for more than that,
/// the engine follows from the shape alone, and nothing waits for the device. Entries that Inf or NaN take part in may
/// be NaN.
DevicePlan plan_inner_product(opencl::ContextState& context, const GemmShape& shape, const DeviceProduct& product,
                              const GemmOptions& options);

/// A product whose rows or columns are some of C's of a product with that plan, on whatever device: by its engine, with
/// its accuracy.
DevicePlan plan_part(opencl::ContextState& context, const DevicePlan& whole, const DeviceProduct& product,
                     const GemmOptions& options);

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
  bool is_done = true;  ///< false of a tentative product that was given up
};

/// One product, m, n >= 1, after the events of wait_list, in at least row_parts parts where the engine can; or, where
/// runs_as_batch, a batch of them. The plan is left with what ran. Throws before C is written. Operands that are
/// `prepared` are those of the product, as it has them.
DeviceRun execute(DevicePlan& plan, const DeviceProduct& product, opencl::QueueState& queue,
                  const std::vector<cl::Event>& wait_list, int row_parts = 0,
                  const modular::PreparedOperands& prepared = {});

/// Whether execute() is to take a product of which only a triangle is wanted, m = n, which reads A and B: of the
/// modular engine where the device passes its self-test of triangles, which the first question runs.
bool takes_triangle(opencl::ContextState& context, const DevicePlan& plan);

/// Whether execute() takes a batch as one.
inline bool runs_as_batch(const DevicePlan& plan, const DeviceProduct& product) {
  if (const auto* own = std::get_if<native::DevicePlan>(&plan.engine)) return own->batch || !product.offsets;
  const auto* own = std::get_if<direct::DevicePlan>(&plan.engine);
  return own && own->batch;
}

}  // namespace hilo
