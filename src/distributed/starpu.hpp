// StarPU's and MPI's headers, of MPI without its C++ classes.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <starpu.h>
#include <starpu_mpi.h>

// Whether tasks can run on devices: hilo and StarPU both have OpenCL.
#if HILO_HAS_OPENCL && defined(STARPU_USE_OPENCL)
#define HILO_STARPU_OPENCL 1
#else
#define HILO_STARPU_OPENCL 0
#endif
