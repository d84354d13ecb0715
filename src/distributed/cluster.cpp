#include "distributed/cluster.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include "distributed/time_limit.hpp"

namespace hilo::distributed {
namespace {

// Of this process.
std::atomic<bool> is_taken = false;

constexpr std::size_t most_message = 1000;

// That a task has at the most, in a device's memory.
constexpr int task_tiles = 3;

starpu_conf configuration(const ClusterOptions& options) {
  starpu_conf conf;
  starpu_conf_init(&conf);
  if (options.cpu_workers >= 0) conf.ncpus = options.cpu_workers;
  if (options.opencl_devices >= 0) conf.nopencl = options.opencl_devices;
#if !HILO_STARPU_OPENCL
  conf.nopencl = 0;
#endif
  conf.ncuda = 0;
  conf.catch_signals = 0;
  return conf;
}

// StarPU's first start on a machine measures it and writes what it found to files, and aborts where one of them is
// half-written by another rank. So one rank of each machine starts before the others.
void measure_machine_once(const ClusterOptions& options, MPI_Comm all) {
  MPI_Comm machine = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine), "MPI_Comm_split_type");
  int rank = 0, ranks = 1;
  MPI_Comm_rank(machine, &rank);
  MPI_Comm_size(machine, &ranks);
  if (rank == 0 && ranks > 1) {
    starpu_conf conf = configuration(options);
    // Where it does not start, the start that counts says so.
    if (starpu_init(&conf) == 0) starpu_shutdown();
  }
  const int status = MPI_Barrier(machine);
  MPI_Comm_free(&machine);
  check_mpi(status, "MPI_Barrier");
}

}  // namespace

void check_mpi(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw error(errc::device_failure, std::string("MPI failed: ") + call + ": " + text);
}

ClusterState::ClusterState(const ClusterOptions& options) {
  if (is_taken.exchange(true)) {
    throw error(errc::invalid_argument, "Cluster: there is one in this process already");
  }
  try {
    start(options);
  } catch (...) {
    // Where StarPU runs on others alone, it cannot be ended, as they meet in its end.
    is_taken = false;
    throw;
  }
}

void ClusterState::start(const ClusterOptions& options) {
  if (options.cpu_workers < -1 || options.opencl_devices < -1) {
    throw error(errc::invalid_argument, "Cluster: " + std::to_string(options.cpu_workers) + " CPU workers and " +
                                            std::to_string(options.opencl_devices) +
                                            " OpenCL devices; -1 or more of each were expected");
  }
  if (!(options.time_limit >= 0.0)) {
    throw error(errc::invalid_argument,
                "Cluster: time_limit = " + std::to_string(options.time_limit) + " seconds; 0 or more were expected");
  }
  // Of longer ones nobody sees the end, nor does a clock have them.
  time_limit = options.time_limit < 1e9 ? options.time_limit : 0.0;
  int is_there = 0, has_ended = 0, level = 0;
  MPI_Finalized(&has_ended);
  if (has_ended) throw error(errc::unsupported, "Cluster: MPI has ended in this process, and cannot start again");
  MPI_Initialized(&is_there);
  if (is_there) {
    MPI_Query_thread(&level);
  } else {
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
    has_started_mpi_ = true;
  }
  if (level < MPI_THREAD_MULTIPLE) {
    throw error(errc::unsupported,
                "Cluster: MPI runs without MPI_THREAD_MULTIPLE, which MPI_Init_thread is to ask for");
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const TimeLimit limit(time_limit, "Cluster", rank);
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &messages), "MPI_Comm_dup");
  MPI_Comm_size(messages, &ranks);

  measure_machine_once(options, messages);
  pinned_tiles_.emplace();
  Failure failure;
  failure.watch([&] {
    starpu_conf conf = configuration(options);
    if (starpu_mpi_init_conf(nullptr, nullptr, 0, MPI_COMM_WORLD, &conf) != 0) {
      throw error(
          errc::no_device,
          "StarPU finds no worker, or does not start; on one core it needs STARPU_NCPU=1, as it keeps one for MPI");
    }
    runs_ = true;
  });
  failure.throw_everywhere(*this, "Cluster");
  std::int64_t mine = std::numeric_limits<std::int64_t>::max();
  failure.watch([&] { mine = least_of_devices(); });
  try {
    failure.throw_everywhere(*this, "Cluster");
  } catch (...) {
    starpu_mpi_shutdown();
    runs_ = false;
    throw;
  }
  std::vector<std::int64_t> each(static_cast<std::size_t>(ranks));
  check_mpi(MPI_Allgather(&mine, 1, MPI_INT64_T, each.data(), 1, MPI_INT64_T, messages), "MPI_Allgather");
  const auto least = std::min_element(each.begin(), each.end());
  most_tile_bytes_ = *least;
  least_rank_ = static_cast<int>(least - each.begin());
}

