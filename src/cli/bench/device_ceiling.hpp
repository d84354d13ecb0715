// What products of `hilo bench` can at best come to on a device, by what is measured in the same run.
#pragma once

#include <optional>
#include <vector>

#include "cli/bench/ceiling.hpp"

namespace hilo::cli {

/// Of direct products the rate of multiply-adds in registers of double or single precision, of NVIDIA's matrix units
/// where that is more, divided by what a step of DD or ZDD takes of them; of modular ones that of products of bytes, of
/// which they take one or, in Z and ZDD, two or three for each of their moduli. Each device and rate is measured once,
/// in some 0.2 s.
class DeviceCeilings {
 public:
  /// Nothing where the plan says no number of moduli. Throws hilo::error as a kernel does.
  std::optional<Ceiling> of(Queue& queue, const BenchCase& what, const GemmPlan& plan);

 private:
  enum class Unit { in_single, in_double, matrix, bytes };

  // Measures how many a second, or products of bytes with their additions.
  static double multiply_adds(Queue& queue, Unit unit);

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
