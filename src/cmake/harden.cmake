# LIGHTLINT_HARDEN: what compiler and linker have against faults of memory, where they have it: code at addresses that nobody knows before
# (PIE), tables of the loader that cannot be written (full RELRO), guarded stacks, checked calls of the C library. Sanitizers check more
# and are built without.

option(LIGHTLINT_HARDEN "harden the program: PIE, full RELRO, stack protector, FORTIFY" ON)
if(NOT LIGHTLINT_HARDEN OR LIGHTLINT_SANITIZE)
  return()
endif()

include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
foreach(flag IN ITEMS -fstack-protector-strong -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER LIGHTLINT_HAS${flag} known)
  check_c_compiler_flag("-Werror ${flag}" ${known}) # clang takes flags for other machines with no more than a warning
  if(${known})
    target_compile_options(lightlint_flags INTERFACE ${flag})
  endif()
endforeach()
foreach(flag IN ITEMS relro now)
  check_linker_flag(C "LINKER:-z,${flag}" LIGHTLINT_HAS_${flag})
  if(LIGHTLINT_HAS_${flag})
    target_link_options(lightlint_flags INTERFACE "LINKER:-z,${flag}")
  endif()
endforeach()
# Nothing is checked without optimisation, and the C library says so with a warning. What a packager states holds.
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND NOT "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_RELEASE}" MATCHES "_FORTIFY_SOURCE")
  target_compile_options(lightlint_flags INTERFACE
    $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
endif()
