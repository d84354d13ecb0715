#include "stream/multiply.hpp"

#include <algorithm>
#include <utility>

#include "gemm/modular/guarantee.hpp"
#include "matrix/arguments.hpp"
#include "stream/device_bytes.hpp"
#include "stream/product.hpp"
#include "stream/whole.hpp"

namespace hilo::stream {
namespace {

// Below so many entries of C for each device there is nothing to gain by several.
constexpr std::int64_t least_entries = 1 << 14;

template <class T>
HostProduct host_product(const GemmShape& packed, const Product<T>& x) {
  return {{host_matrix(x.a.data, lines_of(x.a), sizeof(T)), host_matrix(x.b.data, lines_of(x.b), sizeof(T))},
          host_matrix(x.c.data, lines_of(x.c), sizeof(T)),
          device_product(packed, {}, x.alpha, x.beta),
          packed,
          x.triangle};
}

// All by the engine of the first.
std::vector<Way> ways_of(const Devices& devices, const DevicePlan& first, const HostProduct& host,
                         const GemmOptions& options) {
  std::vector<Way> ways{{devices.front(), first}};
  for (auto device = devices.begin() + 1; device != devices.end(); ++device) {
    ways.push_back({*device, plan_part(*(*device)->context, first, host.product, options)});
  }
  return ways;
}

Outcome go_in_panels(const Devices& devices, const DevicePlan& plan, const HostProduct& host,
                     const GemmOptions& options, GemmReport& report, std::vector<StreamReport>& streams) {
  const Outcome outcome =
      multiply_in_panels(ways_of(devices, plan, host, options), host, options, devices.rings, report, streams);
  if (outcome == Outcome::done) report.stream = streams.front();
  return outcome;
}

// Of a product that fits no device, and whose entries panels cannot tell about: by the direct engine where the choice
// is free, else by the CPU, whose bits are the same.
template <class T>
GemmReport multiply_beyond(const Devices& devices, const HostProduct& host, const Product<T>& x, const GemmPlan& told,
                           const GemmOptions& options, std::vector<StreamReport>& streams) {
  if (options.engine != Engine::automatic || modular::is_modular_only(options.accuracy) || !double_double<T>) {
    GemmOptions cpu = options;
    cpu.engine = Engine::modular;
    cpu.accuracy = told.accuracy;
    cpu.workspace_bytes = 0;
    cpu.fma = told.fma ? Fma::on : Fma::off;
    return gemm<T>(x.alpha, x.a, x.b, x.beta, x.c, cpu);
  }
  GemmOptions direct = options;
  direct.engine = Engine::direct;
  DevicePlan plan = plan_product(*devices.front()->context, host.shape, host.product, direct);
  plan.told.path = Path::direct_for_range;
  plan.told.seconds_direct = told.seconds_direct;
  plan.told.seconds_modular = told.seconds_modular;
  GemmReport report{plan.told};
  go_in_panels(devices, plan, host, direct, report, streams);
  return report;
}

// C = beta · C, by so many of its lines at a time that the device has room for them.
template <class T>
void scale_by_lines(opencl::QueueState& device, Planner planner, const Product<T>& x, const GemmOptions& options) {
  const bool by_columns = lines_of(x.c).row_stride == 1;
  const std::int64_t lines = by_columns ? x.c.columns : x.c.rows,
                     line_bytes = (by_columns ? x.c.rows : x.c.columns) * std::int64_t{sizeof(T)},
                     some = std::max<std::int64_t>(device_bytes(device.context->info, options) / 2 / line_bytes, 1);
  for (std::int64_t line = 0; line < lines; line += some) {
    const std::int64_t count = std::min(some, lines - line);
    const MatrixView<T> c = by_columns ? x.c.sub(0, line, x.c.rows, count) : x.c.sub(line, 0, count, x.c.columns);
    const Product<T> part{T(0), {nullptr, c.rows, 0, 1, c.rows}, {nullptr, 0, c.columns, 1, 1}, x.beta, c};
    const auto scale = [&] {
      const GemmShape shape = shape_of_views(lines_of(part.a), lines_of(part.b), lines_of(c), sizeof(T));
      const GemmShape packed = packed_shape(shape.layout, shape.opa, shape.opb, c.rows, c.columns, 0, sizeof(T));
      DevicePlan plan = planner(*device.context, packed, device_product(packed, {}, T(0), x.beta), options);
      GemmReport of_part{plan.told};
      multiply_host_memory<T>(device, plan, shape, part, of_part);
    };
    if (line == 0) {
      scale();
    } else {
      after_writing(scale);
    }
  }
}

}  // namespace

template <gemm_scalar T>
GemmReport multiply(const Devices& devices, Planner planner, const GemmShape& shape, const Product<T>& x,
                    const GemmOptions& options, std::vector<StreamReport>& streams, bool is_group) {
  check_pointers(shape, x.batch, x.a.data, x.b.data, x.c.data, !(x.alpha == T(0)));
  // On the device each lies packed, alone.
  const GemmShape packed = packed_shape(shape.layout, shape.opa, shape.opb, shape.m, shape.n, shape.k, sizeof(T));
  opencl::QueueState& first = *devices.front();
  DevicePlan plan = planner(*first.context, packed, device_product(packed, {}, x.alpha, x.beta), options);
  plan.told.batch = x.batch.count;
  GemmReport report{plan.told};
  if (shape.m == 0 || shape.n == 0 || x.batch.count == 0) return report;
  const bool is_one = x.batch.count == 1 && x.reads_operands();
  if (x.batch.count == 1 && !is_one &&
      shape.m * shape.n * shape.element_bytes > device_bytes(first.context->info, options)) {
    scale_by_lines(first, planner, x, options);
    return report;
  }
  auto in_one_piece = [&] {
    if (is_one && exceeds_device(*first.context, plan, packed, options)) {
      return multiply_beyond(devices, host_product(packed, x), x, plan.told, options, streams);
    }
    multiply_host_memory<T>(first, plan, shape, x, report);
    return report;
  };
  const bool is_shared = (devices.size() > 1 || is_group) && takes_panels(plan, packed) &&
                         shape.m * shape.n >= least_entries * std::ssize(devices);
  if (!is_one || !(is_shared || wants_panels(*first.context, plan, packed, options))) return in_one_piece();
  switch (
      go_in_panels(is_shared ? devices : Devices{{&first}}, plan, host_product(packed, x), options, report, streams)) {
    case Outcome::undone:
      return in_one_piece();
    case Outcome::undone_and_undefined:
      return after_writing(in_one_piece);
    default:
      return report;
  }
}

template <gemm_scalar T>
bool multiply_triangle(const Devices& devices, Planner planner, const Product<T>& x, const GemmOptions& options,
                       std::vector<StreamReport>& streams) {
  const GemmShape shape = shape_of_views(lines_of(x.a), lines_of(x.b), lines_of(x.c), sizeof(T));
  const GemmShape packed = packed_shape(shape.layout, shape.opa, shape.opb, shape.m, shape.n, shape.k, sizeof(T));
  const HostProduct host = host_product(packed, x);
  const DevicePlan plan = planner(*devices.front()->context, packed, host.product, options);
  GemmReport report{plan.told};
  return takes_panels(plan, packed) && go_in_panels(devices, plan, host, options, report, streams) == Outcome::done;
}

#define HILO_INSTANTIATE(T)                                                                                         \
  template GemmReport multiply<T>(const Devices&, Planner, const GemmShape&, const Product<T>&, const GemmOptions&, \
                                  std::vector<StreamReport>&, bool);                                                \
  template bool multiply_triangle<T>(const Devices&, Planner, const Product<T>&, const GemmOptions&,                \
                                     std::vector<StreamReport>&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::stream
