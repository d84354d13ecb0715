// Level 1 in device memory: the host's bits, in S, D, C and Z but for roundings of what the CBLAS computes there.
#include <hilo/blas.hpp>

#include "error_message.hpp"
#include "on_device.hpp"
#include "opencl/native.hpp"

namespace hilo::test {
namespace {

constexpr std::int64_t sizes[] = {0, 1, 2, 63, 64, 65, 1000, 5000};
constexpr std::int64_t strides[][2] = {{1, 1}, {2, 1}, {-1, 3}, {3, -1}, {-2, 2}};
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
class OpenclLevel1 : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_single(precision_of<T>) && !queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclLevel1, AllPrecisions, NameOfPrecision);

// In S, D, C and Z elements to roundings of numbers of magnitude 8, where is_rounded.
template <class T>
void expect_alike(const VectorOnDevice<T>& found, const StoredVector<T>& expected, bool is_rounded, const char* what) {
  const StoredVector<T> x = found.read(queue());
  if (double_double<T> || !is_rounded) {
    EXPECT_EQ(first_difference(x.elements, expected.elements), -1) << what << ' ' << x.view.size;
    return;
  }
  EXPECT_TRUE(x.keeps_what_is_between(expected)) << what;
  for (std::int64_t i = 0; i < x.view.size; ++i) {
    ASSERT_LE(magnitude(wide(x(i)) - wide(expected(i))), 24 * epsilon_of<T>) << what << ' ' << i;
  }
}

// All sums, and the place of the largest element.
template <class T>
void expect_same_numbers(const StoredVector<T>& x, const StoredVector<T>& y) {
  Queue& q = queue();
  const VectorOnDevice<T> u(q, x), v(q, y);
  const std::int64_t n = x.view.size;
  EXPECT_TRUE(same_bits(dot(q, u.view, v.view), dot(x.view, y.view))) << n;
  EXPECT_TRUE(same_bits(dotu(q, u.view, v.view), dotu(x.view, y.view))) << n;
  EXPECT_TRUE(same_bits(nrm2(q, u.view), nrm2(x.view))) << n << ' ' << magnitude(nrm2(q, u.view));
  EXPECT_TRUE(same_bits(asum(q, u.view), asum(x.view))) << n;
  EXPECT_EQ(iamax(q, u.view), iamax(x.view)) << n;
}

TYPED_TEST(OpenclLevel1, ComputesElementByElement) {
  using T = TypeParam;
  using R = real_type<T>;
  Queue& q = queue();
  const T alpha = element_of<T>(-1.7, 0.6), s = element_of<T>(0.6, 0.3);
  const R c(0.75f);
  std::uint64_t seed = 0;
  for (const std::int64_t n : sizes) {
    for (const auto& [x_stride, y_stride] : strides) {
      ++seed;
      const StoredVector<T> x(n, x_stride, seed), y(n, y_stride, seed + 1000);
      StoredVector<T> sum = y, product = x, left = x, right = y, copied = y, first = x, second = y;
      axpy(alpha, x.read(), sum.view);
      scal(alpha, product.view);
      rot(left.view, right.view, c, s);
      copy(x.read(), copied.view);
      swap(first.view, second.view);
      const VectorOnDevice<T> u(q, x), a(q, y), b(q, x), d(q, x), e(q, y), f(q, y), g(q, x), h(q, y);
      axpy(q, alpha, u.view, a.view).wait();
      scal(q, alpha, b.view).wait();
      rot(q, d.view, e.view, c, s).wait();
      copy(q, u.view, f.view).wait();
      swap(q, g.view, h.view).wait();
      expect_alike(a, sum, true, "axpy");
      expect_alike(b, product, true, "scal");
      expect_alike(d, left, true, "rot of x");
      expect_alike(e, right, true, "rot of y");
      expect_alike(f, copied, false, "copy");
      expect_alike(g, first, false, "swap of x");
      expect_alike(h, second, false, "swap of y");
    }
  }
}

TYPED_TEST(OpenclLevel1, Sums) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  for (const std::int64_t n : sizes) {
    for (const auto& [x_stride, y_stride] : strides) {
      ++seed;
      expect_same_numbers(StoredVector<T>(n, x_stride, seed), StoredVector<T>(n, y_stride, seed + 1000));
    }
  }
  // More than a super-chunk of 262144 real terms, and more of these than the 16 that take turns.
  expect_same_numbers(StoredVector<T>(300000, 1, 1), StoredVector<T>(300000, -1, 2));
  if (std::same_as<T, dd_real>) expect_same_numbers(StoredVector<T>(4300001, 1, 1), StoredVector<T>(4300001, 1, 2));
}

