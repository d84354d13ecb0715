// Products on a group of devices.
#include <algorithm>
#include <hilo/device_group.hpp>
#include <ostream>
#include <string>

#include "matrix/arguments.hpp"
#include "opencl/call.hpp"
#include "stream/devices.hpp"
#include "stream/multiply.hpp"
#include "stream/peer_rings.hpp"

namespace hilo {
namespace {

std::vector<Context> all_devices() {
  const std::vector<PlatformInfo> all = platforms();
  std::vector<Context> found;
  for (bool wants_gpus : {true, false}) {
    for (std::size_t p = 0; p < all.size() && found.empty(); ++p) {
      for (std::size_t d = 0; d < all[p].devices.size(); ++d) {
        if (wants_gpus && all[p].devices[d].type != DeviceType::gpu) continue;
        found.emplace_back(static_cast<int>(p), static_cast<int>(d));
      }
    }
    if (!found.empty()) return found;
  }
  // Says what there is.
  return {Context()};
}

}  // namespace

DeviceGroup::DeviceGroup() : DeviceGroup(all_devices()) {}

DeviceGroup::DeviceGroup(const std::vector<Context>& devices) : rings_(std::make_shared<stream::PeerRings>()) {
  if (devices.empty()) throw error(errc::invalid_argument, "DeviceGroup: there is no device in it");
  for (const Context& device : devices) queues_.emplace_back(device);
}

const Queue& DeviceGroup::queue(int i) const {
  if (i < 0 || i >= size()) {
    throw error(errc::invalid_argument,
                "DeviceGroup: device " + std::to_string(i) + " of a group of " + std::to_string(size()));
  }
  return queues_[static_cast<std::size_t>(i)];
}

std::ostream& operator<<(std::ostream& out, const GroupReport& report) {
  GemmReport all = report;
  all.stream = {};
  out << all;
  if (report.plan.backend == Backend::opencl) {
    out << "  on " << report.devices.size() << (report.devices.size() == 1 ? " device\n" : " devices\n");
  }
  for (const StreamReport& device : report.devices) out << device;
  return out;
}

template <gemm_scalar T>
GroupReport gemm(const DeviceGroup& devices, std::type_identity_t<T> alpha,
                 const std::type_identity_t<MatrixView<const T>>& a, const std::type_identity_t<MatrixView<const T>>& b,
                 std::type_identity_t<T> beta, const MatrixView<T>& c, const GemmOptions& options) {
  return opencl::guarded("computing a product", [&] {
    check_options(options);
    const GemmShape shape = shape_of_views(lines_of(a), lines_of(b), lines_of(c), sizeof(T));
    GroupReport report;
    static_cast<GemmReport&>(report) = stream::multiply<T>(
        stream::devices_of(devices), plan_product, shape, product_of<T>(shape, {}, alpha, a.data, b.data, beta, c.data),
        options, report.devices, true);
    if (report.devices.empty()) report.devices.push_back(report.stream);
    return report;
  });
}

#define HILO_INSTANTIATE(T)                                                                                      \
  template GroupReport gemm<T>(const DeviceGroup&, T, const MatrixView<const T>&, const MatrixView<const T>&, T, \
                               const MatrixView<T>&, const GemmOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
