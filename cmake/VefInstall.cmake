# Install rules, vefkit.pc for pkg-config, and the package that find_package(vefkit) finds: vefkit::base, vefkit::formats, vefkit::tracelib,
# vefkit::replayer, vefkit::analyzer.
include(CMakePackageConfigHelpers)

install(TARGETS vef_base vef_mpi_call vef_formats vef_tracelib vef_replayer vef_analyzer EXPORT vefkit
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(room base formats tracelib replayer analyzer)
  install(DIRECTORY ${room}/include/vef DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()
install(EXPORT vefkit NAMESPACE vefkit:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vefkit)
configure_package_config_file(cmake/vefkitConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/vefkitConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vefkit)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/vefkitConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vefkitConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/vefkitConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vefkit)
# The prefix is known when it is installed.
install(CODE "set(PROJECT_VERSION \"${PROJECT_VERSION}\")
  set(CMAKE_INSTALL_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")
  set(CMAKE_INSTALL_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
  configure_file(\"${PROJECT_SOURCE_DIR}/cmake/vefkit.pc.in\" \"${CMAKE_CURRENT_BINARY_DIR}/vefkit.pc\" @ONLY)")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vefkit.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY networks DESTINATION ${CMAKE_INSTALL_DATADIR}/vefkit)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
