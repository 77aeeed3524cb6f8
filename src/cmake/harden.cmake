# LIGHTLINT_HARDEN: what compiler and linker have against faults of memory, where they have it: a program at an address that nobody knows
# before (PIE), tables of the loader that cannot be written (full RELRO), guarded stacks, checked calls of the C library. Sanitizers check
# more and are built without. LIGHTLINT_HARDENED says what a built file shows of it, for the test of the installed ones.
#
# Cost in instructions: the stack protector 0.5 to 2.5 %, marks of branch targets up to 0.8 %, FORTIFY and guarded growth of the stack nothing
# measurable; binding everything at the start 80,000 instructions once (0.03 to 0.06 ms). A program that is not position-independent starts faster:
# -DLIGHTLINT_HARDEN=OFF -DCMAKE_EXE_LINKER_FLAGS=-no-pie. It is no default, because the program reads files of strangers. musl has no FORTIFY.

option(LIGHTLINT_HARDEN "harden the program: PIE, full RELRO, stack protector, FORTIFY" ON)
set(LIGHTLINT_HARDENED "")
if(NOT LIGHTLINT_HARDEN OR LIGHTLINT_SANITIZE)
  return()
endif()

include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
if(CMAKE_C_LINK_PIE_SUPPORTED)
  list(APPEND LIGHTLINT_HARDENED pie)
endif()
set(flags stack-protector-strong stack-clash-protection cf-protection=full)
if(WIN32) # there the stack is probed in any case, and GCC 12 fails on this flag
  list(REMOVE_ITEM flags stack-clash-protection)
  target_link_options(lightlint_flags INTERFACE -fstack-protector-strong) # the functions that guard the stack are in a library
endif()
foreach(flag IN LISTS flags)
  string(MAKE_C_IDENTIFIER LIGHTLINT_HAS_${flag} known)
  check_c_compiler_flag("-Werror -f${flag}" ${known}) # clang warns of flags for other machines and takes them
  if(${known})
    target_compile_options(lightlint_flags INTERFACE -f${flag})
    list(APPEND LIGHTLINT_HARDENED ${flag})
  endif()
endforeach()
check_linker_flag(C LINKER:-z,relro,-z,now LIGHTLINT_HAS_RELRO)
if(LIGHTLINT_HAS_RELRO)
  target_link_options(lightlint_flags INTERFACE LINKER:-z,relro,-z,now)
  list(APPEND LIGHTLINT_HARDENED relro)
endif()
# What a packager states holds. Without optimisation nothing is checked, and the C library warns.
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
set(stated "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}")
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND stated MATCHES "-O[1-3sz]" AND NOT stated MATCHES "_FORTIFY_SOURCE")
  target_compile_options(lightlint_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  list(APPEND LIGHTLINT_HARDENED fortify)
endif()
