// Products in S, D, C and Z on an OpenCL device in its own arithmetic, against sums in long double, CBLAS and MPFR, and
// where all sums are exact against what they are. HILO_TEST_PLATFORM and HILO_TEST_DEVICE choose the device.
// HILO_TEST_SMALL=1 runs a small part, for checkers that interpret kernels; HILO_LONG_TESTS=1 takes more tiles and
// sizes.
#include "gemm/direct/opencl_native.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <hilo/accuracy.hpp>
#include <limits>
#include <random>
#include <sstream>
#include <thread>

#include "error_message.hpp"
#include "gemm/direct/tile_table.hpp"
#include "opencl_queue.hpp"

namespace {

using namespace hilo;
using direct::Copies;
using direct::NativeChoice;
using direct::OpenclTile;
using std::int64_t;

template <class T>
constexpr bool is_complex = precision_of<T> == Precision::c || precision_of<T> == Precision::z;
template <class T>
constexpr direct::NumberKind kind_of{precision_of<T>};
template <class T>
constexpr double unit_of = kind_of<T>.word_bytes() == 4 ? 0x1p-24 : 0x1p-53;

const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

bool is_long() { return std::getenv("HILO_LONG_TESTS") != nullptr; }

const DeviceInfo& device() {
  static const DeviceInfo& info = *new DeviceInfo(queue().context().device());
  return info;
}
bool is_nvidia() { return device().vendor.find("NVIDIA") != std::string::npos; }

std::size_t at(int64_t i) { return static_cast<std::size_t>(i); }

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

// NaNs are alike, zeros are not.
template <class T>
bool is_same(T x, T y) {
  auto same = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (a != a && b != b);
  };
  return same(re_of(x), re_of(y)) && same(im_of(x), im_of(y));
}

