#include "distributed/tasks.hpp"

#include <initializer_list>
#include <string>

#include "distributed/worker.hpp"

namespace hilo::distributed {
namespace {

std::int64_t& number(void* buffer) { return *reinterpret_cast<std::int64_t*>(STARPU_VARIABLE_GET_PTR(buffer)); }

// What each kind of task does to its tiles; what it gives is an info.

struct Potrf {
  static constexpr const char* name = "potrf";
  static constexpr int tiles = 1;
  template <class Worker, class Call>
  static std::int64_t run(const Worker& worker, const Call& call, void** tiles) {
    return worker.potrf(call.uplo, worker.tile(tiles[0]).turned(call.ops[0]));
  }
};

struct Trsm {
  static constexpr const char* name = "trsm";
  static constexpr int tiles = 2;
  template <class Worker, class Call>
  static std::int64_t run(const Worker& worker, const Call& call, void** tiles) {
    worker.trsm(call.side, call.uplo, call.diag, call.alpha, worker.tile(tiles[0]).turned(call.ops[0]),
                worker.tile(tiles[1]).turned(call.ops[1]));
    return 0;
  }
};

struct Herk {
  static constexpr const char* name = "herk";
  static constexpr int tiles = 2;
  template <class Worker, class Call>
  static std::int64_t run(const Worker& worker, const Call& call, void** tiles) {
    worker.herk(call.uplo, call.alpha, worker.tile(tiles[0]).turned(call.ops[0]), call.beta,
                worker.tile(tiles[1]).turned(call.ops[1]));
    return 0;
  }
};

struct Gemm {
  static constexpr const char* name = "gemm";
  static constexpr int tiles = 3;
  template <class Worker, class Call>
  static std::int64_t run(const Worker& worker, const Call& call, void** tiles) {
    worker.gemm(call.alpha, worker.tile(tiles[0]).turned(call.ops[0]), worker.tile(tiles[1]).turned(call.ops[1]),
                call.beta, worker.tile(tiles[2]).turned(call.ops[2]));
    return 0;
  }
};

// Whether a task reads the progress of a factorisation, or also makes the next.
enum class Role { reads, makes };

// A task's buffers: progress before, progress after where it makes that, tiles.
template <class T, class Kind, Role role>
void run_on_cpu(void** buffers, void* argument) {
  constexpr int numbers = role == Role::makes ? 2 : 1;
  typename Tasks<T>::Call call;
  starpu_codelet_unpack_args(argument, &call);
  if (role == Role::makes) number(buffers[1]) = number(buffers[0]);
  if (number(buffers[0]) != 0 || call.tasks->failure().is_there()) return;
  call.tasks->failure().watch([&] {
    const std::int64_t info = Kind::run(CpuWorker<T>(call.tasks->options()), call, buffers + numbers);
    if (role == Role::makes && info != 0) number(buffers[1]) = call.first + info;
  });
}

template <class T, class Kind, Role role>
starpu_codelet& codelet() {
  static starpu_codelet the_codelet = [] {
    starpu_codelet made;
    starpu_codelet_init(&made);
    made.cpu_funcs[0] = run_on_cpu<T, Kind, role>;
    made.nbuffers = (role == Role::makes ? 2 : 1) + Kind::tiles;
    made.name = Kind::name;
    return made;
  }();
  return the_codelet;
}

// Which of tasks that are ready come first: those that others wait for.
enum class Turn { soon, later };

template <class Call>
void submit(Failure& failure, starpu_codelet& kind, const Call& call, std::initializer_list<starpu_data_descr> data,
            int node, Turn turn) {
  std::vector<starpu_data_descr> all(data);
  const int status =
      starpu_mpi_task_insert(MPI_COMM_WORLD, &kind, STARPU_VALUE, &call, sizeof(call), STARPU_DATA_MODE_ARRAY,
                             all.data(), static_cast<int>(all.size()), STARPU_EXECUTE_ON_NODE, node, STARPU_PRIORITY,
                             turn == Turn::soon ? STARPU_MAX_PRIO : STARPU_DEFAULT_PRIO, 0);
  failure.watch([&] {
    if (status != 0) throw error(errc::unsupported, std::string("StarPU has no worker for a task ") + kind.name);
  });
}

// The same wherever a task runs: the engine by the shape alone, fused multiply-adds, a worker's own thread.
BlockedOptions of_every_worker(BlockedOptions options) {
  if (options.engine == Engine::automatic) options.engine = Engine::reproducible;
  if (options.fma == Fma::automatic) options.fma = Fma::on;
  if (options.threads == 0) options.threads = 1;
  return options;
}

}  // namespace

void Progress::begin() {
  const std::size_t count = owners_.size() + 1;
  // Known to all before the first step, and then made by the step's rank.
  owners_.insert(owners_.begin(), owners_.empty() ? 0 : owners_.front());
  numbers_.assign(count, 0);
  const std::int64_t first_tag = cluster_.take_tags(static_cast<std::int64_t>(count));
  for (std::size_t k = 0; k < count; ++k) {
    starpu_data_handle_t data = nullptr;
    const bool is_mine = owners_[k] == cluster_.rank;
    starpu_variable_data_register(&data, is_mine ? STARPU_MAIN_RAM : -1,
                                  is_mine ? reinterpret_cast<std::uintptr_t>(&numbers_[k]) : 0, sizeof(std::int64_t));
    starpu_mpi_data_register(data, first_tag + static_cast<std::int64_t>(k), owners_[k]);
    handles_.push_back(data);
  }
}

Progress::~Progress() {
  for (const starpu_data_handle_t data : handles_) starpu_data_unregister_no_coherency(data);
}

std::int64_t Progress::info() const {
  std::int64_t info = 0;
  const int owner = owners_.back();
  if (owner == cluster_.rank) {
    starpu_data_acquire(handles_.back(), STARPU_R);
    info = numbers_.back();
    starpu_data_release(handles_.back());
  }
  check_mpi(MPI_Bcast(&info, 1, MPI_INT64_T, owner, cluster_.messages), "MPI_Bcast");
  return info;
}

template <class T>
Tasks<T>::Tasks(ClusterState& cluster, const char* function, const BlockedOptions& options)
    : cluster_(cluster), function_(function), options_(of_every_worker(options)) {}

template <class T>
void Tasks<T>::potrf(const Progress& progress, std::int64_t k, std::int64_t first, const TileData& a) {
  Call call{};
  call.tasks = this;
  call.first = first;
  call.uplo = Uplo::lower;
  call.ops[0] = a.op;
  submit(failure_, codelet<T, Potrf, Role::makes>(), call,
         {{progress.before(k), STARPU_R}, {progress.after(k), STARPU_W}, {a.handle, STARPU_RW}}, a.owner, Turn::soon);
}

template <class T>
void Tasks<T>::trsm(const Progress& progress, std::int64_t k, Side side, Uplo uplo, Diag diag, T alpha,
                    const TileData& a, const TileData& b) {
  const Call call{this, alpha, T(0), 0, side, uplo, diag, {a.op, b.op}};
  submit(failure_, codelet<T, Trsm, Role::reads>(), call,
         {{progress.after(k), STARPU_R}, {a.handle, STARPU_R}, {b.handle, STARPU_RW}}, b.owner, Turn::soon);
}

template <class T>
void Tasks<T>::herk(const Progress& progress, std::int64_t k, Uplo uplo, T alpha, const TileData& a, T beta,
                    const TileData& c) {
  const Call call{this, alpha, beta, 0, Side::left, uplo, Diag::non_unit, {a.op, c.op}};
  submit(failure_, codelet<T, Herk, Role::reads>(), call,
         {{progress.after(k), STARPU_R}, {a.handle, STARPU_R}, {c.handle, STARPU_RW}}, c.owner, Turn::later);
}

template <class T>
void Tasks<T>::gemm(const Progress& progress, std::int64_t k, T alpha, const TileData& a, const TileData& b, T beta,
                    const TileData& c) {
  const Call call{this, alpha, beta, 0, Side::left, Uplo::lower, Diag::non_unit, {a.op, b.op, c.op}};
  submit(failure_, codelet<T, Gemm, Role::reads>(), call,
         {{progress.after(k), STARPU_R}, {a.handle, STARPU_R}, {b.handle, STARPU_R}, {c.handle, STARPU_RW}}, c.owner,
         Turn::later);
}

template <class T>
void Tasks<T>::finish() {
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  failure_.throw_everywhere(cluster_, function_);
}

#define HILO_INSTANTIATE(T) template class Tasks<T>;
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::distributed
