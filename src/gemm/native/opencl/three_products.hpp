// Complex products on an OpenCL device by three real products instead of four.
#pragma once

#include "gemm/native/opencl/product.hpp"

namespace hilo::native {

/// As enqueue_native, for a product in C or Z with terms, whose C has its rows side by side. Entry by entry, errors are
/// within 4(k + 4) units of |alpha||A||B| + |beta||C|: the real part takes two sums of k terms, the imaginary part
/// three, with (|Re x| + |Im x|)(|Re y| + |Im y|) <= 2|x||y|. Four products have 3(k + 4). An imaginary part that is
/// much smaller than its entry has an error of the entry's size. Where memory ends, or a program does not build, blocks
/// of C may be done.
tile::Run enqueue_three_products(opencl::QueueState& queue, const NativeProduct& product,
                                 const std::vector<cl::Event>& wait_list, const tile::Choice& choice = {});

/// As a device is expected to cut the real products by itself, with the workspace of all.
tile::Form planned_three_products(const DeviceInfo& device, const NativeProduct& product);

}  // namespace hilo::native
