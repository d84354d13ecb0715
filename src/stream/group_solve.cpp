#include "stream/group_solve.hpp"

#include <memory>
#include <vector>

#include "host/team.hpp"
#include "stream/gathering.hpp"
#include "stream/visit.hpp"

namespace hilo::stream {

Traffic solve_on_first(GroupMatrixState& factors, const HostMatrix& b, const BlockedOptions& options, bool& has_begun,
                       const SolveOnDevice& run) {
  const opencl::QueueState& first = *factors.queues().front();
  Traffic traffic;
  std::unique_ptr<Gathering> gathering;
  if (factors.devices.size() > 1) {
    std::vector<bool> wants_all(static_cast<std::size_t>(factors.devices.size()));
    wants_all.front() = true;
    gathering = std::make_unique<Gathering>(factors, wants_all);
    gathering->begin();
    gathering->finish();
    for (int i = 0; i < factors.devices.size(); ++i) traffic.add(gathering->traffic(i));
  }
  Lanes lanes(first.context);
  lanes.compute.trace = first.trace;
  Visit visit(lanes, host::default_threads());
  try {
    const DeviceView x = visit.bring(b);
    lapack::DevicePlace place(lanes.compute, factors.precision, options, visit.arrivals());
    run(place, gathering ? gathering->matrix(0) : factors.own.front(), x);
    traffic.seconds_kernel += seconds_of(place.finish());
    visit.take_back(x, b);
  } catch (...) {
    has_begun = has_begun || visit.has_written();
    throw;
  }
  traffic.add(visit.traffic());
  return traffic;
}

}  // namespace hilo::stream
