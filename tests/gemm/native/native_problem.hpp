// Products in S, D, C and Z on an OpenCL device for tests: their operands in memory, what they should be by sums in
// long double, and the ways to compute them. HILO_TEST_PLATFORM and HILO_TEST_DEVICE choose the device.
// HILO_TEST_SMALL=1 runs a small part, for checkers that interpret kernels; HILO_LONG_TESTS=1 takes more tiles and
// sizes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <hilo/accuracy.hpp>
#include <limits>
#include <random>
#include <sstream>
#include <thread>

#include "error_message.hpp"
#include "gemm/native/opencl/product.hpp"
#include "opencl_queue.hpp"
#include "same_bits.hpp"
#include "test_size.hpp"
#include "tile/table.hpp"

namespace hilo::test::native {

using std::int64_t;
using test::is_long;
using test::is_small;
using tile::Choice;
using tile::Copies;
using tile::Tile;

template <class T>
constexpr bool is_complex = precision_of<T> == Precision::c || precision_of<T> == Precision::z;
template <class T>
constexpr tile::NumberKind kind_of{precision_of<T>};
template <class T>
constexpr double unit_of = kind_of<T>.word_bytes() == 4 ? 0x1p-24 : 0x1p-53;

inline const double quiet_nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

inline const DeviceInfo& device() {
  static const DeviceInfo& info = *new DeviceInfo(queue().context().device());
  return info;
}
inline bool is_nvidia() { return device().vendor.find("NVIDIA") != std::string::npos; }

inline std::size_t at(int64_t i) { return static_cast<std::size_t>(i); }

template <class T>
T number(double re, double im) {
  if constexpr (is_complex<T>) {
    using Word = typename T::value_type;
    return {static_cast<Word>(re), static_cast<Word>(im)};
  } else {
    return static_cast<T>(re);
  }
}

template <class T>
double re_of(T x) {
  return std::complex<double>(x).real();
}
template <class T>
double im_of(T x) {
  return std::complex<double>(x).imag();
}

template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!same_bits(got[i], want[i])) {
      ADD_FAILURE() << what << ": element " << i << " is " << got[i] << ", not " << want[i];
      return;
    }
  }
}

// How operands lie in memory.
struct Storage {
  Layout layout = Layout::column;
  Op opa = Op::none, opb = Op::none;
  int64_t pad = 3;                                   ///< elements between lines
  int64_t offset_a = 3, offset_b = 5, offset_c = 1;  ///< in their buffers
};

inline const Storage aligned_storage = {.pad = 0, .offset_a = 0, .offset_b = 16, .offset_c = 32};

enum class Entries {
  uniform,  ///< of several magnitudes
  whole     ///< small integers, for which every order of summation gives the same
};

// What is computed for an entry in long double, and what its error is relative to.
struct Expected {
  long double re = 0, im = 0, magnitude = 0;
};

template <class T>
struct Problem {
  Storage s;
  int64_t m, n, k, lda, ldb, ldc;
  int64_t batch = 1, stride_a = 0, stride_b = 0, stride_c = 0;
  T alpha = number<T>(1.25, -0.5), beta = number<T>(-0.75, 0.375);
  Entries entries;
  std::vector<T> a, b, c;

