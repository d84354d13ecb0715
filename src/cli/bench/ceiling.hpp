// What a routine of `hilo bench` can at best come to, by what is measured in the same run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/routine.hpp"
#include "model/cpu_cost.hpp"

namespace hilo::cli {

struct Ceiling {
  double gflops;
  std::string of;  ///< what it is the rate of
};

/// Of products on the CPU, by one core's rates times the threads that run at once.
class CpuCeilings {
 public:
  /// Measures what the cases ask for, in about a second; nothing where none is a product on the CPU. Throws as
  /// tune::measure_rates does.
  explicit CpuCeilings(const std::vector<BenchCase>& cases);

  /// Of a DD or ZDD product by the direct engine its steps, on operands in the nearest caches; of one by the modular
  /// engine its products of bytes, without all that is done besides; of another one multiply-adds in registers, by the
  /// best instruction set. Nothing where the plan says no number of moduli.
  std::optional<Ceiling> of(const BenchCase& what, const GemmPlan& plan) const;

 private:
  std::map<Fma, model::CpuRates> rates_;
  double multiply_adds_s_ = 0.0, multiply_adds_d_ = 0.0;  // of one core, in GFlop/s
};

/// Of a routine on top of products: the product of matrices of its sizes, by the same engine and threads.
BenchCase product_of(const BenchCase& what);

}  // namespace hilo::cli