template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!is_same(got[i], want[i])) {
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

const Storage aligned_storage = {.pad = 0, .offset_a = 0, .offset_b = 16, .offset_c = 32};

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
      x.assign(at(copies * std::max(stride, leading * lines)), number<T>(nan, nan));
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
    auto is_marker = [](const T& x) { return is_same(x, marker()); };
    EXPECT_TRUE(std::all_of(all.begin(), first, is_marker) && std::all_of(last, all.end(), is_marker))
        << "outside the matrix";
    return {first, last};
  }
  void expect_unchanged(const Queue& q, const std::string& what) const { expect_same(read(q), elements_, what); }

 private:
  static constexpr int64_t beyond = 37;
  static T marker() { return number<T>(-inf, nan); }

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
std::vector<T> with_choice(const Problem<T>& p, const NativeChoice& choice, Queue& q = queue()) {
  return in_memory(p, q, [&](Buffer<T>& a, Buffer<T>& b, Buffer<T>& c) {
    auto matrix = [&](Op op, const Buffer<T>& buffer, int64_t offset, int64_t leading) {
      auto v = view<const T>(p.s.layout, op, nullptr, 0, 0, leading);
      return direct::OpenclMatrix{cl::Buffer(buffer.native(), true), offset, v.row_stride, v.column_stride,
                                  v.conjugate};
    };
    return direct::enqueue_native(
        *q.state(),
        {precision_of<T>, p.m, p.n, p.k, std::complex<double>(p.alpha), std::complex<double>(p.beta),
         matrix(p.s.opa, a, p.s.offset_a, p.lda), matrix(p.s.opb, b, p.s.offset_b, p.ldb),
         matrix(Op::none, c, p.s.offset_c, p.ldc), p.batch, p.stride_a, p.stride_b, p.stride_c},
        {}, choice);
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
    if (!is_entry[i] && !is_same(got[i], p.c[i])) {
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

template <class T>
class OpenclNative : public testing::Test {
 protected:
  void SetUp() override {
    if (kind_of<T>.word_bytes() == 8 && !device().fp64) GTEST_SKIP() << "no double precision";
  }
};
using Elements = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(OpenclNative, Elements);

TYPED_TEST(OpenclNative, IsWithinTheBoundForEveryLayoutAndTranspose) {
  using T = TypeParam;
  const int64_t sizes[] = {1, 2, 3, 5, 7, 31, 33, 64, 65, 97, 130};
  std::uint64_t turn = 0;
  for (Layout layout : layouts) {
    for (Op opa : ops) {
      for (Op opb : ops) {
        for (int repeat = 0; repeat < (is_long() ? 40 : 6); ++repeat, ++turn) {
          if (is_small() && turn % 31) continue;
          const auto size = [&](std::uint64_t by) {
            const int64_t x = sizes[(by * turn + turn / 11) % 11];
            return is_small() ? std::min<int64_t>(x, 19) : x;
          };
          Problem<T> p({.layout = layout, .opa = opa, .opb = opb, .pad = repeat % 3}, size(1), size(3), size(7), turn);
          GemmReport report{};
          const std::vector<T> got = turn % 2 ? from_host(p, &report) : in_buffers(p, &report);
          EXPECT_EQ(report.plan.engine, Engine::direct);
          EXPECT_LE(report.plan.error_bound_u2, bound_of(p));
          expect_product(p, got, "device", report.plan.error_bound_u2);

          std::vector<T> cpu = p.c;
          GemmReport cpu_report = gemm(layout, opa, opb, p.m, p.n, p.k, p.alpha, p.a.data(), p.lda, p.b.data(), p.ldb,
                                       p.beta, cpu.data(), p.ldc, {.engine = Engine::direct, .threads = 1});
          EXPECT_EQ(cpu_report.plan.backend, Backend::cpu);
          for (int64_t j = 0; j < p.n; ++j) {
            for (int64_t i = 0; i < p.m; ++i) {
              const auto x = std::complex<double>(got[at(p.index_c(i, j))]),
                         y = std::complex<double>(cpu[at(p.index_c(i, j))]);
              const double most =
                  2 * report.plan.error_bound_u2 * unit_of<T> * static_cast<double>(p.expected(0, i, j).magnitude);
              ASSERT_TRUE(std::abs(x.real() - y.real()) <= most && std::abs(x.imag() - y.imag()) <= most)
                  << p.text() << ": entry (" << i << ", " << j << ") is " << x << ", on the CPU " << y;
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(OpenclNative, IsExactForIntegersOfEverySize) {
  using T = TypeParam;
  const OpenclTile tile = direct::tile_for(device(), {precision_of<T>, true, true, direct::SizeClass::small});
  std::vector<int64_t> rows = {1, 2}, columns = {1, 2};
  for (int64_t panels : {1, 2}) {
    for (int64_t beside : {-1, 0, 1}) {
      rows.push_back(panels * tile.panel_rows() + beside);
      columns.push_back(panels * tile.panel_columns() + beside);
    }
  }
  std::uint64_t seed = 0;
  for (int64_t m : rows) {
    for (int64_t n : columns) {
      ++seed;
      if (is_small() && seed % 9) continue;
      Storage s = seed % 2 ? aligned_storage : Storage{};
      s.layout = layouts[seed / 2 % 2];
      const int64_t k = tile.depth * static_cast<int64_t>(1 + seed % 3) + static_cast<int64_t>(seed % 2);
      Problem<T> p(s, std::max<int64_t>(m, 1), std::max<int64_t>(n, 1), k, seed, Entries::whole);
      expect_product(p, in_buffers(p), "in buffers");
    }
  }
  if (is_small()) return;
  const int64_t shapes[][3] = {{1, 1, 5000}, {1, 700, 3},   {700, 1, 3},  {1, 300, 300}, {300, 1, 300}, {1500, 2, 1},
                               {2, 1500, 1}, {300, 300, 1}, {5, 4, 4096}, {1, 1, 1},     {257, 3, 129}, {3, 257, 1024}};
  for (const auto& [m, n, k] : shapes) {
    for (Layout layout : layouts) {
      Problem<T> p({.layout = layout, .opa = ops[seed % 3], .opb = ops[seed / 3 % 3]}, m, n, k, seed, Entries::whole);
      ++seed;
      expect_product(p, from_host(p), "from the host");
    }
  }
}

TYPED_TEST(OpenclNative, IsWithinTheBoundOfMpfr) {
  using T = TypeParam;
  if (is_small()) GTEST_SKIP() << "its time is the measurement's";
  for (Layout layout : layouts) {
    Problem<T> p({.layout = layout, .opa = Op::conjugate_transpose, .opb = Op::transpose}, 45, 38, 150, 77);
    GemmReport report{};
    const std::vector<T> got = from_host(p, &report);
    const accuracy::ErrorReport found =
        accuracy::gemm_error(layout, p.s.opa, p.s.opb, p.m, p.n, p.k, p.alpha, p.a.data(), p.lda, p.b.data(), p.ldb,
                             p.beta, p.c.data(), got.data(), p.ldc, accuracy::Sample::full);
    EXPECT_EQ(found.entries_checked, p.m * p.n);
    EXPECT_EQ(found.non_finite_mismatches, 0);
    EXPECT_GT(found.max_error_u2, 0.0);
    EXPECT_LE(found.max_error_u2, report.plan.error_bound_u2) << found.row << ", " << found.column;
  }
}

TYPED_TEST(OpenclNative, TakesSpecialAlphaAndBeta) {
  using T = TypeParam;
  const T values[] = {T(0), T(1), T(-1), number<T>(3, 0), number<T>(-2, 5), number<T>(0, 1)};
  for (Layout layout : layouts) {
    for (T alpha : values) {
      for (T beta : values) {
        Problem<T> p({.layout = layout, .opa = Op::transpose}, 9, 37, 20, 13, Entries::whole);
        p.alpha = alpha;
        p.beta = beta;
        std::ostringstream what;
        what << "alpha = " << alpha << ", beta = " << beta;
        expect_product(p, from_host(p), what.str());
        expect_product(p, in_buffers(p), what.str());
      }
    }
  }
}

TYPED_TEST(OpenclNative, NeverReadsCWhereBetaIsZeroNorAAndBWhereAlphaIsZero) {
  using T = TypeParam;
  for (double value : {nan, inf}) {
    for (Layout layout : layouts) {
      const T infinite = number<T>(value, -value);
      Problem<T> p({.layout = layout}, 33, 26, 20, 14, Entries::whole);
      p.beta = T(0);
      std::fill(p.c.begin(), p.c.end(), infinite);
      expect_product(p, from_host(p), "beta = 0");
      expect_product(p, in_buffers(p), "beta = 0");
      Problem<T> q({.layout = layout, .opb = Op::transpose}, 33, 26, 20, 15, Entries::whole);
      q.alpha = T(0);
      std::fill(q.a.begin(), q.a.end(), infinite);
      std::fill(q.b.begin(), q.b.end(), infinite);
      for (T beta : {T(0), T(1), number<T>(2, 1)}) {
        q.beta = beta;
        expect_product(q, from_host(q), "alpha = 0");
        expect_product(q, in_buffers(q), "alpha = 0");
        Problem<T> none({.layout = layout}, 33, 26, 0, 16, Entries::whole);
        none.alpha = infinite;
        none.beta = beta;
        if (beta == T(0)) std::fill(none.c.begin(), none.c.end(), infinite);
        expect_product(none, from_host(none), "k = 0");
        expect_product(none, in_buffers(none), "k = 0");
        std::vector<T> c = q.c;
        gemm<T>(queue(), layout, q.s.opa, q.s.opb, q.m, q.n, q.k, T(0), nullptr, q.lda, nullptr, q.ldb, beta, c.data(),
                q.ldc, direct_options<T>());
        expect_product(q, c, "A and B are null");
      }
    }
  }
}

// NaN, Inf, -Inf or finite; the sign of a NaN does not count.
int class_of(long double x) { return x != x ? 3 : std::isinf(x) ? (x < 0 ? 1 : 2) : 0; }

TYPED_TEST(OpenclNative, NaNAndInfinitySpreadAsInPlainSums) {
  using T = TypeParam;
  for (Layout layout : layouts) {
    for (T beta : {T(0), T(1)}) {
      Problem<T> p({.layout = layout, .opa = Op::transpose, .opb = Op::none}, 40, 34, 90, 16, Entries::whole);
      // No scalar mixes the parts of a complex number.
      p.alpha = T(1);
      p.beta = beta;
      p.a[at(p.index_a(3, 0))] = number<T>(inf, 0);
      p.a[at(p.index_a(3, 89))] = number<T>(1, -inf);
      p.a[at(p.index_a(17, 44))] = number<T>(-inf, 2);
      p.b[at(p.index_b(44, 6))] = number<T>(0, 0);
      p.b[at(p.index_b(45, 7))] = number<T>(nan, 1);
      p.b[at(p.index_b(89, 33))] = number<T>(inf, 1);
      p.c[at(p.index_c(20, 20))] = number<T>(inf, 3);
      p.c[at(p.index_c(21, 20))] = number<T>(1, nan);
      for (const NativeChoice& choice : {NativeChoice{}, NativeChoice{.tile = {}, .workspace = 0}}) {
        const std::vector<T> got = with_choice(p, choice);
        for (int64_t j = 0; j < p.n; ++j) {
          for (int64_t i = 0; i < p.m; ++i) {
            const bool has_none =
                i != 3 && i != 17 && j != 7 && j != 33 && (beta == T(0) || j != 20 || (i != 20 && i != 21));
            const T x = got[at(p.index_c(i, j))];
            const Expected e = p.expected(0, i, j);
            if (has_none) {
              ASSERT_TRUE(re_of(x) == e.re && (!is_complex<T> || im_of(x) == e.im))
                  << p.text() << ": (" << i << ", " << j << ") is " << x;
            } else {
              ASSERT_EQ(class_of(re_of(x)), class_of(e.re))
                  << p.text() << ": (" << i << ", " << j << ") is " << x << ", beta = " << beta
                  << (choice.workspace ? ", in slices" : "");
              if (is_complex<T>) {
                ASSERT_EQ(class_of(im_of(x)), class_of(e.im))
                    << p.text() << ": (" << i << ", " << j << ") is " << x << ", beta = " << beta
                    << (choice.workspace ? ", in slices" : "");
              }
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(OpenclNative, TakesBatches) {
  using T = TypeParam;
  std::uint64_t seed = 300;
  for (Layout layout : layouts) {
    for (bool shares_a : {false, true}) {
      for (bool shares_b : {false, true}) {
        for (int64_t batch : {0, 1, 2, 7}) {
          ++seed;
          Problem<T> p({.layout = layout, .opa = ops[seed % 3], .opb = ops[seed / 3 % 3]}, 1 + seed % 40, 35, 21, seed,
                       Entries::whole, batch, shares_a, shares_b);
          expect_product(p, in_buffers(p), "in buffers");
          expect_product(p, from_host(p), "from the host");
        }
        for (T alpha : {T(0), T(1)}) {
          for (T beta : {T(0), T(1), number<T>(2, 1)}) {
            Problem<T> p({.layout = layout, .opa = Op::transpose}, 5, 3, 4, seed, Entries::whole, 3, shares_a,
                         shares_b);
            p.alpha = alpha;
            p.beta = beta;
            if (alpha == T(0)) std::fill(p.a.begin(), p.a.end(), number<T>(nan, inf));
            if (beta == T(0)) std::fill(p.c.begin(), p.c.end(), number<T>(nan, inf));
            expect_product(p, in_buffers(p), "in buffers");
          }
        }
      }
    }
  }
  // The columns of one matrix are the products' Cs.
  Problem<T> p({.pad = 0}, 6, 1, 4, 9, Entries::whole, 11, true, false);
  p.ldc = 17;
  expect_product(p, in_buffers(p), "columns");
}

OpenclTile in_place(OpenclTile t) {
  t.in_place = true;
  return t;
}

// Numbers, not vectors, by way of local memory, whatever the device.
OpenclTile local_tile(int depth) {
  return {
      .lanes = 1, .item_rows = 2, .item_columns = 3, .group_rows = 4, .group_columns = 2, .depth = depth, .stages = 1};
}

TYPED_TEST(OpenclNative, TakesMoreProductsThanALaunch) {
  using T = TypeParam;
  if (is_small() || !has_time<T>()) GTEST_SKIP() << "HILO_LONG_TESTS";
  for (Layout layout : layouts) {
    const bool is_row = layout == Layout::row;
    const Storage s = {
        .layout = layout, .opa = is_row ? Op::transpose : Op::none, .opb = is_row ? Op::none : Op::transpose, .pad = 1};
    Problem<T> p(s, 3, 2, 2, 40, Entries::whole, 2 * 32768 + 5, false, is_row);
    expect_product(p, with_choice(p, {.tile = in_place(local_tile(8)), .workspace = {}}), "in place");
    p.alpha = T(0);
    expect_product(p, with_choice(p, {}), "alpha = 0");
  }
  Problem<T> p({.opb = Op::transpose}, 3, 2, 2, 41, Entries::whole, is_long() ? 32768 + 5 : 900);
  expect_product(p, in_buffers(p), "the device's tile");
}

TYPED_TEST(OpenclNative, TakesEveryOperandInPlace) {
  using T = TypeParam;
  auto turn = static_cast<std::uint64_t>(precision_of<T>);
  const OpenclTile tile = in_place(local_tile(8));
  for (Layout layout : layouts) {
    for (Op opa : ops) {
      for (Op opb : ops) {
        if (++turn % (has_time<T>() ? 9 : 18) && !is_long()) continue;
        Problem<T> p({.layout = layout, .opa = opa, .opb = opb, .pad = 1}, 21, 17, 37, turn, Entries::whole,
                     1 + static_cast<int64_t>(turn % 2), turn % 3 == 0);
        expect_product(p, with_choice(p, {.tile = tile, .workspace = {}}), "in place");
        Storage s = aligned_storage;
        s.layout = layout, s.opa = opa, s.opb = opb;
        Problem<T> whole(s, 32, 16, 8, turn, Entries::whole);
        expect_product(whole, with_choice(whole, {.tile = tile, .workspace = {}}), "aligned");
      }
    }
  }
}

// What the kernels take besides, on any device.
std::vector<OpenclTile> some_tiles() {
  // lanes, item rows x columns, group rows x columns, depth, stages, copies, ahead, runs, raster, unit depth, in place.
  std::vector<OpenclTile> tiles = {{1, 4, 4, 8, 8, 8, 0, Copies::registers, false, 4, 4, 2},
                                   {1, 4, 4, 8, 8, 8, 0, Copies::registers, false, 2, 2, 2},
                                   {1, 3, 5, 5, 7, 3, 0, Copies::registers, false, 1, 1, 3},
                                   {1, 1, 1, 1, 1, 1, 0},
                                   {1, 2, 6, 3, 1, 5, 0, Copies::registers, false, 2, 1, 1000},
                                   {1, 12, 4, 1, 3, 7, 0, Copies::registers, false, 4, 2, 1},
                                   {1, 4, 4, 8, 8, 8, 1, Copies::registers, false, 1, 1, 1, 1, true},
                                   {1, 4, 4, 4, 4, 8, 1, Copies::registers, false, 4, 4, 2, 1, true},
                                   {1, 3, 2, 5, 7, 8, 1, Copies::registers, false, 1, 1, 2, 1, true},
                                   {1, 3, 2, 5, 7, 8, 1, Copies::registers, false, 3, 1, 2, 1, false},
                                   {1, 1, 1, 13, 11, 16, 1, Copies::registers, false, 1, 1, 4, 1, true},
                                   {1, 4, 2, 16, 4, 24, 1, Copies::registers, false, 2, 2, 1, 1, false},
                                   {1, 2, 2, 3, 3, 40, 1, Copies::registers, false, 2, 1, 2, 1, true},
                                   {1, 16, 1, 2, 9, 8, 1, Copies::registers, false, 1, 1, 7, 1, true},
                                   {1, 4, 4, 4, 4, 8, 2, Copies::registers, false, 4, 4, 2, 1, true},
                                   {1, 4, 4, 4, 4, 8, 2, Copies::registers, false, 2, 2, 2, 1, false},
                                   {1, 5, 3, 6, 2, 8, 2, Copies::registers, false, 1, 3, 3, 1, true},
                                   {1, 1, 8, 17, 1, 16, 2, Copies::registers, false, 1, 4, 1, 1, true},
                                   {1, 2, 2, 1, 1, 8, 2, Copies::registers, false, 2, 2, 1, 1, true},
                                   {1, 2, 4, 7, 3, 12, 2, Copies::registers, false, 1, 2, 2, 1, true},
                                   {1, 6, 2, 3, 5, 4, 1, Copies::registers, false, 2, 2, 2, 1, true}};
  for (int lanes : {2, 4, 8, 16}) {
    tiles.push_back({lanes, lanes, 3, 1, 1, 4, 0, Copies::registers, false, lanes, 1, 1});
    tiles.push_back({lanes, 3 * lanes, 8, 1, 1, 5, 0, Copies::registers, false, lanes, 4, 2});
    tiles.push_back({lanes, 2 * lanes, 2, 3, 2, 1, 0, Copies::registers, false, lanes, 2, 3});
    tiles.push_back({lanes, lanes, 16, 1, 3, 128, 0, Copies::registers, false, lanes, 8, 64});
  }
  if (is_nvidia()) {
    for (int stages : {2, 3, 4}) {
      for (bool ahead : {false, true}) {
        for (bool is_in_place : {false, true}) {
          tiles.push_back({1, 4, 4, 8, 8, 8, stages, Copies::async, ahead, 2, 2, 2, 1, is_in_place});
          tiles.push_back({1, 4, 4, 16, 16, 16, stages, Copies::async, ahead, 4, 4, 8, 1, is_in_place});
          tiles.push_back({1, 4, 2, 5, 6, 8, stages, Copies::async, ahead, 1, 1, 3, 1, is_in_place});
          for (int depth : {4, 8, 16}) {
            tiles.push_back(
                {1, 32, 16, 2, 2, 16 * (1 + ahead), stages, Copies::async, ahead, 2, 1, 2, depth, is_in_place});
            tiles.push_back(
                {1, 16, 32, 2, 1, 16 * (1 + ahead), stages, Copies::async, ahead, 1, 1, 2, depth, is_in_place});
          }
        }
      }
    }
    for (int stages : {2, 3}) {
      tiles.push_back({1, 4, 4, 8, 8, 8, stages, Copies::bulk, false, 2, 2, 2, 1, false, true});
      tiles.push_back({1, 4, 8, 16, 2, 16, stages, Copies::bulk, false, 4, 4, 8, 1, false, true});
    }
    tiles.push_back({1, 16, 16, 2, 2, 16, 1, Copies::registers, false, 2, 2, 2, 8, true});
    tiles.push_back({1, 16, 16, 2, 2, 16, 2, Copies::registers, false, 1, 1, 2, 4, false});
  }
  return tiles;
}

template <class T>
bool is_usable(const OpenclTile& tile) {
  return is_valid(tile, kind_of<T>) && local_bytes(tile, kind_of<T>) <= device().local_memory;
}

// The vectors of sums that a work-item has.
int item_values(const OpenclTile& tile) { return tile.item_rows / tile.lanes * tile.item_columns; }

// A product of a few panels, with remainders and without, whole and in slices of k and blocks of C.
template <class T>
void expect_product_of(const OpenclTile& tile, std::uint64_t seed) {
  SCOPED_TRACE(std::string(name(precision_of<T>)) + ", " + to_string(tile));
  const int64_t m = std::min(2 * tile.panel_rows() + 3, 141), n = std::min(2 * tile.panel_columns() + 5, 147);
  const Layout layout = layouts[seed % 2];
  const Op opa = ops[seed / 2 % 3], opb = ops[seed / 6 % 3];
  Problem<T> p({.layout = layout, .opa = opa, .opb = opb}, m, n, 75, seed, Entries::whole);
  expect_product(p, with_choice(p, {.tile = tile, .workspace = {}}), "whole");
  expect_product(p, with_choice(p, {.tile = tile, .workspace = 0}), "blocks and slices");
  Storage s = aligned_storage;
  s.layout = layout, s.opa = opa, s.opb = opb;
  Problem<T> q(s, m / 16 * 16 + 16, n / 16 * 16 + 16, 64, seed, Entries::whole);
  q.alpha = T(1);
  expect_product(q, with_choice(q, {.tile = tile, .workspace = {}}), "aligned");
}

TYPED_TEST(OpenclNative, TakesEveryTile) {
  using T = TypeParam;
  const std::vector<OpenclTile> tiles = some_tiles();
  int taken = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    // In short a few, each for one precision, where they do not take a compiler long.
    const bool is_its = i % 7 == static_cast<std::size_t>(precision_of<T>) && item_values(tiles[i]) <= 6;
    if (!is_usable<T>(tiles[i]) || (!is_long() && !is_its)) continue;
    ++taken;
    expect_product_of<T>(tiles[i], 600 + i);
  }
  EXPECT_GE(taken, is_long() ? 18 : 1);
}

OpenclTile random_tile(std::mt19937_64& random) {
  auto one_of = [&](std::initializer_list<int> list) { return list.begin()[random() % list.size()]; };
  OpenclTile t{};
  t.stages = one_of({0, 0, 1, 1, 2, 2, 3, 4});
  t.lanes = t.stages ? 1 : one_of({1, 2, 4, 8, 16});
  t.row_run = t.lanes > 1 ? t.lanes : one_of({1, 2, 3, 4});
  t.column_run = one_of({1, 2, 3, 4, 8});
  t.unit_depth = is_nvidia() ? one_of({1, 1, 4, 8, 16}) : 1;
  t.item_rows = t.row_run * one_of({1, 2, 3, 4, 16});
  t.item_columns = t.column_run * one_of({1, 2, 3, 4, 5, 16});
  t.group_rows = one_of({1, 2, 3, 4, 5, 7, 8, 11, 16});
  t.group_columns = one_of({1, 2, 3, 4, 6, 7, 8, 13, 16});
  t.depth = one_of({1, 3, 4, 8, 8, 12, 16, 16, 24, 32, 40});
  if (is_nvidia()) t.copies = std::array{Copies::registers, Copies::async, Copies::bulk}[random() % 3];
  t.fetches_ahead = t.copies == Copies::async && random() % 2;
  t.raster_rows = one_of({1, 2, 3, 8, 1024});
  t.in_place = random() % 2;
  if (t.copies == Copies::bulk) t.in_place = false, t.packs_all = true;
  return t;
}

TYPED_TEST(OpenclNative, TakesTilesAtRandom) {
  using T = TypeParam;
  std::mt19937_64 random(20260 + static_cast<unsigned>(precision_of<T>));
  const int count = is_long() ? 40 : has_time<T>();
  for (int taken = 0; taken < count;) {
    const OpenclTile tile = random_tile(random);
    const std::uint64_t seed = random();
    if (!is_usable<T>(tile) || tile.panel_rows() > 200 || tile.panel_columns() > 200) continue;
    if (item_values(tile) > (is_long() ? 64 : 8)) continue;
    ++taken;
    expect_product_of<T>(tile, seed);
  }
}

TYPED_TEST(OpenclNative, IsRightInBlocksAndSlices) {
  using T = TypeParam;
  if (is_small()) GTEST_SKIP() << "large products";
  std::uint64_t seed = 700;
  for (int64_t workspace : {0, 1 << 10, 1 << 14, 1 << 16, 1 << 18, 1 << 22}) {
    for (const auto& [m, n, k] : {std::array{101, 66, 300}, std::array{20, 90, 1100}, std::array{90, 5, 1025}}) {
      ++seed;
      const std::string what = "workspace " + std::to_string(workspace);
      auto expect = [&](Problem<T> p, const NativeChoice& choice) {
        if (seed % 2) p.beta = T(0);
        if (seed % 2) std::fill(p.c.begin(), p.c.end(), number<T>(nan, nan));
        expect_product(p, with_choice(p, choice), what);
      };
      const Layout layout = layouts[seed / 2 % 2];
      expect(Problem<T>({.layout = layout, .opa = ops[seed % 3], .opb = ops[seed / 3 % 3]}, m, n, k, seed),
             {.tile = {}, .workspace = workspace});
      // One operand where it lies, the other in panels.
      if (!has_time<T>()) continue;
      expect(Problem<T>({.layout = layout}, m, n, k, seed), {.tile = local_tile(8), .workspace = workspace});
    }
  }
  Problem<T> batch({.layout = Layout::row}, 50, 70, 130, seed, Entries::whole, 3, false, true);
  expect_product(batch, with_choice(batch, {.tile = {}, .workspace = 1 << 14}), "batch");
}

// Sizes beyond what a launch takes.
TYPED_TEST(OpenclNative, TakesLinesWithoutEnd) {
  using T = TypeParam;
  if (!is_long()) GTEST_SKIP() << "HILO_LONG_TESTS";
  const int64_t most = (int64_t{1} << 24) + 37;
  const int64_t shapes[][3] = {{most, 1, 1}, {1, most, 1}, {1, 1, most}};
  for (const auto& [m, n, k] : shapes) {
    Problem<T> p({.pad = 0}, m, n, k, 800, Entries::whole);
    // Sums of floats stay exact.
    if (k > 1) std::fill(p.b.begin() + 1000, p.b.end(), T(0));
    if (k > 1) std::fill(p.b.end() - 1000, p.b.end(), T(1));
    expect_product(p, with_choice(p, {}), "the device's tile");
    expect_product(p, with_choice(p, {.tile = in_place(local_tile(8)), .workspace = {}}), "in place");
    p.alpha = T(0);
    expect_product(p, with_choice(p, {}), "alpha = 0");
  }
}

TYPED_TEST(OpenclNative, MultipliesComplexNumbersByThreeProducts) {
  using T = TypeParam;
  if (!is_complex<T>) GTEST_SKIP() << "a real product is one";
  GemmOptions options = direct_options<T>();
  options.complex_product = ComplexProduct::three;
  std::uint64_t seed = 950;
  auto multiply = [&](const Problem<T>& p, GemmReport* report) {
    return in_memory(p, queue(), [&](Buffer<T>& a, Buffer<T>& b, Buffer<T>& c) {
      return gemm_strided_batch(queue(), p.s.layout, p.s.opa, p.s.opb, p.m, p.n, p.k, p.alpha, a, p.s.offset_a, p.lda,
                                p.stride_a, b, p.s.offset_b, p.ldb, p.stride_b, p.beta, c, p.s.offset_c, p.ldc,
                                p.stride_c, p.batch, {}, options, report);
    });
  };
  for (Layout layout : layouts) {
    for (Op opa : ops) {
      for (Op opb : ops) {
        for (Entries entries : {Entries::whole, Entries::uniform}) {
          ++seed;
          Problem<T> p({.layout = layout, .opa = opa, .opb = opb}, 1 + static_cast<int64_t>(seed * 7 % 70),
                       1 + static_cast<int64_t>(seed * 11 % 70), 1 + static_cast<int64_t>(seed * 13 % 90), seed,
                       entries, 1 + static_cast<int64_t>(seed % 3), seed % 5 == 0, seed % 4 == 0);
          if (seed % 2) p.beta = T(0);
          if (seed % 2) std::fill(p.c.begin(), p.c.end(), number<T>(nan, nan));
          GemmReport report{};
          const std::vector<T> got = multiply(p, &report);
          EXPECT_EQ(report.plan.complex_product, ComplexProduct::three);
          EXPECT_EQ(report.plan.error_bound_u2, 4.0 * (static_cast<double>(p.k) + 4.0));
          expect_product(p, got, "three products", report.plan.error_bound_u2);
        }
      }
    }
  }
}

TYPED_TEST(OpenclNative, ThreeProductsDoNotOverflowBeforeTheirResult) {
  using T = TypeParam;
  if constexpr (is_complex<T>) {
    using Word = typename T::value_type;
    const Word large = Word(0.7) * std::numeric_limits<Word>::max();
    const std::vector<T> a(8 * 8, T(large, large)), b(8 * 8, T(Word(0x1p-7), Word(0)));
    std::vector<T> c(8 * 8);
    GemmOptions options = direct_options<T>();
    options.complex_product = ComplexProduct::three;
    gemm(queue(), Layout::column, Op::none, Op::none, 8, 8, 8, T(1), a.data(), 8, b.data(), 8, T(0), c.data(), 8,
         options);
    for (const T& x : c) EXPECT_LE(std::abs(x / (large * Word(0x1p-4)) - T(1, 1)), 1e-5);
  }
}

TYPED_TEST(OpenclNative, WaitsForEventsOnQueuesOfAnyOrder) {
  using T = TypeParam;
  Context context = queue().context();
  const cl::Device native_device(context.native_device(), true);
  std::vector<Queue> queues = {queue()};
  if (native_device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
    cl::CommandQueue native(cl::Context(context.native(), true), native_device, cl::QueueProperties::OutOfOrder);
    queues.push_back(Queue(native()));
  }
  for (Queue& q : queues) {
    Problem<T> p({}, 33, 33, 33, 900, Entries::whole);
    Placed<T> a(q, p.a, 3), b(q, p.b, 5), c(q, p.c, 1), d(q, p.c, 2);
    cl::UserEvent gate(cl::Context(context.native(), true));
    auto multiply = [&](Buffer<T>& x, int64_t offset_x, Buffer<T>& y, int64_t offset_y, const Event& after) {
      return gemm(q, Layout::column, Op::none, Op::none, 33, 33, 33, T(1), a.buffer(), 3, p.lda, x, offset_x, p.lda,
                  T(0), y, offset_y, p.ldc, {after}, direct_options<T>());
    };
    Event first = multiply(b.buffer(), 5, c.buffer(), 1, Event(gate()));
    Event second = multiply(c.buffer(), 1, d.buffer(), 2, first);
    EXPECT_NE(first.status(), EventStatus::complete);
    gate.setStatus(CL_COMPLETE);
    second.wait();
    EXPECT_EQ(first.status(), EventStatus::complete);
    p.alpha = T(1);
    p.beta = T(0);
    std::vector<T> once = c.read(q);
    expect_product(p, once, "A * B");
    Problem<T> twice = p;
    twice.b = once;
    expect_product(twice, d.read(q), "A * A * B");

    // Products that share no memory but their workspace.
    std::vector<Problem<T>> problems;
    std::vector<Placed<T>> as, bs, cs;
    std::vector<Event> events;
    for (std::uint64_t i = 0; i < 6; ++i) {
      problems.emplace_back(Storage{.opa = Op::transpose}, 40, 30, 20, 910 + i, Entries::whole);
      as.emplace_back(q, problems[i].a, 0), bs.emplace_back(q, problems[i].b, 0), cs.emplace_back(q, problems[i].c, 0);
    }
    for (std::size_t i = 0; i < 6; ++i) {
      const Problem<T>& x = problems[i];
      events.push_back(gemm(q, x.s.layout, x.s.opa, x.s.opb, x.m, x.n, x.k, x.alpha, as[i].buffer(), 0, x.lda,
                            bs[i].buffer(), 0, x.ldb, x.beta, cs[i].buffer(), 0, x.ldc, {}, direct_options<T>()));
    }
    for (const Event& event : events) event.wait();
    for (std::size_t i = 0; i < 6; ++i) expect_product(problems[i], cs[i].read(q), "at once");
  }
}

TYPED_TEST(OpenclNative, NothingToDoIsDoneAfterTheWaitList) {
  using T = TypeParam;
  Context context = queue().context();
  cl::UserEvent gate(cl::Context(context.native(), true));
  Buffer<T> x(context, 16), y(context, 16);
  const int64_t sizes[][3] = {{0, 4, 4}, {4, 0, 4}, {4, 4, 0}};
  std::vector<Event> events;
  for (const auto& [m, n, k] : sizes) {
    events.push_back(gemm(queue(), Layout::column, Op::none, Op::none, m, n, k, T(1), x, 0, 4, x, 0, 4, T(1), y, 0, 4,
                          {Event(gate())}, direct_options<T>()));
    EXPECT_NE(events.back().status(), EventStatus::complete) << m << " x " << n << " x " << k;
  }
  gate.setStatus(CL_COMPLETE);
  for (const Event& event : events) event.wait();
  T* none = nullptr;
  gemm_strided_batch<T>(queue(), Layout::row, Op::none, Op::none, 5, 4, 3, T(1), none, 3, 0, none, 4, 0, T(0), none, 4,
                        0, 0, direct_options<T>());
}

TYPED_TEST(OpenclNative, ErrorsNameWhatIsWrongAndLeaveCAlone) {
  using T = TypeParam;
  const std::string precision = "precision " + std::string(name(precision_of<T>));
  Problem<T> p({}, 8, 6, 10, 19);
  std::vector<T> out = p.c;
  auto host = [&](int64_t m, int64_t lda, const T* b, GemmOptions options = direct_options<T>()) {
    gemm(queue(), p.s.layout, p.s.opa, p.s.opb, m, p.n, p.k, p.alpha, p.a.data(), lda, b, p.ldb, p.beta, out.data(),
         p.ldc, options);
  };
  auto expect = [&](errc code, std::initializer_list<std::string> parts, auto call) {
    expect_contains(message_of(code, call), parts);
  };
  expect(errc::invalid_argument, {"m = -3"}, [&] { host(-3, p.lda, p.b.data()); });
  expect(errc::invalid_argument, {"lda = 7"}, [&] { host(8, 7, p.b.data()); });
  expect(errc::invalid_argument, {"B is null"}, [&] { host(8, p.lda, nullptr); });
  expect(errc::invalid_argument, {"C overlaps B"}, [&] { host(8, p.lda, out.data()); });
  for (Accuracy accuracy : {Accuracy::tight, Accuracy::normwise, Accuracy::exact}) {
    expect(errc::unsupported, {"accuracy " + std::string(name(accuracy)), "direct"},
           [&] { host(8, p.lda, p.b.data(), {.engine = Engine::direct, .accuracy = accuracy}); });
  }
  if (kind_of<T>.word_bytes() == 4) {
    for (const GemmOptions& options : {GemmOptions{.engine = Engine::modular}, GemmOptions{.accuracy = Accuracy::tight},
                                       GemmOptions{.engine = Engine::reproducible},
                                       GemmOptions{.engine = Engine::modular, .accuracy = Accuracy::exact}}) {
      expect(errc::unsupported, {precision, "direct"}, [&] { host(8, p.lda, p.b.data(), options); });
      expect(errc::unsupported, {precision, "direct"},
             [&] { plan_gemm<T>(queue(), Layout::column, Op::none, Op::none, 3, 3, 3, options); });
    }
  }
  expect_same(out, p.c, "C after errors");

  Context context = queue().context();
  Buffer<T> a(context, 100), c(context, 100), elsewhere(test_context(), 100);
  auto device = [&](Buffer<T>& to, int64_t offset_a, int64_t offset_b, int64_t offset_c) {
    gemm(queue(), Layout::column, Op::none, Op::none, 5, 5, 5, T(1), a, offset_a, 5, a, offset_b, 5, T(0), to, offset_c,
         5, {}, direct_options<T>());
  };
  expect(errc::invalid_argument, {"A covers 25", "76", "100"}, [&] { device(c, 76, 0, 0); });
  expect(errc::invalid_argument, {"C covers 25", "76", "100"}, [&] { device(c, 0, 0, 76); });
  expect(errc::invalid_argument, {"offset of B = -1"}, [&] { device(c, 0, -1, 0); });
  expect(errc::invalid_argument, {"C overlaps B"}, [&] { device(a, 60, 30, 26); });
  expect(errc::invalid_argument, {"C overlaps A"}, [&] { device(a, 20, 60, 0); });
  expect(errc::invalid_argument, {"C belongs to another"}, [&] { device(elsewhere, 0, 0, 0); });
  EXPECT_NO_THROW(device(c, 0, 25, 75));
  auto batch = [&](int64_t stride_a, int64_t stride_c, int64_t count) {
    gemm_strided_batch(queue(), Layout::column, Op::none, Op::none, 5, 5, 1, T(1), a, 0, 5, stride_a, a, 0, 1, 0, T(0),
                       c, 0, 5, stride_c, count, {}, direct_options<T>());
  };
  expect(errc::invalid_argument, {"stride_c = 24"}, [&] { batch(5, 24, 2); });
  expect(errc::invalid_argument, {"batch = -1"}, [&] { batch(5, 25, -1); });
  expect(errc::invalid_argument, {"stride_a = -5"}, [&] { batch(-5, 25, 2); });
  expect(errc::invalid_argument, {"C covers 125"}, [&] { batch(5, 25, 5); });
  expect(errc::invalid_argument, {"A covers 101"}, [&] { batch(32, 25, 4); });
  EXPECT_NO_THROW(batch(31, 25, 4));
  queue().finish();

  cl::UserEvent failed(cl::Context(context.native(), true));
  failed.setStatus(-5);
  expect(errc::device_failure, {"wait list"}, [&] {
    gemm(queue(), Layout::column, Op::none, Op::none, 5, 5, 5, T(1), a, 0, 5, a, 0, 5, T(0), c, 0, 5, {Event(failed())},
         direct_options<T>());
  });
}

TYPED_TEST(OpenclNative, PlansSayWhatWillRun) {
  using T = TypeParam;
  const GemmPlan plan =
      plan_gemm<T>(queue(), Layout::row, Op::none, Op::transpose, 100, 200, 300, direct_options<T>(), 7);
  EXPECT_EQ(plan.precision, precision_of<T>);
  EXPECT_EQ(plan.backend, Backend::opencl);
  EXPECT_EQ(plan.engine, Engine::direct);
  EXPECT_EQ(plan.path, Path::direct);
  EXPECT_EQ(plan.batch, 7);
  EXPECT_EQ(std::string(plan.unit), device().name.substr(0, 63));
  EXPECT_EQ(plan.error_bound_u2, (is_complex<T> ? 3 : 1) * 304.0);
  EXPECT_GE(plan.workspace_bytes, 0);
  EXPECT_LE(plan.workspace_bytes, direct::default_workspace(device()));
  // Sizes alone are no reason to refuse, where the matrices would fit.
  constexpr int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_NO_THROW(
      plan_gemm<T>(queue(), Layout::column, Op::transpose, Op::none, int64_t{1} << 30, 1, 1, direct_options<T>()));
  EXPECT_NO_THROW(
      plan_gemm<T>(queue(), Layout::column, Op::none, Op::none, 1, 1, int64_t{1} << 36, direct_options<T>()));
  EXPECT_EQ(plan_gemm<T>(queue(), Layout::column, Op::none, Op::none, 0, huge, 0, direct_options<T>()).workspace_bytes,
            0);
}

TYPED_TEST(OpenclNative, ThreadsDoNotDisturbEachOther) {
  using T = TypeParam;
  if (is_small()) GTEST_SKIP() << "oclgrind takes one thread";
  std::vector<Problem<T>> problems;
  for (std::uint64_t t = 0; t < 4; ++t) {
    problems.emplace_back(Storage{.layout = layouts[t % 2], .opa = ops[t % 3], .opb = ops[t / 2]}, 65, 48, 50 + t,
                          1000 + t, Entries::whole);
  }
  std::vector<std::vector<T>> hosts(4), buffers(4);
  Queue shared(queue().context());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      // Two share a queue, two have their own.
      Queue own(queue().context());
      Queue& q = t < 2 ? shared : own;
      for (int repeat = 0; repeat < 5; ++repeat) {
        hosts[t] = from_host(problems[t], nullptr, q);
        buffers[t] = in_buffers(problems[t], nullptr, q);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t t = 0; t < 4; ++t) {
    expect_product(problems[t], hosts[t], "a thread");
    expect_product(problems[t], buffers[t], "a thread");
  }
}

}  // namespace
