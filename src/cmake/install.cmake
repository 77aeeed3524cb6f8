# What is installed and where; included at the end of the top CMakeLists.txt. Library, header, program, man page, the shipped packs (for
# reading: the program has them built in), and what find_package() and pkg-config need.

option(LIGHTLINT_INSTALL "make the install target" ${PROJECT_IS_TOP_LEVEL})
if(NOT LIGHTLINT_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

set(LIGHTLINT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/lightlint)
set(LIGHTLINT_CMAKE_SOURCES ${PROJECT_SOURCE_DIR}/src/cmake)

install(TARGETS lightlint EXPORT lightlint-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lightlint)
if(LIGHTLINT_BUILD_CLI)
  install(TARGETS lightlint_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/docs/lightlint.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES ${LIGHTLINT_PACK_PATHS} DESTINATION ${CMAKE_INSTALL_DATADIR}/lightlint/rules)

# find_package(lightlint)
install(EXPORT lightlint-targets NAMESPACE lightlint:: DESTINATION ${LIGHTLINT_CMAKE_DIR})
get_target_property(LIGHTLINT_TYPE lightlint TYPE)
configure_package_config_file(${LIGHTLINT_CMAKE_SOURCES}/lightlint-config.cmake.in ${PROJECT_BINARY_DIR}/lightlint-config.cmake
  INSTALL_DESTINATION ${LIGHTLINT_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lightlint-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lightlint-config.cmake ${PROJECT_BINARY_DIR}/lightlint-config-version.cmake
  DESTINATION ${LIGHTLINT_CMAKE_DIR})

# pkg-config; a static library needs its own libraries also where nobody says --static. Written while installing, as only then is it known
# where: cmake --install may be given another prefix.
set(LIGHTLINT_PC_REQUIRES "Requires.private")
set(LIGHTLINT_PC_MORE_LIBS "")
list(TRANSFORM LIGHTLINT_NEEDS_MODULES REPLACE "^.*=" "" OUTPUT_VARIABLE LIGHTLINT_PC_MODULES)
list(JOIN LIGHTLINT_PC_MODULES ", " LIGHTLINT_PC_MODULES)
if(LIGHTLINT_TYPE STREQUAL "STATIC_LIBRARY")
  set(LIGHTLINT_PC_REQUIRES "Requires")
  set(LIGHTLINT_PC_MORE_LIBS " -lm")
endif()
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY "\${prefix}" OUTPUT_VARIABLE LIGHTLINT_PC_LIBDIR)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY "\${prefix}" OUTPUT_VARIABLE LIGHTLINT_PC_INCLUDEDIR)
set(LIGHTLINT_PC_PREFIX "@CMAKE_INSTALL_PREFIX@")
configure_file(${LIGHTLINT_CMAKE_SOURCES}/lightlint.pc.in ${PROJECT_BINARY_DIR}/lightlint.pc.in @ONLY)
install(CODE "configure_file(\"${PROJECT_BINARY_DIR}/lightlint.pc.in\" \"${PROJECT_BINARY_DIR}/lightlint.pc\" @ONLY)")
install(FILES ${PROJECT_BINARY_DIR}/lightlint.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
