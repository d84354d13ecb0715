#include "gemm/native/opencl/three_products.hpp"

#include <algorithm>
#include <optional>

#include "matrix/sizes.hpp"
#include "opencl/sequence.hpp"
#include "tile/arguments.hpp"

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

// Blocks of C and slices of k for which the real matrices fit the workspace.
struct Cut {
  std::int64_t rows, columns, steps;

  std::int64_t left_words() const { return pitch_of(rows) * steps; }
  std::int64_t right_words() const { return pitch_of(columns) * steps; }
  std::int64_t product_words() const { return pitch_of(rows) * columns; }
};

Cut cut_product(const NativeProduct& p, std::int64_t workspace) {
  constexpr std::int64_t most = std::int64_t{1} << 24, most_columns = std::int64_t{1} << 19, least = 64;
  const std::int64_t words = workspace / (3 * tile::NumberKind{p.precision}.word_bytes());
  Cut cut{std::min(p.m, most), std::min(p.n, most_columns), std::min(p.k, most)};
  while (cut.product_words() > words / 2 && std::max(cut.rows, cut.columns) > least) {
    std::int64_t& larger = cut.rows >= cut.columns ? cut.rows : cut.columns;
    larger = round_up(larger / 2, 32);
  }
  const std::int64_t line = pitch_of(cut.rows) + pitch_of(cut.columns);
  const std::int64_t room = std::max<std::int64_t>(words - cut.product_words(), 0) / line;
  if (cut.steps > room) cut.steps = std::min(cut.steps, std::max(room / 32 * 32, least));
  return cut;
}

// Of both operands and of the products, in all three.
std::int64_t plane_bytes(Precision p, const Cut& cut) {
  return 3 * word_bytes(p) * (cut.left_words() + cut.right_words() + cut.product_words());
}

// Of the planes, without their buffers.
NativeProduct real_product(Precision precision, std::int64_t rows, std::int64_t columns, std::int64_t steps,
                           double beta) {
  const std::int64_t row_pitch = pitch_of(rows), column_pitch = pitch_of(columns);
  return {real_precision(precision),
          rows,
          columns,
          steps,
          1.0,
          beta,
          {{}, 0, 1, row_pitch, false},
          {{}, 0, column_pitch, 1, false},
          {{}, 0, 1, row_pitch, false},
          3,
          row_pitch * steps,
          column_pitch * steps,
          row_pitch * columns};
}

class ThreeProducts {
 public:
  ThreeProducts(QueueState& queue, const NativeProduct& product, const tile::Choice& choice,
                const std::vector<cl::Event>& wait_list)
      : queue_(queue),
        p_(product),
        kind_{product.precision},
        choice_(choice),
        cut_(cut_product(product, choice.workspace.value_or(tile::default_workspace(queue.context->info)))),
        wait_(wait_list) {
    opencl::ContextState& context = *queue.context;
    const std::string options = number_options(kind_, 1, false) +
                                " -DCONJUGATES_LEFT=0 -DCONJUGATES_RIGHT=0 -DROW_RUN=1 -DROW_CHUNK=" +
                                (kind_.word_bytes() == 4 ? "float2" : "double2");
    const cl::Program program =
        context.programs.get(context, opencl::ProgramRecipe{"three products",
                                                            {"number.cl", "number_operands.cl", "tile_copy.cl",
                                                             "update_run.cl", "turn.cl", "three_products.cl"},
                                                            options});
    split_left_ = context.kernels.borrow(program, "split_left");
    split_right_ = context.kernels.borrow(program, "split_right");
    combine_ = context.kernels.borrow(program, "combine_products");
    left_ = borrow(cut_.left_words(), "the parts of A");
    right_ = borrow(cut_.right_words(), "the parts of B");
    products_ = borrow(cut_.product_words(), "the real products");
  }

