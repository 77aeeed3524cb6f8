# Run by cpack on the files of a package. Compresses the pages of a Debian package and adds its changelog. Times depend
# only on the release, so that packages are reproducible.

if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
find_program(GZIP gzip REQUIRED)
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/lightlint*.[15])
file(GLOB_RECURSE copyright ${CPACK_TEMPORARY_DIRECTORY}/copyright)
list(LENGTH copyright found)
if(NOT found EQUAL 1 OR NOT pages)
  message(FATAL_ERROR
    "expected man pages and one file 'copyright' in ${CPACK_TEMPORARY_DIRECTORY}, found '${pages}' and '${copyright}'")
endif()
cmake_path(GET copyright PARENT_PATH docs)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # from SOURCE_DATE_EPOCH, if set
file(WRITE ${docs}/changelog "lightlint (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}, packaged by CPack.

 -- ${CPACK_LIGHTLINT_MAINTAINER}  ${date}
")
execute_process(COMMAND ${GZIP} -9nf ${pages} ${docs}/changelog COMMAND_ERROR_IS_FATAL ANY)
