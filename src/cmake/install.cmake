# Installation; included at the end of the top CMakeLists.txt. Two components: `program`, for packages (program, pages,
# completions, docs, and the shipped packs, only for reading, because the program has them built in), and `development`,
# the library with its header and files for find_package() and pkg-config.

option(LIGHTLINT_INSTALL "make the install target" ${PROJECT_IS_TOP_LEVEL})
if(NOT LIGHTLINT_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

set(LIGHTLINT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/lightlint)
set(LIGHTLINT_CMAKE_SOURCES ${PROJECT_SOURCE_DIR}/src/cmake)
set(LIGHTLINT_DATA_DIR ${CMAKE_INSTALL_DATADIR}/lightlint)

install(TARGETS lightlint EXPORT lightlint-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program NAMELINK_COMPONENT development
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program
  PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lightlint COMPONENT development)

# ---------------------------------------------------------------- component program

if(LIGHTLINT_BUILD_CLI)
  # The program finds a shared library that was installed with it, whatever the prefix, even if it is moved.
  get_target_property(library_type lightlint TYPE)
  if(library_type STREQUAL "SHARED_LIBRARY" AND UNIX AND NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    file(RELATIVE_PATH beside /x/${CMAKE_INSTALL_BINDIR} /x/${CMAKE_INSTALL_LIBDIR})
    set_property(TARGET lightlint_cli APPEND PROPERTY INSTALL_RPATH $<IF:$<PLATFORM_ID:Darwin>,@loader_path,$ORIGIN>/${beside})
  endif()
  install(TARGETS lightlint_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.[15] ${PROJECT_SOURCE_DIR}/docs/man/*.[15])
  foreach(page IN LISTS pages)
    string(REGEX MATCH "[15]$" section ${page})
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT program)
  endforeach()
endif()

# The program prints its own completions; if it cannot run here, there are none.
if(LIGHTLINT_BUILD_CLI AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
  set(made ${PROJECT_BINARY_DIR}/completions)
  file(MAKE_DIRECTORY ${made})
  add_custom_command(OUTPUT ${made}/lightlint ${made}/_lightlint ${made}/lightlint.fish
    COMMAND lightlint_cli completions bash > ${made}/lightlint
    COMMAND lightlint_cli completions zsh > ${made}/_lightlint
    COMMAND lightlint_cli completions fish > ${made}/lightlint.fish
    DEPENDS lightlint_cli COMMENT "writing shell completions" VERBATIM)
  add_custom_target(lightlint_completions ALL DEPENDS ${made}/lightlint ${made}/_lightlint ${made}/lightlint.fish)
  install(FILES ${made}/lightlint DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${made}/_lightlint DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
  install(FILES ${made}/lightlint.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
endif()

install(FILES ${LIGHTLINT_PACK_PATHS} ${PROJECT_SOURCE_DIR}/rules/README.md DESTINATION ${LIGHTLINT_DATA_DIR}/rules COMPONENT program)
install(DIRECTORY docs/schema DESTINATION ${LIGHTLINT_DATA_DIR} COMPONENT program FILES_MATCHING PATTERN *.json)
# Pages lie in the same places as here, so that their links hold (tests/style/links.py).
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program FILES_MATCHING PATTERN *.md PATTERN *.json PATTERN *.png PATTERN *.svg PATTERN man EXCLUDE)
foreach(page README.md CHANGELOG.md CODE_OF_CONDUCT.md CONTRIBUTING.md SECURITY.md corpus/README.md rules/README.md)
  cmake_path(GET page PARENT_PATH folder)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder} COMPONENT program)
endforeach()
install(FILES NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program RENAME copyright)

foreach(licence IN LISTS LIGHTLINT_LICENCES) # of what is in the program
  separate_arguments(licence)
  list(POP_FRONT licence name path)
  install(FILES ${path} DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences RENAME ${name} COMPONENT program)
endforeach()

# ---------------------------------------------------------------- component development

# find_package(lightlint)
install(EXPORT lightlint-targets NAMESPACE lightlint:: DESTINATION ${LIGHTLINT_CMAKE_DIR} COMPONENT development)
get_target_property(LIGHTLINT_TYPE lightlint TYPE)
configure_package_config_file(${LIGHTLINT_CMAKE_SOURCES}/lightlint-config.cmake.in ${PROJECT_BINARY_DIR}/lightlint-config.cmake
  INSTALL_DESTINATION ${LIGHTLINT_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lightlint-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lightlint-config.cmake ${PROJECT_BINARY_DIR}/lightlint-config-version.cmake
  DESTINATION ${LIGHTLINT_CMAKE_DIR} COMPONENT development)

# pkg-config; a static library needs its own libraries even without --static. Written at install time, because cmake
# --install may set another prefix.
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
install(CODE "configure_file(\"${PROJECT_BINARY_DIR}/lightlint.pc.in\" \"${PROJECT_BINARY_DIR}/lightlint.pc\" @ONLY)"
  COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/lightlint.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(PROJECT_IS_TOP_LEVEL AND LIGHTLINT_BUILD_CLI)
  include(${LIGHTLINT_CMAKE_SOURCES}/package.cmake)
endif()