TYPED_TEST(OpenclLevel1, NormsNeitherOverflowNorUnderflow) {
  using T = TypeParam;
  using std::ldexp;
  Queue& q = queue();
  const int most = is_single(precision_of<T>) ? 120 : 1015;
  StoredVector<T> x(5000, 2, 5);
  const StoredVector<T> y = x;
  for (const int e : {most, -most / 2, most / 2, -most}) {
    x.fill([&](std::int64_t i) {
      if constexpr (is_complex(precision_of<T>)) {
        return T(ldexp(y(i).real(), e), ldexp(y(i).imag(), e));
      } else {
        return T(ldexp(y(i), e));
      }
    });
    const VectorOnDevice<T> u(q, x);
    EXPECT_TRUE(same_bits(nrm2(q, u.view), nrm2(x.view))) << e;
    EXPECT_TRUE(std::isfinite(magnitude(nrm2(q, u.view)))) << e;
  }
  x.fill([](std::int64_t) { return T(0); });
  EXPECT_EQ(magnitude(nrm2(q, VectorOnDevice<T>(q, x).view)), 0.0);
  if constexpr (is_complex(precision_of<T>)) {
    x.view(3) = element_of<T>(0, -std::ldexp(1.0, most));
    EXPECT_EQ(magnitude(nrm2(q, VectorOnDevice<T>(q, x).view)), std::ldexp(1.0, most));
  }
}

TYPED_TEST(OpenclLevel1, InfinitiesNaNAndOverflow) {
  using T = TypeParam;
  Queue& q = queue();
  const double large = is_single(precision_of<T>) ? 0x1p127 : 0x1p1023;
  StoredVector<T> y(5000, 1, 3);
  y.view(4000) = element_of<T>(2, 3);
  for (const std::int64_t at : {0, 66, 4999}) {
    for (const T& special : {element_of<T>(infinity, 0), element_of<T>(-infinity, infinity), not_a_number<T>(),
                             element_of<T>(large, large)}) {
      StoredVector<T> x(5000, 1, 2), sum = y;
      x.view(at) = x.view(4000) = special;
      expect_same_numbers(x, y);
      axpy(T(3), x.read(), sum.view);
      const VectorOnDevice<T> u(q, x), v(q, y);
      axpy(q, T(3), u.view, v.view).wait();
      const StoredVector<T> found = v.read(q);
      for (std::int64_t i = 0; i < 5000; ++i) {
        ASSERT_TRUE(!double_double<T> || same_bits(found(i), sum(i))) << i;
        ASSERT_EQ(std::isfinite(magnitude(found(i))), std::isfinite(magnitude(sum(i)))) << i;
      }
    }
  }
}

// Negative zeros are the operators'.
TYPED_TEST(OpenclLevel1, ZerosKeepTheirSigns) {
  using T = TypeParam;
  Queue& q = queue();
  StoredVector<T> x(64, 1), y(64, 1);
  x.fill([](std::int64_t i) { return element_of<T>(i % 2 ? -0.0 : 0.0, i % 4 < 2 ? -0.0 : 1.0); });
  y.fill([](std::int64_t i) { return element_of<T>(i % 8 < 4 ? -0.0 : 0.0, -0.0); });
  for (const float alpha : {1.0F, -1.0F}) {
    const VectorOnDevice<T> u(q, x), v(q, y);
    StoredVector<T> sum = y;
    axpy(static_cast<T>(alpha), x.read(), sum.view);
    axpy(q, static_cast<T>(alpha), u.view, v.view).wait();
    expect_alike(v, sum, true, "axpy of zeros");
  }
}

TYPED_TEST(OpenclLevel1, ZeroFactorsReadNothing) {
  using T = TypeParam;
  Queue& q = queue();
  StoredVector<T> x(20, 3), y(20, 1, 4);
  x.fill([](std::int64_t) { return not_a_number<T>(); });
  const VectorOnDevice<T> u(q, x), v(q, y);
  axpy(q, T(0), u.view, v.view).wait();
  expect_alike(v, y, false, "axpy");
  scal(q, T(0), u.view).wait();
  const StoredVector<T> zeros = u.read(q);
  for (std::int64_t i = 0; i < 20; ++i) EXPECT_TRUE(same_bits(zeros(i), T(0))) << i;
  EXPECT_TRUE(zeros.keeps_what_is_between(x));
}

