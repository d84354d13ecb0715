// Panels on their way: to the device, through an engine, and back, each while the others work.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "matrix/device_product.hpp"
#include "opencl/call.hpp"
#include "stream/returns.hpp"
#include "stream/schedule.hpp"

namespace hilo::stream {

/// A matrix in host memory, without its elements' type; op(X) of it, as a product takes it.
struct HostMatrix {
  std::byte* data;  ///< element (0, 0)
  std::int64_t rows, columns, row_stride, column_stride;
  bool conjugate;
  std::int64_t element_bytes;
  bool is_pinned;

  /// Whether its lines are columns.
  bool by_columns() const { return row_stride == 1 && !(rows == 1 && column_stride == 1); }
  HostMatrix sub(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const;
  opencl::HostLines lines() const;
  /// The same packed on a device, line by line from the beginning of a buffer.
  DeviceView on_device(const cl::Buffer& buffer) const;
};

HostMatrix host_matrix(const void* data, const ViewLines& lines, std::int64_t element_bytes);

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

/// The queues of a device, each in order: in, compute, out.
struct Lanes {
  explicit Lanes(const std::shared_ptr<opencl::ContextState>& context);

  opencl::QueueState compute;
  cl::CommandQueue in, out;
};

/// What a run took.
struct Traffic {
  std::int64_t bytes_in = 0, bytes_out = 0;
  double seconds_in = 0.0, seconds_out = 0.0,
         seconds_kernel = 0.0;  ///< of a device's commands, or of copies through the host
};

/// Panels of one product through one device. What it has begun has ended when it is destroyed.
class Pipeline {
 public:
  /// The operands and C, with all its memory; throws out_of_memory. Places for panels: slots[0] of A, slots[1] of B;
  /// `spare` for those that pass through to be prepared, and for C's.
  Pipeline(Lanes& lanes, const HostMatrix (&operands)[2], const HostMatrix& c, const Cut& cut, const int (&slots)[2],
           int spare, PanelEngine& engine);
  ~Pipeline();

  /// One step after the other; C comes back where `returns_c`, and goes there before where `takes_c`. Returns when the
  /// last command is enqueued and all copies through the host have ended; early, between two steps, once is_stopped.
  void run(const std::vector<Step>& steps, bool takes_c, bool returns_c, const std::atomic<bool>& is_stopped);
  /// Returns when all has ended.
  void finish();

  /// Bytes of device memory for these places, without the engine's.
  static std::int64_t bytes(const Cut& cut, const int (&slots)[2], int spare, std::int64_t terms,
                            std::int64_t element_bytes, bool reads_panels);

  /// Once it has finished.
  Traffic traffic() const;

 private:
  struct Place {
    opencl::Workspace memory;
    cl::Event last_use;
    std::int64_t copy = 0;  ///< of C, the last one that Returns has to make
  };

  HostMatrix panel_of(int operand, int panel) const;
  void load(const Load& load);
  cl::Event send(const HostMatrix& from, Place& to);
  void take_back(const HostMatrix& to, Place& from, const cl::Event& ready);

  Lanes& lanes_;
  const HostMatrix operands_[2], c_;
  const Cut cut_;
  PanelEngine& engine_;
  opencl::Staging staging_;
  std::vector<Place> places_[2], passing_, of_c_;
  std::size_t next_passing_ = 0, next_of_c_ = 0;
  std::vector<cl::Event> sent_, returned_;
  std::vector<Event> computed_;
  Traffic traffic_;
  std::unique_ptr<Returns> returns_;
};

}  // namespace hilo::stream
