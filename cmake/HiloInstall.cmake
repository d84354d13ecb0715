# `cmake --install`: headers, libraries, the program, and a package that find_package(hilo) finds.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/hilo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(hilo_installed hilo)
if(TARGET hilo_accuracy)
  list(APPEND hilo_installed hilo_accuracy)
endif()
# Shared libraries find each other, and the program them, wherever the installed tree is.
set_target_properties(${hilo_installed} PROPERTIES INSTALL_RPATH "$ORIGIN" VERSION ${PROJECT_VERSION}
                                                   SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
install(TARGETS ${hilo_installed} EXPORT hiloTargets)
if(TARGET hilo_program)
  file(RELATIVE_PATH from_program_to_library ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(hilo_program PROPERTIES INSTALL_RPATH "$ORIGIN/${from_program_to_library}")
  install(TARGETS hilo_program)
endif()
install(EXPORT hiloTargets NAMESPACE hilo:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hilo)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/hiloConfig.cmake.in ${PROJECT_BINARY_DIR}/hiloConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hilo)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hiloConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hiloConfig.cmake ${PROJECT_BINARY_DIR}/hiloConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindCBLAS.cmake ${PROJECT_SOURCE_DIR}/cmake/FindDNNL.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindMPFR.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hilo)
