// Sums of products in K words: SIMD against word_sums.hpp bit for bit, and both against MPFR within the bound.
#include "solve/word_sums.hpp"

#include <hilo/error.hpp>

#include "matrices.hpp"
#include "solve/exact_matrix.hpp"
#include "wide_system.hpp"

namespace hilo::solver {
namespace {

using test::Random;

constexpr int every_count_of_words[] = {2, 3, 4, 6};

Scaling no_scaling(std::int64_t m, std::int64_t n) {
  return {std::vector<int>(static_cast<std::size_t>(m)), std::vector<int>(static_cast<std::size_t>(n))};
}

template <class E>
E element(Random& random) {
  return test::random_element<E>(random);
}

// Some columns of B − op(A) X by one SIMD set, or by the reference.
template <class E>
struct Residual {
  using X = Solution<E>;

  std::int64_t length, count;
  ExactMatrix<E> a;
  Vectors<X> x;
  std::vector<X> b;

  Residual(std::int64_t m, std::int64_t n, std::int64_t lines, Op op, std::uint64_t seed)
      : Residual(ExactMatrix<E>(2, no_scaling(m, n), entries(seed)), lines, op, seed) {}
  Residual(ExactMatrix<E> matrix, std::int64_t lines, Op op, std::uint64_t seed)
      : length(is_transposed(op) ? matrix.columns() : matrix.rows()),
        count(lines),
        a(std::move(matrix)),
        x(lines, is_transposed(op) ? a.rows() : a.columns()) {
    Random random(seed + 1);
    for (std::int64_t k = 0; k < lines; ++k) {
      for (std::int64_t i = 0; i < x.length(); ++i) x.put(i, k, random.element<X>());
    }
    b = test::random_elements<X>(length * lines, seed + 2);
  }
  static auto entries(std::uint64_t seed) {
    return [seed](std::int64_t i, std::int64_t j) {
      Random random(seed * 1000003 + static_cast<std::uint64_t>(i * 1009 + j));
      return element<E>(random);
    };
  }
  // What multiplies x_k in result i.
  E factor(Op op, std::int64_t i, std::int64_t k) const {
    return is_transposed(op) ? test::conjugate_of(a(k, i)) : a(i, k);
  }

  std::vector<X> fast(const KernelSet& set, int threads, int words, Op op) const {
    std::vector<VectorOfSums<X>> sums(static_cast<std::size_t>(count), VectorOfSums<X>(words, length));
    std::vector<LineSum<X>> lines;
    std::vector<X> r(b.size());
    for (std::int64_t k = 0; k < count; ++k) {
      VectorOfSums<X>& sum = sums[static_cast<std::size_t>(k)];
      for (std::int64_t i = 0; i < length; ++i) sum.add(i, b[static_cast<std::size_t>(i + k * length)]);
      lines.push_back({k, &sum});
    }
    a.subtract_products(threads, set, op, x, lines);
    for (std::int64_t k = 0; k < count; ++k) {
      for (std::int64_t i = 0; i < length; ++i) {
        r[static_cast<std::size_t>(i + k * length)] = sums[static_cast<std::size_t>(k)].close(i);
      }
    }
    return r;
  }

  std::vector<X> reference(int words, Op op) const {
    std::vector<X> r;
    for (std::int64_t k = 0; k < count; ++k) {
      for (std::int64_t i = 0; i < length; ++i) r.push_back(entry(words, op, i, k));
    }
    return r;
  }

