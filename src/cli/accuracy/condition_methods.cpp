#include "cli/accuracy/condition_methods.hpp"

namespace hilo::cli {

std::vector<const ConditionMethod*> methods_of(const AccuracyRequest& request, bool of_solutions) {
  std::vector<const ConditionMethod*> methods;
  for (const ConditionMethod& method : condition_methods) {
    const bool is_compared = !method.in_double || is_double_double(request.precision);
    if (request.has(method.asked) && is_compared && (method.asked == Routine::solve) == of_solutions) {
      methods.push_back(&method);
    }
  }
  return methods;
}

std::size_t condition_rows(const AccuracyRequest& request) {
  const auto blocks = static_cast<std::size_t>(!methods_of(request, false).empty()) +
                      static_cast<std::size_t>(!methods_of(request, true).empty());
  return blocks * request.conditions.size();
}

}  // namespace hilo::cli
