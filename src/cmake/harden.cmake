# LIGHTLINT_HARDEN: protections of compiler and linker against memory errors, as far as available: unpredictable
# addresses (PIE), read-only loader tables (full RELRO), stack protection, checked calls of the C library. Sanitizers
# check more, so they are built without. LIGHTLINT_HARDENED lists what is visible in a built file, for the test of
# installed files.
#
# Cost in instructions: the stack protector 0.5 to 2.5 %, marks of branch targets up to 0.8 %, FORTIFY and stack clash
# protection nothing measurable; binding everything at the start 80,000 instructions once (0.03 to 0.06 ms). A program
# at a fixed address starts faster: -DLIGHTLINT_HARDEN=OFF -DCMAKE_EXE_LINKER_FLAGS=-no-pie. It is not the default,
# because the program reads files of strangers. musl has no FORTIFY.

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
if(WIN32) # Windows probes the stack anyway, and GCC 12 fails with this flag
  list(REMOVE_ITEM flags stack-clash-protection)
  # links the library with the functions of the stack protector
  target_link_options(lightlint_flags INTERFACE -fstack-protector-strong)
endif()
foreach(flag IN LISTS flags)
  string(MAKE_C_IDENTIFIER LIGHTLINT_HAS_${flag} known)
  check_c_compiler_flag("-Werror -f${flag}" ${known}) # clang accepts flags for other machines with a warning
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
# The packager's own setting has priority. Without optimisation nothing is checked, and the C library warns.
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
set(stated "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}")
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND stated MATCHES "-O[1-3sz]" AND NOT stated MATCHES "_FORTIFY_SOURCE")
  target_compile_options(lightlint_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  list(APPEND LIGHTLINT_HARDENED fortify)
endif()
