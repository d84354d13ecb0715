// The ways of a group's matrix from host memory and back: each device has its columns come and go, some at a time.
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "blas/opencl/place.hpp"
#include "host/team.hpp"
#include "stream/carrier.hpp"
#include "stream/group_matrix.hpp"
#include "stream/team.hpp"

namespace hilo::stream {
namespace {

// On their way packed, as they lie in host memory.
constexpr std::int64_t room_bytes = std::int64_t{64} << 20;

class Copies {
 public:
  /// Throws out_of_memory.
  Copies(const GroupMatrixState& matrix, int number, bool is_pinned, int threads)
      : matrix_(matrix),
        number_(number),
        lanes_(matrix.devices.queue(number).context().state()),
        place_(lanes_.compute, matrix.precision, {}, {}),
        carrier_(lanes_, is_pinned, threads) {
    opencl::ContextState& context = *lanes_.compute.context;
    for (Room& room : rooms_) {
      room.memory = context.workspaces.borrow(context, lanes_.compute.queue, false, most_columns() * column_bytes(),
                                              "columns on their way");
      room.busy = opencl::copied(room.memory.busy());
    }
  }
  ~Copies() {
    carrier_.settle();
    for (Room& room : rooms_) room.memory.release(lanes_.compute.queue, {});
  }

  void write(const HostMatrix& from, const std::atomic<bool>& is_stopped) {
    for_some_columns(is_stopped, [&](Room& room, std::int64_t first, const DeviceView& columns) {
      const HostMatrix some = from.sub(0, first, columns.rows, columns.columns);
      hold(carrier_.send(some, room.memory.buffer(), std::exchange(room.busy, {})));
      place_.copy(some.on_device(room.memory.buffer()), columns);
      room.busy = place_.mark();
      lanes_.compute.queue.flush();  // another queue will wait for it
    });
  }

  void read(const HostMatrix& to, const std::atomic<bool>& is_stopped) {
    for_some_columns(is_stopped, [&](Room& room, std::int64_t first, const DeviceView& columns) {
      const HostMatrix some = to.sub(0, first, columns.rows, columns.columns);
      if (room.busy()) hold(room.busy);
      place_.copy(columns, some.on_device(room.memory.buffer()));
      const cl::Event ready = place_.mark();
      lanes_.compute.queue.flush();
      room.busy = carrier_.fetch(room.memory.buffer(), some, ready);
    });
  }

  const DeviceInfo& device() const { return lanes_.compute.context->info; }

 private:
  struct Room {
    opencl::Workspace memory;
    cl::Event busy;
  };

  std::int64_t column_bytes() const { return matrix_.shape.rows * matrix_.shape.element_bytes; }
  std::int64_t most_columns() const {
    return std::clamp<std::int64_t>(room_bytes / column_bytes(), 1, matrix_.deal.widest());
  }

  // What is computed from here on comes after it.
  void hold(const cl::Event& arrival) {
    const std::vector<cl::Event> wait = {arrival};
    lanes_.compute.queue.enqueueMarkerWithWaitList(&wait);
  }

  template <class F>
  void for_some_columns(const std::atomic<bool>& is_stopped, F f) {
    std::size_t next = 0;
    for (const DealtColumns::Block& b : matrix_.deal.blocks()) {
      if (b.device != number_) continue;
      for (std::int64_t j = 0; j < b.columns && !is_stopped; j += most_columns()) {
        const std::int64_t count = std::min(most_columns(), b.columns - j), rows = matrix_.shape.rows;
        f(rooms_[next++ % 2], b.first + j,
          matrix_.own[static_cast<std::size_t>(number_)].sub(0, b.at + j, rows, count));
      }
    }
    carrier_.finish();
    place_.finish().wait();
  }

  const GroupMatrixState& matrix_;
  const int number_;
  Lanes lanes_;
  blas::DevicePlace place_;
  Room rooms_[2];
  Carrier carrier_;
};

// copy(member, whether another has failed) by all devices that have columns.
template <class Copy>
void by_all(const GroupMatrixState& matrix, const HostMatrix& host, const char* doing, bool& has_begun, Copy copy) {
  std::vector<std::unique_ptr<Copies>> members;
  const int devices = matrix.devices.size(), threads = std::max(host::default_threads() / devices, 1);
  for (int i = 0; i < devices; ++i) {
    if (matrix.deal.columns_of(i) == 0) continue;
    members.push_back(std::make_unique<Copies>(matrix, i, host.is_pinned, threads));
  }
  has_begun = true;
  Team team(members, doing);
  team.run([&](Copies& member) { copy(member, team.is_stopped()); });
}

}  // namespace

void GroupMatrixState::write(const HostMatrix& from, bool& has_begun) {
  by_all(*this, from, "writing a group's matrix", has_begun,
         [&](Copies& member, const std::atomic<bool>& is_stopped) { member.write(from, is_stopped); });
}

void GroupMatrixState::read(const HostMatrix& to, bool& has_begun) const {
  by_all(*this, to, "reading a group's matrix", has_begun,
         [&](Copies& member, const std::atomic<bool>& is_stopped) { member.read(to, is_stopped); });
}

}  // namespace hilo::stream
