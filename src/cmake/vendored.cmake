# Toolchain: this machine, with the libraries of dependencies.sh instead of those of the system.
set(LIGHTLINT_TARGET vendored)
include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
