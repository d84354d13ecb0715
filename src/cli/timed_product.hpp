// A product on a backend, run several times, the best time kept.
#pragma once

#include "cli/gemm_request.hpp"
#include "data/matrix.hpp"

namespace hilo::cli {

struct Timing {
  GemmReport report;
  double seconds_kernel, seconds_total;
};

/// C = alpha · op(A) · op(B) + beta · c0 after one run to warm up; request.repeat runs are timed. `c0` is empty where
/// beta is 0. On the CPU both times are the whole call; it moves no data.
template <class T>
Timing multiply_on_cpu(const GemmRequest& request, T alpha, const data::Matrix<T>& a, const data::Matrix<T>& b, T beta,
                       const data::Matrix<T>& c0, data::Matrix<T>& c);

/// The same on an OpenCL device, the default one where neither number is given. The kernel's time is that of the
/// device from the first to the last event; the total adds the transfers of A, B and C.
template <class T>
Timing multiply_on_opencl(const GemmRequest& request, T alpha, const data::Matrix<T>& a, const data::Matrix<T>& b,
                          T beta, const data::Matrix<T>& c0, data::Matrix<T>& c);

}  // namespace hilo::cli
