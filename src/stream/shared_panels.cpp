#include "stream/shared_panels.hpp"

#include <algorithm>
#include <utility>

#include "matrix/sizes.hpp"
#include "opencl/native.hpp"
#include "opencl/settled.hpp"

namespace hilo::stream {
namespace {

constexpr cl::array<cl::size_type, 3> origin = {0, 0, 0};

std::vector<opencl::ContextState*> contexts_of(const std::vector<opencl::QueueState*>& devices) {
  std::vector<opencl::ContextState*> contexts;
  for (const opencl::QueueState* device : devices) contexts.push_back(device->context.get());
  return contexts;
}

}  // namespace

// On its way: some of its lines are a piece, as many in each but for the last.
struct SharedPanels::Member::Panel {
  Lanes& lanes;
  const std::byte* data;
  opencl::HostLines lines;
  const cl::Buffer& to;
  std::int64_t first_piece, pieces, lines_of_piece;

  opencl::HostLines piece(std::int64_t number) const {
    const std::int64_t first = (number - first_piece) * lines_of_piece;
    const auto count = std::min(lines_of_piece, static_cast<std::int64_t>(lines.lines) - first);
    return {lines.line_bytes, static_cast<std::size_t>(count), lines.pitch};
  }
  std::size_t first_line(std::int64_t number) const {
    return static_cast<std::size_t>((number - first_piece) * lines_of_piece);
  }
};

SharedPanels::Member::Member(SharedPanels& all, std::size_t number, const opencl::ContextState& context)
    : all_(all), number_(number), passing_(context.context, context.device) {}

int SharedPanels::Member::place_of(std::int64_t piece) const {
  return static_cast<int>(piece / all_.ring_->members() % PeerRing::places);
}

void SharedPanels::Member::bring(const Panel& panel, std::int64_t piece) {
  const int place = place_of(piece);
  const std::int64_t before = piece - all_.ring_->members() * PeerRing::places;
  if (before >= 0) all_.board_.wait_until_taken(static_cast<int>(before));
  const opencl::HostLines lines = panel.piece(piece);
  std::vector<cl::Event> wait;
  if (copied_[place]()) wait.push_back(std::exchange(copied_[place], {}));
  const std::size_t pitch = lines.lines == 1 ? lines.line_bytes : lines.pitch;
  cl::Event brought;
  panel.lanes.in.enqueueWriteBufferRect(all_.ring_->place(number_, place, number_), CL_FALSE, origin, origin,
                                        {lines.line_bytes, lines.lines, 1}, lines.line_bytes, 0, pitch, 0,
                                        panel.data + panel.first_line(piece) * lines.pitch, &wait, &brought);
  panel.lanes.in.flush();
  from_host_.push_back(opencl::copied(brought));
  brought_[place] = opencl::copied(brought);
  bytes_in_ += static_cast<std::int64_t>(lines.bytes());
  all_.board_.tell_part(static_cast<int>(piece), brought);
}

cl::Event SharedPanels::Member::take(const Panel& panel, std::int64_t piece, const cl::Event& ready) {
  const int place = place_of(piece);
  const auto owner = static_cast<std::size_t>(piece % all_.ring_->members());
  const bool is_own = owner == number_;
  std::vector<cl::Event> wait;
  if (ready()) wait.push_back(ready);
  if (is_own) {
    wait.push_back(brought_[place]);
  } else {
    all_.board_.wait_for_part(static_cast<int>(piece), 0);
  }
  const std::size_t bytes = panel.piece(piece).bytes();
  cl::Event taken;
  passing_.enqueueCopyBuffer(all_.ring_->place(owner, place, number_), panel.to, 0,
                             panel.first_line(piece) * panel.lines.line_bytes, bytes, &wait, &taken);
  passing_.flush();
  if (is_own) {
    copied_[place] = opencl::copied(taken);
  } else {
    all_.board_.tell_taken(static_cast<int>(piece), taken);
    bytes_passed_ += static_cast<std::int64_t>(bytes);
  }
  return taken;
}

cl::Event SharedPanels::Member::send(Lanes& lanes, const HostMatrix& from, const cl::Buffer& to,
                                     const cl::Event& ready) {
  const std::int64_t members = all_.ring_->members();
  const opencl::HostLines all = from.lines();
  const auto lines = static_cast<std::int64_t>(all.lines);
  const std::int64_t most = all_.ring_->place_bytes() / static_cast<std::int64_t>(all.line_bytes);
  // As many for each member.
  const std::int64_t lines_of_piece = blocks(lines, round_up(blocks(lines, most), members));
  const Panel panel{lanes,
                    from.data + (from.row * from.row_stride + from.column * from.column_stride) * from.element_bytes,
                    all,
                    to,
                    pieces_before_,
                    blocks(lines, lines_of_piece),
                    lines_of_piece};
  const std::int64_t end = pieces_before_ + panel.pieces;
  // Its own are as far ahead of what it takes as the others can have taken those before them in their places.
  const std::int64_t ahead = members * (PeerRing::places - 1);
  std::int64_t own =
      pieces_before_ + (static_cast<std::int64_t>(number_) + members - pieces_before_ % members) % members;
  cl::Event last = opencl::copied(ready);
  for (std::int64_t piece = pieces_before_; piece < end; ++piece) {
    for (; own < std::min(piece + ahead + 1, end); own += members) bring(panel, own);
    last = take(panel, piece, piece == pieces_before_ ? ready : cl::Event());
  }
  pieces_before_ = end;
  return last;
}

Traffic SharedPanels::Member::traffic() {
  Traffic its;
  its.bytes_in = std::exchange(bytes_in_, 0);
  its.bytes_passed = std::exchange(bytes_passed_, 0);
  for (const cl::Event& e : from_host_) its.seconds_in += seconds_of(e);
  from_host_.clear();
  return its;
}

bool SharedPanels::Member::settle() noexcept {
  constexpr int attempts = 2;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (opencl::is_certain([&] { return passing_.finish(), true; })) return true;
  }
  return false;
}

std::unique_ptr<SharedPanels> SharedPanels::make(PeerRings& rings, const std::vector<opencl::QueueState*>& devices,
                                                 std::int64_t place_bytes) {
  std::unique_ptr<PeerRing> ring = rings.borrow(contexts_of(devices), place_bytes);
  if (!ring) return nullptr;
  return std::unique_ptr<SharedPanels>(new SharedPanels(rings, std::move(ring), devices));
}

SharedPanels::SharedPanels(PeerRings& rings, std::unique_ptr<PeerRing> ring,
                           const std::vector<opencl::QueueState*>& devices)
    : rings_(rings), ring_(std::move(ring)), board_(static_cast<int>(devices.size())) {
  for (const opencl::QueueState* device : devices) {
    members_.push_back(std::make_unique<Member>(*this, members_.size(), *device->context));
  }
}

SharedPanels::~SharedPanels() {
  bool is_settled = !is_stopped_;
  for (const auto& member : members_) is_settled = member->settle() && is_settled;
  // Of who has failed nothing is known for certain.
  if (is_settled) rings_.give_back(std::move(ring_));
}

void SharedPanels::stop() {
  is_stopped_ = true;
  board_.stop();
}

}  // namespace hilo::stream
