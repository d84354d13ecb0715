#include "tune/trial.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <type_traits>

#include "gemm/direct/opencl/product.hpp"
#include "gemm/direct/reference.hpp"
#include "gemm/native/opencl/product.hpp"

namespace hilo::tune {
namespace {

template <class T>
constexpr bool is_double_double = std::same_as<T, dd_real> || std::same_as<T, dd_complex>;
template <class T>
constexpr bool is_complex =
    std::same_as<T, dd_complex> || std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

// SplitMix64.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n)); }

  // In (-1, 1), of all the bits that T has.
  template <class T>
  T entry() {
    if constexpr (std::same_as<T, dd_complex>) {
      const dd_real re = entry<dd_real>();
      return {re, entry<dd_real>()};
    } else if constexpr (std::same_as<T, dd_real>) {
      const double hi = entry<double>();
      return dd_real::sum(hi, hi * 0x1p-53 * entry<double>());
    } else if constexpr (is_complex<T>) {
      const auto re = entry<typename T::value_type>();
      return {re, entry<typename T::value_type>()};
    } else {
      return static_cast<T>(static_cast<double>(static_cast<std::int64_t>(bits()) >> 10) * 0x1p-53);
    }
  }

  // An integer from -4 to 4, or two of them: sums of their products are exact.
  template <class T>
  T small_integer() {
    auto one = [&] { return static_cast<double>(below(9) - 4); };
    if constexpr (is_complex<T>) {
      using Word = typename T::value_type;
      const auto re = static_cast<Word>(one());
      return {re, static_cast<Word>(one())};
    } else {
      return static_cast<T>(one());
    }
  }

 private:
  std::uint64_t state_;
};

// A number that no scaling leaves as it is.
template <class T>
T scalar(double re, double im) {
  if constexpr (is_double_double<T>) {
    const dd_real x(re, re * 0x1p-55), y(im, -im * 0x1p-56);
    if constexpr (is_complex<T>) {
      return {x, y};
    } else {
      return x;
    }
  } else if constexpr (is_complex<T>) {
    return T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im));
  } else {
    return static_cast<T>(re);
  }
}

template <class T>
T not_a_number() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if constexpr (std::same_as<T, dd_complex>) {
    return {dd_real(nan), dd_real(nan)};
  } else if constexpr (is_complex<T>) {
    return scalar<T>(nan, nan);
  } else {
    return T(nan);
  }
}

template <class T>
std::complex<double> as_complex(const T& x) {
  if constexpr (std::same_as<T, dd_complex>) {
    return {x.re.hi, x.im.hi};
  } else if constexpr (std::same_as<T, dd_real>) {
    return x.hi;
  } else if constexpr (is_complex<T>) {
    return {x.real(), x.imag()};
  } else {
    return x;
  }
}

// The same bits, or both NaN.
bool same(double x, double y) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) || (x != x && y != y);
}
bool same(float x, float y) { return same(static_cast<double>(x), static_cast<double>(y)); }
bool same(const dd_real& x, const dd_real& y) { return same(x.hi, y.hi) && same(x.lo, y.lo); }
bool same(const dd_complex& x, const dd_complex& y) { return same(x.re, y.re) && same(x.im, y.im); }
template <class W>
bool same(const std::complex<W>& x, const std::complex<W>& y) {
  return same(x.real(), y.real()) && same(x.imag(), y.imag());
}

template <class T>
std::string digits(const T& x) {
  const std::complex<double> z = as_complex(x);
  char text[80];
  if (is_complex<T>) {
    std::snprintf(text, sizeof text, "(%.9g, %.9g)", z.real(), z.imag());
  } else {
    std::snprintf(text, sizeof text, "%.9g", z.real());
  }
  return text;
}

template <class T>
std::string difference(std::int64_t i, std::int64_t j, const T& found, const T& expected, const std::string& product) {
  return "wrong: entry (" + std::to_string(i) + ", " + std::to_string(j) + ") of " + product + " is " + digits(found) +
         ", expected " + digits(expected);
}

