# Read by cpack for each kind of package.

if(CPACK_GENERATOR STREQUAL "DEB")
  if(CPACK_LIGHTLINT_TARGET)
    message(FATAL_ERROR "a Debian package takes its libraries from the system: build without a toolchain, or make an archive (cpack -G TGZ)")
  endif()
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()
if(CPACK_GENERATOR MATCHES "^(TGZ|TXZ|TZST|ZIP)$")
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
