// Whether the program was started as one of several processes of an MPI job, before MPI itself is.
#pragma once

namespace hilo::cli {

struct Launch {
  int rank = 0, ranks = 1;
  int ranks_of_machine = 1;  ///< that run on this machine

  /// Whether it is the one that prints. A number alone may be left of a job whose other variables are gone.
  bool is_first() const { return rank == 0 || ranks <= 1; }
};

/// What the environment tells that mpirun (Open MPI), mpiexec (MPICH) or srun with PMI make. One process, number 0,
/// where it tells nothing.
Launch launch();

/// From now on launch() has these numbers, which MPI tells: some launchers' environment does not.
void set_ranks(int rank, int ranks);

}  // namespace hilo::cli
