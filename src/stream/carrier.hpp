// The ways of matrices to a device and back.
#pragma once

#include <hilo/gemm.hpp>
#include <memory>
#include <vector>

#include "opencl/call.hpp"
#include "opencl/staging.hpp"
#include "stream/host_matrix.hpp"

namespace hilo::stream {

/// The queues of a device, each in order: in, compute, out.
struct Lanes {
  /// Times of commands that compute take some microseconds of each.
  explicit Lanes(const std::shared_ptr<opencl::ContextState>& context, Profiling of_compute = Profiling::on);

  opencl::QueueState compute;
  cl::CommandQueue in, out;
};

/// Returns when all that was asked for has ended, of who has failed.
void settle(Lanes& lanes) noexcept;

/// What a run took.
struct Traffic {
  std::int64_t bytes_in = 0, bytes_out = 0;
  double seconds_in = 0.0, seconds_out = 0.0,
         seconds_kernel = 0.0;    ///< of a device's commands, or of copies through the host
  std::int64_t bytes_passed = 0;  ///< from other devices that have brought them

  void add(const Traffic& other);
};

/// What reports tell of it.
void add(StreamReport& report, const Traffic& traffic);
Traffic traffic_of(const StreamReport& report);

double seconds_of(const cl::Event& event);
double seconds_of(const Event& event);

/// Who sends blocks of a matrix in a Carrier's place.
class Sender {
 public:
  virtual ~Sender() = default;
  /// As a Carrier's, without waiting for what the lanes' queues do. Who has another queue ends what it has begun there.
  virtual cl::Event send(Lanes& lanes, const HostMatrix& from, const cl::Buffer& to, const cl::Event& ready) = 0;
};

/// What it has begun has ended when it is destroyed.
class Carrier {
 public:
  /// Through pinned memory of its own where the caller's is not all pinned, with so many threads.
  Carrier(Lanes& lanes, bool is_pinned, int threads);
  ~Carrier();

  /// To the beginning of a buffer, packed, after `ready`. Returns the last command; memory that is not pinned has been
  /// read on return.
  cl::Event send(const HostMatrix& from, const cl::Buffer& to, const cl::Event& ready);
  /// And back: to memory that is not pinned it is done on return.
  cl::Event fetch(const cl::Buffer& from, const HostMatrix& to, const cl::Event& ready);
  /// Returns when all has ended, that of the queue `compute` too. Throws what has failed.
  void finish();
  /// The same of who has failed already.
  void settle() noexcept;

  /// Once it has finished; of what others send nothing counts.
  Traffic traffic() const;

 private:
  Lanes& lanes_;
  opencl::Staging staging_;
  std::vector<cl::Event> sent_, fetched_, sent_by_others_;
  Traffic traffic_;
};

}  // namespace hilo::stream
