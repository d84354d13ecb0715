// Several devices that compute together.
//
//   hilo::DeviceGroup devices;                        // all GPUs
//   gemm(devices, alpha, a, b, beta, c);              // matrices in host memory, the same bits as on one
#pragma once

#include <hilo/gemm.hpp>
#include <initializer_list>
#include <memory>
#include <vector>

namespace hilo {

namespace stream {
class PeerRings;
}

/// Devices in a fixed order, each with a context and a queue of its own. Copies share them; every function may be
/// called from several threads at once.
class DeviceGroup {
 public:
  /// All GPUs of the first platform that has one; where there is none, all devices of the first platform that has any.
  /// Throws no_device where there is none at all.
  DeviceGroup();
  /// These, at least one; devices of several kinds or platforms may be mixed, and one may be there twice. Throws
  /// invalid_argument.
  explicit DeviceGroup(const std::vector<Context>& devices);
  DeviceGroup(std::initializer_list<Context> devices) : DeviceGroup(std::vector<Context>(devices)) {}
  /// The device of this queue, on which nothing need be computed beside.
  DeviceGroup(const Queue& queue) : queues_{queue} {}  // implicit: one is a group

  int size() const { return static_cast<int>(queues_.size()); }
  /// Throws invalid_argument where there is no such one.
  const Queue& queue(int i) const;

  // For the library.
  const std::shared_ptr<stream::PeerRings>& rings() const { return rings_; }

 private:
  std::vector<Queue> queues_;
  std::shared_ptr<stream::PeerRings> rings_;  // null: of one queue
};

/// What ran, and the way of each device that had a part of C; of one device alone where the product is small or its
/// entries do not let parts tell what the whole decides.
struct GroupReport : GemmReport {
  std::vector<StreamReport> devices = {};
};

std::ostream& operator<<(std::ostream&, const GroupReport&);

/// C = alpha · A · B + beta · C of matrices in host memory on all devices of the group, each with a part of C: bits,
/// errors and what is thrown are those of gemm on one of their queues. The engine is what the first device would take.
/// Where a device fails, the others stop, and the message names it; C is undefined then, as it says.
/// options.device_bytes is of each device.
template <gemm_scalar T>
GroupReport gemm(const DeviceGroup& devices, std::type_identity_t<T> alpha,
                 const std::type_identity_t<MatrixView<const T>>& a, const std::type_identity_t<MatrixView<const T>>& b,
                 std::type_identity_t<T> beta, const MatrixView<T>& c, const GemmOptions& options = {});

}  // namespace hilo
