# The program, the public headers, the static library, pkg-config and CMake packages, the manual.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(TARGET partita)
  install(TARGETS partita RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET partita_manual)
  install(FILES ${CMAKE_BINARY_DIR}/partita.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(
    FILES ${CMAKE_BINARY_DIR}/partita.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME partita)
endif()
install(DIRECTORY sim/include/partita DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

get_target_property(core_type pt_sim_core TYPE)
if(core_type STREQUAL "STATIC_LIBRARY")
  # The engine behind the public headers, under the name that users link.
  set_target_properties(pt_sim_core PROPERTIES OUTPUT_NAME partita EXPORT_NAME partita)
  install(
    TARGETS pt_sim_core
    EXPORT partita
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Partita)
  install(
    EXPORT partita
    NAMESPACE Partita::
    FILE PartitaTargets.cmake
    DESTINATION ${package_dir})
  configure_package_config_file(.cmake/PartitaConfig.cmake.in PartitaConfig.cmake
                                INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(PartitaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/PartitaConfig.cmake
                ${CMAKE_BINARY_DIR}/PartitaConfigVersion.cmake DESTINATION ${package_dir})
  file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  configure_file(.cmake/partita.pc.in partita.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/partita.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
