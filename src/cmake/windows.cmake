# Toolchain: Windows on x86-64 with mingw-w64 and the libraries of dependencies.sh.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(LIGHTLINT_TARGET windows)
include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
