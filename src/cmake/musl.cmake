# Toolchain: Linux by the C library musl, whose programs need nothing of the machine when they are linked with -static, with the libraries
# of dependencies.sh.
set(CMAKE_C_COMPILER musl-gcc)
set(LIGHTLINT_TARGET musl)
include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