  Problem(const Storage& storage, int64_t m_, int64_t n_, int64_t k_, std::uint64_t seed,
          Entries what = Entries::uniform, int64_t batch_ = 1, bool shares_a = false, bool shares_b = false)
      : s(storage), m(m_), n(n_), k(k_), batch(batch_), entries(what) {
    std::mt19937_64 random(seed);
    auto fill = [&](Op op, int64_t rows, int64_t columns, bool is_shared, int64_t& leading, int64_t& stride,
                    std::vector<T>& x) {
      const bool is_contiguous = (s.layout == Layout::column) == (op == Op::none);
      const int64_t line = is_contiguous ? rows : columns, lines = is_contiguous ? columns : rows;
      leading = std::max<int64_t>(line, 1) + s.pad;
      stride = is_shared ? 0 : leading * lines + (batch > 1 ? s.pad : 0);
      const int64_t copies = is_shared ? 1 : batch;
      // What lies between is no number.
      x.assign(at(copies * std::max(stride, leading * lines)), number<T>(quiet_nan, quiet_nan));
      for (int64_t i = 0; i < copies; ++i) {
        for (int64_t j = 0; j < lines; ++j) {
          for (int64_t h = 0; h < line; ++h) x[at(i * stride + j * leading + h)] = entry(random);
        }
      }
    };
    fill(s.opa, m, k, shares_a, lda, stride_a, a);
    fill(s.opb, k, n, shares_b, ldb, stride_b, b);
    fill(Op::none, m, n, false, ldc, stride_c, c);
    if (entries == Entries::whole) alpha = number<T>(2, -1), beta = number<T>(-3, 2);
  }

  T entry(std::mt19937_64& random) const {
    auto word = [&] {
      if (entries == Entries::whole) return static_cast<double>(random() % 9) - 4.0;
      const int exponent = static_cast<int>(random() % 9) - 4;
      return std::ldexp(std::uniform_real_distribution<double>(-1.0, 1.0)(random), exponent);
    };
    const double re = word();
    return number<T>(re, word());
  }

  int64_t index_a(int64_t i, int64_t h) const { return index(s.opa, i, h, lda); }
  int64_t index_b(int64_t h, int64_t j) const { return index(s.opb, h, j, ldb); }
  int64_t index_c(int64_t i, int64_t j) const { return index(Op::none, i, j, ldc); }

  // NaN and Inf spread in it as in plain sums, and a scalar that is 1 multiplies nothing.
  Expected expected(int64_t product, int64_t i, int64_t j) const {
    struct Word {
      long double re, im;
    };
    auto word = [](T x, bool is_conjugate = false) {
      return Word{re_of(x), is_complex<T> ? (is_conjugate ? -im_of(x) : im_of(x)) : 0.0};
    };
    auto times = [](Word x, Word y) {
      if (!is_complex<T>) return Word{x.re * y.re, 0};
      return Word{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
    };
    auto modulus = [](Word x) { return is_complex<T> ? std::sqrt(x.re * x.re + x.im * x.im) : std::abs(x.re); };
    Word sum{0, 0};
    long double magnitude = 0;
    if (k > 0 && !(alpha == T(0))) {
      for (int64_t h = 0; h < k; ++h) {
        const Word x = word(a[at(product * stride_a + index_a(i, h))], s.opa == Op::conjugate_transpose);
        const Word y = word(b[at(product * stride_b + index_b(h, j))], s.opb == Op::conjugate_transpose);
        const Word xy = times(x, y);
        sum.re += xy.re;
        sum.im += xy.im;
        magnitude += modulus(x) * modulus(y);
      }
      if (!(alpha == T(1))) sum = times(word(alpha), sum);
      magnitude *= modulus(word(alpha));
    }
    if (!(beta == T(0))) {
      Word x = word(c[at(product * stride_c + index_c(i, j))]);
      magnitude += modulus(word(beta)) * modulus(x);
      if (!(beta == T(1))) x = times(word(beta), x);
      sum.re += x.re;
      sum.im += x.im;
    }
    return {sum.re, sum.im, magnitude};
  }

  std::string text() const {
    return std::string(name(precision_of<T>)) + " " + std::string(name(s.layout)) + " " + std::string(name(s.opa)) +
           std::string(name(s.opb)) + " " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) +
           ", batch " + std::to_string(batch) + ", pad " + std::to_string(s.pad);
  }

 private:
  int64_t index(Op op, int64_t row, int64_t column, int64_t leading) const {
    const bool is_contiguous = (s.layout == Layout::column) == (op == Op::none);
    return is_contiguous ? row + column * leading : row * leading + column;
  }
};

