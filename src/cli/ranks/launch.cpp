#include "cli/ranks/launch.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <tuple>
#include <utility>

namespace hilo::cli {
namespace {

// The number that the first of these variables has which is there.
int number_in(std::initializer_list<const char*> variables, int otherwise) {
  for (const char* variable : variables) {
    if (const char* text = std::getenv(variable)) return std::atoi(text);
  }
  return otherwise;
}

std::optional<std::pair<int, int>> told_by_mpi;

}  // namespace

Launch launch() {
  Launch found{number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}, 0),
               number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1),
               std::max(number_in({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}, 1), 1)};
  if (told_by_mpi) std::tie(found.rank, found.ranks) = *told_by_mpi;
  return found;
}

void set_ranks(int rank, int ranks) { told_by_mpi = {rank, ranks}; }

}  // namespace hilo::cli
