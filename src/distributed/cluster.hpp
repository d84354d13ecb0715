// What ranks share: StarPU and MPI from beginning to end, and hilo's own messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <hilo/device.hpp>
#include <hilo/distributed.hpp>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "distributed/pinned_tiles.hpp"
#include "distributed/starpu.hpp"

namespace hilo::distributed {

struct ClusterState {
  explicit ClusterState(const ClusterOptions& options);
  ~ClusterState();
  ClusterState(const ClusterState&) = delete;
  ClusterState& operator=(const ClusterState&) = delete;

  MPI_Comm messages = MPI_COMM_NULL;  ///< a copy of MPI_COMM_WORLD, on which StarPU has its own
  int rank = 0, ranks = 1;
  double time_limit = 0.0;                                    ///< seconds that a call may take; 0: as many as it takes
  std::atomic<std::int64_t> cpu_tasks = 0, opencl_tasks = 0;  ///< of this rank
  Traffic traffic;                                            ///< the same

  /// What tiles are pinned for; null without devices.
  const Context* pinning() const { return pinned_tiles_ ? pinned_tiles_->context() : nullptr; }
  /// hilo's queue on the device of the OpenCL worker that calls.
  Queue queue_of_worker();
  /// Throws unsupported, naming `function` and the rank, where a device of any rank has no room for three tiles of so
  /// many bytes: StarPU waits for ever for it.
  void check_tiles_fit(const char* function, std::int64_t tile_bytes) const;

  /// The first of `count` numbers by which ranks know the same data.
  std::int64_t take_tags(std::int64_t count) { return std::exchange(next_tag_, next_tag_ + count); }

 private:
  void start(const ClusterOptions& options);
  // Bytes of a tile for which all devices of this rank have room.
  std::int64_t least_of_devices();

  bool has_started_mpi_ = false, runs_ = false;
  std::optional<PinnedTiles> pinned_tiles_;  // from before StarPU starts until it has ended
  std::int64_t next_tag_ = 0;
  // The largest tile that all devices have room for, and on which rank the one is that has least.
  std::int64_t most_tile_bytes_ = std::numeric_limits<std::int64_t>::max();
  int least_rank_ = 0;
  std::mutex mutex_;
  std::map<int, Queue> queues_;  // of workers
};

/// The first failure among what one rank does, if any.
class Failure {
 public:
  /// f(), whose exceptions are kept. Callable from several threads.
  template <class F>
  void watch(F&& f) noexcept {
    try {
      f();
    } catch (const error& e) {
      keep(e.code(), e.what());
    } catch (const std::system_error& e) {
      keep(errc::io, e.what());
    } catch (const std::bad_alloc&) {
      keep(errc::out_of_memory, "no memory");
    } catch (const std::exception& e) {
      keep(errc::invalid_argument, e.what());
    } catch (...) {
      keep(errc::invalid_argument, "an exception that is none of std's");
    }
  }

  bool is_there() const { return is_there_; }

  /// On all ranks: throws where one of them has a failure, that of the first rank, and names it. `function` may be
  /// empty.
  void throw_everywhere(const ClusterState& cluster, const char* function) const;

 private:
  void keep(errc code, const char* message) noexcept;

  std::atomic<bool> is_there_ = false;
  std::mutex mutex_;
  errc code_ = errc::invalid_argument;
  std::string message_;
};

/// MPI's status as an error that names the call.
void check_mpi(int status, const char* call);

}  // namespace hilo::distributed
