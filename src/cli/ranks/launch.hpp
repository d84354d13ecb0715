// Whether the program was started as one of several processes of an MPI job, before MPI itself is.
#pragma once

namespace hilo::cli {

/// What the environment tells that mpirun (Open MPI), mpiexec (MPICH) or srun with PMI make. One process, number 0,
/// where it tells nothing.
struct Launch {
  int rank = 0, ranks = 1;
  int ranks_of_machine = 1;  ///< that run on this machine
};
Launch launch();

}  // namespace hilo::cli