 private:
  X entry(int words, Op op, std::int64_t i, std::int64_t line) const {
    const X& start = b[static_cast<std::size_t>(i + line * length)];
    if constexpr (is_complex_of<E>) {
      return {part(words, start.re,
                   [&](auto add) {
                     each(op, i, line, [&](const auto& re, const auto&, const X& y) { add(re, -y.re); });
                     each(op, i, line, [&](const auto&, const auto& im, const X& y) { add(im, y.im); });
                   }),
              part(words, start.im, [&](auto add) {
                each(op, i, line, [&](const auto& re, const auto&, const X& y) { add(re, -y.im); });
                each(op, i, line, [&](const auto&, const auto& im, const X& y) { add(im, -y.re); });
              })};
    } else {
      return part(words, start, [&](auto add) {
        for (std::int64_t k = 0; k < x.length(); ++k) add(factor(op, i, k), -x.get(k, line));
      });
    }
  }
  template <class F>
  void each(Op op, std::int64_t i, std::int64_t line, F f) const {
    for (std::int64_t k = 0; k < x.length(); ++k) {
      const E e = factor(op, i, k);
      f(real(e), imag(e), x.get(k, line));
    }
  }
  template <class F>
  static dd_real part(int words, const dd_real& start, F terms) {
    double data[most_words] = {};
    const WordSum sum(words, data, 1);
    sum.add(start);
    terms([&](const auto& p, const dd_real& q) { sum.add_product(p, q); });
    return sum.close();
  }
};

template <class E>
class WordSums : public testing::Test {};
using ExactTypes = testing::Types<double, std::complex<double>, dd_real, dd_complex>;
TYPED_TEST_SUITE(WordSums, ExactTypes, test::NameOfPrecision);

std::vector<std::string> every_target() {
  std::vector<std::string> targets = {""};
  for (const char* target : {"AVX3", "AVX2", "SSE4", "SSSE3", "SCALAR", "NEON"}) {
    try {
      kernel_set(target);
      targets.push_back(target);
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::unsupported);
    }
  }
  return targets;
}

// Every edge of vectors, of the kernels' blocks and of pairs of lines.
struct Size {
  std::int64_t m, n, lines;
};
constexpr Size every_size[] = {{1, 1, 1},  {3, 5, 2},   {16, 16, 3}, {17, 40, 1},  {31, 4, 2},    {65, 3, 5},
                               {33, 2, 4}, {130, 9, 1}, {255, 6, 2}, {256, 13, 3}, {257, 259, 1}, {2049, 3, 2}};

TYPED_TEST(WordSums, HaveTheBitsOfTheReference) {
  using E = TypeParam;
  const std::vector<std::string> targets = every_target();
  std::uint64_t seed = 1;
  for (const auto& [m, n, lines] : every_size) {
    for (const Op op : {Op::none, Op::conjugate_transpose}) {
      const Residual<E> residual(m, n, lines, op, ++seed);
      for (const int words : every_count_of_words) {
        const auto expected = residual.reference(words, op);
        for (const std::string& target : targets) {
          for (const int threads : {1, 3}) {
            EXPECT_EQ(test::first_difference(residual.fast(kernel_set(target), threads, words, op), expected), -1)
                << m << ' ' << n << ' ' << lines << ' ' << words << ' ' << target << ' ' << threads;
          }
        }
      }
    }
  }
}

// A matrix with columns further apart than they are long, scaled where it lies, and a copy.
template <class E>
void expect_the_same_in_place() {
  constexpr std::int64_t words = blas::word_count<E>;
  std::uint64_t seed = 200;
  for (const auto& [m, n, lines] : every_size) {
    Random random(++seed);
    const std::int64_t apart = m + 3;
    std::vector<E> data(static_cast<std::size_t>(apart * n));
    for (E& x : data) x = element<E>(random);
    const auto entry = [&data, apart](std::int64_t i, std::int64_t j) {
      return data[static_cast<std::size_t>(i + j * apart)];
    };
    Scaling scaling = no_scaling(m, n);
    for (int& e : scaling.rows) e = static_cast<int>(30.0 * random.uniform());
    for (int& e : scaling.columns) e = static_cast<int>(-70.0 * random.uniform());
    const MatrixInPlace a{reinterpret_cast<const double*>(data.data()), m, n, words, words * apart};
    for (const Op op : {Op::none, Op::conjugate_transpose}) {
      const Residual<E> copied(ExactMatrix<E>(1, scaling, entry), lines, op, seed);
      const Residual<E> in_place(ExactMatrix<E>(a, scaling, true), lines, op, seed);
      const KernelSet& best = kernel_set("");
      const std::vector<double> y(static_cast<std::size_t>(n), 0.7);
      EXPECT_EQ(in_place.a.multiply_magnitudes(2, best, y), copied.a.multiply_magnitudes(2, best, y));
      for (const int count : every_count_of_words) {
        const auto expected = copied.reference(count, op);
        for (const std::string& target : every_target()) {
          EXPECT_EQ(test::first_difference(in_place.fast(kernel_set(target), 2, count, op), expected), -1)
              << m << ' ' << n << ' ' << lines << ' ' << count << ' ' << target;
        }
      }
    }
  }
}
TEST(MatrixInPlace, HasTheBitsOfACopy) {
  expect_the_same_in_place<double>();
  expect_the_same_in_place<dd_real>();
}

TYPED_TEST(WordSums, OfMagnitudesAreSumsInTheOrderOfColumns) {
  using E = TypeParam;
  std::uint64_t seed = 100;
  for (const auto& [m, n, lines] : every_size) {
    const Residual<E> residual(m, n, 1, Op::none, ++seed);
    std::vector<double> y, expected(static_cast<std::size_t>(m));
    for (std::int64_t j = 0; j < n; ++j) y.push_back(size_of(residual.x.get(j, 0)));
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i) {
        const double product = size_of(residual.a(i, j)) * y[static_cast<std::size_t>(j)];
        expected[static_cast<std::size_t>(i)] += product;
      }
    }
    for (const std::string& target : every_target()) {
      for (const int threads : {1, 3}) {
        EXPECT_EQ(residual.a.multiply_magnitudes(threads, kernel_set(target), y), expected)
            << m << ' ' << n << ' ' << target << ' ' << threads;
      }
    }
  }
}

