#include "stream/group_product.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "stream/device_bytes.hpp"
#include "stream/device_columns.hpp"
#include "stream/gathering.hpp"

namespace hilo::stream {
namespace {

struct Factors {
  dd_complex alpha, beta;
};

DeviceProduct product_of(const GemmShape& s, Precision precision, const Factors& by) {
  return {precision,
          by.alpha,
          device_view(s.layout, s.opa, {}, s.m, s.k, s.lda),
          device_view(s.layout, s.opb, {}, s.k, s.n, s.ldb),
          by.beta,
          device_view(s.layout, Op::none, {}, s.m, s.n, s.ldc)};
}

// Of a device's memory beside the matrices, the context's other buffers, and all of A where that is gathered.
void find_room(Way& way, int device, const GemmOptions& options, const GroupMatrixState& a, const GroupMatrixState& b,
               const GroupMatrixState& c) {
  const opencl::ContextState& context = *way.queue->context;
  const std::int64_t gathered = c.devices.size() > 1 ? Gathering::bytes(a) : 0,
                     theirs = a.bytes_on(device) + (&a != &b ? b.bytes_on(device) : 0) + c.bytes_on(device);
  way.matrix_bytes = theirs + gathered;
  way.room_bytes = std::max<std::int64_t>(
      std::min(device_bytes(context.info, options) - theirs, device_bytes(context.info, {}) - *context.buffer_bytes) -
          gathered,
      1);
}

}  // namespace

Outcome multiply(const dd_complex& alpha, GroupMatrixState& a, GroupMatrixState& b, const dd_complex& beta,
                 GroupMatrixState& c, const GemmOptions& options, GroupReport& report, bool& has_begun) {
  const std::int64_t m = c.shape.rows, n = c.shape.columns, k = a.shape.columns, bytes = c.shape.element_bytes;
  const Factors by{alpha, beta};
  const auto shape_of = [&](std::int64_t columns) {
    return packed_shape(Layout::column, Op::none, Op::none, m, columns, k, bytes);
  };
  const Devices devices = c.queues();
  const HostProduct whole{{a.shape, b.shape}, c.shape, product_of(shape_of(n), c.precision, by), shape_of(n)};
  const DevicePlan plan = plan_product(*devices.front()->context, whole.shape, whole.product, options);
  static_cast<GemmReport&>(report) = {plan.told};
  if (!whole.product.reads_operands() || !takes_panels(plan, whole.shape)) return Outcome::undone;

  std::vector<bool> has_columns;
  for (int i = 0; i < c.devices.size(); ++i) has_columns.push_back(c.deal.columns_of(i) > 0);
  std::unique_ptr<Gathering> gathering;
  if (devices.size() > 1) gathering = std::make_unique<Gathering>(a, has_columns);
  std::vector<std::unique_ptr<DeviceColumns>> columns;
  const auto own = [&](const GroupMatrixState& x, int device) {
    columns.push_back(std::make_unique<DeviceColumns>(x.own[static_cast<std::size_t>(device)], bytes));
    return columns.back()->all();
  };
  // Drivers copy from device to device by kernels. Beside those of products both take longer than one after the other.
  const bool gathers_first = gathering && a.passed()->is_on_devices();
  std::vector<Way> ways;
  std::vector<HostProduct> parts;
  for (int i = 0; i < c.devices.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!has_columns[at]) continue;
    const GemmShape shape = shape_of(c.deal.columns_of(i));
    ways.push_back(
        {devices.all[at], i == 0 ? plan : plan_part(*devices.all[at]->context, plan, whole.product, options)});
    find_room(ways.back(), i, options, a, b, c);
    parts.push_back({{gathering ? gathering->operand(i) : own(a, i), own(b, i)},
                     own(c, i),
                     product_of(shape, c.precision, by),
                     shape});
  }

  if (gathering) {
    gathering->begin();
    if (gathers_first) gathering->finish();
  }
  Outcome outcome = Outcome::undone;
  std::exception_ptr failure;
  try {
    outcome = multiply_parts(ways, whole, parts, options, report, report.devices);
  } catch (...) {
    failure = std::current_exception();
  }
  if (gathering) {
    // Whose failure is the first where there is one: who waits for A is told of no other.
    const bool begun_before = std::exchange(has_begun, true);
    gathering->finish();
    has_begun = begun_before;
  }
  if (failure) std::rethrow_exception(failure);
  if (outcome != Outcome::done) return outcome;
  if (gathering) {
    for (std::size_t part = 0, i = 0; i < has_columns.size(); ++i) {
      if (!has_columns[i]) continue;
      add(report.devices[part++], gathering->traffic(static_cast<int>(i)));
    }
  }
  report.stream = report.devices.front();
  return outcome;
}

}  // namespace hilo::stream
