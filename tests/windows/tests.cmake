# Tests of the Windows program under Wine. Tests of the command line skip those in tests/windows/not_here.txt. Wine's
# server is started before all tests and stopped after them.

find_program(LIGHTLINT_WINE NAMES wine64 HINTS /usr/lib/wine)
if(NOT LIGHTLINT_WINE)
  message(STATUS "no wine here: the program for Windows is built, not tested")
  set_tests_properties(unit-alloc-all PROPERTIES DISABLED TRUE)
  foreach(name IN LISTS unit_internal unit_public)
    set_tests_properties(unit-${name} PROPERTIES DISABLED TRUE)
  endforeach()
  return()
endif()

set(wine ${PROJECT_SOURCE_DIR}/src/cmake/under_wine.sh)
add_test(NAME wine-start COMMAND ${wine} --start)
add_test(NAME wine-end COMMAND ${wine} --end)
set_tests_properties(wine-start PROPERTIES FIXTURES_SETUP wine TIMEOUT 120)
set_tests_properties(wine-end PROPERTIES FIXTURES_CLEANUP wine TIMEOUT 120)
foreach(name IN LISTS unit_internal unit_public ITEMS alloc-all)
  set_tests_properties(unit-${name} PROPERTIES FIXTURES_REQUIRED wine)
endforeach()

set(program ${PROJECT_BINARY_DIR}/wine/lightlint)
set(crashing ${PROJECT_BINARY_DIR}/wine/lightlint_crashing)
file(WRITE ${program} "#!/bin/sh\nexec '${wine}' '${PROJECT_BINARY_DIR}/lightlint.exe' \"$@\"\n")
file(WRITE ${crashing} "#!/bin/sh\nexec '${wine}' '${CMAKE_CURRENT_BINARY_DIR}/lightlint_crashing.exe' \"$@\"\n")
file(CHMOD ${program} ${crashing} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
get_filename_component(native ${LIGHTLINT_PACKC} DIRECTORY)
set(corpus ${PROJECT_SOURCE_DIR}/corpus)

# wine_test(NAME LABELS TIMEOUT SCRIPT ARGS...)
function(wine_test name)
  script_test(${name} ${ARGN})
  set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED wine)
endfunction()

# Tiling does not depend on the system; and other tests compare the dumps of more files.
wine_test(cases cases 900 tools/run_cases.py --tile 8 ${program})
wine_test(same-as-native cases 600 windows/same_as_native.py ${native}/lightlint ${program} ${corpus})
wine_test(prop-truncation prop 900 prop/truncation.py ${program} ${corpus} 31)
wine_test(prop-determinism prop 900 prop/determinism.py ${program} ${corpus} 7)
wine_test(prop-real-files prop 300 prop/real_files.py ${program})
wine_test(windows cli 300 windows/test_windows.py ${program} ${PROJECT_SOURCE_DIR})
foreach(suite cli files mod config census reporters suppressions baseline unread members sweep diff build fix words)
  wine_test(cli-${suite} cli 900 cli/test_${suite}.py ${program} ${PROJECT_SOURCE_DIR})
endforeach()
wine_test(cli-crash cli 600 cli/test_crash.py ${crashing} ${PROJECT_SOURCE_DIR})
# The rest of that suite tests permissions, pipes and links of Linux.
wine_test(cli-trouble cli 300 cli/test_trouble.py ${program} ${PROJECT_SOURCE_DIR} AtOnce)
