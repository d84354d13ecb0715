// StarPU's and MPI's headers, of MPI without its C++ classes.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <starpu.h>
#include <starpu_mpi.h>
