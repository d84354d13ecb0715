// Batches of small products in one launch on OpenCL, against single products by the definition: every bit in DD and
// ZDD, small integers in S, D, C and Z.
#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <limits>
#include <string>
#include <vector>

#include "error_message.hpp"
#include "gemm/direct/reference.hpp"
#include "opencl/native.hpp"
#include "opencl_queue.hpp"
#include "random.hpp"
#include "same_bits.hpp"
#include "test_size.hpp"

namespace hilo {
namespace {

using std::int64_t;
using test::is_small;
using test::Random;

std::size_t size(int64_t x) { return static_cast<std::size_t>(x); }

template <class T>
T number(double re, double im, double lo = 0.0) {
  if constexpr (std::same_as<T, dd_real>) {
    return dd_real::sum(re, lo);
  } else if constexpr (std::same_as<T, dd_complex>) {
    return {dd_real::sum(re, lo), dd_real::sum(im, -lo)};
  } else if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
    return static_cast<T>(re);
  } else {
    using Word = typename T::value_type;
    return {static_cast<Word>(re), static_cast<Word>(im)};
  }
}

/// Where nothing but a reader or writer that errs would look.
template <class T>
T marker() {
  return number<T>(std::numeric_limits<double>::quiet_NaN(), 1.0);
}

struct Shape {
  Layout layout = Layout::column;
  Op opa = Op::none, opb = Op::none;
  int64_t m, n, k, count;
  int64_t pad = 0;  ///< elements between lines
  bool shares_a = false, shares_b = false;
};

/// In S, D, C and Z integers, whose sums are exact in any order.
template <class T>
struct Batch {
  Shape s;
  int64_t lda, ldb, ldc, stride_a, stride_b, stride_c;
  T alpha = number<T>(3, -2, 0x1p-60), beta = number<T>(-2, 1, -0x1p-61);
  Accuracy accuracy = Accuracy::classic;
  bool fma = true;
  std::vector<T> a, b, c;

  Batch(const Shape& shape, std::uint64_t seed) : s(shape) {
    Random random(seed);
    auto fill = [&](Op op, int64_t rows, int64_t columns, bool is_shared, int64_t& leading, int64_t& stride,
                    std::vector<T>& x) {
      const bool by_columns = columns_contiguous(s.layout, op);
      const int64_t line = by_columns ? rows : columns, lines = by_columns ? columns : rows;
      leading = std::max<int64_t>(line, 1) + s.pad;
      stride = is_shared ? 0 : leading * lines + s.pad;
      const int64_t matrices = is_shared ? 1 : s.count;
      x.assign(size(matrices * leading * lines + matrices * s.pad), marker<T>());
      for (int64_t i = 0; i < matrices; ++i) {
        for (int64_t j = 0; j < lines; ++j) {
          for (int64_t h = 0; h < line; ++h) x[size(i * stride + j * leading + h)] = element(random);
        }
      }
    };
    fill(s.opa, s.m, s.k, s.shares_a, lda, stride_a, a);
    fill(s.opb, s.k, s.n, s.shares_b, ldb, stride_b, b);
    fill(Op::none, s.m, s.n, false, ldc, stride_c, c);
  }

  static T element(Random& random) {
    if constexpr (double_double<T>) {
      const double re = random.uniform(), im = random.uniform();
      return number<T>(std::ldexp(re, static_cast<int>(random.below(9)) - 4), im, 0x1p-58 * random.uniform());
    } else {
      const double re = static_cast<double>(random.below(9)) - 4.0;
      return number<T>(re, static_cast<double>(random.below(9)) - 4.0);
    }
  }

  GemmOptions options() const {
    return {.engine = Engine::direct, .accuracy = accuracy, .fma = fma ? Fma::on : Fma::off};
  }

