#include "gemm/direct/cpu.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "gemm/direct/kernels.hpp"
#include "gemm/direct/pack.hpp"
#include "gemm/direct/reference.hpp"

namespace hilo::direct {
namespace {

constexpr std::int64_t round_up(std::int64_t x, std::int64_t to) { return (x + to - 1) / to * to; }
constexpr std::int64_t blocks(std::int64_t x, std::int64_t of) { return (x + of - 1) / of; }

// Lines of either operand that are packed at a time: with 4096 steps of 16 bytes, at most 128 MiB each.
constexpr std::int64_t outer_lines = 2048;
// A task's sums (16 bytes an entry) and its slices of both panels for one chunk share a second-level cache of 1 MiB.
constexpr std::int64_t task_lines = 128;
// Below this many steps in all, waking threads costs more than they save.
constexpr std::int64_t serial_steps = 64 * 64 * 64;
// Each thread keeps a buffer of this size for its short products, and the process one of at most this size for the
// long ones: fresh memory costs a page fault for each 4 KiB, which is 3 % of a product at n = 1024.
constexpr std::int64_t short_bytes = std::int64_t{1} << 20;
constexpr std::int64_t long_bytes = std::int64_t{1} << 27;
constexpr std::int64_t bytes_per_double = sizeof(double);

// Doubles aligned for any vector.
class Buffer {
 public:
  explicit Buffer(std::int64_t bytes)
      : bytes_(bytes),
        data_(static_cast<double*>(::operator new(static_cast<std::size_t>(bytes), std::align_val_t(64)))) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { ::operator delete(data_, std::align_val_t(64)); }
  std::int64_t bytes() const { return bytes_; }
  double* data() const { return data_; }

 private:
  std::int64_t bytes_;
  double* data_;
};

// The workspace of one call, taken from what earlier calls left where that is large enough.
class Workspace {
 public:
  explicit Workspace(std::int64_t bytes) {
    if (bytes <= short_bytes) {
      thread_local Buffer own(short_bytes);
      data_ = own.data();
      return;
    }
    buffer_.reset(spare().exchange(nullptr));
    if (!buffer_ || buffer_->bytes() < bytes) buffer_ = std::make_unique<Buffer>(bytes);
    data_ = buffer_->data();
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    if (buffer_ && buffer_->bytes() <= long_bytes) delete spare().exchange(buffer_.release());
  }
  double* data() const { return data_; }

 private:
  static std::atomic<Buffer*>& spare() {
    static std::atomic<Buffer*> buffer = nullptr;
    return buffer;
  }
  std::unique_ptr<Buffer> buffer_;
  double* data_;
};

// Which lines lie in SIMD lanes, and how the product is cut.
struct Geometry {
  const TileKernel* kernel;
  std::int64_t lines[2];  // of the vector and of the scalar operand
  std::int64_t steps;
  std::int64_t width[2];  // of the register tile
  std::int64_t task[2];   // lines of a task, multiples of width
  std::int64_t outer[2];  // lines of a block, multiples of task
  bool swapped;           // op(A) is the scalar operand
  int threads;
  std::int64_t group;  // super-chunks computed side by side

