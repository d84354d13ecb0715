#include "distributed/tasks.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <type_traits>
#include <utility>

#include "distributed/kinds.hpp"
#include "distributed/worker.hpp"
#if HILO_STARPU_OPENCL
#include "distributed/opencl_worker.hpp"
#endif

namespace hilo::distributed {
namespace {

// What a task has to do with the progress of a factorisation: nothing; it reads it; it also makes the next.
enum class Role { alone, reads, makes };
constexpr int numbers_of(Role role) { return static_cast<int>(role); }

// A task's buffers: progress before, progress after where it makes that, tiles. run(kind's buffers) gives an info.
template <class Kind, Role role, class Call, class Run>
void run_task(void** buffers, const Call& call, Run run) {
  constexpr bool goes_on = std::is_same_v<Kind, Panel>;
  if constexpr (role == Role::makes) *numbers(buffers[1]) = *numbers(buffers[0]);
  if constexpr (role != Role::alone && !goes_on) {
    if (*numbers(buffers[0]) != 0) return;
  }
  Failure& failure = call.tasks->failure();
  void** const data = buffers + numbers_of(role);
  // Ranks that know of no failure move rows by what a panel has made.
  const auto stay = [&] {
    if constexpr (goes_on) Kind::stay(call, data);
  };
  if (failure.is_there()) return stay();
  failure.watch([&] {
    std::int64_t info = 0;
    try {
      info = run(data);
    } catch (...) {
      stay();
      throw;
    }
    if constexpr (role == Role::makes) {
      if (info != 0 && *numbers(buffers[1]) == 0) *numbers(buffers[1]) = call.first + info;
    }
  });
}

template <class T, class Kind, Role role>
void run_on_cpu(void** buffers, void* argument) {
  typename Tasks<T>::Call call;
  starpu_codelet_unpack_args(argument, &call);
  run_task<Kind, role>(buffers, call, [&](void** data) {
    ++call.tasks->cluster().cpu_tasks;
    CpuWorker<T> worker(call.tasks->options());
    return Kind::run(worker, call, data);
  });
}

#if HILO_STARPU_OPENCL
// For what was begun, whether it fails or not.
void wait_for(const Queue& queue) noexcept {
  try {
    queue.finish();
  } catch (...) {
  }
}

// Panels and exchanges of rows are the host's also where the worker has a device.
template <class Kind>
constexpr bool is_on_host = Kind::tiles == any_number;

template <class T, class Kind, Role role>
void run_on_opencl(void** buffers, void* argument) {
  if constexpr (is_on_host<Kind>) {
    run_on_cpu<T, Kind, role>(buffers, argument);
  } else {
    typename Tasks<T>::Call call;
    starpu_codelet_unpack_args(argument, &call);
    run_task<Kind, role>(buffers, call, [&](void** data) {
      ++call.tasks->cluster().opencl_tasks;
      Queue queue = call.tasks->cluster().queue_of_worker();
      OpenclWorker<T> worker(call.tasks->options(), queue);
      try {
        return Kind::run(worker, call, data);
      } catch (...) {
        // StarPU may give the tiles' memory to others once the task has ended.
        wait_for(queue);
        throw;
      }
    });
  }
}
#endif

// Where a task's data are to be: numbers in host memory, tiles where it runs, those of a panel in host memory too.
const std::vector<int> host_nodes(most_column_tiles + 3, STARPU_SPECIFIC_NODE_CPU);

template <class T, class Kind, Role role>
starpu_codelet& codelet() {
  static starpu_codelet the_codelet = [] {
    starpu_codelet made;
    starpu_codelet_init(&made);
    made.cpu_funcs[0] = run_on_cpu<T, Kind, role>;
#if HILO_STARPU_OPENCL
    made.opencl_funcs[0] = run_on_opencl<T, Kind, role>;
#endif
    made.name = Kind::name;
    made.specific_nodes = 1;
    if constexpr (Kind::tiles == any_number) {
      made.nbuffers = STARPU_VARIABLE_NBUFFERS;
      made.dyn_nodes = const_cast<int*>(host_nodes.data());  // StarPU reads them
    } else {
      made.nbuffers = numbers_of(role) + Kind::tiles;
      for (int i = 0; i < made.nbuffers; ++i) {
        made.nodes[i] = i < numbers_of(role) ? STARPU_SPECIFIC_NODE_CPU : STARPU_SPECIFIC_NODE_LOCAL;
      }
    }
    return made;
  }();
  return the_codelet;
}

// Tasks that may be left after a step in any case, so that workers have something to do where a step is short.
constexpr std::int64_t least_left = 64;

// The same wherever a task runs: the engine by the shape alone, fused multiply-adds, a worker's own thread.
BlockedOptions of_every_worker(BlockedOptions options) {
  if (options.engine == Engine::automatic) options.engine = Engine::reproducible;
  if (options.fma == Fma::automatic) options.fma = Fma::on;
  if (options.threads == 0) options.threads = 1;
  return options;
}

// What a task on rank `node` is about to have StarPU move to this rank and from it: what is not there yet of what it
// reads, and what it has written, back to where that is at home.
void count(ClusterState& cluster, const std::vector<starpu_data_descr>& data, int node) {
  Traffic& traffic = cluster.traffic;
  starpu_data_handle_t previous = nullptr;  // a tile may stand twice, as one times itself
  for (const starpu_data_descr& d : data) {
    const int home = starpu_mpi_data_get_rank(d.handle);
    if (home == node || (home != cluster.rank && node != cluster.rank) || d.handle == previous) continue;
    previous = d.handle;
    const auto bytes = static_cast<std::int64_t>(starpu_data_get_size(d.handle));
    const bool is_home = home == cluster.rank;
    const auto out = [&] { traffic.bytes_out += bytes, ++traffic.messages_out; };
    const auto in = [&] { traffic.bytes_in += bytes, ++traffic.messages_in; };
    if (d.mode & STARPU_R) {
      if (is_home && !starpu_mpi_cached_send(d.handle, node)) out();
      if (!is_home && !starpu_mpi_cached_receive(d.handle)) in();
    }
    if (d.mode & STARPU_W) is_home ? in() : out();
  }
}

std::vector<int> with_beginning(std::vector<int> owners) {
  owners.insert(owners.begin(), owners.empty() ? 0 : owners.front());
  return owners;
}

}  // namespace

Numbers::Numbers(ClusterState& cluster, std::vector<int> owners, std::vector<std::int64_t> lengths)
    : cluster_(cluster), owners_(std::move(owners)), memory_(owners_.size()) {
  const std::int64_t first_tag = cluster.take_tags(static_cast<std::int64_t>(owners_.size()));
  for (std::size_t k = 0; k < owners_.size(); ++k) {
    const bool is_mine = owners_[k] == cluster.rank;
    if (is_mine) memory_[k].assign(static_cast<std::size_t>(lengths[k]), 0);
    starpu_data_handle_t data = nullptr;
    starpu_vector_data_register(&data, is_mine ? STARPU_MAIN_RAM : -1,
                                reinterpret_cast<std::uintptr_t>(memory_[k].data()),
                                static_cast<std::uint32_t>(lengths[k]), sizeof(std::int64_t));
    starpu_mpi_data_register(data, first_tag + static_cast<std::int64_t>(k), owners_[k]);
    handles_.push_back(data);
  }
}

Numbers::~Numbers() {
  for (const starpu_data_handle_t data : handles_) starpu_data_unregister_no_coherency(data);
}

void Numbers::tell(std::int64_t k, std::span<std::int64_t> numbers) const {
  const auto piece = static_cast<std::size_t>(k);
  if (owners_[piece] == cluster_.rank) {
    starpu_data_acquire(handles_[piece], STARPU_R);
    std::copy(memory_[piece].begin(), memory_[piece].end(), numbers.begin());
    starpu_data_release(handles_[piece]);
  }
  check_mpi(MPI_Bcast(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, owners_[piece], cluster_.messages),
            "MPI_Bcast");
}

Progress::Progress(ClusterState& cluster, const std::vector<int>& owners)
    : numbers_(cluster, with_beginning(owners), std::vector<std::int64_t>(owners.size() + 1, 1)) {}

std::int64_t Progress::info(std::int64_t steps) const {
  std::int64_t info = 0;
  numbers_.tell(steps, {&info, 1});
  return info;
}

template <class T>
Tasks<T>::Tasks(ClusterState& cluster, const char* function, std::int64_t tile_bytes, const BlockedOptions& options)
    : cluster_(cluster),
      function_(function),
      options_(of_every_worker(options)),
      limit_(cluster.time_limit, function, cluster.rank) {
  cluster.check_tiles_fit(function, tile_bytes);
}

template <class T>
Tasks<T>::~Tasks() {
  if (!has_tasks_) return;
  if (cluster_.ranks > 1) {
    std::fprintf(stderr, "hilo: %s: rank %d cannot go on, and others wait for it: the job ends\n", function_,
                 cluster_.rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  starpu_task_wait_for_all();
}

template <class T>
typename Tasks<T>::Call Tasks<T>::call(std::initializer_list<TileData> tiles) {
  Call call{this, T(1), T(1), 0, Side::left, Uplo::lower, Diag::non_unit, Op::none, {}, nullptr, 0, 0, false};
  std::transform(tiles.begin(), tiles.end(), call.seen, [](const TileData& x) { return x.op; });
  return call;
}

template <class T>
void Tasks<T>::insert(starpu_codelet& kind, const Call& call, std::vector<starpu_data_descr> data, int node,
                      bool is_urgent) {
  count(cluster_, data, node);
  has_tasks_ = true;
  if (node == cluster_.rank) ++tasks_of_step_;
  const int status =
      starpu_mpi_task_insert(MPI_COMM_WORLD, &kind, STARPU_VALUE, &call, sizeof(call), STARPU_DATA_MODE_ARRAY,
                             data.data(), static_cast<int>(data.size()), STARPU_EXECUTE_ON_NODE, node, STARPU_PRIORITY,
                             is_urgent ? STARPU_MAX_PRIO : STARPU_DEFAULT_PRIO, 0);
  // Others wait for what this rank was to do, so that the graph must come to its end.
  failure_.watch([&] {
    if (status != 0) throw error(errc::unsupported, std::string("StarPU has no worker for a task ") + kind.name);
  });
}

template <class T>
template <class Kind>
void Tasks<T>::submit(const Call& call, std::vector<starpu_data_descr> data, int node, bool is_urgent) {
  if (!progress_) return insert(codelet<T, Kind, Role::alone>(), call, std::move(data), node, is_urgent);
  data.insert(data.begin(), {progress_, STARPU_R});
  insert(codelet<T, Kind, Role::reads>(), call, std::move(data), node, is_urgent);
}

template <class T>
template <class Kind>
void Tasks<T>::submit_step(const Progress& progress, std::int64_t k, const Call& call,
                           std::vector<starpu_data_descr> data, int node) {
  data.insert(data.begin(), {{progress.before(k), STARPU_R}, {progress.after(k), STARPU_W}});
  insert(codelet<T, Kind, Role::makes>(), call, std::move(data), node, true);
}

template <class T>
void Tasks<T>::gemm(T alpha, const TileData& a, const TileData& b, T beta, const TileData& c) {
  Call told = call({a, b, c});
  told.alpha = alpha;
  told.beta = beta;
  submit<Gemm>(told, {{a.handle, STARPU_R}, {b.handle, STARPU_R}, {c.handle, STARPU_RW}}, c.owner, false);
}

template <class T>
void Tasks<T>::scale(T beta, const TileData& c) {
  Call told = call({c});
  told.alpha = T(0);
  told.beta = beta;
  submit<Scale>(told, {{c.handle, STARPU_RW}}, c.owner, false);
}

template <class T>
void Tasks<T>::update(Op op, Uplo uplo, T alpha, const TileData& a, T beta, const TileData& c) {
  Call told = call({a, c});
  told.op = op;
  told.uplo = uplo;
  told.alpha = alpha;
  told.beta = beta;
  submit<Update>(told, {{a.handle, STARPU_R}, {c.handle, STARPU_RW}}, c.owner, false);
}

template <class T>
void Tasks<T>::scale_triangle(Op op, Uplo uplo, T beta, const TileData& c) {
  Call told = call({c});
  told.op = op;
  told.uplo = uplo;
  told.alpha = T(0);
  told.beta = beta;
  submit<ScaleTriangle>(told, {{c.handle, STARPU_RW}}, c.owner, false);
}

template <class T>
void Tasks<T>::trsm(Side side, Uplo uplo, Diag diag, T alpha, const TileData& a, const TileData& b) {
  Call told = call({a, b});
  told.side = side;
  told.uplo = uplo;
  told.diag = diag;
  told.alpha = alpha;
  submit<Trsm>(told, {{a.handle, STARPU_R}, {b.handle, STARPU_RW}}, b.owner, true);
}

template <class T>
void Tasks<T>::potrf(const Progress& progress, std::int64_t k, std::int64_t first, const TileData& a) {
  Call told = call({a});
  told.first = first;
  submit_step<Potrf>(progress, k, told, {{a.handle, STARPU_RW}}, a.owner);
  progress_ = progress.after(k);
}

template <class T>
void Tasks<T>::panel(const Progress& progress, std::int64_t k, const TileColumn& a, const Pivots& pivots) {
  Call told = call({a.tiles.front()});
  told.first = a.first;
  told.count = pivots.count;
  told.tiles = static_cast<std::int64_t>(a.tiles.size());
  std::vector<starpu_data_descr> data{{pivots.made, STARPU_W}};
  for (const TileData& tile : a.tiles) data.push_back({tile.handle, STARPU_RW});
  submit_step<Panel>(progress, k, told, std::move(data), a.tiles.front().owner);
}

template <class T>
void Tasks<T>::move_rows(const TileColumn& b, const Pivots& pivots, bool back) {
  Call told = call({b.tiles.front()});
  told.first = b.first;
  told.pivots = pivots.known;
  told.count = pivots.count;
  told.tiles = static_cast<std::int64_t>(b.tiles.size());
  told.back = back;
  std::vector<starpu_data_descr> data;
  if (!pivots.known) data.push_back({pivots.made, STARPU_R});
  for (const TileData& tile : b.tiles) data.push_back({tile.handle, STARPU_RW});
  submit<MoveRows>(told, std::move(data), b.tiles.front().owner, true);
}

template <class T>
void Tasks<T>::end_step() {
  const std::int64_t of_two_steps = tasks_before_ + tasks_of_step_;
  tasks_before_ = std::exchange(tasks_of_step_, 0);
  starpu_task_wait_for_n_submitted(static_cast<unsigned>(std::max(of_two_steps, least_left)));
}

template <class T>
void Tasks<T>::finish() {
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  has_tasks_ = false;
  failure_.throw_everywhere(cluster_, function_);
}

#define HILO_INSTANTIATE(T) template class Tasks<T>;
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::distributed
