# Included by install.cmake for LIGHTLINT_STATIC: the shared libraries that go along, and the licences of all that the program is linked
# with, as Debian states them (NOTICE has the short form; distributions without these files have other places for them).

if(LIGHTLINT_BUILD_CLI AND LIGHTLINT_CARRIED)
  set_property(TARGET lightlint_cli PROPERTY INSTALL_RPATH "$ORIGIN/${LIGHTLINT_CARRIED_RPATH}")
  foreach(library IN LISTS LIGHTLINT_CARRIED)
    # The link that the linker takes leads over the name that the loader asks for to the file itself: all three.
    install(CODE "file(INSTALL \"${library}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${LIGHTLINT_CARRIED_DIR}\" FOLLOW_SYMLINK_CHAIN)"
      COMPONENT program)
  endforeach()
endif()

foreach(package IN ITEMS libpcre2-dev libcjson-dev libyaml-dev libexpat1-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences RENAME ${package}
      COMPONENT program)
  endif()
endforeach()