  std::int64_t superchunks() const { return blocks(steps, superchunk_steps); }
  std::int64_t chunks_of_group() const { return blocks(std::min(steps, group * superchunk_steps), chunk_steps); }
  std::int64_t outer_lines_of(int operand) const {
    return std::min(round_up(lines[operand], task[operand]), outer[operand]);
  }
  // Doubles.
  std::int64_t packed_size(int operand) const { return chunks_of_group() * chunk_steps * 2 * outer_lines_of(operand); }
  std::int64_t task_size() const { return 2 * task[0] * task[1]; }
  std::int64_t tasks(int operand) const { return outer_lines_of(operand) / task[operand]; }
  std::int64_t partials_size() const {
    return group > 1 ? group * tasks(0) * tasks(1) * task_size() : threads * task_size();
  }
  std::int64_t totals_size() const {
    return superchunks() > group ? tasks(0) * tasks(1) * task_size() : threads * task_size();
  }
  std::int64_t workspace() const { return packed_size(0) + packed_size(1) + partials_size() + totals_size(); }
};

constexpr double narrow_cost = 1.2;  // of a narrow tile's entry in a wide tile's, measured on AVX-512 and AVX2

Geometry geometry(const GemmPlan& plan, const KernelSet& set, int threads, std::int64_t tile_rows,
                  std::int64_t tile_columns) {
  std::int64_t parts = plan.precision == Precision::zdd ? 2 : 1;
  std::int64_t rows = plan.m, columns = plan.n * parts;
  Geometry g{};
  g.steps = plan.k * parts;
  // Vectors along the contiguous direction of C, and the wide tile, unless that computes more entries for nothing.
  auto accuracy = static_cast<std::size_t>(plan.accuracy);
  double least_cost = std::numeric_limits<double>::infinity();
  for (int narrow = 0; narrow < 2; ++narrow) {
    const TileKernel& kernel = plan.fma ? set.fma[accuracy][narrow] : set.split[accuracy][narrow];
    for (int turn = 0; turn < 2; ++turn) {
      bool swapped = (turn == 1) != (plan.layout == Layout::row);
      double vectors = static_cast<double>(round_up(swapped ? columns : rows, kernel.vector_width));
      double scalars = static_cast<double>(round_up(swapped ? rows : columns, kernel.scalar_width));
      double cost = vectors * scalars * (narrow ? narrow_cost : 1.0);
      if (cost >= least_cost) continue;
      least_cost = cost;
      g.kernel = &kernel;
      g.swapped = swapped;
    }
  }
  g.width[0] = g.kernel->vector_width;
  g.width[1] = g.kernel->scalar_width;
  g.lines[0] = g.swapped ? columns : rows;
  g.lines[1] = g.swapped ? rows : columns;
  std::int64_t asked[2] = {tile_rows, tile_columns * parts};
  if (g.swapped) std::swap(asked[0], asked[1]);
  g.threads = threads;
  for (int i = 0; i < 2; ++i) {
    std::int64_t least = std::max<std::int64_t>(g.lines[i], 1);
    g.task[i] = round_up(asked[i] ? std::min(asked[i], least) : std::min(task_lines, least), g.width[i]);
  }
  // Enough tasks for the threads, if the matrix has them.
  for (int i = 1; i >= 0 && !asked[0] && !asked[1]; --i) {
    while (g.task[i] > 2 * g.width[i] &&
           blocks(g.lines[0], g.task[0]) * blocks(g.lines[1], g.task[1]) < 3 * static_cast<std::int64_t>(threads)) {
      g.task[i] = round_up(g.task[i] / 2, g.width[i]);
    }
  }
  for (int i = 0; i < 2; ++i) g.outer[i] = std::max(g.task[i], outer_lines / g.task[i] * g.task[i]);
  // Few tasks and long sums: threads share out super-chunks, which are added in order afterwards.
  std::int64_t count = blocks(g.lines[0], g.task[0]) * blocks(g.lines[1], g.task[1]);
  g.group = std::clamp<std::int64_t>(threads / std::max<std::int64_t>(count, 1), 1,
                                     std::max<std::int64_t>(g.superchunks(), 1));
  return g;
}

// One product, cut as its geometry says.
template <class T>
class Product {
 public:
  Product(const GemmPlan& plan, const KernelSet& set, const Geometry& g, T alpha, MatrixView<const T> a,
          MatrixView<const T> b, T beta, MatrixView<T> c, double* workspace)
      : plan_(plan),
        set_(set),
        g_(g),
        alpha_(alpha),
        beta_(beta),
        c_(c),
        left_(Lines<T, Side::left>::of(a)),
        right_(Lines<T, Side::right>::of(b)) {
    packed_[0] = workspace;
    packed_[1] = packed_[0] + g.packed_size(0);
    partials_ = packed_[1] + g.packed_size(1);
    totals_ = partials_ + g.partials_size();
  }

  std::int64_t run() {
    for (base_[1] = 0; base_[1] < g_.lines[1]; base_[1] += g_.outer[1]) {
      for (base_[0] = 0; base_[0] < g_.lines[0]; base_[0] += g_.outer[0]) run_block();
    }
    return recomputed_;
  }

