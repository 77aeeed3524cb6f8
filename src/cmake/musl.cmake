# Toolchain: Linux with the C library musl and the libraries of dependencies.sh. Programs need nothing of the machine
# that they run on. They are static PIEs, loaded at unpredictable addresses, for which musl-gcc has no option.
set(CMAKE_C_COMPILER musl-gcc)
set(LIGHTLINT_TARGET musl)
find_path(LIGHTLINT_MUSL_START rcrt1.o PATHS /usr/lib/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-musl /usr/lib/musl/lib NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
if(LIGHTLINT_MUSL_START)
  set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-static -Wl,-pie,--no-dynamic-linker,-z,text -nostartfiles ${LIGHTLINT_MUSL_START}/rcrt1.o ${LIGHTLINT_MUSL_START}/crti.o ${LIGHTLINT_MUSL_START}/crtn.o")
else()
  set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
