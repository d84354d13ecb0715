// Integers rebuilt from their residues on a device, and rounded, against the plain definition of the CPU: every unit
// that can be built here. Where there are no matrix units, they are emulated.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "exact_integer.hpp"
#include "gemm/modular/rounding.hpp"
#include "rebuild_unit.hpp"

namespace hilo::modular {
namespace {

using std::int64_t;
using testing::Integer;
using testing::power_of_two;

std::size_t size(int64_t x) { return static_cast<std::size_t>(x); }

// The first N moduli of real or complex products: residues of integers up to `largest`, (M/2)(1 − 2^-28).
struct ExactBasis {
  int count;
  bool is_complex;
  Integer product = 1, largest;
  std::vector<int> inverse;  // of M / m

  explicit ExactBasis(int n, bool of_complex) : count(n), is_complex(of_complex) {
    for (int l = 0; l < n; ++l) product *= modulus(l);
    largest = testing::scaled(product * (power_of_two(28) - 1), -29);
    for (int l = 0; l < n; ++l) {
      Integer m = modulus(l), i;
      mpz_invert(i.get_mpz_t(), Integer(product / m).get_mpz_t(), m.get_mpz_t());
      inverse.push_back(static_cast<int>(i.get_si()));
    }
  }

  int modulus(int l) const { return modulus_at(l, is_complex); }

  // 0 … m − 1, of the integer times the inverse.
  int residue(const Integer& x, int l) const { return testing::residue(x, modulus(l)) * inverse[size(l)] % modulus(l); }

  dd_real rounded(const Integer& x, int64_t shift, int words) const {
    std::vector<std::int8_t> symmetric;
    for (int l = 0; l < count; ++l) {
      const int r = residue(x, l), m = modulus(l);
      symmetric.push_back(static_cast<std::int8_t>(2 * r >= m ? r - m : r));
    }
    return rebuild_entry(basis(count, is_complex), symmetric.data(), 1, shift, words);
  }
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  int64_t below(int64_t n) { return n < 2 ? 0 : static_cast<int64_t>(engine_() % static_cast<std::uint64_t>(n)); }
  bool often() { return below(4) != 0; }
  int sign() { return below(2) ? 1 : -1; }
  Integer bits(int64_t count) {
    Integer x = 0;
    for (int64_t i = 0; i < count; i += 32) x = (x << 32) + static_cast<unsigned long>(engine_() >> 32);
    return testing::scaled(x, count - (count + 31) / 32 * 32);
  }

  // Any length, near the ends, few bits, ties of hi and of lo and what is next to them.
  Integer integer(const Integer& largest) {
    const long top = testing::bit_length(largest);
    for (;;) {
      Integer x = any(largest, top);
      if (below(2)) x = -x;
      if (abs(x) <= largest) return x;
    }
  }

 private:
  Integer power(int64_t n) { return power_of_two(std::max<int64_t>(n, 0)); }
  // Often nothing, below 2^n, of either sign.
  Integer rest(int64_t n) {
    if (n <= 0 || below(3) == 0) return 0;
    return sign() * (below(2) ? power(below(n)) : bits(below(n) + 1));
  }
  Integer any(const Integer& largest, long top) {
    switch (below(7)) {
      case 0:
        return bits(below(top + 1));
      case 1:
        return largest - bits(below(top + 1));
      case 2:
        return power(below(top)) + rest(top) + rest(top);
      case 3: {  // half a unit of hi
        const int64_t unit = 1 + below(top - 53);
        return (power(52) + bits(below(53))) * power(unit) + sign() * power(unit - 1) + rest(unit - 1 - below(unit));
      }
      case 4: {  // half a unit of lo
        const int64_t unit = 54 + below(top - 107), lo_unit = unit - 53 - below(unit - 53) / (1 + below(8));
        return (power(52) + bits(below(53))) * power(unit) + sign() * (power(52) + bits(below(53))) * power(lo_unit) +
               sign() * power(lo_unit - 1) + rest(lo_unit - 1 - below(lo_unit));
      }
      case 5:  // almost half a unit of hi
        return (power(53) - 1 - bits(below(3))) * power(below(top - 53)) + rest(top - 54);
      default:
        return bits(top - below(std::min(top, 20L)));
    }
  }