  /// One product after the other, on the CPU.
  std::vector<T> expected(int64_t* recomputed = nullptr) const {
    std::vector<T> out = c;
    if (recomputed) *recomputed = 0;
    for (int64_t i = 0; i < s.count; ++i) {
      const T *one_a = a.data() + i * stride_a, *one_b = b.data() + i * stride_b;
      T* one_c = out.data() + i * stride_c;
      const GemmReport report =
          gemm(s.layout, s.opa, s.opb, s.m, s.n, s.k, alpha, one_a, lda, one_b, ldb, beta, one_c, ldc, options());
      if (recomputed) *recomputed += report.entries_recomputed;
    }
    return out;
  }

  /// On the device, by the kernels that `launched` names.
  std::vector<T> on_device(std::vector<std::string>& launched) const {
    Queue& q = queue();
    auto upload = [&](const std::vector<T>& x) {
      Buffer<T> buffer(q.context(), std::ssize(x));
      buffer.write(q, x.data(), 0, buffer.size());
      return buffer;
    };
    Buffer<T> of_a = upload(a), of_b = upload(b), of_c = upload(c);
    opencl::Trace trace;
    q.state()->trace = &trace;
    Event done = gemm_strided_batch(q, s.layout, s.opa, s.opb, s.m, s.n, s.k, alpha, of_a, 0, lda, stride_a, of_b, 0,
                                    ldb, stride_b, beta, of_c, 0, ldc, stride_c, s.count, {}, options());
    q.state()->trace = nullptr;
    done.wait();
    for (const auto& launch : trace.launches) launched.push_back(launch.kernel);
    std::vector<T> out(c.size());
    of_c.read(q, out.data(), 0, of_c.size());
    return out;
  }

  std::string text() const {
    return std::string(name(precision_of<T>)) + " " + std::string(name(s.layout)) + " " + std::string(name(s.opa)) +
           std::string(name(s.opb)) + " " + std::to_string(s.m) + " x " + std::to_string(s.n) + " x " +
           std::to_string(s.k) + ", " + std::to_string(s.count) + " products, pad " + std::to_string(s.pad) + ", " +
           std::string(name(accuracy)) + (fma ? "" : ", no fma");
  }
};

template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!test::same_bits(got[i], want[i])) {
      ADD_FAILURE() << what << ": element " << i << " differs";
      return;
    }
  }
}

template <class T>
class OpenclBatch : public testing::Test {
 protected:
  void SetUp() override {
    constexpr bool has_doubles = precision_of<T> != Precision::s && precision_of<T> != Precision::c;
    if (has_doubles && !queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
using Elements = testing::Types<float, double, std::complex<float>, std::complex<double>, dd_real, dd_complex>;
TYPED_TEST_SUITE(OpenclBatch, Elements);

template <class T>
void check(const Batch<T>& batch, const std::string& kernel = "multiply_batch") {
  std::vector<std::string> launched;
  const std::vector<T> got = batch.on_device(launched);
  expect_same(got, batch.expected(), batch.text());
  EXPECT_EQ(launched, std::vector<std::string>{kernel}) << batch.text();
}

TYPED_TEST(OpenclBatch, IsOneLaunchWithTheBitsOfSingleProducts) {
  constexpr Op ops[] = {Op::none, Op::transpose, Op::conjugate_transpose};
  // A program of each width.
  const int64_t sides[][3] = {{1, 1, 1}, {4, 4, 4}, {3, 4, 3}, {7, 8, 5}, {8, 5, 8}, {8, 8, 7}};
  std::uint64_t turn = 0;
  for (Layout layout : {Layout::column, Layout::row}) {
    for (Op opa : ops) {
      for (Op opb : ops) {
        ++turn;
        const auto& [m, n, k] = sides[turn % 6];
        check(Batch<TypeParam>({layout, opa, opb, m, n, k, 2 + static_cast<int64_t>(turn % 30),
                                static_cast<int64_t>(turn % 3), turn % 5 == 0, turn % 7 == 0},
                               turn));
      }
    }
  }
}

}  // namespace
}  // namespace hilo