template <class T>
GemmOptions direct_options() {
  return {.engine = kind_of<T>.word_bytes() == 4 ? Engine::automatic : Engine::direct};
}

// From host memory to host memory, which is untouched but for C.
template <class T>
std::vector<T> from_host(const Problem<T>& p, GemmReport* report = nullptr, Queue& q = queue()) {
  const std::vector<T> a = p.a, b = p.b;
  std::vector<T> c = p.c;
  const GemmReport got =
      gemm_strided_batch(q, p.s.layout, p.s.opa, p.s.opb, p.m, p.n, p.k, p.alpha, a.data(), p.lda, p.stride_a, b.data(),
                         p.ldb, p.stride_b, p.beta, c.data(), p.ldc, p.stride_c, p.batch, direct_options<T>());
  expect_same(a, p.a, "A");
  expect_same(b, p.b, "B");
  EXPECT_EQ(got.plan.engine, Engine::direct);
  EXPECT_EQ(got.plan.backend, Backend::opencl);
  EXPECT_EQ(got.entries_recomputed, 0);
  if (report) *report = got;
  return c;
}

// Elements in device memory between others that no one may touch, and which are no numbers.
template <class T>
class Placed {
 public:
  Placed(const Queue& q, const std::vector<T>& elements, int64_t offset)
      : offset_(offset), elements_(elements), buffer_(q.context(), offset + std::ssize(elements) + beyond) {
    std::vector<T> all(at(buffer_.size()), marker());
    std::copy(elements.begin(), elements.end(), all.begin() + offset);
    buffer_.write(q, all.data(), 0, buffer_.size());
  }

  Buffer<T>& buffer() { return buffer_; }

  std::vector<T> read(const Queue& q) const {
    std::vector<T> all(at(buffer_.size()));
    buffer_.read(q, all.data(), 0, buffer_.size());
    auto first = all.begin() + offset_, last = first + std::ssize(elements_);
    auto is_marker = [](const T& x) { return same_bits(x, marker()); };
    EXPECT_TRUE(std::all_of(all.begin(), first, is_marker) && std::all_of(last, all.end(), is_marker))
        << "outside the matrix";
    return {first, last};
  }
  void expect_unchanged(const Queue& q, const std::string& what) const { expect_same(read(q), elements_, what); }

 private:
  static constexpr int64_t beyond = 37;
  static T marker() { return number<T>(-inf, quiet_nan); }

  int64_t offset_;
  std::vector<T> elements_;
  Buffer<T> buffer_;
};

// The operands in buffers, and what `multiply` makes of C.
template <class T, class Multiply>
std::vector<T> in_memory(const Problem<T>& p, Queue& q, Multiply multiply) {
  Placed<T> a(q, p.a, p.s.offset_a), b(q, p.b, p.s.offset_b), c(q, p.c, p.s.offset_c);
  Event event = multiply(a.buffer(), b.buffer(), c.buffer());
  event.wait();
  EXPECT_EQ(event.status(), EventStatus::complete);
  a.expect_unchanged(q, "A");
  b.expect_unchanged(q, "B");
  return c.read(q);
}

template <class T>
std::vector<T> in_buffers(const Problem<T>& p, GemmReport* report = nullptr, Queue& q = queue()) {
  return in_memory(p, q, [&](Buffer<T>& a, Buffer<T>& b, Buffer<T>& c) {
    return gemm_strided_batch(q, p.s.layout, p.s.opa, p.s.opb, p.m, p.n, p.k, p.alpha, a, p.s.offset_a, p.lda,
                              p.stride_a, b, p.s.offset_b, p.ldb, p.stride_b, p.beta, c, p.s.offset_c, p.ldc,
                              p.stride_c, p.batch, {}, direct_options<T>(), report);
  });
}

