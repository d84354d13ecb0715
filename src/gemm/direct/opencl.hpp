// The direct engine on an OpenCL device: pack, multiply, finish (kernels/).
#pragma once

#include <hilo/complex.hpp>
#include <optional>

#include "gemm/direct/opencl_tile.hpp"
#include "opencl/native.hpp"

namespace hilo::direct {

/// A matrix in device memory, as its view from element `offset` on.
struct OpenclMatrix {
  cl::Buffer buffer;
  std::int64_t offset, row_stride, column_stride;
  bool conjugate;
};

/// C = alpha · A · B + beta · C, A m × k, B k × n; nothing is checked here. m, n >= 1.
struct OpenclProduct {
  bool is_complex;
  std::int64_t m, n, k;
  dd_complex alpha, beta;
  OpenclMatrix a, b, c;
  Accuracy accuracy;
  bool fma;
};

/// For the tuner and the tests; by default a device's own.
struct OpenclChoice {
  std::optional<OpenclTile> tile = {};
  std::optional<std::int64_t> workspace = {};
  std::optional<bool> is_small = {};  ///< DD and ZDD: by one launch (kernels/small_product.cl)
};

/// How a product is cut, in GemmPlan's words.
struct OpenclForm {
  std::int64_t micro_rows, micro_columns;  ///< of a work-item
  std::int64_t tile_rows, tile_columns;    ///< of a work-group
  std::int64_t depth, workspace_bytes;
};

/// As a device is expected to cut it by itself; m, n, k >= 1.
OpenclForm planned_form(const DeviceInfo& device, const OpenclProduct& product);

/// The event of the whole product, and where the count of recomputed entries waits for who wants it.
struct OpenclRun {
  Event event;
  std::optional<OpenclForm> form;  ///< that ran; none where C = beta · C, or nothing was to do
  opencl::Workspace recomputed;    ///< cl_uint counters to add; no buffer where no entry can be
  std::int64_t counters = 1;
};

/// A table's tile that does not build, or that the device does not launch, gives way to the default (tile_table.hpp).
/// Throws unsupported for a device without double precision, self_test_failure, build_failure, out_of_memory; all
/// before the first command that writes to C.
OpenclRun enqueue(opencl::QueueState& queue, const OpenclProduct& product, const std::vector<cl::Event>& wait_list,
                  const OpenclChoice& choice = {});

}  // namespace hilo::direct
