# The pages of the manual, made from docs/man: share/man in the build tree, and where the tool is installed. `man` finds them where
# MANPATH or the place of the program leads there.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.[17].md)
set(pages)
foreach(source IN LISTS sources)
  get_filename_component(name ${source} NAME_WLE)
  string(REGEX MATCH "[17]$" section ${name})
  set(page ${PROJECT_BINARY_DIR}/share/man/man${section}/${name})
  add_custom_command(OUTPUT ${page} COMMAND ${PROJECT_SOURCE_DIR}/scripts/manpage ${source} ${PROJECT_VERSION} > ${page}
                     DEPENDS ${source} ${PROJECT_SOURCE_DIR}/scripts/manpage VERBATIM)
  # Installed as manuals are: compressed, and without a time in it, so that every build gives the same file.
  set(compressed ${PROJECT_BINARY_DIR}/compressed_man/${name}.gz)
  add_custom_command(OUTPUT ${compressed} COMMAND gzip -9nc ${page} > ${compressed} DEPENDS ${page} VERBATIM)
  list(APPEND pages ${page} ${compressed})
  install(FILES ${compressed} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT tools)
endforeach()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/compressed_man ${PROJECT_BINARY_DIR}/share/man/man1 ${PROJECT_BINARY_DIR}/share/man/man7)
add_custom_target(manpages ALL DEPENDS ${pages})
