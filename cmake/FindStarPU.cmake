# StarPU::MPI: StarPU with its MPI layer, 1.4 by preference, else 1.3; takes MPI::MPI_CXX along.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_search_module(StarPU_PC QUIET starpumpi-1.4 starpumpi-1.3)
endif()
find_path(StarPU_INCLUDE_DIR starpu_mpi.h HINTS ${StarPU_PC_INCLUDE_DIRS} PATH_SUFFIXES starpu/1.4 starpu/1.3)
find_library(StarPU_MPI_LIBRARY NAMES starpumpi-1.4 starpumpi-1.3 HINTS ${StarPU_PC_LIBRARY_DIRS})
find_library(StarPU_LIBRARY NAMES starpu-1.4 starpu-1.3 HINTS ${StarPU_PC_LIBRARY_DIRS})
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(StarPU REQUIRED_VARS StarPU_MPI_LIBRARY StarPU_LIBRARY StarPU_INCLUDE_DIR
                                  VERSION_VAR StarPU_PC_VERSION)
if(StarPU_FOUND AND NOT TARGET StarPU::MPI)
  add_library(StarPU::MPI UNKNOWN IMPORTED)
  set_target_properties(StarPU::MPI PROPERTIES IMPORTED_LOCATION ${StarPU_MPI_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${StarPU_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${StarPU_LIBRARY})
endif()
mark_as_advanced(StarPU_INCLUDE_DIR StarPU_MPI_LIBRARY StarPU_LIBRARY)