 private:
  // Calls f(i) for i = 0 … count − 1, in any order and on all threads.
  template <class F>
  void for_each(std::int64_t count, F f) {
    if (g_.threads == 1 || count == 1) {
      for (std::int64_t i = 0; i < count; ++i) f(i);
      return;
    }
#pragma omp parallel for schedule(dynamic) num_threads(g_.threads)
    for (std::int64_t i = 0; i < count; ++i) f(i);
  }

  // This thread's place in the product's own team; a product that is one of a batch has a team of one.
  int thread() const { return g_.threads == 1 ? 0 : omp_get_thread_num(); }

  void run_block() {
    for (int i = 0; i < 2; ++i) {
      lines_[i] = std::min(g_.outer[i], g_.lines[i] - base_[i]);
      panels_[i] = blocks(lines_[i], g_.width[i]);
    }
    std::int64_t tasks0 = blocks(lines_[0], g_.task[0]), tasks = tasks0 * blocks(lines_[1], g_.task[1]);
    for (std::int64_t super = 0; super < g_.superchunks(); super += g_.group) {
      std::int64_t group = std::min(g_.group, g_.superchunks() - super);
      bool is_first = super == 0, is_last = super + group == g_.superchunks();
      first_step_ = super * superchunk_steps;
      steps_ = std::min(group * superchunk_steps, g_.steps - first_step_);
      for_each(panels_[0] + panels_[1], [&](std::int64_t p) { pack(p); });
      bool keeps_totals = g_.superchunks() > g_.group;
      auto total_of = [&](std::int64_t t) { return totals_ + (keeps_totals ? t : thread()) * g_.task_size(); };
      if (g_.group == 1) {
        for_each(tasks, [&](std::int64_t t) {
          double* partial = partials_ + thread() * g_.task_size();
          Task task = task_at(t, tasks0);
          sum_chunks(task, 0, partial);
          add_partials(task, partial, 1, 0, total_of(t), is_first, is_last);
        });
      } else {
        std::int64_t apart = tasks * g_.task_size();
        for_each(tasks * group, [&](std::int64_t i) {
          sum_chunks(task_at(i % tasks, tasks0), i / tasks, partials_ + i / tasks * apart + i % tasks * g_.task_size());
        });
        for_each(tasks, [&](std::int64_t t) {
          add_partials(task_at(t, tasks0), partials_ + t * g_.task_size(), group, apart, total_of(t), is_first,
                       is_last);
        });
      }
    }
  }

  // Lines [first, last) of the block, by operand.
  struct Task {
    std::int64_t first[2], last[2];
    std::int64_t panels(int operand, const Geometry& g) const {
      return blocks(last[operand] - first[operand], g.width[operand]);
    }
  };

  Task task_at(std::int64_t t, std::int64_t tasks0) const {
    std::int64_t at[2] = {t % tasks0, t / tasks0};
    Task task{};
    for (int i = 0; i < 2; ++i) {
      task.first[i] = at[i] * g_.task[i];
      task.last[i] = std::min(task.first[i] + g_.task[i], lines_[i]);
    }
    return task;
  }

  double* panel(int operand, std::int64_t chunk, std::int64_t p) const {
    return packed_[operand] + (chunk * panels_[operand] + p) * chunk_steps * 2 * g_.width[operand];
  }

  // Panels of the vector operand come first.
  void pack(std::int64_t p) {
    int operand = p < panels_[0] ? 0 : 1;
    if (operand == 1) p -= panels_[0];
    bool is_left = (operand == 0) != g_.swapped;
    std::int64_t width = g_.width[operand], line = base_[operand] + p * width;
    for (std::int64_t s = 0; s < steps_; s += chunk_steps) {
      std::int64_t steps = std::min(chunk_steps, steps_ - s);
      double* out = panel(operand, s / chunk_steps, p);
      if (is_left) {
        left_.pack(line, width, first_step_ + s, steps, out);
      } else {
        right_.pack(line, width, first_step_ + s, steps, out);
      }
    }
  }

