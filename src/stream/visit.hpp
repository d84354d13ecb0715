// Matrices of host memory on a device for as long as something is computed with them there.
#pragma once

#include <list>
#include <vector>

#include "stream/carrier.hpp"

namespace hilo::stream {

/// What it has begun has ended when it is destroyed.
class Visit {
 public:
  Visit(Lanes& lanes, int threads);
  ~Visit();

  /// Throws out_of_memory.
  DeviceView bring(const HostMatrix& x);
  /// Their last commands.
  std::vector<cl::Event> arrivals() const;
  /// A matrix that was brought, changed by commands of the compute queue. On return it is back.
  void take_back(const DeviceView& from, const HostMatrix& to);
  /// Whether something was written to host memory, or may have been.
  bool has_written() const { return has_written_; }

  /// Bytes and seconds of both ways, once all are back.
  Traffic traffic() const { return carrier_.traffic(); }

 private:
  Lanes& lanes_;
  Carrier carrier_;
  std::list<opencl::Workspace> memory_;
  std::vector<cl::Event> arrivals_;
  bool has_written_ = false;
};

}  // namespace hilo::stream