  std::mt19937_64 engine_;
};

// alpha x + beta old by the operations that products have, of dd_real or double.
template <class T>
std::array<T, 2> updated(std::array<T, 2> x, std::array<T, 2> old, const std::array<T, 2>& alpha,
                         const std::array<T, 2>& beta, bool is_complex) {
  const T zero = T(0.0), one = T(1.0);
  const auto times = [&](const std::array<T, 2>& a, const std::array<T, 2>& b) -> std::array<T, 2> {
    if (a[0] == one && a[1] == zero) return b;
    if (!is_complex) return {a[0] * b[0], zero};
    return {a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};
  };
  x = times(alpha, x);
  if (beta[0] == zero && beta[1] == zero) return x;
  old = times(beta, old);
  return {x[0] + old[0], x[1] + old[1]};
}

bool have_same_bits(std::uint64_t x, std::uint64_t y) {
  return x == y || (std::isnan(std::bit_cast<double>(x)) && std::isnan(std::bit_cast<double>(y)));
}

// Panels of entries with what they become.
class Problem {
 public:
  Problem(const ExactBasis& exact, Precision precision, std::uint64_t seed)
      : exact_(exact), kind_(precision), random_(seed) {
    for (int64_t i = 0; i < first_row + rows; ++i) row_exponents_.push_back(static_cast<cl_int>(random_.below(500)));
    // Everywhere, and where results begin and cease to be normal numbers.
    const int64_t length = testing::bit_length(exact.largest);
    for (int64_t j = 0; j < first_column + columns; ++j) {
      const int64_t ends[] = {-bits - row_exponents_[first_row] + 1024 - length + random_.below(4) - 2,
                              -1074 - length - 2 + random_.below(length + 130) - row_exponents_[first_row],
                              random_.below(200) - 100 - length, random_.below(6000) - 3000};
      column_exponents_.push_back(static_cast<cl_int>(bits + ends[random_.below(4)]));
    }
    for (int64_t e = 0; e < rows * columns * kind_.parts; ++e) integers_.push_back(random_.integer(exact.largest));
    find_residues();
  }

  // Of all entries, or of a triangle.
  void check(const Unit& unit, bool negates, const Update& update, const opencl::matrix_view& view,
             const opencl::wanted_arguments& wanted = {}) {
    opencl::ContextState& context = Unit::context();
    constexpr std::uint64_t untouched = 0x123456789abcdefu;
    const int numbers = kind_.parts * kind_.words;
    const int64_t elements =
        view.offset + (first_row + rows) * view.row_stride + (first_column + columns) * view.column_stride;
    std::vector<std::uint64_t> c(size(elements * numbers), untouched), want = c;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t j = 0; j < columns; ++j) {
        if (wanted.triangle == 1 && j > r + wanted.diagonal) continue;
        if (wanted.triangle == 2 && j < r + wanted.diagonal) continue;
        const int64_t at = view.offset + (first_row + r) * view.row_stride + (first_column + j) * view.column_stride;
        std::array<dd_real, 2> x = {}, old = {};
        for (int part = 0; part < kind_.parts; ++part) {
          const int64_t shift = row_exponents_[size(first_row + r)] + column_exponents_[size(first_column + j)] - bits;
          const auto i = static_cast<std::size_t>(part);
          x[i] = exact_.rounded(integers_[size((r * columns + j) * kind_.parts + part)], shift, kind_.words);
          // Also the signs of words that are 0.
          if (negates) x[i] = {-x[i].hi, -x[i].lo};
          old[i] = old_of(x[i]);
          put(old[i], &c[size(at * numbers + part * kind_.words)]);
        }
        if (update.stores()) {
          // As it is.
        } else if (kind_.words == 2) {
          x = updated(x, old, {update.alpha.re, update.alpha.im}, {update.beta.re, update.beta.im}, kind_.parts == 2);
        } else {
          const auto plain =
              updated<double>({x[0].hi, x[1].hi}, {old[0].hi, old[1].hi}, {update.alpha.re.hi, update.alpha.im.hi},
                              {update.beta.re.hi, update.beta.im.hi}, kind_.parts == 2);
          x = {dd_real(plain[0]), dd_real(plain[1])};
        }
        for (int part = 0; part < kind_.parts; ++part) {
          put(x[static_cast<std::size_t>(part)], &want[size(at * numbers + part * kind_.words)]);
        }
      }
    }
    auto upload = [&](auto& x) {
      return cl::Buffer(context.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof x[0] * x.size(), x.data());
    };
    const cl::Buffer out = upload(c);
    opencl::Call call(*queue().state(), {});
    Rebuilder rebuilder = unit.rebuilder(kind_, exact_.count, update, wanted.triangle != 0);
    std::vector<cl_int> exponents = {12345};
    exponents.insert(exponents.end(), row_exponents_.begin(), row_exponents_.end());
    const auto first_of_columns = std::ssize(exponents);
    exponents.insert(exponents.end(), column_exponents_.begin(), column_exponents_.end());
    rebuilder.launch(call, {upload(residues_), padded_rows, padded_columns, first_row, rows, first_column, columns,
                            upload(exponents), 1, first_of_columns, bits, negates, out, view, wanted});
    call.read(out, sizeof c[0] * c.size(), c.data());
    for (std::size_t i = 0; i < c.size(); ++i) {
      ASSERT_TRUE(have_same_bits(c[i], want[i])) << text(unit, i, view, want[i], c[i]);
    }
  }

