#include "cli/ranks/messages.hpp"

#include <algorithm>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace hilo::cli {

// Open MPI and MPICH end the job where one of these fails. StarPU's own messages on this communicator are none of all
// ranks together.

void from_first_rank(std::span<std::int64_t> numbers) {
  MPI_Bcast(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, 0, MPI_COMM_WORLD);
}

std::string from_first_rank(std::string text) {
  auto size = static_cast<std::int64_t>(text.size());
  from_first_rank({&size, 1});
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

std::int64_t sum_of_ranks(std::int64_t x) {
  std::int64_t sum = 0;
  MPI_Allreduce(&x, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

double largest_of_ranks(double x) {
  double largest = 0.0;
  MPI_Allreduce(&x, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return largest;
}

void add_on_first_rank(std::span<double> x) {
  constexpr std::size_t most = 1 << 20;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (std::size_t at = 0; at < x.size(); at += most) {
    const auto count = static_cast<int>(std::min(most, x.size() - at));
    double* part = x.data() + at;
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : part, part, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
}

}  // namespace hilo::cli
