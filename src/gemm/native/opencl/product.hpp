// Products in S, D, C and Z on an OpenCL device, in its own arithmetic.
#pragma once

#include <complex>

#include "gemm/direct/opencl/product.hpp"

namespace hilo::native {

/// C_i = alpha · A_i · B_i + beta · C_i for a batch of products whose matrices lie the strides apart; rows or columns
/// of each matrix are side by side. Nothing is checked here. m, n >= 1.
struct NativeProduct {
  Precision precision;
  std::int64_t m, n, k;
  std::complex<double> alpha, beta;
  tile::OpenclMatrix a, b, c;
  std::int64_t batch = 1, stride_a = 0, stride_b = 0, stride_c = 0;
  bool is_three_products = false;  ///< C and Z: by three real products (opencl_three.hpp)
};

/// For the tuner and the tests; by default a device's own.

/// As a device is expected to cut a product by itself; m, n, k >= 1.
tile::Form planned_form(const DeviceInfo& device, const NativeProduct& product);

/// A table's tile that does not build, or that the device does not launch, gives way to the default (tile_table.hpp).
/// Throws unsupported for D and Z on a device without double precision, build_failure, out_of_memory; all before the
/// first command that writes to C.
tile::Run enqueue_native(opencl::QueueState& queue, const NativeProduct& product,
                         const std::vector<cl::Event>& wait_list, const tile::Choice& choice = {});

}  // namespace hilo::native
