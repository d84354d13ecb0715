// Products of matrices in host memory on one device or several: which way the matrices go.
#pragma once

#include <hilo/gemm.hpp>
#include <vector>

#include "gemm/device_product.hpp"
#include "matrix/product.hpp"
#include "stream/devices.hpp"

namespace hilo::stream {

/// How a product is planned: plan_product or plan_inner_product.
using Planner = DevicePlan(opencl::ContextState& context, const GemmShape& shape, const DeviceProduct& product,
                           const GemmOptions& options);

/// One product or a batch on devices, each of which has a part of one that is large; reported, and the ways of a
/// product in panels, one of each device that had a part. Bits and errors are those of the first device alone.
/// is_group: one device is a group, too, whose products go in panels as those of several.
template <gemm_scalar T>
GemmReport multiply(const Devices& devices, Planner planner, const GemmShape& shape, const Product<T>& product,
                    const GemmOptions& options, std::vector<StreamReport>& streams, bool is_group = false);

/// The triangle of C, square, that the product names, in panels, as takes_triangle() has it of the plan. False where
/// entries do not let panels tell what the whole decides; C is as before then, or, where beta is 0, of no particular
/// value.
template <gemm_scalar T>
bool multiply_triangle(const Devices& devices, Planner planner, const Product<T>& product, const GemmOptions& options,
                       std::vector<StreamReport>& streams);

}  // namespace hilo::stream