// rows × columns whose rows (or columns) lie side by side, `pad` more from one line to the next than there need be;
// without a pad so many more that wide copies can be made.
template <class T>
TrialMatrix<T> place(std::int64_t rows, std::int64_t columns, bool rows_together, std::int64_t offset,
                     std::int64_t pad) {
  const std::int64_t packed = rows_together ? rows : columns;
  const std::int64_t leading = pad ? packed + pad : (packed + 15) / 16 * 16;
  TrialMatrix<T> x{{}, rows, columns, offset, rows_together ? 1 : leading, rows_together ? leading : 1};
  x.data.resize(static_cast<std::size_t>(offset + leading * (rows_together ? columns : rows)));
  return x;
}

template <class T>
std::string text_of(const TrialProduct<T>& p) {
  return std::to_string(p.c.rows) + " x " + std::to_string(p.c.columns) + " x " + std::to_string(p.a.columns);
}

// What an entry of C should be, and how far from it one may be.
template <class T>
struct Expected {
  T value;
  double bound;
};

template <class T>
Expected<T> expected_entry(const TrialProduct<T>& p, std::int64_t i, std::int64_t j, bool fma) {
  const MatrixView<const T> a = p.a.view(), b = p.b.view(), c = p.c.view();
  if constexpr (is_double_double<T>) {
    return {direct::scale_and_add(p.alpha, direct::entry(a, b, i, j, p.accuracy, fma).value, p.beta, c(i, j)), 0.0};
  } else {
    // long double for double, double for float: their own errors do not count.
    using Word = std::conditional_t<sizeof(T) / (1 + is_complex<T>) == 4, double, long double>;
    using Sum = std::conditional_t<is_complex<T>, std::complex<Word>, Word>;
    auto wide = [](const T& x, bool conjugate) {
      if constexpr (is_complex<T>) {
        const auto im = static_cast<Word>(x.imag());
        return Sum(static_cast<Word>(x.real()), conjugate ? -im : im);
      } else {
        static_cast<void>(conjugate);
        return static_cast<Sum>(x);
      }
    };
    auto size = [](const Sum& x) {
      if constexpr (is_complex<T>) {
        return std::fabs(x.real()) + std::fabs(x.imag());
      } else {
        return std::fabs(x);
      }
    };
    Sum sum{};
    Word magnitude = 0;
    for (std::int64_t h = 0; h < a.columns; ++h) {
      const Sum x = wide(a(i, h), a.conjugate), y = wide(b(h, j), b.conjugate);
      if constexpr (is_complex<T>) {
        sum += Sum(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
      } else {
        sum += x * y;
      }
      magnitude += size(x) * size(y);
    }
    Sum value = wide(p.alpha, false) * sum;
    magnitude *= size(wide(p.alpha, false));
    if (p.beta != T(0)) {
      const Sum added = wide(p.beta, false) * wide(c(i, j), false);
      value += added;
      magnitude += size(wide(p.beta, false)) * size(wide(c(i, j), false));
    }
    using Narrow = decltype(std::real(T()));
    const double unit = 0.5 * static_cast<double>(std::numeric_limits<Narrow>::epsilon());
    const double steps = static_cast<double>(a.columns * (1 + is_complex<T>)) + 6.0;
    T rounded;
    if constexpr (is_complex<T>) {
      rounded = T(static_cast<Narrow>(value.real()), static_cast<Narrow>(value.imag()));
    } else {
      rounded = static_cast<T>(value);
    }
    return {rounded, steps * unit * static_cast<double>(magnitude)};
  }
}

template <class T>
bool is_as_expected(const T& found, const Expected<T>& expected) {
  if constexpr (is_double_double<T>) {
    return same(found, expected.value);
  } else {
    const std::complex<double> x = as_complex(found), y = as_complex(expected.value);
    // Not where x is NaN.
    return std::fabs(x.real() - y.real()) <= expected.bound && std::fabs(x.imag() - y.imag()) <= expected.bound;
  }
}

template <class T>
std::string compare(const TrialProduct<T>& p, const std::vector<T>& found, bool fma) {
  if (found.size() != p.c.data.size()) return "wrong: C has " + std::to_string(found.size()) + " elements";
  std::vector<char> is_entry(found.size());
  for (std::int64_t j = 0; j < p.c.columns; ++j) {
    for (std::int64_t i = 0; i < p.c.rows; ++i) {
      const auto at = static_cast<std::size_t>(p.c.offset + i * p.c.row_stride + j * p.c.column_stride);
      is_entry[at] = 1;
      const Expected<T> expected = expected_entry(p, i, j, fma);
      if (!is_as_expected(found[at], expected)) return difference(i, j, found[at], expected.value, text_of(p));
    }
  }
  for (std::size_t at = 0; at < found.size(); ++at) {
    if (!is_entry[at] && !same(found[at], p.c.data[at])) {
      return "wrong: writes beside C, at " + std::to_string(at) + ", in " + text_of(p);
    }
  }
  return "";
}

struct Shape {
  std::int64_t m, n, k;
  std::int64_t offset, pad;
  bool is_added;  // alpha and beta are neither 0 nor 1; else C is NaN, and not read
  Accuracy accuracy;
};

template <class T>
TrialProduct<T> product_of(const Shape& s, const tile::TileKey& key) {
  Numbers numbers(static_cast<std::uint64_t>(s.m + 1000 * s.n + 1000000 * s.k));
  TrialProduct<T> p{place<T>(s.m, s.k, key.left_together, s.offset, s.pad),
                    place<T>(s.k, s.n, !key.right_together, s.offset, s.pad),
                    place<T>(s.m, s.n, true, s.offset, s.pad),
                    s.is_added ? scalar<T>(1.25, -0.5) : T(1),
                    s.is_added ? scalar<T>(-0.75, 0.3) : T(0),
                    s.accuracy};
  for (auto* x : {&p.a, &p.b, &p.c}) {
    for (T& e : x->data) e = numbers.entry<T>();
  }
  if (s.offset > 0) p.a.conjugate = p.b.conjugate = is_complex<T>;  // a program of its own, where operands stay
  if (!s.is_added) std::fill(p.c.data.begin(), p.c.data.end(), not_a_number<T>());
  return p;
}

// Sizes with whole panels and parts of them, and tiles with steps that are missing.
std::vector<Shape> shapes_of(const tile::Tile& t, const tile::TileKey& key) {
  auto lines = [](std::int64_t panel) { return std::max<std::int64_t>(panel + panel / 2, 37) | 1; };
  const std::int64_t m = lines(t.panel_rows()), n = lines(t.panel_columns());
  const std::int64_t k = t.depth * (t.stages + 2) + 3;
  const bool is_dd = tile::NumberKind{key.precision}.is_double_double();
  std::vector<Shape> shapes = {{m, n, is_dd ? k + 64 : k, 1, 3, true, Accuracy::classic},
                               {m + 2, n + 2, k, 0, 0, false, is_dd ? Accuracy::fast : Accuracy::classic},
                               {3, 5, 2, 0, 13, true, Accuracy::classic}};
  if (is_dd) shapes.push_back({2, 3, direct::superchunk_steps + 70, 0, 1, false, Accuracy::classic});
  return shapes;
}

template <class T>
class DeviceTrial final : public Trial {
 public:
  DeviceTrial(Queue& queue, const tile::TileKey& key, std::int64_t n)
      : queue_(queue), key_(key), n_((n + 15) / 16 * 16), fma_(queue.context().device().fma) {}

  std::string find_error(const tile::Tile& tile) override {
    return tune::find_error<T>(tile, key_, fma_,
                               [&](const tile::Tile& t, const TrialProduct<T>& p) { return run(t, p); });
  }

  std::string find_error_of_timed(const tile::Tile& tile) override {
    fill();
    if constexpr (!is_double_double<T>) {
      Numbers numbers(2);
      if (!exact_) exact_ = operands([&] { return numbers.small_integer<T>(); });
    }
    const Operands& o = is_double_double<T> ? *timed_ : *exact_;
    c_->write(queue_, undefined_.data(), 0, c_->size());
    enqueue(tile, o.p, o.a, o.b, *c_).wait();
    std::vector<T> found(undefined_.size());
    c_->read(queue_, found.data(), 0, c_->size());
    if constexpr (is_double_double<T>) {
      return compare_some(tile, found);
    } else {
      return compare_all(found);
    }
  }

  double seconds(const tile::Tile& tile) override {
    fill();
    return enqueue(tile, timed_->p, timed_->a, timed_->b, *c_).seconds();
  }

  double operations() const override {
    const auto n = static_cast<double>(n_);
    return (is_complex<T> ? 8.0 : 2.0) * n * n * n;
  }

 private:
  struct Operands {
    TrialProduct<T> p;  // C apart
    Buffer<T> a, b;
  };

  Buffer<T> upload(const std::vector<T>& x) {
    Buffer<T> buffer(queue_.context(), static_cast<std::int64_t>(x.size()));
    buffer.write(queue_, x.data(), 0, buffer.size());
    return buffer;
  }

  std::vector<T> run(const tile::Tile& tile, const TrialProduct<T>& p) {
    Buffer<T> a = upload(p.a.data), b = upload(p.b.data), c = upload(p.c.data);
    enqueue(tile, p, a, b, c).wait();
    std::vector<T> out(p.c.data.size());
    c.read(queue_, out.data(), 0, c.size());
    return out;
  }

  Event enqueue(const tile::Tile& tile, const TrialProduct<T>& p, const Buffer<T>& a, const Buffer<T>& b,
                const Buffer<T>& c) {
    auto matrix = [](const TrialMatrix<T>& x, const Buffer<T>& buffer) {
      return DeviceView{
          cl::Buffer(buffer.native(), true), x.offset, x.rows, x.columns, x.row_stride, x.column_stride, x.conjugate};
    };
    const DeviceProduct product{key_.precision, as_dd_complex(p.alpha), matrix(p.a, a),
                                matrix(p.b, b), as_dd_complex(p.beta),  matrix(p.c, c)};
    const DeviceInfo& device = queue_.context().device();
    return opencl::guarded("trying a tile", [&] {
      if constexpr (is_double_double<T>) {
        direct::DevicePlan plan = direct::plan_product(device, product, p.accuracy, fma_, {tile, {}});
        return direct::execute(plan, product, *queue_.state(), {}).event;
      } else {
        native::DevicePlan plan = native::plan_product(device, product, ComplexProduct::four, {tile, {}});
        return native::execute(plan, product, *queue_.state(), {}).event;
      }
    });
  }

  template <class Entry>
  Operands operands(Entry entry) {
    TrialProduct<T> p{place<T>(n_, n_, key_.left_together, 0, 0), place<T>(n_, n_, !key_.right_together, 0, 0),
                      place<T>(n_, n_, true, 0, 0), T(1), T(0)};
    p.c.data = {};
    for (auto* x : {&p.a, &p.b}) {
      for (T& e : x->data) e = entry();
    }
    Buffer<T> a = upload(p.a.data), b = upload(p.b.data);
    return {std::move(p), a, b};
  }

  void fill() {
    if (c_) return;
    Numbers numbers(1);
    timed_ = operands([&] { return numbers.entry<T>(); });
    undefined_.assign(static_cast<std::size_t>(n_ * n_), not_a_number<T>());
    c_.emplace(queue_.context(), n_ * n_);
  }

  // An entry of each panel, or of as many.
  std::string compare_some(const tile::Tile& tile, const std::vector<T>& found) {
    constexpr std::int64_t most = is_complex<T> ? 128 : 512;
    const std::int64_t rows = (n_ + tile.panel_rows() - 1) / tile.panel_rows();
    const std::int64_t panels = rows * ((n_ + tile.panel_columns() - 1) / tile.panel_columns());
    Numbers numbers(static_cast<std::uint64_t>(panels));
    for (const T& x : found) {
      if (as_complex(x) != as_complex(x)) return "wrong: leaves entries of C out, n = " + std::to_string(n_);
    }
    for (std::int64_t q = 0; q < std::min(panels, most); ++q) {
      const std::int64_t panel = panels <= most ? q : numbers.below(panels);
      const std::int64_t i = std::min(panel % rows * tile.panel_rows() + numbers.below(tile.panel_rows()), n_ - 1);
      const std::int64_t j =
          std::min(panel / rows * tile.panel_columns() + numbers.below(tile.panel_columns()), n_ - 1);
      const T value = direct::entry(timed_->p.a.view(), timed_->p.b.view(), i, j, Accuracy::classic, fma_).value;
      const T& x = found[static_cast<std::size_t>(i + j * n_)];
      if (!same(x, value)) return difference(i, j, x, value, "n = " + std::to_string(n_));
    }
    return "";
  }

  // C · x and A · (B · x), x of integers: all sums are exact, and a wrong entry goes unseen once in 65536 times
  // (Freivalds).
  std::string compare_all(const std::vector<T>& found) {
    const MatrixView<const T> a = exact_->p.a.view(), b = exact_->p.b.view();
    const MatrixView<const T> c{found.data(), n_, n_, 1, n_};
    using Number = std::conditional_t<is_complex<T>, std::complex<double>, double>;
    Numbers numbers(3);
    std::vector<double> x(static_cast<std::size_t>(n_));
    for (double& e : x) e = static_cast<double>(numbers.below(65536));
    auto wide = [](const T& e) { return Number(e); };
    // By lines that lie side by side.
    auto times = [&](const MatrixView<const T>& matrix, const auto& vector) {
      std::vector<Number> product(static_cast<std::size_t>(n_));
      auto add = [&](std::int64_t i, std::int64_t j) {
        const Number e = wide(matrix(i, j));
        const Number y = vector[static_cast<std::size_t>(j)];
        if constexpr (is_complex<T>) {
          product[static_cast<std::size_t>(i)] +=
              Number(e.real() * y.real() - e.imag() * y.imag(), e.real() * y.imag() + e.imag() * y.real());
        } else {
          product[static_cast<std::size_t>(i)] += e * y;
        }
      };
      for (std::int64_t p = 0; p < n_; ++p) {
        for (std::int64_t q = 0; q < n_; ++q) {
          if (matrix.row_stride == 1) {
            add(q, p);
          } else {
            add(p, q);
          }
        }
      }
      return product;
    };
    if (expected_.empty()) expected_ = times(a, times(b, x));
    const std::vector<Number> sums = times(c, x);
    for (std::int64_t i = 0; i < n_; ++i) {
      if (sums[static_cast<std::size_t>(i)] == expected_[static_cast<std::size_t>(i)]) continue;
      return "wrong: row " + std::to_string(i) + " of C, n = " + std::to_string(n_);
    }
    return "";
  }

  Queue& queue_;
  tile::TileKey key_;
  std::int64_t n_;
  bool fma_;
  std::optional<Operands> timed_, exact_;  // the latter's entries are small integers
  std::vector<T> undefined_;
  std::optional<Buffer<T>> c_;
  std::vector<std::conditional_t<is_complex<T>, std::complex<double>, double>> expected_;
};

}  // namespace

