# `cmake --install`: headers, libraries, the program, a package that find_package(hilo) finds, and files for pkg-config.
include(CMakePackageConfigHelpers)
set(hilo_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/hilo)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/hilo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS hilo_number EXPORT hiloNumberTargets)
install(EXPORT hiloNumberTargets NAMESPACE hilo:: DESTINATION ${hilo_package_folder})

# hilo_install_library(TARGET EXPORT)
function(hilo_install_library name export)
  # Shared libraries find each other wherever the installed tree is.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN" VERSION ${PROJECT_VERSION}
                                           SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  install(TARGETS ${name} EXPORT ${export})
  install(EXPORT ${export} NAMESPACE hilo:: DESTINATION ${hilo_package_folder})
endfunction()

# hilo_install_pc(NAME LIBRARY…): NAME.pc from cmake/NAME.pc.in, with the flags that link the libraries, given as files
# or as flags, in private_libraries.
function(hilo_install_pc name)
  set(private_libraries "")
  foreach(library IN LISTS ARGN)
    if(IS_ABSOLUTE "${library}")
      cmake_path(GET library PARENT_PATH folder)
      if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
        string(APPEND private_libraries " -L${folder}")
      endif()
      cmake_path(GET library STEM library)
      string(REGEX REPLACE "^lib" "-l" library "${library}")
    endif()
    string(APPEND private_libraries " ${library}")
  endforeach()
  file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
  file(RELATIVE_PATH to_headers ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

set(HILO_IS_STATIC OFF)
if(TARGET hilo)
  get_target_property(hilo_type hilo TYPE)
  if(hilo_type STREQUAL "STATIC_LIBRARY")
    set(HILO_IS_STATIC ON)
  endif()
  hilo_install_library(hilo hiloTargets)
  set(hilo_links ${OpenMP_CXX_FLAGS} -lhwy)
  if(HILO_OPENCL AND CMAKE_DL_LIBS)
    list(APPEND hilo_links -l${CMAKE_DL_LIBS})
  endif()
  foreach(backend IN ITEMS OPENCL:OpenCL CBLAS:CBLAS ONEDNN:DNNL)
    string(REGEX MATCH "(.*):(.*)" matched ${backend})
    if(HILO_${CMAKE_MATCH_1})
      list(APPEND hilo_links ${${CMAKE_MATCH_2}_LIBRARY})
    endif()
  endforeach()
  hilo_install_pc(hilo ${hilo_links})
endif()
if(TARGET hilo_accuracy)
  hilo_install_library(hilo_accuracy hiloAccuracyTargets)
  hilo_install_pc(hilo-accuracy ${MPFR_LIBRARY} ${GMP_LIBRARY} ${OpenMP_CXX_FLAGS})
endif()
if(TARGET hilo_distributed)
  hilo_install_library(hilo_distributed hiloDistributedTargets)
  # By name: StarPU's own file asks for what a static StarPU would need.
  set(starpu_links "")
  foreach(library IN ITEMS ${StarPU_MPI_LIBRARY} ${StarPU_LIBRARY})
    cmake_path(GET library STEM LAST_ONLY library)
    string(REGEX REPLACE "^lib" "-l" library "${library}")
    list(APPEND starpu_links ${library})
  endforeach()
  get_target_property(mpi_libraries MPI::MPI_CXX INTERFACE_LINK_LIBRARIES)
  hilo_install_pc(hilo-distributed ${starpu_links} ${mpi_libraries} ${OpenMP_CXX_FLAGS})
endif()
if(TARGET hilo_mplapack)
  hilo_install_library(hilo_mplapack hiloMplapackTargets)
endif()
if(TARGET hilo_program)
  file(RELATIVE_PATH from_program_to_library ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(hilo_program PROPERTIES INSTALL_RPATH "$ORIGIN/${from_program_to_library}")
  install(TARGETS hilo_program)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/hilo)
  # Where what is built runs, it also says how its command lines are completed, and what its manual is.
  if(NOT CMAKE_CROSSCOMPILING)
    set(texts ${PROJECT_BINARY_DIR}/texts)
    file(MAKE_DIRECTORY ${texts})
    add_custom_command(OUTPUT ${texts}/hilo.1 ${texts}/hilo ${texts}/_hilo ${texts}/hilo.fish
                       COMMAND hilo_program man > ${texts}/hilo.1
                       COMMAND hilo_program completion bash > ${texts}/hilo
                       COMMAND hilo_program completion zsh > ${texts}/_hilo
                       COMMAND hilo_program completion fish > ${texts}/hilo.fish
                       DEPENDS hilo_program VERBATIM)
    add_custom_target(hilo_texts ALL DEPENDS ${texts}/hilo.1)
    install(FILES ${texts}/hilo.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${texts}/hilo DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${texts}/_hilo DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${texts}/hilo.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/hiloConfig.cmake.in ${PROJECT_BINARY_DIR}/hiloConfig.cmake
                              INSTALL_DESTINATION ${hilo_package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hiloConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hiloConfig.cmake ${PROJECT_BINARY_DIR}/hiloConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindCBLAS.cmake ${PROJECT_SOURCE_DIR}/cmake/FindDNNL.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindMPFR.cmake ${PROJECT_SOURCE_DIR}/cmake/FindStarPU.cmake
        DESTINATION ${hilo_package_folder})