  static constexpr int64_t first_row = 3, rows = 7, first_column = 2, columns = 333;

 private:
  static constexpr int64_t padded_rows = 16, padded_columns = 384;
  static constexpr int bits = 210;

  // Nothing, what is left of x, what takes all or some of it away, and what is no number.
  dd_real old_of(dd_real x) {
    const double signs[] = {-1.0, 1.0};
    const double sign = signs[random_.below(2)];
    switch (random_.below(8)) {
      case 0:
        return dd_real{sign * 0.0, 0.0};
      case 1:
        return kind_.words == 2 ? dd_real{sign * x.hi, sign * x.lo} : dd_real(sign * x.hi);
      case 2:
        return dd_real(sign * x.hi);
      case 3:
        return dd_real(sign * std::numeric_limits<double>::infinity());
      case 4:
        return dd_real(std::numeric_limits<double>::quiet_NaN());
      case 5:
        return dd_real(sign * std::numeric_limits<double>::max());
      case 6:
        return dd_real(x.hi * 0x1p-53 * sign);
      default:
        return kind_.words == 2 ? x * dd_real(0.3) + x * dd_real(0x1p-60) : dd_real(x.hi * 0.3);
    }
  }
  void put(dd_real x, std::uint64_t* to) const {
    to[0] = std::bit_cast<std::uint64_t>(x.hi);
    if (kind_.words == 2) to[1] = std::bit_cast<std::uint64_t>(x.lo);
  }

  void find_residues() {
    const int64_t plane = padded_rows * padded_columns;
    for (int64_t i = 0; i < plane * planes_of(exact_.count, kind_.is_complex()); ++i) {
      // Nothing that may be added to what is beyond the edges.
      residues_.push_back(static_cast<unsigned char>(random_.below(256)));
    }
    for (int64_t e = 0; e < rows * columns; ++e) {
      for (int l = 0; l < exact_.count; ++l) {
        const int first_plane = planes_of(l, kind_.is_complex());
        unsigned char* at = &residues_[size(first_plane * plane + e / columns * padded_columns + e % columns)];
        const int m = exact_.modulus(l), re = exact_.residue(integers_[size(e * kind_.parts)], l);
        if (kind_.parts == 1) {
          *at = static_cast<unsigned char>(re);
          continue;
        }
        const int im = exact_.residue(integers_[size(2 * e + 1)], l);
        if (splits(l, true)) {
          // Re = x + y, Im = (x − y) / r: halves of Re + r Im and Re − r Im.
          const int half = (m + 1) / 2, rotated = root_of_minus_one(m) * im;
          at[0] = static_cast<unsigned char>((re + rotated) * half % m);
          at[plane] = static_cast<unsigned char>((re + m * m - rotated) * half % m);
          continue;
        }
        // Re = p1 - p2, Im = p3 - p1 - p2.
        const int p2 = random_.often() ? static_cast<int>(random_.below(m)) : m - 1, p1 = (re + p2) % m;
        at[0] = static_cast<unsigned char>(p1);
        at[plane] = static_cast<unsigned char>(p2);
        at[2 * plane] = static_cast<unsigned char>((im + p1 + p2) % m);
      }
    }
  }

