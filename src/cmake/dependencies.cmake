# Shared by the toolchain files: libraries come only from the folder where dependencies.sh puts those of the target.
get_filename_component(prefix ${CMAKE_CURRENT_LIST_DIR}/../../build/dependencies/${LIGHTLINT_TARGET} ABSOLUTE)
set(ENV{PKG_CONFIG_LIBDIR} ${prefix}/lib/pkgconfig)
set(CMAKE_FIND_ROOT_PATH ${prefix})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
