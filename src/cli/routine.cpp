#include "cli/routine.hpp"

#include <array>

#include "cli/option.hpp"

namespace hilo::cli {
namespace {

constexpr std::array<std::string_view, 8> names = {"gemm",  "batch", "syrk",  "trsm",
                                                   "getrf", "potrf", "geqrf", "solve"};  // by Routine

}  // namespace

std::string_view name(Routine routine) { return names[static_cast<std::size_t>(routine)]; }

std::vector<std::string> names_of(const std::vector<Routine>& routines) {
  std::vector<std::string> all;
  for (const Routine routine : routines) all.emplace_back(name(routine));
  return all;
}

Routine read_routine(const std::string& text, const std::vector<Routine>& taken) {
  std::string list;
  for (const Routine routine : taken) {
    if (lower_case(text) == name(routine)) return routine;
    list += (list.empty() ? "" : ", ") + std::string(name(routine));
  }
  reject("--routine '" + shown(text) + "' is none of " + list);
}

}  // namespace hilo::cli
