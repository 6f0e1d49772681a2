# Run by `cmake --install`: the names under which build systems written for GASNet look for it. Everything here is thin:
# text that points to the one library, and links to it.
#
#   include/<conduit>-conduit/{<conduit>-<mode>.mak,gasnet_core.h}   lib/libgasnet-<conduit>-<mode>.a
#   include/gasnet_tools-<mode>.mak                                  lib/libgasnet_tools-<mode>.a
#   lib/pkgconfig/{gasnet-<conduit>-<mode>,gasnet_tools-<mode>}.pc   lib/cmake/GASNet/GASNetConfig.cmake
#   bin/{gasnetrun_<conduit>,amudprun,gasnet_trace,ident}
#
# GASNet is installed once for each segment mode. So are these names: lib/gasnet-everything is a prefix of its own, with the same
# files for clients without segments (GASNET_SEGMENT_EVERYTHING), over the same library.
#
#   lib/gasnet-everything/{include,lib,bin}/...
#
# The makefile fragments and the CMake package find their prefix themselves; the .pc files name it in their first line,
# because not all that read them know where they are.
set(PREFIX ${CMAKE_INSTALL_PREFIX})
set(BELOW "")  # where a prefix is below the one that is installed into
set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
file(RELATIVE_PATH PLUGINS_FROM_BIN /prefix/${BINDIR} /prefix/${LIBDIR}/aqueduct)

# For the list of installed files.
macro(note file)
  set(CMAKE_INSTALL_MANIFEST_FILES ${CMAKE_INSTALL_MANIFEST_FILES} ${CMAKE_INSTALL_PREFIX}/${file} PARENT_SCOPE)
endmacro()

function(write template destination)
  configure_file(${TEMPLATES}/${template} ${root}/${BELOW}${destination} @ONLY)
  if(destination MATCHES "^${BINDIR}/")
    file(CHMOD ${root}/${BELOW}${destination} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
         WORLD_READ WORLD_EXECUTE)
  endif()
  message(STATUS "Installing: ${root}/${BELOW}${destination}")
  note(${BELOW}${destination})
endfunction()

function(link name target)
  get_filename_component(folder ${root}/${BELOW}${name} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${target} ${root}/${BELOW}${name} SYMBOLIC)
  message(STATUS "Installing: ${root}/${BELOW}${name}")
  note(${BELOW}${name})
endfunction()

set(TOOLS_DEFINES_seq -DGASNETT_THREAD_SINGLE=1)
set(TOOLS_DEFINES_par "-D_REENTRANT -DGASNETT_THREAD_SAFE=1")

# What build systems read, below PREFIX. The libraries' own files are in `library_dir`, relative to LIBDIR; clients get
# `segment_define`.
macro(install_fragments library_dir segment_define)
  foreach(MODE seq par)
    set(DEFINES "-D_GNU_SOURCE=1 ${TOOLS_DEFINES_${MODE}}")
    write(tools.mak.in ${INCLUDEDIR}/gasnet_tools-${MODE}.mak)
    write(tools.pc.in ${LIBDIR}/pkgconfig/gasnet_tools-${MODE}.pc)
    link(${LIBDIR}/libgasnet_tools-${MODE}.a ${library_dir}libaqueduct_tools.a)
  endforeach()
  foreach(CONDUIT IN LISTS CONDUITS)
    string(TOUPPER ${CONDUIT} CONDUIT_UPPER)
    set(LD ${CC})
    set(LD_FLAGS "${MISC_FLAGS}")
    set(REQUIRES_MPI 0)
    if(CONDUIT STREQUAL mpi)
      # A program that calls no MPI itself stays free to run over any of them.
      set(LD ${MPI_LINKER})
      set(LD_FLAGS "${MISC_FLAGS} -Wl,--as-needed")
      set(REQUIRES_MPI 1)
    endif()
    foreach(MODE IN LISTS MODES)
      string(TOUPPER ${MODE} mode_upper)
      set(DEFINES "-D_GNU_SOURCE=1 -D_REENTRANT -DGASNET_${mode_upper} -DGASNET_CONDUIT_${CONDUIT_UPPER}${segment_define}")
      write(conduit.mak.in ${INCLUDEDIR}/${CONDUIT}-conduit/${CONDUIT}-${MODE}.mak)
      write(conduit.pc.in ${LIBDIR}/pkgconfig/gasnet-${CONDUIT}-${MODE}.pc)
      link(${LIBDIR}/libgasnet-${CONDUIT}-${MODE}.a ${library_dir}libaqueduct.a)
    endforeach()
    write(gasnet_core.h.in ${INCLUDEDIR}/${CONDUIT}-conduit/gasnet_core.h)
  endforeach()
endmacro()

install_fragments("" "")
foreach(CONDUIT IN LISTS CONDUITS)
  string(TOUPPER ${CONDUIT} CONDUIT_UPPER)
  set(LAUNCHER gasnetrun_${CONDUIT})
  write(launcher.sh.in ${BINDIR}/${LAUNCHER})
endforeach()
write(amudprun.sh.in ${BINDIR}/amudprun)
write(gasnet_trace.sh.in ${BINDIR}/gasnet_trace)
if(NOT PREFIX STREQUAL "/usr")  # where it would be that of RCS
  write(ident.sh.in ${BINDIR}/ident)
endif()
write(GASNetConfig.cmake.in ${LIBDIR}/cmake/GASNet/GASNetConfig.cmake)

# The second prefix. A header of GASNet's there says first that there are no segments, and then what the real one says.
set(home ${LIBDIR}/gasnet-everything)
file(RELATIVE_PATH TO_LIBRARY /prefix/${home}/lib /prefix/${LIBDIR})
file(RELATIVE_PATH TO_INCLUDES /prefix/${home}/include /prefix/${INCLUDEDIR})
file(RELATIVE_PATH to_programs /prefix/${home} /prefix/${BINDIR})
file(READ ${root}/${INCLUDEDIR}/gasnet_config.h CONFIG)
string(REPLACE "#ifdef GASNET_SEGMENT_EVERYTHING\n" "#if 1 /* the headers of this folder are for clients without segments */\n" CONFIG "${CONFIG}")
set(PREFIX ${CMAKE_INSTALL_PREFIX}/${home})
set(BELOW ${home}/)
set(INCLUDEDIR include)
set(LIBDIR lib)
set(BINDIR bin)
install_fragments(${TO_LIBRARY}/ " -DGASNET_SEGMENT_EVERYTHING")
foreach(HEADER IN LISTS HEADERS)
  write(everything_header.h.in include/${HEADER})
endforeach()
write(everything_config.h.in include/gasnet_config.h)
link(include/aqueduct ${TO_INCLUDES}/aqueduct)
foreach(file libaqueduct.a libaqueduct_tools.a aqueduct_data_offset.o)
  link(lib/${file} ${TO_LIBRARY}/${file})
endforeach()
link(bin ${to_programs})
write(EverythingConfig.cmake.in lib/cmake/GASNet/GASNetConfig.cmake)