// By the internal call, which takes tiles and a workspace.
template <class T>
std::vector<T> with_choice(const Problem<T>& p, const tile::Choice& choice, Queue& q = queue()) {
  return in_memory(p, q, [&](Buffer<T>& a, Buffer<T>& b, Buffer<T>& c) {
    const GemmShape shape{p.s.layout, p.s.opa, p.s.opb, p.m, p.n, p.k, p.lda, p.ldb, p.ldc, sizeof(T)};
    DeviceProduct x = device_product(shape, {p.batch, p.stride_a, p.stride_b, p.stride_c}, p.alpha, p.beta);
    auto place = [](DeviceView& view, const Buffer<T>& buffer, int64_t offset) {
      view.buffer = cl::Buffer(buffer.native(), true);
      view.offset = offset;
    };
    place(x.a, a, p.s.offset_a);
    place(x.b, b, p.s.offset_b);
    place(x.c, c, p.s.offset_c);
    hilo::native::DevicePlan plan = hilo::native::plan_product(q.context().device(), x, ComplexProduct::four, choice);
    return execute(plan, x, *q.state(), {}).event;
  });
}

template <class T>
double bound_of(const Problem<T>& p) {
  return (is_complex<T> ? 3.0 : 1.0) * (static_cast<double>(p.k) + 4.0);
}

// C is within `bound_u` units of rounding of what it should be, exactly that for integers, and only C is written.
template <class T>
void expect_product(const Problem<T>& p, const std::vector<T>& got, const std::string& what, double bound_u) {
  ASSERT_EQ(got.size(), p.c.size()) << what;
  std::vector<bool> is_entry(got.size());
  for (int64_t product = 0; product < p.batch; ++product) {
    for (int64_t j = 0; j < p.n; ++j) {
      for (int64_t i = 0; i < p.m; ++i) {
        const int64_t index = product * p.stride_c + p.index_c(i, j);
        is_entry[at(index)] = true;
        const Expected e = p.expected(product, i, j);
        const T x = got[at(index)];
        // The last term is what the sum in long double may be wrong by.
        const long double most = p.entries == Entries::whole ? 0.0L
                                                             : (static_cast<long double>(bound_u) * unit_of<T> +
                                                                4 * (static_cast<long double>(p.k) + 4) * 0x1p-64L) *
                                                                   e.magnitude;
        const bool is_right =
            std::abs(re_of(x) - e.re) <= most && (!is_complex<T> || std::abs(im_of(x) - e.im) <= most);
        if (!is_right) {
          ADD_FAILURE() << what << ": " << p.text() << ": entry (" << i << ", " << j << ") of product " << product
                        << " is " << x << ", not (" << e.re << ", " << e.im << ") within " << most;
          return;
        }
      }
    }
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!is_entry[i] && !same_bits(got[i], p.c[i])) {
      ADD_FAILURE() << what << ": " << p.text() << ": element " << i << ", which is not C's, was written";
      return;
    }
  }
}

template <class T>
void expect_product(const Problem<T>& p, const std::vector<T>& got, const std::string& what) {
  expect_product(p, got, what, bound_of(p));
}

const Layout layouts[] = {Layout::column, Layout::row};
const Op ops[] = {Op::none, Op::transpose, Op::conjugate_transpose};

// A program takes a CPU's compiler a second. In short, two precisions do for what is the same text in all.
template <class T>
bool has_time() {
  return is_long() || precision_of<T> == Precision::s || precision_of<T> == Precision::z;
}

inline Tile in_place(Tile t) {
  t.in_place = true;
  return t;
}

// Numbers, not vectors, by way of local memory, whatever the device.
inline Tile local_tile(int depth) {
  return {
      .lanes = 1, .item_rows = 2, .item_columns = 3, .group_rows = 4, .group_columns = 2, .depth = depth, .stages = 1};
}

template <class T>
class NativeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kind_of<T>.word_bytes() == 8 && !device().fp64) GTEST_SKIP() << "no double precision";
  }
};
using Elements = testing::Types<float, double, std::complex<float>, std::complex<double>>;

}  // namespace hilo::test::native