std::int64_t ClusterState::least_of_devices() {
  std::int64_t mine = std::numeric_limits<std::int64_t>::max();
  const int devices = static_cast<int>(starpu_opencl_worker_get_count());
  for (int i = 0; i < devices; ++i) {
    const int worker = starpu_worker_get_by_type(STARPU_OPENCL_WORKER, i);
    const starpu_ssize_t all = starpu_memory_get_total(starpu_worker_get_memory_node(static_cast<unsigned>(worker)));
    if (all >= 0) mine = std::min<std::int64_t>(mine, all / task_tiles);
#if HILO_STARPU_OPENCL
    cl_command_queue queue = nullptr;
    starpu_opencl_get_queue(starpu_worker_get_devid(worker), &queue);
    const Context context = Queue(queue).context();
    mine = std::min(mine, context.device().max_allocation);
    // Memory that is pinned for one serves all.
    if (!pinned_tiles_->context()) pinned_tiles_->pin_for(context);
#endif
  }
  return mine;
}

void ClusterState::check_tiles_fit(const char* function, std::int64_t tile_bytes) const {
  if (tile_bytes <= most_tile_bytes_) return;
  throw error(errc::unsupported, std::string(function) + ": a tile takes " + std::to_string(tile_bytes) +
                                     " bytes, and a device of rank " + std::to_string(least_rank_) +
                                     " has room for tiles of " + std::to_string(most_tile_bytes_) + " at the most");
}

#if HILO_STARPU_OPENCL
Queue ClusterState::queue_of_worker() {
  const int worker = starpu_worker_get_id();
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(worker);
  if (found != queues_.end()) return found->second;
  cl_command_queue queue = nullptr;
  starpu_opencl_get_queue(starpu_worker_get_devid(worker), &queue);
  return queues_.emplace(worker, Queue(queue)).first->second;
}
#endif

ClusterState::~ClusterState() {
  if (runs_) {
    starpu_mpi_wait_for_all(MPI_COMM_WORLD);
    queues_.clear();
    starpu_mpi_shutdown();
  }
  MPI_Comm_free(&messages);
  if (has_started_mpi_) MPI_Finalize();
  is_taken = false;
}

void Failure::keep(errc code, const char* message) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_there_) return;
  code_ = code;
  try {
    message_ = message;
  } catch (...) {
    message_.clear();
  }
  is_there_ = true;
}

void Failure::throw_everywhere(const ClusterState& cluster, const char* function) const {
  const TimeLimit limit(cluster.time_limit, function, cluster.rank);
  const int mine = is_there_ ? cluster.rank : cluster.ranks;
  int first = cluster.ranks;
  check_mpi(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, cluster.messages), "MPI_Allreduce");
  if (first == cluster.ranks) return;
  char text[most_message] = "";
  int code = static_cast<int>(code_);
  if (first == cluster.rank) message_.copy(text, most_message - 1);
  check_mpi(MPI_Bcast(&code, 1, MPI_INT, first, cluster.messages), "MPI_Bcast");
  check_mpi(MPI_Bcast(text, most_message, MPI_CHAR, first, cluster.messages), "MPI_Bcast");
  const std::string name = *function ? std::string(function) + ": " : "";
  throw error(static_cast<errc>(code), name + "rank " + std::to_string(first) + ": " + text);
}

Cluster::Cluster(const ClusterOptions& options) : state_(std::make_shared<ClusterState>(options)) {}
int Cluster::rank() const { return state_->rank; }
int Cluster::ranks() const { return state_->ranks; }
int Cluster::cpu_workers() const { return static_cast<int>(starpu_cpu_worker_get_count()); }
int Cluster::opencl_devices() const { return static_cast<int>(starpu_opencl_worker_get_count()); }
TaskTally Cluster::task_tally() const { return {state_->cpu_tasks, state_->opencl_tasks}; }
Traffic Cluster::traffic() const { return state_->traffic; }
void Cluster::agree(const std::function<void()>& f) const {
  Failure failure;
  failure.watch(f);
  failure.throw_everywhere(*state_, "");
}

}  // namespace hilo::distributed
