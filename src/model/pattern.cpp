// Chien's bound: the peak of a pattern of instructions, from the cycles that each takes.
#include <hilo/model.hpp>

namespace hilo::model {

double pattern_peak(double peak, double multiply_add_cycles, std::span<const PatternStep> pattern, Issue issue) {
  double cycles = 0.0, multiply_adds = 0.0;
  for (const PatternStep& step : pattern) {
    cycles += step.count * (issue == Issue::dual ? step.paired_cycles : step.cycles);
    if (step.multiplies_adds) multiply_adds += step.count;
  }
  return peak * multiply_adds * multiply_add_cycles / cycles;
}

}  // namespace hilo::model
