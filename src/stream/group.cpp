// Products on a group of devices.
#include <algorithm>
#include <hilo/device_group.hpp>
#include <ostream>
#include <string>

#include "matrix/arguments.hpp"
#include "stream/host_gemm.hpp"

namespace hilo {
namespace {

// Below so many entries of C for each device there is nothing to gain.
constexpr std::int64_t least_entries = 1 << 14;

std::vector<stream::Way> ways_of(const DeviceGroup& devices, const GemmShape& packed, const DeviceProduct& product,
                                 GemmOptions options) {
  std::vector<stream::Way> ways;
  for (int i = 0; i < devices.size(); ++i) {
    opencl::QueueState& queue = *devices.queue(i).state();
    ways.push_back({&queue, plan_product(*queue.context, packed, product, options)});
    const GemmPlan& first = ways.front().plan.told;
    options.engine = first.engine;
    if (options.fma == Fma::automatic) options.fma = first.fma ? Fma::on : Fma::off;
  }
  return ways;
}

template <class T>
GroupReport multiply(const DeviceGroup& devices, const GemmShape& shape, const Product<T>& x,
                     const GemmOptions& options) {
  check_pointers(shape, {}, x.a.data, x.b.data, x.c.data, !(x.alpha == T(0)));
  const GemmShape packed = packed_shape(shape.layout, shape.opa, shape.opb, shape.m, shape.n, shape.k, sizeof(T));
  const stream::HostProduct host = stream::host_product(packed, x);
  auto on_first = [&] {
    Queue queue = devices.queue(0);
    GroupReport report{gemm<T>(queue, x.alpha, x.a, x.b, x.beta, x.c, options), {}};
    report.devices.push_back(report.stream);
    return report;
  };
  const bool is_large = shape.m > 0 && shape.n > 0 && shape.m * shape.n >= least_entries * devices.size();
  if (!x.reads_operands() || !is_large) return on_first();
  const std::vector<stream::Way> ways = ways_of(devices, packed, host.product, options);
  if (!stream::takes_panels(ways.front().plan, packed)) return on_first();
  GroupReport report{{ways.front().plan.told}, {}};
  switch (stream::multiply_in_panels(ways, host, options, report, report.devices)) {
    case stream::Outcome::undone:
      return on_first();
    case stream::Outcome::undone_and_undefined:
      return stream::after_writing(on_first);
    default:
      report.stream = report.devices.front();
      return report;
  }
}

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

DeviceGroup::DeviceGroup(const std::vector<Context>& devices) {
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
    return multiply(devices, shape, product_of<T>(shape, {}, alpha, a.data, b.data, beta, c.data), options);
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