template <class T>
std::string find_error(const tile::Tile& tile, const tile::TileKey& key, bool fma, const RunTile<T>& run) {
  for (const Shape& shape : shapes_of(tile, key)) {
    const TrialProduct<T> p = product_of<T>(shape, key);
    std::string wrong = compare(p, run(tile, p), fma);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

template std::string find_error(const tile::Tile&, const tile::TileKey&, bool, const RunTile<float>&);
template std::string find_error(const tile::Tile&, const tile::TileKey&, bool, const RunTile<double>&);
template std::string find_error(const tile::Tile&, const tile::TileKey&, bool, const RunTile<std::complex<float>>&);
template std::string find_error(const tile::Tile&, const tile::TileKey&, bool, const RunTile<std::complex<double>>&);
template std::string find_error(const tile::Tile&, const tile::TileKey&, bool, const RunTile<dd_real>&);
template std::string find_error(const tile::Tile&, const tile::TileKey&, bool, const RunTile<dd_complex>&);

std::unique_ptr<Trial> make_trial(Queue& queue, const tile::TileKey& key, std::int64_t n) {
  switch (key.precision) {
    case Precision::s:
      return std::make_unique<DeviceTrial<float>>(queue, key, n);
    case Precision::d:
      return std::make_unique<DeviceTrial<double>>(queue, key, n);
    case Precision::c:
      return std::make_unique<DeviceTrial<std::complex<float>>>(queue, key, n);
    case Precision::z:
      return std::make_unique<DeviceTrial<std::complex<double>>>(queue, key, n);
    case Precision::dd:
      return std::make_unique<DeviceTrial<dd_real>>(queue, key, n);
    case Precision::zdd:
      break;
  }
  return std::make_unique<DeviceTrial<dd_complex>>(queue, key, n);
}

}  // namespace hilo::tune
