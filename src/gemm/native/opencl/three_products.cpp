#include "gemm/native/opencl/three_products.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "gemm/native/opencl/product.hpp"
#include "matrix/sizes.hpp"
#include "opencl/call.hpp"

namespace hilo::native {
namespace {

using opencl::copied;
using opencl::narrow;
using opencl::QueueState;
using opencl::Sequence;
using opencl::set_arguments;
using opencl::Workspace;

// Columns of planes begin on a boundary of 16 bytes.
std::int64_t pitch_of(std::int64_t lines) { return round_up(lines, 4); }

std::int64_t left_words(const ThreeProductsCut& c) { return pitch_of(c.rows) * c.steps; }
std::int64_t right_words(const ThreeProductsCut& c) { return pitch_of(c.columns) * c.steps; }
std::int64_t product_words(const ThreeProductsCut& c) { return pitch_of(c.rows) * c.columns; }

class ThreeProducts {
 public:
  ThreeProducts(QueueState& queue, DevicePlan& plan, const DeviceProduct& product,
                const std::vector<cl::Event>& wait_list)
      : queue_(queue),
        p_(product),
        kind_{product.precision},
        plan_(plan),
        cut_(cut_three_products(product, plan.workspace)),
        wait_(wait_list) {
    opencl::ContextState& context = *queue.context;
    const std::string options = number_options(kind_, 1, false) +
                                " -DCONJUGATES_LEFT=0 -DCONJUGATES_RIGHT=0 -DROW_RUN=1 -DROW_CHUNK=" +
                                (kind_.word_bytes() == 4 ? "float2" : "double2");
    const cl::Program program =
        context.programs.get(context, opencl::ProgramRecipe{"three products", "native/three_products.cl", options});
    split_left_ = context.kernels.borrow(program, "split_left");
    split_right_ = context.kernels.borrow(program, "split_right");
    combine_ = context.kernels.borrow(program, "combine_products");
    left_ = borrow(left_words(cut_), "the parts of A");
    right_ = borrow(right_words(cut_), "the parts of B");
    products_ = borrow(product_words(cut_), "the real products");
  }

  tile::Run run() {
    for (std::int64_t i = 0; i < p_.batch.count; ++i) {
      for (std::int64_t column = 0; column < p_.n(); column += cut_.columns) {
        for (std::int64_t row = 0; row < p_.m(); row += cut_.rows) compute(i, row, column);
      }
    }
    for (Workspace* w : {&left_, &right_, &products_}) w->release(queue_.queue, last_);
    return {Event(std::make_shared<opencl::EventState>(opencl::EventState{first_, last_})), {}};
  }

 private:
  Workspace borrow(std::int64_t words, const char* what) {
    opencl::ContextState& context = *queue_.context;
    Workspace w =
        context.workspaces.borrow(context, queue_.queue, queue_.in_order, 3 * words * kind_.word_bytes(), what);
    if (w.busy()()) wait_.push_back(w.busy());
    return w;
  }

  void note(const Sequence& sequence) {
    if (!first_()) first_ = copied(sequence.first());
    follow(copied(sequence.last()));
  }

  // What comes next waits for it.
  void follow(cl::Event event) {
    last_ = std::move(event);
    wait_.clear();
    wait_.push_back(last_);
  }

  void split(Sequence& sequence, opencl::BorrowedKernel& kernel, const DeviceView& x, const opencl::matrix_view& view,
             std::int64_t lines, std::int64_t steps, bool is_together, const Workspace& planes) {
    set_arguments(kernel, x.buffer, view, narrow(lines), narrow(steps), cl_int{is_together}, planes.buffer(),
                  narrow(pitch_of(lines)), cl_long{pitch_of(lines) * steps});
    sequence.launch(*kernel, cl::NDRange(static_cast<std::size_t>(round_up(lines, 32) * (round_up(steps, 32) / 32)), 8),
                    cl::NDRange(32, 8));
  }