  // The task's sums over super-chunk `super` of the group, tile after tile.
  void sum_chunks(const Task& task, std::int64_t super, double* sums) {
    std::int64_t tile = 2 * g_.width[0] * g_.width[1];
    std::int64_t panels0 = task.panels(0, g_), panels1 = task.panels(1, g_);
    std::fill_n(sums, panels0 * panels1 * tile, 0.0);
    auto add_chunk = g_.swapped ? g_.kernel->chunk_swapped : g_.kernel->chunk;
    std::int64_t first = super * superchunk_steps, last = std::min(first + superchunk_steps, steps_);
    for (std::int64_t s = first; s < last; s += chunk_steps) {
      std::int64_t steps = std::min(chunk_steps, last - s), chunk = s / chunk_steps;
      double* out = sums;
      for (std::int64_t i = 0; i < panels0; ++i) {
        const double* vector = panel(0, chunk, task.first[0] / g_.width[0] + i);
        for (std::int64_t j = 0; j < panels1; ++j, out += tile) {
          add_chunk(steps, vector, panel(1, chunk, task.first[1] / g_.width[1] + j), out);
        }
      }
    }
  }

  // Adds the partial sums of `count` super-chunks to the task's totals in order, and after the last writes C.
  void add_partials(const Task& task, const double* partial, std::int64_t count, std::int64_t apart, double* total,
                    bool is_first, bool is_last) {
    std::int64_t width = g_.width[0], tile = 2 * width * g_.width[1];
    std::int64_t panels0 = task.panels(0, g_), panels1 = task.panels(1, g_);
    if (is_first) std::fill_n(total, panels0 * panels1 * tile, 0.0);
    for (std::int64_t i = 0; i < panels0; ++i) {
      for (std::int64_t j = 0; j < panels1; ++j, total += tile, partial += tile) {
        bool is_finite = true;
        for (std::int64_t x = 0; x < g_.width[1]; ++x) {
          Line sum = {total + 2 * x * width, total + (2 * x + 1) * width};
          for (std::int64_t p = 0; p < count; ++p) {
            double* part = const_cast<double*>(partial) + p * apart + 2 * x * width;
            is_finite &= set_.add_partial(width, sum, {part, part + width});
          }
        }
        if (!is_last) continue;
        std::int64_t vector_line = base_[0] + task.first[0] + i * width;
        std::int64_t scalar_line = base_[1] + task.first[1] + j * g_.width[1];
        if (!is_finite) recompute(vector_line, scalar_line, total);
        write(vector_line, scalar_line, total);
      }
    }
  }

  // Replaces the tile's sums that are not finite, as the canonical order says.
  void recompute(std::int64_t vector_line, std::int64_t scalar_line, double* tile) {
    for (std::int64_t x = 0; x < g_.width[1] && scalar_line + x < g_.lines[1]; ++x) {
      for (std::int64_t v = 0; v < g_.width[0] && vector_line + v < g_.lines[0]; ++v) {
        double* hi = tile + 2 * x * g_.width[0] + v;
        if (*hi - *hi == 0.0) continue;
        std::int64_t l = g_.swapped ? scalar_line + x : vector_line + v;
        std::int64_t r = g_.swapped ? vector_line + v : scalar_line + x;
        EntrySum sum = sum_of_steps(
            g_.steps, [&](std::int64_t s) { return left_.step(l, s); },
            [&](std::int64_t s) { return right_.step(r, s); }, plan_.accuracy, plan_.fma);
        hi[0] = sum.value.hi;
        hi[g_.width[0]] = sum.value.lo;
        if (sum.recomputed) recomputed_ += 1;
      }
    }
  }

