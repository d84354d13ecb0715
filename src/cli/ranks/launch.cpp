#include "cli/ranks/launch.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

namespace hilo::cli {
namespace {

// The number that the first of these variables has which is there.
int number_in(std::initializer_list<const char*> variables, int otherwise) {
  for (const char* variable : variables) {
    if (const char* text = std::getenv(variable)) return std::atoi(text);
  }
  return otherwise;
}

}  // namespace

Launch launch() {
  return {number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}, 0),
          number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1),
          std::max(number_in({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}, 1), 1)};
}

}  // namespace hilo::cli