  // The block of C from (row, column) on, of product i of the batch.
  void compute(std::int64_t i, std::int64_t row, std::int64_t column) {
    const DeviceProduct p = p_.at(i);
    const ThreeProductsCut block{std::min(p.m() - row, cut_.rows), std::min(p.n() - column, cut_.columns), 0};
    for (std::int64_t h = 0; h < p.k(); h += cut_.steps) {
      const std::int64_t steps = std::min(p.k() - h, cut_.steps);
      Sequence splits(queue_, wait_);
      split(splits, split_left_, p.a, view_at(p.a, row, h), block.rows, steps, is_left_together(p), left_);
      split(splits, split_right_, p.b, view_at(p.b, h, column), block.columns, steps, is_right_together(p), right_);
      note(splits);
      multiply({block.rows, block.columns, steps}, h == 0 ? 0.0 : 1.0);
    }
    const std::int64_t pitch = pitch_of(block.rows);
    Sequence combination(queue_, wait_);
    set_arguments(combine_, products_.buffer(), p.c.buffer,
                  opencl::combine_arguments{.plane = pitch * block.columns,
                                            .offset = p.c.at(row, column),
                                            .stride = p.c.column_stride,
                                            .pitch = pitch,
                                            .rows = narrow(block.rows),
                                            .columns = narrow(block.columns)});
    const tile::NumberArgument alpha(kind_, p.alpha), beta(kind_, p.beta);
    (*combine_).setArg(3, alpha.size, alpha.bytes.data());
    (*combine_).setArg(4, beta.size, beta.bytes.data());
    combination.launch_over(*combine_, block.rows, block.columns);
    note(combination);
  }

  // The three real products of the planes.
  void multiply(const ThreeProductsCut& block, double beta) {
    DeviceProduct real = block.real_product(p_.precision, beta);
    real.a.buffer = copied(left_.buffer());
    real.b.buffer = copied(right_.buffer());
    real.c.buffer = copied(products_.buffer());
    // Blocks at the edges are smaller than those before.
    if (!real_ || real_of_ != std::array{block.rows, block.columns, block.steps}) {
      real_ = plan_product(queue_.context->info, real, ComplexProduct::four, {.workspace = plan_.workspace});
      real_of_ = {block.rows, block.columns, block.steps};
    }
    const tile::Run run = execute(*real_, real, queue_, wait_);
    follow(cl::Event(run.event.native(), true));
    if (!std::exchange(is_told_, true)) {
      plan_.tile = real_->tile;
      plan_.cut = real_->cut;
    }
  }

  QueueState& queue_;
  const DeviceProduct& p_;
  tile::NumberKind kind_;
  DevicePlan& plan_;
  ThreeProductsCut cut_;
  std::vector<cl::Event> wait_;
  cl::Event first_, last_;
  std::optional<DevicePlan> real_;  // of blocks of real_of_ rows, columns and steps
  std::array<std::int64_t, 3> real_of_{};
  bool is_told_ = false;
  opencl::BorrowedKernel split_left_, split_right_, combine_;
  Workspace left_, right_, products_;
};

}  // namespace

std::int64_t ThreeProductsCut::bytes(Precision p) const {
  return 3 * word_bytes(p) * (left_words(*this) + right_words(*this) + product_words(*this));
}

DeviceProduct ThreeProductsCut::real_product(Precision precision, double beta) const {
  const std::int64_t row_pitch = pitch_of(rows), column_pitch = pitch_of(columns);
  return {real_precision(precision),
          dd_complex(1),
          {{}, 0, rows, steps, 1, row_pitch},
          {{}, 0, steps, columns, column_pitch, 1},
          dd_complex(beta),
          {{}, 0, rows, columns, 1, row_pitch},
          {3, row_pitch * steps, column_pitch * steps, row_pitch * columns}};
}

ThreeProductsCut cut_three_products(const DeviceProduct& p, std::int64_t workspace) {
  constexpr std::int64_t most_columns = std::int64_t{1} << 19, least = 64;
  const std::int64_t words = workspace / (3 * word_bytes(p.precision));
  ThreeProductsCut cut{std::min(p.m(), most_lines), std::min(p.n(), most_columns), std::min(p.k(), most_lines)};
  while (product_words(cut) > words / 2 && std::max(cut.rows, cut.columns) > least) {
    std::int64_t& larger = cut.rows >= cut.columns ? cut.rows : cut.columns;
    larger = round_up(larger / 2, 32);
  }
  const std::int64_t line = pitch_of(cut.rows) + pitch_of(cut.columns);
  const std::int64_t room = std::max<std::int64_t>(words - product_words(cut), 0) / line;
  if (cut.steps > room) cut.steps = std::min(cut.steps, std::max(room / 32 * 32, least));
  return cut;
}

tile::Run execute_three_products(DevicePlan& plan, const DeviceProduct& product, QueueState& queue,
                                 const std::vector<cl::Event>& wait_list) {
  return ThreeProducts(queue, plan, product, wait_list).run();
}

}  // namespace hilo::native
