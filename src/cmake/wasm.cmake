# Toolchain: WebAssembly with clang, wasi-libc and the libraries of dependencies.sh. Size matters, because the module is
# part of a page.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
# With -Oz alone, clang still inlines functions that it considers small; without that, the module is 3 % smaller.
set(CMAKE_C_FLAGS_INIT "--sysroot=/usr -isystem /usr/include/wasm32-wasi -ffunction-sections -fdata-sections -mllvm -inline-threshold=-100 -mllvm -enable-pre=0 -Qunused-arguments")
set(CMAKE_C_FLAGS_RELEASE "-Oz -DNDEBUG" CACHE STRING "")
set(LIGHTLINT_TARGET wasm)
include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
