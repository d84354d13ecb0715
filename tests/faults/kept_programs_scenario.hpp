// Compiled kernels that go from one context to another, for calls to fail in.
#pragma once

#include <hilo/programs.hpp>

#include "product.hpp"
#include "scenarios.hpp"

namespace hilo::test::faults {

// A context that keeps its kernels, and another that compiles none.
class KeptPrograms : public Scenario {
 public:
  void run(Findings& f) override {
    const Context compiles;
    keep_programs(compiles);
    multiply_on(compiles, f);
    const std::string programs = kept_programs(compiles, "a product");
    const Context loads;
    use_programs(loads, programs, "programs");
    multiply_on(loads, f);
    if (program_tally(loads).built || !program_tally(loads).loaded) f.wrong += "compiled again; ";
  }

 private:
  void multiply_on(const Context& context, Findings& f) const {
    Queue queue(context);
    multiply_from_host(queue, product_, f);
  }

  SmallProduct<dd_real> product_{9, 7, 11, {.engine = Engine::direct}};
};

}  // namespace hilo::test::faults
