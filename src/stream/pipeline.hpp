// Panels on their way: to the device, through an engine, and back, each while the others work.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "matrix/device_product.hpp"
#include "opencl/call.hpp"
#include "stream/carrier.hpp"
#include "stream/returns.hpp"
#include "stream/schedule.hpp"

namespace hilo::stream {

/// What multiplies panels.
class PanelEngine {
 public:
  virtual ~PanelEngine() = default;

  /// Whether panels are read as they came while they are multiplied; otherwise no more once they are prepared.
  virtual bool reads_panels() const = 0;

  /// A panel that is on the device after the events of wait_list, in place of what was in that slot. Returns its
  /// last command, which has read it.
  virtual Event prepare(const Load& load, const DeviceView& panel, const std::vector<cl::Event>& wait_list) = 0;
  /// C's panel of two prepared ones, after the events of wait_list; C is what it was before where beta asks for that.
  virtual Event multiply(const Step& step, const DeviceView& c, const std::vector<cl::Event>& wait_list) = 0;
};

/// Panels of one product through one device. What it has begun has ended when it is destroyed.
class Pipeline {
 public:
  /// The operands and C, with all its memory; throws out_of_memory. Places for panels: slots[0] of A, slots[1] of B;
  /// `spare` for those that pass through to be prepared, and for C's. What is resident takes none.
  Pipeline(Lanes& lanes, const HostMatrix (&operands)[2], const HostMatrix& c, const Cut& cut, const int (&slots)[2],
           int spare, PanelEngine& engine);
  ~Pipeline();

  /// Panels of an operand are sent by somebody from now on.
  void let_send(int operand, Sender& by) { operands_[operand].sender = &by; }
  /// One step after the other; C comes back where `returns_c`, and goes there before where `takes_c`. Returns when the
  /// last command is enqueued and all copies through the host have ended; early, between two steps, once is_stopped.
  void run(const std::vector<Step>& steps, bool takes_c, bool returns_c, const std::atomic<bool>& is_stopped);
  /// Returns when all has ended.
  void finish();

  /// Bytes of device memory for these places, without the engine's.
  static std::int64_t bytes(const Cut& cut, const int (&slots)[2], int spare, const HostMatrix (&operands)[2],
                            const HostMatrix& c, bool reads_panels);

  /// Once it has finished.
  Traffic traffic() const;

 private:
  struct Place {
    opencl::Workspace memory;
    cl::Event last_use;
    std::int64_t copy = 0;  ///< of C, the last one that Returns has to make
  };

  HostMatrix panel_of(int operand, int panel) const;
  void multiply(const Step& step, bool takes_c, bool returns_c);
  void load(const Load& load);
  cl::Event send(const HostMatrix& from, Place& to);
  void take_back(const HostMatrix& to, Place& from, const cl::Event& ready);

  Lanes& lanes_;
  HostMatrix operands_[2];
  const HostMatrix c_;
  const Cut cut_;
  PanelEngine& engine_;
  Carrier carrier_;
  std::vector<Place> places_[2], passing_, of_c_;
  std::size_t next_passing_ = 0, next_of_c_ = 0;
  std::vector<Event> computed_;
  std::int64_t bytes_returned_ = 0;
  std::unique_ptr<Returns> returns_;
};

}  // namespace hilo::stream
