# Run by `cmake --install`: the names under which build systems written for GASNet look for it. Everything here is thin:
# text that points to the one library, and links to it.
#
#   include/<conduit>-conduit/{<conduit>-<mode>.mak,gasnet_core.h}   lib/libgasnet-<conduit>-<mode>.a
#   include/gasnet_tools-<mode>.mak                                  lib/libgasnet_tools-<mode>.a
#   lib/pkgconfig/{gasnet-<conduit>-<mode>,gasnet_tools-<mode>}.pc   lib/cmake/GASNet/GASNetConfig.cmake
#   bin/{gasnetrun_<conduit>,amudprun,gasnet_trace,ident}
#
# The makefile fragments and the CMake package find their prefix themselves; the .pc files name it in their first line,
# because not all that read them know where they are.
set(PREFIX ${CMAKE_INSTALL_PREFIX})
set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
file(RELATIVE_PATH PLUGINS_FROM_BIN /prefix/${BINDIR} /prefix/${LIBDIR}/aqueduct)

# For the list of installed files.
macro(note file)
  set(CMAKE_INSTALL_MANIFEST_FILES ${CMAKE_INSTALL_MANIFEST_FILES} ${PREFIX}/${file} PARENT_SCOPE)
endmacro()

function(write template destination)
  configure_file(${TEMPLATES}/${template} ${root}/${destination} @ONLY)
  if(destination MATCHES "^${BINDIR}/")
    file(CHMOD ${root}/${destination} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
         WORLD_READ WORLD_EXECUTE)
  endif()
  message(STATUS "Installing: ${root}/${destination}")
  note(${destination})
endfunction()

function(link name target)
  file(CREATE_LINK ${target} ${root}/${LIBDIR}/${name} SYMBOLIC)
  message(STATUS "Installing: ${root}/${LIBDIR}/${name}")
  note(${LIBDIR}/${name})
endfunction()

set(TOOLS_DEFINES_seq -DGASNETT_THREAD_SINGLE=1)
set(TOOLS_DEFINES_par "-D_REENTRANT -DGASNETT_THREAD_SAFE=1")
foreach(MODE seq par)
  set(DEFINES "-D_GNU_SOURCE=1 ${TOOLS_DEFINES_${MODE}}")
  write(tools.mak.in ${INCLUDEDIR}/gasnet_tools-${MODE}.mak)
  write(tools.pc.in ${LIBDIR}/pkgconfig/gasnet_tools-${MODE}.pc)
  link(libgasnet_tools-${MODE}.a libaqueduct_tools.a)
endforeach()

foreach(CONDUIT IN LISTS CONDUITS)
  string(TOUPPER ${CONDUIT} CONDUIT_UPPER)
  foreach(MODE IN LISTS MODES)
    string(TOUPPER ${MODE} mode_upper)
    set(DEFINES "-D_GNU_SOURCE=1 -D_REENTRANT -DGASNET_${mode_upper} -DGASNET_CONDUIT_${CONDUIT_UPPER}")
    write(conduit.mak.in ${INCLUDEDIR}/${CONDUIT}-conduit/${CONDUIT}-${MODE}.mak)
    write(conduit.pc.in ${LIBDIR}/pkgconfig/gasnet-${CONDUIT}-${MODE}.pc)
    link(libgasnet-${CONDUIT}-${MODE}.a libaqueduct.a)
  endforeach()
  write(gasnet_core.h.in ${INCLUDEDIR}/${CONDUIT}-conduit/gasnet_core.h)
  set(LAUNCHER gasnetrun_${CONDUIT})
  write(launcher.sh.in ${BINDIR}/${LAUNCHER})
endforeach()
write(amudprun.sh.in ${BINDIR}/amudprun)
write(gasnet_trace.sh.in ${BINDIR}/gasnet_trace)
if(NOT PREFIX STREQUAL "/usr")  # where it would be that of RCS
  write(ident.sh.in ${BINDIR}/ident)
endif()
write(GASNetConfig.cmake.in ${LIBDIR}/cmake/GASNet/GASNetConfig.cmake)