  // C = alpha · sums + beta · C for the tile's entries.
  void write(std::int64_t vector_line, std::int64_t scalar_line, double* tile) {
    std::int64_t width = g_.width[0];
    std::int64_t vectors = std::min(width, g_.lines[0] - vector_line);
    std::int64_t scalars = std::min(g_.width[1], g_.lines[1] - scalar_line);
    if constexpr (std::same_as<T, dd_real>) {
      std::int64_t vector_stride = g_.swapped ? c_.column_stride : c_.row_stride;
      std::int64_t scalar_stride = g_.swapped ? c_.row_stride : c_.column_stride;
      for (std::int64_t x = 0; x < scalars; ++x) {
        Line sum = {tile + 2 * x * width, tile + (2 * x + 1) * width};
        write_real(vectors, sum, c_.data + vector_line * vector_stride + (scalar_line + x) * scalar_stride,
                   vector_stride);
      }
    } else if (!g_.swapped) {
      for (std::int64_t x = 0; x < scalars; x += 2) {
        double* re = tile + 2 * x * width;
        ComplexLine sum = {{re, re + width}, {re + 2 * width, re + 3 * width}};
        write_complex(vectors, sum, &c_(vector_line, (scalar_line + x) / 2), c_.row_stride);
      }
    } else {
      alignas(64) double part[4][max_width];
      for (std::int64_t x = 0; x < scalars; ++x) {
        const double* hi = tile + 2 * x * width;
        for (std::int64_t v = 0; v < width / 2; ++v) {
          part[0][v] = hi[2 * v];
          part[1][v] = hi[width + 2 * v];
          part[2][v] = hi[2 * v + 1];
          part[3][v] = hi[width + 2 * v + 1];
        }
        write_complex(vectors / 2, {{part[0], part[1]}, {part[2], part[3]}}, &c_(scalar_line + x, vector_line / 2),
                      c_.column_stride);
      }
    }
  }

  static constexpr std::int64_t max_width = 64;

  void write_real(std::int64_t n, Line sum, dd_real* c, std::int64_t stride) {
    if (alpha_ == T(1) && beta_ == T(0)) {
      for (std::int64_t i = 0; i < n; ++i) put(c[i * stride], sum.hi[i], sum.lo[i]);
      return;
    }
    alignas(64) double hi[max_width] = {}, lo[max_width] = {};
    if (!(beta_ == T(0))) {
      for (std::int64_t i = 0; i < n; ++i) hi[i] = c[i * stride].hi, lo[i] = c[i * stride].lo;
    }
    if constexpr (std::same_as<T, dd_real>) set_.scale_and_add(n, alpha_, sum, beta_, {hi, lo});
    for (std::int64_t i = 0; i < n; ++i) put(c[i * stride], hi[i], lo[i]);
  }

  void write_complex(std::int64_t n, ComplexLine sum, dd_complex* c, std::int64_t stride) {
    if (alpha_ == T(1) && beta_ == T(0)) {
      for (std::int64_t i = 0; i < n; ++i) {
        put(c[i * stride].re, sum.re.hi[i], sum.re.lo[i]);
        put(c[i * stride].im, sum.im.hi[i], sum.im.lo[i]);
      }
      return;
    }
    alignas(64) double part[4][max_width] = {};
    if (!(beta_ == T(0))) {
      for (std::int64_t i = 0; i < n; ++i) {
        const dd_complex& z = c[i * stride];
        part[0][i] = z.re.hi, part[1][i] = z.re.lo, part[2][i] = z.im.hi, part[3][i] = z.im.lo;
      }
    }
    if constexpr (std::same_as<T, dd_complex>) {
      set_.scale_and_add_complex(n, alpha_, sum, beta_, {{part[0], part[1]}, {part[2], part[3]}});
    }
    for (std::int64_t i = 0; i < n; ++i) {
      put(c[i * stride].re, part[0][i], part[1][i]);
      put(c[i * stride].im, part[2][i], part[3][i]);
    }
  }

  static void put(dd_real& x, double hi, double lo) {
    x.hi = hi;
    x.lo = lo;
  }

