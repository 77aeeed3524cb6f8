# Packages of the program, made by cpack from a build: a Debian package that uses libraries of the system, or, with a
# toolchain of src/cmake, an archive that needs nothing of the system. For the library, use `cmake --install`.

set(LIGHTLINT_MAINTAINER "lightlint authors <lightlint@packages.invalid>" CACHE STRING
  "who answers for the Debian package that is made here")
set(CPACK_PACKAGE_NAME lightlint)
set(CPACK_PACKAGE_VENDOR "lightlint authors")
set(CPACK_PACKAGE_CONTACT "${LIGHTLINT_MAINTAINER}")
if(LIGHTLINT_HOME)
  set(CPACK_PACKAGE_HOMEPAGE_URL "${LIGHTLINT_HOME}")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "static analyser for binary game-light files")
set(CPACK_PACKAGE_DESCRIPTION
"Reads a light file strictly, knows an owner for every byte, checks what is
known of the format, and tells which byte is wrong, why, and what to write
there. Knows light, probe and occluder arrays of the Fox Engine (grxla,
grxoc), its harmonics, archives, DataSets and locators (lpsh, fpk, fpkd, fox2,
lba), lights sections of Metroid Prime 1 to 3 (mrea, lights) and scene files
of Redguard (rgm).")
set(CPACK_COMPONENTS_ALL program)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
set(CPACK_PACKAGE_FILE_NAME lightlint-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})

set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# Each kind of package has its own requirements for the files.
set(CPACK_PROJECT_CONFIG_FILE ${LIGHTLINT_CMAKE_SOURCES}/package_kind.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${LIGHTLINT_CMAKE_SOURCES}/package_finish.cmake)
set(CPACK_LIGHTLINT_TARGET "${LIGHTLINT_TARGET}")
set(CPACK_LIGHTLINT_MAINTAINER "${LIGHTLINT_MAINTAINER}")
if(WIN32)
  set(CPACK_GENERATOR ZIP)
elseif(LIGHTLINT_TARGET)
  set(CPACK_GENERATOR TGZ)
else()
  set(CPACK_GENERATOR DEB)
endif()
include(CPack)
