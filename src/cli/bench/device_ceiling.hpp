// What direct products of `hilo bench` can at best come to on a device, by what is measured in the same run.
#pragma once

#include <optional>
#include <vector>

#include "cli/bench/ceiling.hpp"

namespace hilo::cli {

/// The rate of multiply-adds in registers of double or single precision, of NVIDIA's matrix units where that is more,
/// divided by what a step of DD or ZDD takes of them. Each device and word is measured once, in some 0.2 s.
class DeviceCeilings {
 public:
  /// Nothing of modular products, which have no probe. Throws hilo::error as a kernel does.
  std::optional<Ceiling> of(Queue& queue, const BenchCase& what, const GemmPlan& plan);

 private:
  enum class Unit { in_single, in_double, matrix };

  // Flops a second, two a multiply-add.
  double rate(Queue& queue, const Place& place, Unit unit);

  struct Known {
    Place place;
    Unit unit;
    double rate;
  };
  std::vector<Known> known_;
};

}  // namespace hilo::cli
