// Panels of a matrix in pinned host memory that several devices need at a time: each brings some pieces of a panel, and
// has the rest from the memory of those that brought it. So the matrix comes from the host once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "opencl/call.hpp"
#include "stream/board.hpp"
#include "stream/carrier.hpp"
#include "stream/peer_rings.hpp"

namespace hilo::stream {

class SharedPanels {
 public:
  /// A device, which takes the same panels as all the others in the same order, each on a thread.
  class Member : public Sender {
   public:
    Member(SharedPanels& all, std::size_t number, const opencl::ContextState& context);

    cl::Event send(Lanes& lanes, const HostMatrix& from, const cl::Buffer& to, const cl::Event& ready) override;

    /// Since it was asked for the last time; once that has ended.
    Traffic traffic();
    /// Waits until nothing that it has passed on is under way; false where that is not certain.
    bool settle() noexcept;

   private:
    struct Panel;

    void bring(const Panel& panel, std::int64_t piece);
    cl::Event take(const Panel& panel, std::int64_t piece, const cl::Event& ready);
    int place_of(std::int64_t piece) const;

    SharedPanels& all_;
    const std::size_t number_;
    // A driver copies from device to device by kernels, which wait for those of products; what comes from the host
    // does not, and so has another queue.
    cl::CommandQueue passing_;
    std::int64_t pieces_before_ = 0;  // of panels that have come
    cl::Event brought_[PeerRing::places], copied_[PeerRing::places];
    std::vector<cl::Event> from_host_;
    std::int64_t bytes_in_ = 0, bytes_passed_ = 0;
  };

  /// Null where the devices do not reach each other's memory. Throws what else fails.
  static std::unique_ptr<SharedPanels> make(PeerRings& rings, const std::vector<opencl::QueueState*>& devices,
                                            std::int64_t place_bytes);
  /// Members have ended what they have begun, unless they were stopped.
  ~SharedPanels();

  Member& member(std::size_t number) { return *members_[number]; }
  /// Whoever waits for another gets Board::Stopped.
  void stop();

 private:
  SharedPanels(PeerRings& rings, std::unique_ptr<PeerRing> ring, const std::vector<opencl::QueueState*>& devices);

  PeerRings& rings_;
  std::unique_ptr<PeerRing> ring_;
  Board board_;  // by piece
  std::vector<std::unique_ptr<Member>> members_;
  std::atomic<bool> is_stopped_ = false;
};

}  // namespace hilo::stream
