#include "gemm/modular/opencl/direct_entries.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "gemm/direct/reference.hpp"
#include "gemm/modular/guarantee.hpp"
#include "matrix/sizes.hpp"
#include "opencl/self_test.hpp"

namespace hilo::modular {
namespace {

using opencl::define;
using opencl::narrow;
using opencl::set_arguments;
using opencl::Workspace;

constexpr std::int64_t entry_items = 64;

Accuracy direct_accuracy(Accuracy a) { return a == Accuracy::fast ? Accuracy::fast : Accuracy::classic; }

cl::Program direct_program(opencl::ContextState& context, const DevicePlan& p, ElementKind kind) {
  std::string options = "-DHILO_LANES=1" + define("HILO_FMA", p.fma) + define("IS_COMPLEX", kind.is_complex()) +
                        define("RENORMALISE_EVERY", direct::renormalisation_interval(direct_accuracy(p.accuracy)));
  return context.programs.get(context, opencl::ProgramRecipe{"direct entries", "direct/entries.cl", options});
}

cl::Program plain_program(opencl::ContextState& context, ElementKind kind) {
  return context.programs.get(context, opencl::ProgramRecipe{"plain sums", "modular/plain_sums.cl",
                                                             define("WORDS", 1) + define("PARTS", kind.parts)});
}

}  // namespace

UnscalableEntries count_unscalable(const Scan& scan, std::int64_t most_exponent) {
  const ScannedOperands& found = scan.found();
  const std::int64_t rows = scan.figure_of(figure_bad), columns = scan.figure_of(figure_bad + 1);
  const std::int64_t m = found.lines[0], n = found.lines[1];
  const std::int64_t largest = scan.figure_of(figure_largest) + scan.figure_of(figure_largest + 1);
  UnscalableEntries entries{rows * n + columns * m - rows * columns, largest > most_exponent, most_exponent};
  if (!entries.has_overflow) return entries;
  std::vector<cl_int> all(static_cast<std::size_t>(m + n)), exponents[2];
  scan.call().read(found.exponents, 4 * all.size(), all.data());
  for (int o = 0; o < 2; ++o) {
    const auto first = all.begin() + (o == 0 ? 0 : m);
    std::copy_if(first, first + found.lines[o], std::back_inserter(exponents[o]),
                 [](cl_int e) { return e != line_of_zeros && e != line_is_bad; });
  }
  std::sort(exponents[1].begin(), exponents[1].end());
  for (cl_int e : exponents[0]) {
    entries.count += exponents[1].end() - std::upper_bound(exponents[1].begin(), exponents[1].end(), most_exponent - e);
  }
  return entries;
}

DirectList list_direct(const Scan& scan, const UnscalableEntries& unscalable, const SpreadTest& spread, int triangle) {
  // As kernels/modular/spread.cl has it.
  constexpr std::int64_t plane_lines = 32;
  opencl::Call& call = scan.call();
  const ScannedOperands& found = scan.found();
  const std::int64_t beyond = spread.entries_beyond(), most = unscalable.count + beyond;
  if (most == 0) return {};
  if (most > 0x7fffffff) {
    throw error(errc::unsupported, "gemm: " + std::to_string(most) +
                                       " entries would go to the direct engine, more than the 2147483647 that backend "
                                       "opencl lists; engine direct computes the whole product");
  }
  DirectList list{call.borrow(most * 8, "the entries for the direct engine"), most};
  auto kernel = call.kernel(scan.program(), "list_direct");
  // The counter is a figure of its own.
  const cl::Buffer counter = call.borrow(4, "a counter");
  call.fill_zero(counter, 4);
  const opencl::list_arguments arguments{.rows = narrow(found.lines[0]),
                                         .columns = narrow(found.lines[1]),
                                         .most_exponent = narrow(unscalable.most_exponent),
                                         .has_unscalable = unscalable.count > 0,
                                         .word_pitch = beyond ? spread.word_pitch() : 0,
                                         .most = narrow(most),
                                         .triangle = triangle};
  opencl::set_arguments(kernel, found.exponents, beyond ? spread.beyond() : found.exponents, list.positions, counter,
                        arguments);
  call.launch_over(*kernel, blocks(found.lines[1], plane_lines), found.lines[0]);
  if (triangle || (unscalable.has_overflow && beyond)) {
    cl_int count = 0;
    call.read(counter, sizeof count, &count);
    list.count = count;
  }
  return list;
}

void require_doubles(opencl::ContextState& context, ElementKind kind, const char* what) {
  if (!context.info.fp64) {
    throw error(errc::unsupported, "gemm: device " + context.info.name +
                                       " has no double precision (cl_khr_fp64), which " + what + " needs");
  }
  if (kind.words == 2) opencl::require_self_test(context, 1);
}

DirectDeviceEntries::DirectDeviceEntries(opencl::Call& call, const DevicePlan& plan, const DeviceProduct& product,
                                         const cl::Buffer& positions, std::int64_t count)
    : call_(call), plan_(plan), p_(product), kind_(product.precision), positions_(positions), count_(count) {
  opencl::ContextState& context = call.context();
  require_doubles(context, kind_, "a product with entries for the direct engine");
  values_ = call.borrow(count * kind_.bytes(), "entries by the direct engine");
  // Before C is written.
  scatter_ = call.kernel(
      context.programs.get(context, opencl::ProgramRecipe{"scatter", "modular/scatter.cl",
                                                          define("ELEMENT_WORDS", kind_.words * kind_.parts)}),
      "scatter");
  if (kind_.words == 2) {
    compute_double_doubles();
  } else {
    compute_doubles();
  }
}

void DirectDeviceEntries::compute_double_doubles() {
  cl::Program program = direct_program(call_.context(), plan_, kind_);
  recomputed_ = call_.lend(sizeof(cl_uint), "a counter");
  const cl::Buffer& sums = call_.borrow(count_ * kind_.bytes(), "sums of entries");
  call_.fill_zero(recomputed_.buffer(), sizeof(cl_uint));
  auto direct_sums = call_.kernel(program, "direct_sums");
  set_arguments(direct_sums, p_.a.buffer, view_of(p_.a), p_.b.buffer, view_of(p_.b), cl_long{p_.k() * kind_.parts},
                positions_, sums, recomputed_.buffer());
  call_.launch(*direct_sums, cl::NDRange(static_cast<std::size_t>(count_ * kind_.parts * entry_items)),
               cl::NDRange(entry_items));
  auto values = call_.kernel(program, "direct_values");
  set_arguments(values, sums, positions_, narrow(count_), p_.c.buffer, view_of(p_.c), words_of(p_.alpha),
                words_of(p_.beta), values_);
  call_.launch_over(*values, count_);
}

void DirectDeviceEntries::compute_doubles() {
  auto values = call_.kernel(plain_program(call_.context(), kind_), "plain_values");
  const opencl::plain_arguments arguments{.a = view_of(p_.a),
                                          .b = view_of(p_.b),
                                          .c = view_of(p_.c),
                                          .terms = narrow(p_.k()),
                                          .count = narrow(count_),
                                          .rows = 0,
                                          .columns = 0};
  set_arguments(values, p_.a.buffer, p_.b.buffer, positions_, p_.c.buffer, values_, arguments,
                factors_of(p_.alpha, p_.beta));
  call_.launch_over(*values, count_);
}

Workspace DirectDeviceEntries::write() {
  set_arguments(scatter_, values_, positions_, narrow(count_), p_.c.buffer, view_of(p_.c));
  call_.launch_over(*scatter_, count_);
  return std::move(recomputed_);
}

double DirectDeviceEntries::error_bound_u2() const {
  if (kind_.words == 2) {
    return direct_error_bound_u2(p_.k(), direct_accuracy(plan_.accuracy), kind_.is_complex(), plan_.fma);
  }
  return plain_sum_bound(p_.k(), kind_.is_complex());
}

void execute_plain(const DeviceProduct& p, opencl::Call& call) {
  const ElementKind kind(p.precision);
  require_doubles(call.context(), kind, "a product as plain sums");
  const bool reads = p.reads_operands();
  auto kernel = call.kernel(plain_program(call.context(), kind), "plain_product");
  const DeviceView &a = reads ? p.a : p.c, &b = reads ? p.b : p.c;
  const opencl::plain_arguments arguments{.a = view_of(a),
                                          .b = view_of(b),
                                          .c = view_of(p.c),
                                          .terms = narrow(reads ? p.k() : 0),
                                          .count = 0,
                                          .rows = narrow(p.m()),
                                          .columns = narrow(p.n())};
  set_arguments(kernel, a.buffer, b.buffer, p.c.buffer, arguments, factors_of(p.alpha, p.beta));
  call.launch_over(*kernel, p.m(), p.n());
}

}  // namespace hilo::modular