  std::string text(const Unit& unit, std::size_t word, const opencl::matrix_view& view, std::uint64_t want,
                   std::uint64_t got) const {
    const int64_t numbers = kind_.parts * kind_.words, element = static_cast<int64_t>(word) / numbers;
    std::string place = unit.name() + ", " + std::to_string(exact_.count) + " moduli, ";
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t j = 0; j < columns; ++j) {
        if (view.offset + (first_row + r) * view.row_stride + (first_column + j) * view.column_stride != element) {
          continue;
        }
        char values[100];
        std::snprintf(values, sizeof values, "word %d of (%d, %d): got %a, expected %a",
                      static_cast<int>(static_cast<int64_t>(word) % numbers), static_cast<int>(r), static_cast<int>(j),
                      std::bit_cast<double>(got), std::bit_cast<double>(want));
        const int64_t part = static_cast<int64_t>(word) % numbers / kind_.words;
        const int shift = row_exponents_[size(first_row + r)] + column_exponents_[size(first_column + j)] - bits;
        return place + values + ", x = " + integers_[size((r * columns + j) * kind_.parts + part)].get_str(16) +
               " * 2^" + std::to_string(shift);
      }
    }
    return place + "outside of the panel";
  }

  const ExactBasis& exact_;
  ElementKind kind_;
  Random random_;
  std::vector<cl_int> row_exponents_, column_exponents_;
  std::vector<Integer> integers_;
  std::vector<unsigned char> residues_;
};

class OpenclRebuildTest : public ::testing::TestWithParam<RebuildUnit> {
 protected:
  void SetUp() override {
    if (!Unit::is_possible(GetParam())) GTEST_SKIP() << "no double precision";
  }
  static constexpr opencl::matrix_view row_by_row = {1, 350, 1, 0}, column_by_column = {5, 1, 20, 0};
};

TEST_P(OpenclRebuildTest, RealNumbersHaveTheBitsOfTheDefinition) {
  const Unit unit(GetParam());
  for (int count : {1, 2, 5, 16, 17, 26, 30, 31, 32, 33, 36, 49}) {
    const ExactBasis exact(count, false);
    for (Precision precision : {Precision::dd, Precision::d}) {
      Problem p(exact, precision, static_cast<std::uint64_t>(count));
      ASSERT_NO_FATAL_FAILURE(p.check(unit, count % 2, {}, row_by_row));
    }
  }
}

TEST_P(OpenclRebuildTest, ComplexNumbersHaveTheBitsOfTheDefinition) {
  const Unit unit(GetParam());
  for (int count : {1, 5, 16, 17, 31, 33, 49}) {
    const ExactBasis exact(count, true);
    for (Precision precision : {Precision::zdd, Precision::z}) {
      // What is built anew takes time.
      if (precision == Precision::z && count > 31) continue;
      Problem p(exact, precision, static_cast<std::uint64_t>(100 + count));
      ASSERT_NO_FATAL_FAILURE(p.check(unit, count % 2, {}, row_by_row));
    }
  }
}

TEST_P(OpenclRebuildTest, UpdatesHaveTheBitsOfTheNumbersOperations) {
  const Unit unit(GetParam());
  if (!Unit::context().info.fp64) GTEST_SKIP() << "no double precision";
  const dd_complex one(1), half(dd_real(0.1) / dd_real(0.3));
  for (Precision precision : {Precision::dd, Precision::d, Precision::zdd, Precision::z}) {
    const bool has_parts = is_complex(precision);
    const ExactBasis exact(30, has_parts);
    Problem p(exact, precision, 7);
    const dd_complex turned = has_parts ? dd_complex(dd_real(-0.7), dd_real(1.1)) : dd_complex(dd_real(-0.7));
    for (const Update& update : {Update{one, one}, {-one, one}, {half, turned}, {turned, dd_complex(0)}, {one, half}}) {
      ASSERT_NO_FATAL_FAILURE(p.check(unit, false, update, column_by_column));
    }
  }
}

// Diagonals within a group of columns, at its edges and at those of what a warp takes, and corners.
TEST_P(OpenclRebuildTest, OfATriangleTheRestStays) {
  const Unit unit(GetParam());
  if (!Unit::context().info.fp64) GTEST_SKIP() << "no double precision";
  for (Precision precision : {Precision::dd, Precision::zdd}) {
    const ExactBasis exact(30, is_complex(precision));
    Problem p(exact, precision, 11);
    for (const int diagonal : {-6, -5, 0, 2, 60, 64, 120, 122, 127, 128, 200, 253, 256, 325, 332}) {
      const Update added{dd_complex(1), dd_complex(1)};
      ASSERT_NO_FATAL_FAILURE(p.check(unit, false, diagonal % 2 ? added : Update(), row_by_row, {1, diagonal}));
      ASSERT_NO_FATAL_FAILURE(p.check(unit, false, {}, column_by_column, {2, diagonal}));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Units, OpenclRebuildTest, ::testing::Values(RebuildUnit::integers, RebuildUnit::mma),
                         [](const auto& unit) { return unit.param == RebuildUnit::mma ? "mma" : "integers"; });

}  // namespace
}  // namespace hilo::modular
