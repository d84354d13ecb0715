// Products of prepared matrices for calls to fail in: what is kept outlives a call that failed.
#pragma once

#include <hilo/prepared.hpp>
#include <optional>

#include "product.hpp"
#include "scenarios.hpp"

namespace hilo::test::faults {

class PreparedProducts : public Scenario {
 public:
  explicit PreparedProducts(const std::optional<Context>& context) : queue_(context ? *context : Context()) {}

  void run(Findings& f) override {
    const SmallProduct<dd_real>& p = product_;
    if (!b_) {
      const BufferView<dd_real> a = uploaded(p.a, p.m, p.k), b = uploaded(p.b, p.k, p.n);
      a_ = prepare(queue_, a);
      b_ = prepare(queue_, b);
    }
    // Of one, with what it has left; then of both, and with what is found anew.
    multiply(a_, b_->view(), f);
    multiply(a_, *b_, f);
    a_.reset();
    multiply(a_, *b_, f);
  }

 private:
  BufferView<dd_real> uploaded(const std::vector<dd_real>& x, std::int64_t rows, std::int64_t columns) {
    Buffer<dd_real> buffer(queue_.context(), std::ssize(x));
    buffer.write(queue_, x.data(), 0, buffer.size());
    return view(Layout::column, Op::none, buffer, rows, columns, rows);
  }

  template <class B>
  void multiply(const PreparedMatrix<dd_real>& a, const B& b, Findings& f) {
    const SmallProduct<dd_real>& p = product_;
    Buffer<dd_real> c(queue_.context(), std::ssize(p.c));
    c.write(queue_, p.c.data(), 0, c.size());
    const GemmEvent done = gemm(queue_, p.alpha, a, b, p.beta,
                                view(Layout::column, Op::none, c, p.m, p.n, p.ldc(), p.edge), {}, p.options);
    done.wait();
    std::vector<dd_real> got(p.c.size());
    c.read(queue_, got.data(), 0, c.size());
    p.check(got, "", f);
    f.ran = text_of(done.report);
  }

  SmallProduct<dd_real> product_{40, 35, 70, {.engine = Engine::modular}};
  Queue queue_;
  PreparedMatrix<dd_real> a_;
  std::optional<PreparedMatrix<dd_real>> b_;
};

}  // namespace hilo::test::faults
