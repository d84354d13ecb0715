// gemm on views of device memory, with what was prepared of its operands.
#pragma once

#include <hilo/gemm.hpp>
#include <string>
#include <vector>

#include "gemm/modular/opencl/prepared.hpp"

namespace hilo {

/// gemm of the views. Throws as it does; who calls gives errors of OpenCL their names (opencl::guarded).
template <class T>
GemmEvent multiply_views(Queue& queue, T alpha, const BufferView<T>& a, const BufferView<T>& b, T beta,
                         const BufferView<T>& c, const std::vector<Event>& wait_list, const GemmOptions& options,
                         const modular::PreparedOperands& prepared);

/// That a product on the queue could have it as an operand. Throws invalid_argument in the routine's name.
template <class T>
void check_operand(const std::string& routine, const Queue& queue, const BufferView<T>& a);

}  // namespace hilo
