// Products in panels for calls to fail in: from pinned memory, on two devices, and both.
#pragma once

#include <hilo/device_group.hpp>

#include "product.hpp"
#include "scenarios.hpp"

namespace hilo::test::faults {

/// By moduli, with so little device memory that C comes in several panels.
inline constexpr GemmOptions in_panels = {.engine = Engine::modular, .device_bytes = 1300000};

// A product's matrices in pinned memory. call(a, b, c) multiplies them, and says what ran.
template <class Call>
void multiply_pinned(const Context& context, const SmallProduct<dd_real>& p, Findings& f, Call call) {
  HostBuffer<dd_real> a(context, std::ssize(p.a)), b(context, std::ssize(p.b)), c(context, std::ssize(p.c));
  std::copy(p.a.begin(), p.a.end(), a.begin());
  std::copy(p.b.begin(), p.b.end(), b.begin());
  std::copy(p.c.begin(), p.c.end(), c.begin());
  auto check = [&](const std::string& message) { p.check(std::vector<dd_real>(c.begin(), c.end()), message, f); };
  try {
    f.ran = call(a.data(), b.data(), c.data());
  } catch (const std::exception& failure) {
    check(failure.what());
    throw;
  }
  check("");
}

class PinnedPanels : public Scenario {
 public:
  explicit PinnedPanels(const std::optional<Context>& context) : queue_(context ? *context : Context()) {}

  void run(Findings& f) override {
    const SmallProduct<dd_real>& p = product_;
    multiply_pinned(queue_.context(), p, f, [&](const dd_real* a, const dd_real* b, dd_real* c) {
      return text_of(gemm<dd_real>(queue_, Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, a, p.m, b, p.k,
                                   p.beta, c + p.edge, p.ldc(), p.options));
    });
  }

 private:
  SmallProduct<dd_real> product_{140, 135, 70, in_panels};
  Queue queue_;
};

class TwoDevices : public Scenario {
 public:
  explicit TwoDevices(const std::optional<Context>& context)
      : devices_(std::vector<Context>(2, context ? *context : Context())) {}

  void run(Findings& f) override {
    const SmallProduct<dd_real>& p = product_;
    std::vector<dd_real> c = p.c;
    try {
      f.ran = text_of(gemm<dd_real>(devices_, p.alpha, view(Layout::column, Op::none, p.a.data(), p.m, p.k, p.m),
                                    view(Layout::column, Op::none, p.b.data(), p.k, p.n, p.k), p.beta,
                                    view(Layout::column, Op::none, c.data() + p.edge, p.m, p.n, p.ldc()), p.options));
    } catch (const std::exception& failure) {
      p.check(c, failure.what(), f);
      throw;
    }
    p.check(c, "", f);
  }

 private:
  SmallProduct<dd_real> product_{190, 180, 70, {.engine = Engine::modular}};
  DeviceGroup devices_;
};

// Which pass on panels that both need.
class SharedPanels : public Scenario {
 public:
  explicit SharedPanels(const std::optional<Context>& context)
      : devices_(std::vector<Context>(2, context ? *context : Context())) {
    devices_.queue(0).context().state()->staging.set_sizes({.shared_bytes = 1, .passed_bytes = 20000});
  }

  void run(Findings& f) override {
    const SmallProduct<dd_real>& p = product_;
    multiply_pinned(devices_.queue(0).context(), p, f, [&](const dd_real* a, const dd_real* b, dd_real* c) {
      return text_of(gemm<dd_real>(devices_, p.alpha, view(Layout::column, Op::none, a, p.m, p.k, p.m),
                                   view(Layout::column, Op::none, b, p.k, p.n, p.k), p.beta,
                                   view(Layout::column, Op::none, c + p.edge, p.m, p.n, p.ldc()), p.options));
    });
  }

 private:
  SmallProduct<dd_real> product_{190, 180, 70, {.engine = Engine::modular}};
  DeviceGroup devices_;
};

}  // namespace hilo::test::faults
