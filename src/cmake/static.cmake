# LIGHTLINT_STATIC: a program for machines on which nothing but the C library can be counted on. Libraries are linked from their static
# archives where there are some; a library without one (Debian's cJSON) is carried along in a folder that only this program looks into.

option(LIGHTLINT_STATIC "link libraries statically where they have static archives, and carry the others along (for archives)" OFF)
set(LIGHTLINT_CARRIED "")
if(NOT LIGHTLINT_STATIC)
  return()
endif()
if(BUILD_SHARED_LIBS)
  message(FATAL_ERROR "LIGHTLINT_STATIC and BUILD_SHARED_LIBS exclude each other: switch one of them off")
endif()

foreach(need IN ITEMS PCRE2 CJSON YAML EXPAT)
  if(${need}_FOUND)
    list(GET ${need}_LINK_LIBRARIES 0 library)
    cmake_path(GET library PARENT_PATH folder)
    cmake_path(GET library STEM LAST_ONLY name)
    find_library(LIGHTLINT_STATIC_${need} NAMES ${name}.a HINTS ${folder} NO_DEFAULT_PATH)
    mark_as_advanced(LIGHTLINT_STATIC_${need})
    if(LIGHTLINT_STATIC_${need})
      set_property(TARGET PkgConfig::${need} PROPERTY INTERFACE_LINK_LIBRARIES ${LIGHTLINT_STATIC_${need}} Threads::Threads)
    else()
      message(STATUS "no static archive of ${name}: the shared library will be carried along")
      list(APPEND LIGHTLINT_CARRIED ${library})
    endif()
  endif()
endforeach()

# Where the carried libraries are, seen from the program.
set(LIGHTLINT_CARRIED_DIR ${CMAKE_INSTALL_LIBDIR}/lightlint)
file(RELATIVE_PATH LIGHTLINT_CARRIED_RPATH /x/${CMAKE_INSTALL_BINDIR} /x/${LIGHTLINT_CARRIED_DIR})