  const GemmPlan& plan_;
  const KernelSet& set_;
  const Geometry& g_;
  T alpha_, beta_;
  MatrixView<T> c_;
  Lines<T, Side::left> left_;
  Lines<T, Side::right> right_;
  double* packed_[2];
  double* partials_;
  double* totals_;
  // The block in hand.
  std::int64_t base_[2] = {}, lines_[2] = {}, panels_[2] = {};
  std::int64_t first_step_ = 0, steps_ = 0;
  std::atomic<std::int64_t> recomputed_ = 0;
};

double steps_of(const GemmPlan& plan) {
  return static_cast<double>(plan.m) * static_cast<double>(plan.n) * static_cast<double>(plan.k);
}

// Many small products: a thread takes whole ones.
bool is_by_batch(const GemmPlan& plan) { return plan.batch > 1 && steps_of(plan) < 8.0 * serial_steps; }

Geometry geometry_of(const GemmPlan& plan, const KernelSet& set) {
  return geometry(plan, set, is_by_batch(plan) ? 1 : plan.threads, plan.tile_rows, plan.tile_columns);
}

void set_unit(GemmPlan& plan, std::string_view unit) {
  auto last = std::copy_n(unit.begin(), std::min(unit.size(), sizeof plan.unit - 1), plan.unit);
  *last = '\0';
}

bool is_reference(const GemmPlan& plan) { return plan.micro_rows == 0; }

}  // namespace

void plan_cpu(GemmPlan& plan, const GemmOptions& options) {
  const KernelSet& set = kernel_set(options.target);
  plan.fma = options.fma == Fma::automatic ? set.has_fma : options.fma == Fma::on;
  plan.depth = std::min(plan.k, superchunk_steps);
  plan.threads = options.threads ? options.threads : omp_get_max_threads();
  if (plan.fma && !set.has_fma) {
    set_unit(plan, "scalar reference");
    plan.threads = 1;
    return;
  }
  set_unit(plan, set.target);
  if (steps_of(plan) * static_cast<double>(plan.batch) < serial_steps) plan.threads = 1;
  plan.tile_rows = options.tile_rows;
  plan.tile_columns = options.tile_columns;
  Geometry g = geometry_of(plan, set);
  std::int64_t parts = plan.precision == Precision::zdd ? 2 : 1;
  int row = g.swapped ? 1 : 0;
  plan.micro_rows = g.width[row];
  plan.micro_columns = g.width[1 - row];
  plan.tile_rows = g.task[row];
  plan.tile_columns = blocks(g.task[1 - row], parts);
  plan.workspace_bytes = g.workspace() * bytes_per_double * (is_by_batch(plan) ? plan.threads : 1);
}

template <class T>
std::int64_t run_cpu(const GemmPlan& plan, T alpha, MatrixView<const T> a, std::int64_t stride_a, MatrixView<const T> b,
                     std::int64_t stride_b, T beta, MatrixView<T> c, std::int64_t stride_c) {
  std::int64_t recomputed = 0;
  auto shift = [](auto x, std::int64_t elements) {
    x.data += elements;
    return x;
  };
  if (is_reference(plan)) {
    for (std::int64_t i = 0; i < plan.batch; ++i) {
      recomputed += reference_gemm(alpha, shift(a, i * stride_a), shift(b, i * stride_b), beta, shift(c, i * stride_c),
                                   plan.accuracy, plan.fma);
    }
    return recomputed;
  }
  const KernelSet& set = kernel_set(plan.unit);
  Geometry g = geometry_of(plan, set);
  Workspace workspace(plan.workspace_bytes);
  auto run = [&](std::int64_t i, double* space) {
    return Product<T>(plan, set, g, alpha, shift(a, i * stride_a), shift(b, i * stride_b), beta, shift(c, i * stride_c),
                      space)
        .run();
  };
  if (!is_by_batch(plan) || plan.threads == 1) {
    for (std::int64_t i = 0; i < plan.batch; ++i) recomputed += run(i, workspace.data());
    return recomputed;
  }
#pragma omp parallel for schedule(dynamic) num_threads(plan.threads) reduction(+ : recomputed)
  for (std::int64_t i = 0; i < plan.batch; ++i) {
    recomputed += run(i, workspace.data() + omp_get_thread_num() * g.workspace());
  }
  return recomputed;
}

template std::int64_t run_cpu(const GemmPlan&, dd_real, MatrixView<const dd_real>, std::int64_t,
                              MatrixView<const dd_real>, std::int64_t, dd_real, MatrixView<dd_real>, std::int64_t);
template std::int64_t run_cpu(const GemmPlan&, dd_complex, MatrixView<const dd_complex>, std::int64_t,
                              MatrixView<const dd_complex>, std::int64_t, dd_complex, MatrixView<dd_complex>,
                              std::int64_t);

}  // namespace hilo::direct