// Terms that cancel down to 2^-cancelled: x solves a system whose right-hand side is rounded.
TEST(WordSum, ErrsAsItSays) {
  const std::int64_t n = 30;
  Random random(5);
  for (const int cancelled : {0, 50, 100, 150, 200}) {
    for (const int words : every_count_of_words) {
      for (int round = 0; round < 20; ++round) {
        double data[most_words] = {};
        const WordSum sum(words, data, 1);
        test::Bits exact;
        double sizes = 0.0;
        const auto add = [&](const dd_real& x, const dd_real& y) {
          sum.add_product(x, y);
          test::Bits term(x);
          term *= test::Bits(y);
          exact += term;
          sizes += std::fabs(x.hi * y.hi);
        };
        std::vector<std::pair<dd_real, dd_real>> terms;
        for (std::int64_t k = 0; k < n; ++k) terms.emplace_back(random.element<dd_real>(), random.element<dd_real>());
        for (const auto& [x, y] : terms) add(x, y);
        for (const auto& [x, y] : terms) add(x, -y);
        const double left = std::ldexp(1.0 + random.uniform() / 2, -cancelled);
        add(dd_real(left), random.element<dd_real>());
        test::Bits error(sum.close());
        error -= exact;
        const double count = 2.0 * n + 1.0;
        const double bound = words == 2 ? (3.0 * count + 8.0) * 0x1p-106 * sizes
                                        : std::pow(2.0 * (8.0 * count + 2.0) * 0x1p-53, words) * sizes;
        EXPECT_LE(error.magnitude(), 2.0 * 0x1p-106 * exact.magnitude() + bound) << words << ' ' << cancelled;
        // What a word less would miss, a word more has.
        if (cancelled + 10 * (words + 1) < 53 * (words - 2)) {
          EXPECT_LE(error.magnitude(), 2.1 * 0x1p-106 * exact.magnitude()) << words << ' ' << cancelled;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hilo::solver