TEST(OpenclLevel1Calls, FmaChangesNoBit) {
  Queue& q = queue();
  if (!q.context().device().fp64) GTEST_SKIP() << "no double precision";
  const StoredVector<dd_real> x(5000, 1, 1);
  StoredVector<dd_real> y(5000, 1, 2);
  const VectorOnDevice<dd_real> u(q, x);
  const dd_real sum = dot(x.view, y.view);
  const StoredVector<dd_real> before = y;
  axpy(dd_real(1) / 3, x.read(), y.view);
  for (const Fma fma : {Fma::on, Fma::off}) {
    const VectorOnDevice<dd_real> v(q, before);
    EXPECT_TRUE(same_bits(dot(q, u.view, v.view, {}, {.fma = fma}), sum));
    axpy(q, dd_real(1) / 3, u.view, v.view, {}, {.fma = fma}).wait();
    expect_alike(v, y, true, "axpy");
  }
}

// What they wait for writes x; the next call reads what the one before writes.
TEST(OpenclLevel1Calls, WaitForEventsAndEndWithTheirs) {
  const Context context = queue().context();
  cl::CommandQueue out_of_order(context.state()->context, context.state()->device,
                                CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Queue queues[] = {Queue(context), Queue(out_of_order())};
  for (Queue& q : queues) {
    const StoredVector<float> x(5000, 2, 1);
    StoredVector<float> y(5000, 1, 2);
    const VectorOnDevice<float> u(q, StoredVector<float>(5000, 2)), v(q, y);
    cl::UserEvent written(context.state()->context);
    const Event sum = axpy(q, 2, u.view, v.view, {Event(written())});
    const Event copied = copy(q, v.view, u.view, {sum});
    Buffer<float> late = u.buffer;
    late.write(queue(), x.elements.data(), 0, late.size());
    written.setStatus(CL_COMPLETE);
    copied.wait();
    axpy(2, x.read(), y.view);
    EXPECT_EQ(u.read(queue()).in_order(), y.in_order());
    cl::UserEvent now(context.state()->context);
    now.setStatus(CL_COMPLETE);
    EXPECT_EQ(asum(q, u.view, {Event(now())}), asum(y.view));
  }
}

TEST(OpenclLevel1Calls, RefuseWhatCannotBeRight) {
  Queue& q = queue();
  const StoredVector<float> a(10, 2, 1), b(10, 1, 2);
  const VectorOnDevice<float> x(q, a), y(q, b);
  const auto refuses = [&](auto call, std::initializer_list<std::string> parts) {
    expect_contains(message_of(errc::invalid_argument, call), parts);
    EXPECT_EQ(first_difference(x.read(q).elements, a.elements), -1);
    EXPECT_EQ(first_difference(y.read(q).elements, b.elements), -1);
  };
  const auto with = [](BufferVector<float> v, std::int64_t offset, std::int64_t size, std::int64_t stride) {
    v.offset = offset, v.size = size, v.stride = stride;
    return v;
  };
  refuses([&] { axpy(q, 1, x.view, with(y.view, 0, 9, 1)); }, {"axpy: elements of y = 9 is not elements of x = 10"});
  refuses([&] { axpy(q, 1, x.view, with(x.view, 1, 10, -1)); }, {"axpy: y, of 10 elements with stride -1", "buffer"});
  refuses([&] { scal(q, 2, with(x.view, -1, 2, 1)); }, {"scal: the offset of x = -1 is negative"});
  refuses([&] { scal(q, 2, with(x.view, 0, -2, 1)); }, {"scal: x has -2 elements"});
  refuses([&] { scal(q, 2, with(x.view, 0, 2, 0)); }, {"scal: x, of 2 elements, has stride 0"});
  refuses([&] { nrm2(q, with(x.view, 0, 13, 2)); }, {"nrm2: x, of 13 elements with stride 2 from offset 0", "23"});
  refuses([&] { iamax(q, with(x.view, std::numeric_limits<std::int64_t>::max(), 1, 1)); }, {"iamax: x, of 1 elements"});
  refuses([&] { swap(q, x.view, with(x.view, 4, 10, 1)); }, {"swap: y overlaps x"});
  refuses([&] { copy(q, with(x.view, 0, 4, 1), with(x.view, 3, 4, 1)); }, {"copy: y overlaps x"});
  EXPECT_NO_THROW(dot(q, x.view, x.view));
  message_of(errc::overflow, [&] { scal(q, 2, with(x.view, 0, std::int64_t{1} << 40, std::int64_t{1} << 40)); });
  const Buffer<float> away(test_context(), 10);
  refuses([&] { scal(q, 2, BufferVector<float>{away, 0, 10}); }, {"scal: the buffer of x belongs to another context"});
  EXPECT_NO_THROW(copy(q, with(x.view, 0, 4, 2), with(x.view, 1, 4, 2)).wait());
}

}  // namespace
}  // namespace hilo::test
