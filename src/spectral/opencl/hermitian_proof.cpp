// Proofs of how far eigenvalues are from a matrix's own, where the matrix is on a device.
#include "opencl/program.hpp"
#include "spectral/opencl/hermitian_device.hpp"

namespace hilo::spectral {
namespace {

using opencl::set_arguments;

constexpr const char* text = "spectral/proof.cl";
constexpr std::int64_t items = 256;  // as the kernels have them

}  // namespace

GemmPlan HermitianDeviceOfAny::multiply_for_proof(Accuracy accuracy, const dd_complex& alpha, const DeviceView& a,
                                                  const DeviceView& b, const dd_complex& beta, const DeviceView& c) {
  const DeviceProduct product{precision(), alpha, a, b, beta, c};
  const GemmShape shape = shape_of_views(lines_of(a), lines_of(b), lines_of(c), element_bytes(precision()));
  DevicePlan plan = plan_routine_product(call().context(), shape, product, options_of_proof(options(), accuracy));
  DeviceRun run = execute(plan, product, call().queue(), call().pending());
  const cl::Event event(run.event.native(), true);
  if (run.recomputed.buffer()()) run.recomputed.release(call().queue().queue, event);
  call().include(event);
  return plan.told;
}

// W in the memory of Y, R in that of S.
std::optional<EigenvalueBounds> HermitianDeviceOfAny::bounds(const std::vector<std::int64_t>& order,
                                                             const Values& values) {
  EigenvalueProof proof;
  Values rounded;
  for (const dd_real& value : values) {
    proof.lost_of_values.push_back(lost_of_value(value));
    rounded.push_back(-rounded_to_places(value));
  }
  write_values(rounded);
  const cl::Buffer of_order = written(order, "the order of eigenvalues");
  const std::int64_t bytes = 2 * n_ * n_ * element_bytes(precision());
  const DeviceView left{call().borrow(bytes, "factors of a proof"), 0, n_, 2 * n_, 1, n_};
  const DeviceView right{call().borrow(bytes, "factors of a proof"), 0, 2 * n_, n_, 1, 2 * n_};
  {
    opencl::BorrowedKernel k = kernel(text, "take_factors");
    set_arguments(k, a_, x_, of_order, values_, left.buffer, right.buffer, s_, sums_, cl_long{n_});
    call().launch_groups(*k, n_, items);
  }
  const std::vector<double> of_factors = read_sums(2);
  double lost = 0.0, largest_square = 0.0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const double square = of_factors[values.size() + j] * above;
    lost += of_factors[j];
    // Not std::max, which loses NaN.
    if (!(square <= largest_square)) largest_square = square;
  }
  proof.lost_of_a = std::sqrt(lost) * above + underflow;

  const DeviceView x = right.sub(0, 0, n_, n_);
  const GemmPlan of_defect =
      multiply_for_proof(Accuracy::classic, -1, x.turned(Op::conjugate_transpose), x, 1, square_of(s_));
  multiply_for_proof(Accuracy::exact, 1, left, right, 0, square_of(y_));
  opencl::BorrowedKernel k = kernel(text, "sum_two_squares");
  set_arguments(k, y_, s_, sums_, cl_long{n_});
  call().launch_groups(*k, n_, items);
  const std::vector<double> sums = read_sums(2);
  proof.squares.assign(sums.begin(), sums.begin() + n_);
  double defect = 0.0;
  for (std::int64_t j = 0; j < n_; ++j) defect += sums[static_cast<std::size_t>(n_ + j)];
  proof.defect = defect_from(std::sqrt(defect), of_defect.error_bound_u2, largest_square, n_);
  return bounds_of(proof);
}

}  // namespace hilo::spectral