  tile::Run run() {
    for (std::int64_t i = 0; i < p_.batch; ++i) {
      for (std::int64_t column = 0; column < p_.n; column += cut_.columns) {
        for (std::int64_t row = 0; row < p_.m; row += cut_.rows) compute(i, row, column);
      }
    }
    for (Workspace* w : {&left_, &right_, &products_}) w->release(queue_.queue, last_);
    form_->workspace_bytes += plane_bytes(p_.precision, cut_);
    return {Event(std::make_shared<opencl::EventState>(opencl::EventState{first_, last_})), form_, {}};
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

  void split(Sequence& sequence, opencl::BorrowedKernel& kernel, const tile::OpenclMatrix& x,
             const tile::KernelView& view, std::int64_t lines, std::int64_t steps, bool is_together,
             const Workspace& planes) {
    set_arguments(kernel, x.buffer, view, narrow(lines), narrow(steps), cl_int{is_together}, planes.buffer(),
                  narrow(pitch_of(lines)), cl_long{pitch_of(lines) * steps});
    sequence.launch(*kernel, cl::NDRange(static_cast<std::size_t>(round_up(lines, 32) * (round_up(steps, 32) / 32)), 8),
                    cl::NDRange(32, 8));
  }

  // The block of C from (row, column) on, of product i of the batch.
  void compute(std::int64_t i, std::int64_t row, std::int64_t column) {
    auto of_batch = [&](tile::OpenclMatrix x, std::int64_t stride) {
      x.offset += i * stride;
      return x;
    };
    const tile::OpenclMatrix a = of_batch(p_.a, p_.stride_a), b = of_batch(p_.b, p_.stride_b);
    const std::int64_t rows = std::min(p_.m - row, cut_.rows), columns = std::min(p_.n - column, cut_.columns);
    const std::int64_t row_pitch = pitch_of(rows);
    for (std::int64_t h = 0; h < p_.k; h += cut_.steps) {
      const std::int64_t steps = std::min(p_.k - h, cut_.steps);
      Sequence splits(queue_, wait_);
      split(splits, split_left_, a, view_at(a, row, h), rows, steps, a.row_stride == 1, left_);
      split(splits, split_right_, b, view_at(b, h, column), columns, steps, b.column_stride == 1, right_);
      note(splits);
      NativeProduct real = real_product(p_.precision, rows, columns, steps, h == 0 ? 0.0 : 1.0);
      real.a.buffer = copied(left_.buffer());
      real.b.buffer = copied(right_.buffer());
      real.c.buffer = copied(products_.buffer());
      tile::Run run = enqueue_native(queue_, real, wait_, {.workspace = choice_.workspace});
      follow(cl::Event(run.event.native(), true));
      if (!form_) form_ = run.form;
    }
    Sequence combination(queue_, wait_);
    set_arguments(combine_, products_.buffer(), narrow(row_pitch), cl_long{row_pitch * columns}, p_.c.buffer,
                  cl_long{p_.c.offset + row + column * p_.c.column_stride + i * p_.stride_c},
                  cl_long{p_.c.column_stride}, narrow(rows), narrow(columns));
    const tile::NumberArgument alpha(kind_, p_.alpha), beta(kind_, p_.beta);
    (*combine_).setArg(8, alpha.size, alpha.bytes.data());
    (*combine_).setArg(9, beta.size, beta.bytes.data());
    combination.launch_over(*combine_, rows, columns);
    note(combination);
  }

  QueueState& queue_;
  const NativeProduct& p_;
  tile::NumberKind kind_;
  const tile::Choice& choice_;
  Cut cut_;
  std::vector<cl::Event> wait_;
  cl::Event first_, last_;
  std::optional<tile::Form> form_;  // of the first real product
  opencl::BorrowedKernel split_left_, split_right_, combine_;
  Workspace left_, right_, products_;
};

}  // namespace

tile::Form planned_three_products(const DeviceInfo& device, const NativeProduct& product) {
  const Cut cut = cut_product(product, tile::default_workspace(device));
  tile::Form form = planned_form(device, real_product(product.precision, cut.rows, cut.columns, cut.steps, 1.0));
  form.workspace_bytes += plane_bytes(product.precision, cut);
  return form;
}

tile::Run enqueue_three_products(QueueState& queue, const NativeProduct& product,
                                 const std::vector<cl::Event>& wait_list, const tile::Choice& choice) {
  return ThreeProducts(queue, product, choice, wait_list).run();
}

}  // namespace hilo::native
