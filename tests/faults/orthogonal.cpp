#include "orthogonal.hpp"

#include <hilo/lapack.hpp>

#include "product.hpp"

namespace hilo::test::faults {
namespace {

// Q, and a least squares problem, whose bits are the host's.
class Orthogonal : public Scenario {
 public:
  explicit Orthogonal(const std::optional<Context>& context) : queue_(context ? *context : Context()) {
    options_.engine = Engine::direct;
    options_.fma = queue_.context().device().fma ? Fma::on : Fma::off;
    options_.block = 4;
    for (std::int64_t i = 0; i < m * n; ++i) {
      a_.push_back(dd_real(i % (m + 1) == 0 ? 20.0 : 1.0) / static_cast<double>(i + 3));
    }
    for (std::int64_t i = 0; i < m; ++i) b_.push_back(dd_real(1) / static_cast<double>(i + 2));
    const auto view_of = [](std::vector<dd_real>& x) {
      return view(Layout::column, Op::none, x.data(), m, std::ssize(x) / m, m);
    };
    q_ = a_;
    x_ = b_;
    std::vector<dd_real> tau(n), factors = a_;
    geqrf(view_of(q_), std::span(tau), options_);
    ungqr<dd_real>(view_of(q_), tau, options_);
    gels(Op::none, view_of(factors), view_of(x_), options_);
  }

  void run(Findings& f) override {
    const auto upload = [&](const std::vector<dd_real>& x) {
      Buffer<dd_real> buffer(queue_.context(), std::ssize(x));
      buffer.write(queue_, x.data(), 0, buffer.size());
      return view(Layout::column, Op::none, buffer, m, std::ssize(x) / m, m);
    };
    const auto expect = [&](const BufferView<dd_real>& x, const std::vector<dd_real>& expected) {
      std::vector<dd_real> got(expected.size());
      x.buffer.read(queue_, got.data(), 0, x.buffer.size());
      if (!same_bytes(got, expected)) f.wrong += "another matrix; ";
    };
    const auto q = upload(a_), factors = upload(a_), x = upload(b_);
    std::vector<dd_real> tau(n);
    geqrf(queue_, q, std::span(tau), {}, options_);
    ungqr<dd_real>(queue_, q, tau, {}, options_);
    expect(q, q_);
    if (gels(queue_, Op::none, factors, x, {}, options_) != 0) f.wrong += "info; ";
    expect(x, x_);
    f.ran = "QR";
  }

 private:
  static constexpr std::int64_t m = 9, n = 6;
  Queue queue_;
  BlockedOptions options_;
  std::vector<dd_real> a_, b_, q_, x_;
};

}  // namespace

std::unique_ptr<Scenario> orthogonal(const std::optional<Context>& context) {
  return std::make_unique<Orthogonal>(context);
}

}  // namespace hilo::test::faults
