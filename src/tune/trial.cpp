#include "tune/trial.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "gemm/direct/opencl/product.hpp"
#include "gemm/direct/reference.hpp"
#include "gemm/native/opencl/product.hpp"
#include "tune/trial_numbers.hpp"
#include "tune/trial_product.hpp"

namespace hilo::tune {
namespace {

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
    Buffer<T> a = upload(p.a), b = upload(p.b), c = upload(p.c);
    enqueue(tile, p, a, b, c).wait();
    std::vector<T> out(p.c.size());
    c.read(queue_, out.data(), 0, c.size());
    return out;
  }

  Event enqueue(const tile::Tile& tile, const TrialProduct<T>& p, const Buffer<T>& a, const Buffer<T>& b,
                const Buffer<T>& c) {
    auto matrix = [](const auto& x, const std::vector<T>& memory, const Buffer<T>& buffer) {
      return DeviceView{cl::Buffer(buffer.native(), true),
                        x.data - memory.data(),
                        x.rows,
                        x.columns,
                        x.row_stride,
                        x.column_stride,
                        x.conjugate};
    };
    return opencl::guarded("trying a tile", [&] {
      const Product<T>& q = p.product;
      const DeviceProduct product{key_.precision,      as_dd_complex(q.alpha), matrix(q.a, p.a, a),
                                  matrix(q.b, p.b, b), as_dd_complex(q.beta),  matrix(q.c, p.c, c)};
      const DeviceInfo& device = queue_.context().device();
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
    TrialProduct<T> p;
    p.product = {T(1), place(p.a, n_, n_, key_.left_together, 0, 0), place(p.b, n_, n_, !key_.right_together, 0, 0),
                 T(0), MatrixView<T>{nullptr, n_, n_, 1, n_}};
    for (std::vector<T>* x : {&p.a, &p.b}) {
      for (T& e : *x) e = entry();
    }
    Buffer<T> a = upload(p.a), b = upload(p.b);
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
      const Product<T>& p = timed_->p.product;
      const T value = direct::entry(p.a, p.b, i, j, Accuracy::classic, fma_).value;
      const T& x = found[static_cast<std::size_t>(i + j * n_)];
      if (!same(x, value)) return difference(i, j, x, value, "n = " + std::to_string(n_));
    }
    return "";
  }

  // C · x and A · (B · x), x of integers: all sums are exact, and a wrong entry goes unseen once in 65536 times
  // (Freivalds).
  std::string compare_all(const std::vector<T>& found) {
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
    if (expected_.empty()) expected_ = times(exact_->p.product.a, times(exact_->p.product.b, x));
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
