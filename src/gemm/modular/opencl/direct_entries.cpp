#include "gemm/modular/opencl/direct_entries.hpp"

#include "gemm/direct/reference.hpp"
#include "opencl/self_test.hpp"

namespace hilo::modular {
namespace {

using opencl::narrow;
using opencl::set_arguments;
using opencl::Workspace;

constexpr std::int64_t entry_items = 64;

// matrix_view of the kernels.
struct MatrixViewWords {
  cl_long offset, row_stride, column_stride, conjugate;
};

MatrixViewWords view_of(const tile::OpenclMatrix& x) { return {x.offset, x.row_stride, x.column_stride, x.conjugate}; }

cl_double4 words(const dd_complex& z) { return {{z.re.hi, z.re.lo, z.im.hi, z.im.lo}}; }

std::string define(const char* macro, int value) { return std::string(" -D") + macro + "=" + std::to_string(value); }

Accuracy direct_accuracy(Accuracy a) { return a == Accuracy::fast ? Accuracy::fast : Accuracy::classic; }

cl::Program direct_program(opencl::ContextState& context, const OpenclProduct& p, ElementKind kind) {
  std::string options = "-DHILO_LANES=1" + define("HILO_FMA", p.fma) + define("IS_COMPLEX", kind.is_complex()) +
                        define("RENORMALISE_EVERY", direct::renormalisation_interval(direct_accuracy(p.accuracy)));
  return context.programs.get(
      context, opencl::ProgramRecipe{"direct entries",
                                     {"prelude.cl", "eft.clh", "core.clh", "step.clh", "lanes.cl", "operands.cl",
                                      "sums.cl", "update.cl", "direct_entries.cl"},
                                     options});
}

cl::Program plain_program(opencl::ContextState& context, ElementKind kind) {
  return context.programs.get(context, opencl::ProgramRecipe{"plain sums",
                                                             {"doubles.cl", "update_words.cl", "plain_sums.cl"},
                                                             define("WORDS", 1) + define("PARTS", kind.parts)});
}

}  // namespace

void require_doubles(opencl::ContextState& context, ElementKind kind, const char* what) {
  if (!context.info.fp64) {
    throw error(errc::unsupported, "gemm: device " + context.info.name +
                                       " has no double precision (cl_khr_fp64), which " + what + " needs");
  }
  if (kind.words == 2) opencl::require_self_test(context, 1);
}

DirectDeviceEntries::DirectDeviceEntries(opencl::QueueState& queue, opencl::Sequence& sequence,
                                         const OpenclProduct& product, const cl::Buffer& positions, std::int64_t count)
    : queue_(queue), sequence_(sequence), p_(product), kind_(product.precision), positions_(positions), count_(count) {
  require_doubles(*queue.context, kind_, "a product with entries for the direct engine");
  values_ = queue.context->workspaces.borrow(*queue.context, queue.queue, queue.in_order, count * kind_.bytes(),
                                             "entries by the direct engine");
  sequence_.wait_also(values_.busy());
  // Before C is written.
  scatter_ = queue.context->kernels.borrow(
      queue.context->programs.get(
          *queue.context,
          opencl::ProgramRecipe{"scatter", {"scatter.cl"}, define("ELEMENT_WORDS", kind_.words * kind_.parts)}),
      "scatter");
  if (kind_.words == 2) {
    compute_double_doubles();
  } else {
    compute_doubles();
  }
}

void DirectDeviceEntries::compute_double_doubles() {
  cl::Program program = direct_program(*queue_.context, p_, kind_);
  auto borrow = [&](std::int64_t bytes, const char* what) {
    Workspace w = queue_.context->workspaces.borrow(*queue_.context, queue_.queue, queue_.in_order, bytes, what);
    sequence_.wait_also(w.busy());
    return w;
  };
  recomputed_ = borrow(sizeof(cl_uint), "a counter");
  Workspace sums = borrow(count_ * kind_.bytes(), "sums of entries");
  sequence_.fill_zero(recomputed_.buffer(), sizeof(cl_uint));
  auto direct_sums = queue_.context->kernels.borrow(program, "direct_sums");
  set_arguments(direct_sums, p_.a.buffer, view_of(p_.a), p_.b.buffer, view_of(p_.b), cl_long{p_.k * kind_.parts},
                positions_, sums.buffer(), recomputed_.buffer());
  sequence_.launch(*direct_sums, cl::NDRange(static_cast<std::size_t>(count_ * kind_.parts * entry_items)),
                   cl::NDRange(entry_items));
  auto values = queue_.context->kernels.borrow(program, "direct_values");
  set_arguments(values, sums.buffer(), positions_, narrow(count_), p_.c.buffer, view_of(p_.c), words(p_.alpha),
                words(p_.beta), values_.buffer());
  sequence_.launch_over(*values, count_);
  sums.release(queue_.queue, sequence_.last());
}

void DirectDeviceEntries::compute_doubles() {
  auto values = queue_.context->kernels.borrow(plain_program(*queue_.context, kind_), "plain_values");
  set_arguments(values, p_.a.buffer, view_of(p_.a), p_.b.buffer, view_of(p_.b), narrow(p_.k), positions_,
                narrow(count_), p_.c.buffer, view_of(p_.c), words(p_.alpha), words(p_.beta), values_.buffer());
  sequence_.launch_over(*values, count_);
}

Workspace DirectDeviceEntries::write() {
  set_arguments(scatter_, values_.buffer(), positions_, narrow(count_), p_.c.buffer, view_of(p_.c));
  sequence_.launch_over(*scatter_, count_);
  values_.release(queue_.queue, sequence_.last());
  return std::move(recomputed_);
}

double DirectDeviceEntries::error_bound_u2() const {
  if (kind_.words == 2) {
    return direct_error_bound_u2(p_.k, direct_accuracy(p_.accuracy), kind_.is_complex(), p_.fma);
  }
  return (kind_.is_complex() ? 2.0 : 1.0) * (static_cast<double>(p_.k) + 4.0);
}

void enqueue_plain(opencl::QueueState& queue, opencl::Sequence& sequence, const OpenclProduct& p) {
  const ElementKind kind(p.precision);
  require_doubles(*queue.context, kind, "a product as plain sums");
  const bool is_scaling = p.k == 0 || p.alpha == dd_complex(0);
  auto kernel = queue.context->kernels.borrow(plain_program(*queue.context, kind), "plain_product");
  set_arguments(kernel, is_scaling ? p.c.buffer : p.a.buffer, view_of(is_scaling ? p.c : p.a),
                is_scaling ? p.c.buffer : p.b.buffer, view_of(is_scaling ? p.c : p.b), narrow(is_scaling ? 0 : p.k),
                p.c.buffer, view_of(p.c), narrow(p.m), narrow(p.n), words(p.alpha), words(p.beta));
  sequence.launch_over(*kernel, p.m, p.n);
}

}  // namespace hilo::modular
