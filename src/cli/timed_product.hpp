// A product on a backend, run several times.
#pragma once

#include <hilo/device_group.hpp>
#include <hilo/gemm.hpp>
#include <optional>
#include <vector>

#include "cli/device_time.hpp"
#include "cli/operands.hpp"
#include "cli/repeated.hpp"

namespace hilo::cli {

/// Seconds of each timed run. On the CPU both are the whole call; it moves no data.
struct Timing {
  GemmReport report;
  std::vector<double> kernel;        ///< OpenCL: A, B and C on the device, from the first to the last event of the call
  std::vector<double> total;         ///< OpenCL: the call on host memory, which moves A, B and C
  std::optional<DeviceTime> device;  ///< where the request wants it
  /// Where the product went in panels because memory or the request asked for it, of each device. `kernel` is the
  /// longest of theirs then.
  std::vector<StreamReport> streams;
};

/// How operands.c = alpha · op(A) · op(B) + beta · c0 would run. Throws as plan_gemm does.
template <class T>
GemmPlan plan_product(const std::optional<Queue>& queue, const GemmRequest& request);

/// operands.c = alpha · op(A) · op(B) + beta · c0, timed as the request says, after its runs to warm up.
template <class T>
Timing time_product(std::optional<Queue>& queue, const GemmRequest& request, T alpha, Operands<T>& operands, T beta,
                    const RunWatch& watch);

/// The same on the devices of a group.
template <class T>
Timing time_product_on(const DeviceGroup& devices, const GemmRequest& request, T alpha, Operands<T>& operands, T beta,
                       const RunWatch& watch);

}  // namespace hilo::cli
