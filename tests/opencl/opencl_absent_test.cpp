// A library built without OpenCL: it has every product on a device, which throws no_device.
#include <gtest/gtest.h>

#include <complex>
#include <hilo/blas.hpp>
#include <hilo/device.hpp>
#include <hilo/eigenvalues.hpp>
#include <hilo/gemm.hpp>
#include <hilo/group_matrix.hpp>
#include <hilo/programs.hpp>
#include <hilo/singular_values.hpp>
#include <hilo/solve.hpp>
#include <hilo/streaming.hpp>

#include "error_message.hpp"

namespace {

using namespace hilo;

template <class T>
class OpenclAbsent : public ::testing::Test {};
using Numbers = ::testing::Types<float, double, std::complex<float>, std::complex<double>, dd_real, dd_complex>;
TYPED_TEST_SUITE(OpenclAbsent, Numbers);

// That they are there is told by linking: there is no queue to call them with.
TYPED_TEST(OpenclAbsent, HasTheProducts) {
  using T = TypeParam;
  EXPECT_TRUE(platforms().empty());
  const std::string message = message_of(errc::no_device, [] {
    Queue queue{Context()};
    set_build_options(queue.context(), build_options(queue.context()));
    keep_programs(queue.context());
    use_programs(queue.context(), kept_programs(queue.context(), ""), "");
    program_tally(queue.context());
    const T* host = nullptr;
    Buffer<T> buffer(queue.context(), 1);
    const Op n = Op::none;
    gemm(queue, Layout::row, n, n, 1, 1, 1, T(1), host, 1, host, 1, T(0), static_cast<T*>(nullptr), 1);
    gemm_strided_batch(queue, Layout::row, n, n, 1, 1, 1, T(1), host, 1, 0, host, 1, 0, T(0), static_cast<T*>(nullptr),
                       1, 0, 1);
    gemm(queue, Layout::row, n, n, 1, 1, 1, T(1), buffer, 0, 1, buffer, 0, 1, T(0), buffer, 0, 1);
    gemm_strided_batch(queue, Layout::row, n, n, 1, 1, 1, T(1), buffer, 0, 1, 0, buffer, 0, 1, 0, T(0), buffer, 0, 1, 0,
                       1);
    const std::int64_t offset = 0;
    gemm_batch(queue, Layout::row, n, n, 1, 1, 1, T(1), buffer, &offset, 1, buffer, &offset, 1, T(0), buffer, &offset,
               1, 1);
    plan_gemm<T>(queue, Layout::row, n, n, 1, 1, 1);
    const BufferVector<T> x{buffer, 0, 1};
    axpy(queue, T(1), x, x);
    scal(queue, T(1), x);
    copy(queue, x, x);
    swap(queue, x, x);
    rot(queue, x, x, real_type<T>(1), T(0));
    dot(queue, x, x);
    dotu(queue, x, x);
    nrm2(queue, x);
    asum(queue, x);
    iamax(queue, x);
    const BufferView<T> a{buffer, 0, 1, 1, 1, 1};
    gemv(queue, T(1), a, x, T(1), x);
    symv(queue, Uplo::lower, T(1), a, x, T(1), x);
    hemv(queue, Uplo::lower, T(1), a, x, T(1), x);
    trmv(queue, Uplo::lower, Diag::unit, a, x);
    trsv(queue, Uplo::lower, Diag::unit, a, x);
    ger(queue, T(1), x, x, a);
    geru(queue, T(1), x, x, a);
    syr(queue, Uplo::lower, T(1), x, a);
    her(queue, Uplo::lower, real_type<T>(1), x, a);
    syr2(queue, Uplo::lower, T(1), x, x, a);
    her2(queue, Uplo::lower, T(1), x, x, a);
    solve(queue, a, a, a);
    solve_positive(queue, Uplo::lower, a, a, a);
    const MatrixView<T> b{nullptr, 1, 1, 1, 1};
    std::vector<std::int64_t> pivots(1);
    trsm(queue, Side::left, Uplo::lower, Diag::unit, T(1), b, b);
    syrk(queue, Uplo::lower, T(1), b, T(1), b);
    herk(queue, Uplo::lower, real_type<T>(1), b, real_type<T>(1), b);
    getrf(queue, b, pivots);
    getrs(queue, Op::none, b, pivots, b);
    gesv(queue, b, pivots, b);
    potrf(queue, Uplo::lower, b);
    potrs(queue, Uplo::lower, b, b);
    posv(queue, Uplo::lower, b, b);
    GroupMatrix<T> dealt(DeviceGroup(), 1, 1);
    dealt.write(b);
    dealt.read(b);
    gemm(T(1), dealt, dealt, T(0), dealt);
    getrf(dealt, pivots);
    getrs(Op::none, dealt, pivots, b);
    gesv(dealt, pivots, b);
    potrf(dealt);
    potrs(dealt, b);
    posv(dealt, b);
    EXPECT_EQ(
        dealt.rows() + dealt.columns() + dealt.block() + dealt.devices().size() + std::ssize(dealt.distribution()), 5);
    const VectorView<real_type<T>> values{nullptr, 1};
    hermitian_eigenvalues(queue, Uplo::lower, a, values);
    hermitian_eigensystem(queue, Uplo::lower, a, values, a);
    singular_values(queue, a, values);
    singular_value_decomposition(queue, a, values, a, a);
  });
  expect_contains(message, {"OpenCL"});
}

}  // namespace
