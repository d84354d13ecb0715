#include "gemm/direct/cpu/product.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

#include "gemm/direct/cpu/kernels.hpp"
#include "gemm/direct/cpu/packing.hpp"
#include "gemm/direct/reference.hpp"
#include "host/team.hpp"
#include "host/workspace.hpp"

namespace hilo::direct {
namespace {

// One product, cut as its geometry says.
template <class T>
class Multiplication {
 public:
  Multiplication(const CpuPlan& plan, const Geometry& g, const Product<T>& x, double* workspace)
      : plan_(plan),
        set_(*plan.set),
        g_(g),
        alpha_(x.alpha),
        beta_(x.beta),
        c_(x.c),
        triangle_(x.triangle),
        left_(Lines<T, Side::left>::of(x.a)),
        right_(Lines<T, Side::right>::of(x.b)) {
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
  static constexpr std::int64_t piece_panels = 16;
  // Lines of op(B) for a column.
  static constexpr std::int64_t parts = std::same_as<T, dd_complex> ? 2 : 1;

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
      // A piece is up to 16 panels of one chunk: neighbours, whose source shares pages.
      std::int64_t chunks = blocks(steps_, chunk_steps);
      std::int64_t pieces[2] = {blocks(panels_[0], piece_panels), blocks(panels_[1], piece_panels)};
      host::for_each(g_.threads, (pieces[0] + pieces[1]) * chunks, [&](std::int64_t i, int) {
        int operand = i < pieces[0] * chunks ? 0 : 1;
        if (operand == 1) i -= pieces[0] * chunks;
        const std::int64_t of = pieces[operand];
        pack(operand, of == 1 ? i : i / of, of == 1 ? 0 : i % of * piece_panels);
      });
      bool keeps_totals = g_.superchunks() > g_.group;
      auto total_of = [&](std::int64_t t, int thread) {
        return totals_ + (keeps_totals ? t : thread) * g_.task_size();
      };
      if (g_.group == 1) {
        host::for_each(g_.threads, tasks, [&](std::int64_t t, int thread) {
          double* partial = partials_ + thread * g_.task_size();
          Task task = task_at(t, tasks0);
          if (!wants(task)) return;
          sum_chunks(task, 0, partial);
          add_partials(task, partial, 1, 0, total_of(t, thread), is_first, is_last);
        });
      } else {
        std::int64_t apart = tasks * g_.task_size();
        host::for_each(g_.threads, tasks * group, [&](std::int64_t i, int) {
          const Task task = task_at(i % tasks, tasks0);
          if (!wants(task)) return;
          sum_chunks(task, i / tasks, partials_ + i / tasks * apart + i % tasks * g_.task_size());
        });
        host::for_each(g_.threads, tasks, [&](std::int64_t t, int thread) {
          const Task task = task_at(t, tasks0);
          if (!wants(task)) return;
          add_partials(task, partials_ + t * g_.task_size(), group, apart, total_of(t, thread), is_first, is_last);
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
    std::int64_t at[2] = {tasks0 == 1 ? 0 : t % tasks0, tasks0 == 1 ? t : t / tasks0};
    Task task{};
    for (int i = 0; i < 2; ++i) {
      task.first[i] = at[i] * g_.task[i];
      task.last[i] = std::min(task.first[i] + g_.task[i], lines_[i]);
    }
    return task;
  }

  // Whether C's entries are wanted of lines of both operands.
  bool wants(std::int64_t vector_line, std::int64_t vectors, std::int64_t scalar_line, std::int64_t scalars) const {
    if (!triangle_) return true;
    const std::int64_t row = g_.swapped ? scalar_line : vector_line, rows = g_.swapped ? scalars : vectors;
    const std::int64_t column = g_.swapped ? vector_line : scalar_line, columns = g_.swapped ? vectors : scalars;
    return wants_block(*triangle_, row, column / parts, rows, blocks(columns, parts));
  }
  bool wants(const Task& task) const {
    return wants(base_[0] + task.first[0], task.last[0] - task.first[0], base_[1] + task.first[1],
                 task.last[1] - task.first[1]);
  }
  bool wants_tile(const Task& task, std::int64_t i, std::int64_t j) const {
    return wants(base_[0] + task.first[0] + i * g_.width[0], g_.width[0], base_[1] + task.first[1] + j * g_.width[1],
                 g_.width[1]);
  }

  // Elements of a line of C, along vectors, that are wanted.
  struct Range {
    std::int64_t first, last;
  };
  Range wanted(std::int64_t vector, std::int64_t count, std::int64_t scalar) const {
    if (!triangle_) return {0, count};
    // From the diagonal on, or up to it.
    if ((*triangle_ == Uplo::lower) != g_.swapped) return {std::clamp<std::int64_t>(scalar - vector, 0, count), count};
    return {0, std::clamp<std::int64_t>(scalar - vector + 1, 0, count)};
  }

  double* panel(int operand, std::int64_t chunk, std::int64_t p) const {
    return packed_[operand] + (chunk * panels_[operand] + p) * chunk_steps * 2 * g_.width[operand];
  }

  void pack(int operand, std::int64_t chunk, std::int64_t first_panel) {
    bool is_left = (operand == 0) != g_.swapped;
    std::int64_t width = g_.width[operand], first_step = chunk * chunk_steps;
    std::int64_t steps = std::min(chunk_steps, steps_ - first_step);
    for (std::int64_t p = first_panel; p < std::min(first_panel + piece_panels, panels_[operand]); ++p) {
      std::int64_t line = base_[operand] + p * width;
      double* out = panel(operand, chunk, p);
      if (is_left) {
        left_.pack(line, width, first_step_ + first_step, steps, out);
      } else {
        right_.pack(line, width, first_step_ + first_step, steps, out);
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
          if (!wants_tile(task, i, j)) continue;
          add_chunk(steps, vector, panel(1, chunk, task.first[1] / g_.width[1] + j), out);
        }
      }
    }
  }

  // Adds the partial sums of `count` super-chunks to the task's totals in order, and after the last writes C.
  void add_partials(const Task& task, double* partial, std::int64_t count, std::int64_t apart, double* total,
                    bool is_first, bool is_last) {
    std::int64_t width = g_.width[0], tile = 2 * width * g_.width[1];
    std::int64_t panels0 = task.panels(0, g_), panels1 = task.panels(1, g_);
    if (is_first) std::fill_n(total, panels0 * panels1 * tile, 0.0);
    for (std::int64_t i = 0; i < panels0; ++i) {
      for (std::int64_t j = 0; j < panels1; ++j, total += tile, partial += tile) {
        if (!wants_tile(task, i, j)) continue;
        bool is_finite = true;
        for (std::int64_t x = 0; x < g_.width[1]; ++x) {
          Line sum = {total + 2 * x * width, total + (2 * x + 1) * width};
          for (std::int64_t p = 0; p < count; ++p) {
            double* part = partial + p * apart + 2 * x * width;
            is_finite &= set_.add_partial(width, sum, {part, part + width});
          }
        }
        if (!is_last) continue;
        std::int64_t vector_line = base_[0] + task.first[0] + i * width;
        std::int64_t scalar_line = base_[1] + task.first[1] + j * g_.width[1];
        if (j + 2 < panels1) expect(vector_line, scalar_line + 2 * g_.width[1]);
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
        auto left = [&](std::int64_t s) { return left_.step(l, s); };
        auto right = [&](std::int64_t s) { return right_.step(r, s); };
        // Without FMA a vector's step overflows where the definition's does not.
        const EntrySum sum = plan_.fma ? plain_sum_of_steps(g_.steps, left, right)
                                       : sum_of_steps(g_.steps, left, right, plan_.accuracy, plan_.fma);
        hi[0] = sum.value.hi;
        hi[g_.width[0]] = sum.value.lo;
        if (sum.recomputed) recomputed_ += 1;
      }
    }
  }

  // The tile of C with these first lines is wanted soon; its lines of memory are too short for the CPU to foresee.
  void expect(std::int64_t vector_line, std::int64_t scalar_line) const {
    if constexpr (std::same_as<T, dd_real>) {
      const std::int64_t vector_stride = g_.swapped ? c_.column_stride : c_.row_stride;
      const std::int64_t scalar_stride = g_.swapped ? c_.row_stride : c_.column_stride;
      if (vector_stride != 1) return;
      const std::int64_t vectors = std::min(g_.width[0], g_.lines[0] - vector_line);
      const std::int64_t last = std::min(scalar_line + g_.width[1], g_.lines[1]);
      for (std::int64_t x = scalar_line; x < last; ++x) {
        for (std::int64_t v = 0; v < vectors; v += 4) __builtin_prefetch(&c_.data[vector_line + v + x * scalar_stride]);
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
        write_real(wanted(vector_line, vectors, scalar_line + x), sum,
                   c_.data + vector_line * vector_stride + (scalar_line + x) * scalar_stride, vector_stride);
      }
    } else if (!g_.swapped) {
      for (std::int64_t x = 0; x < scalars; x += 2) {
        double* re = tile + 2 * x * width;
        ComplexLine sum = {{re, re + width}, {re + 2 * width, re + 3 * width}};
        const std::int64_t column = (scalar_line + x) / 2;
        write_complex(wanted(vector_line, vectors, column), sum, &c_(vector_line, column), c_.row_stride);
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
        write_complex(wanted(vector_line / 2, vectors / 2, scalar_line + x), {{part[0], part[1]}, {part[2], part[3]}},
                      &c_(scalar_line + x, vector_line / 2), c_.column_stride);
      }
    }
  }

  static constexpr std::int64_t max_width = 64;

  void write_real(Range range, Line sum, dd_real* c, std::int64_t stride) {
    if constexpr (std::same_as<T, dd_real>) {
      const bool is_whole = range.first == 0 && range.last == g_.width[0];
      if (stride == 1 && is_whole) return set_.scale_and_add_neighbours(range.last, alpha_, sum, beta_, c);
    }
    if (alpha_ == T(1) && beta_ == T(0)) {
      for (std::int64_t i = range.first; i < range.last; ++i) put(c[i * stride], sum.hi[i], sum.lo[i]);
      return;
    }
    alignas(64) double hi[max_width] = {}, lo[max_width] = {};
    if (!(beta_ == T(0))) {
      for (std::int64_t i = range.first; i < range.last; ++i) hi[i] = c[i * stride].hi, lo[i] = c[i * stride].lo;
    }
    if constexpr (std::same_as<T, dd_real>) set_.scale_and_add(range.last, alpha_, sum, beta_, {hi, lo});
    for (std::int64_t i = range.first; i < range.last; ++i) put(c[i * stride], hi[i], lo[i]);
  }

  void write_complex(Range range, ComplexLine sum, dd_complex* c, std::int64_t stride) {
    if (alpha_ == T(1) && beta_ == T(0)) {
      for (std::int64_t i = range.first; i < range.last; ++i) {
        put(c[i * stride].re, sum.re.hi[i], sum.re.lo[i]);
        put(c[i * stride].im, sum.im.hi[i], sum.im.lo[i]);
      }
      return;
    }
    alignas(64) double part[4][max_width] = {};
    if (!(beta_ == T(0))) {
      for (std::int64_t i = range.first; i < range.last; ++i) {
        const dd_complex& z = c[i * stride];
        part[0][i] = z.re.hi, part[1][i] = z.re.lo, part[2][i] = z.im.hi, part[3][i] = z.im.lo;
      }
    }
    if constexpr (std::same_as<T, dd_complex>) {
      set_.scale_and_add_complex(range.last, alpha_, sum, beta_, {{part[0], part[1]}, {part[2], part[3]}});
    }
    for (std::int64_t i = range.first; i < range.last; ++i) {
      put(c[i * stride].re, part[0][i], part[1][i]);
      put(c[i * stride].im, part[2][i], part[3][i]);
    }
  }

  static void put(dd_real& x, double hi, double lo) {
    x.hi = hi;
    x.lo = lo;
  }

  const CpuPlan& plan_;
  const KernelSet& set_;
  const Geometry& g_;
  T alpha_, beta_;
  MatrixView<T> c_;
  std::optional<Uplo> triangle_;
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

template <class T>
std::int64_t execute_reference(const CpuPlan& plan, const Product<T>& product) {
  std::int64_t recomputed = 0;
  for (std::int64_t i = 0; i < product.batch.count; ++i) {
    const Product<T> x = product.at(i);
    recomputed += reference_gemm(x.alpha, x.a, x.b, x.beta, x.c, plan.accuracy, plan.fma);
  }
  return recomputed;
}

template <class T>
std::int64_t execute_tiled(const CpuPlan& plan, const Geometry& g, const Product<T>& product) {
  std::atomic<std::int64_t> recomputed = 0;
  const int threads = plan.is_by_batch ? plan.threads : 1;
  host::Workspace workspace(g.workspace() * host::bytes_per_double * threads);
  host::for_each(threads, product.batch.count, [&](std::int64_t i, int thread) {
    recomputed += Multiplication<T>(plan, g, product.at(i), workspace.data() + thread * g.workspace()).run();
  });
  return recomputed;
}

}  // namespace

template <class T>
std::int64_t execute(const CpuPlan& plan, const Product<T>& product) {
  if (plan.way == CpuPlan::Way::reference) return execute_reference(plan, product);
  if constexpr (std::same_as<T, dd_real>) {
    if (plan.way == CpuPlan::Way::small) {
      const auto accuracy = static_cast<std::size_t>(plan.accuracy);
      const auto kernel = plan.fma ? plan.set->small_fma[accuracy] : plan.set->small_split[accuracy];
      if (kernel({product.a, product.b, product.c, product.alpha, product.beta})) return 0;
      return execute_tiled(plan, geometry_of_small(plan, product), product);
    }
  }
  return execute_tiled(plan, *plan.geometry, product);
}

template std::int64_t execute(const CpuPlan&, const Product<dd_real>&);
template std::int64_t execute(const CpuPlan&, const Product<dd_complex>&);

}  // namespace hilo::direct
