// Complex products on an OpenCL device by three real products instead of four.
#pragma once

#include <vector>

#include "gemm/native/opencl/plan.hpp"

namespace hilo::native {

/// Blocks of C and slices of k for which the real matrices fit the workspace.
struct ThreeProductsCut {
  std::int64_t rows, columns, steps;

  /// Of the parts of both operands and of the products, in all three.
  std::int64_t bytes(Precision precision) const;
  /// Of the planes, without their buffers.
  DeviceProduct real_product(Precision precision, double beta) const;
};
ThreeProductsCut cut_three_products(const DeviceProduct& product, std::int64_t workspace);

/// A product in C or Z with terms, whose C has its rows side by side. Entry by entry, errors are within 4(k + 4) units
/// of |alpha||A||B| + |beta||C|: the real part takes two sums of k terms, the imaginary part three, with
/// (|Re x| + |Im x|)(|Re y| + |Im y|) <= 2|x||y|. Four products have 3(k + 4). An imaginary part that is much smaller
/// than its entry has an error of the entry's size. Where memory ends, or a program does not build, blocks of C may be
/// done.
tile::Run execute_three_products(DevicePlan& plan, const DeviceProduct& product, opencl::QueueState& queue,
                                 const std::vector<cl::Event>& wait_list);

}  // namespace hilo::native
