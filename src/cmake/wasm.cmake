# Toolchain: WebAssembly by clang and wasi-libc, with the libraries of dependencies.sh. What is small counts: the module is part of a page.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
# Of -Oz alone clang still inlines what it takes for small: without that the module loses 3 % of its size.
set(CMAKE_C_FLAGS_INIT "--sysroot=/usr -isystem /usr/include/wasm32-wasi -ffunction-sections -fdata-sections -mllvm -inline-threshold=-100 -mllvm -enable-pre=0 -Qunused-arguments")
set(CMAKE_C_FLAGS_RELEASE "-Oz -DNDEBUG" CACHE STRING "")
set(LIGHTLINT_TARGET wasm)
include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
