# Builds a makefile project with the fragments in PREFIX, again with those of a copy of PREFIX elsewhere, and through a
# symbolic link to the copy's include folder, and starts its programs in the ways that such projects know.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/here ${WORK}/there)
file(COPY ${PREFIX}/ DESTINATION ${WORK}/moved)

function(expect text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "expected '${text}' in:\n${output}")
  endif()
endfunction()

# To `make`: what makes the project in ${WORK}/${place} with the fragments below `named`.
macro(make_with named place)
  set(make ${MAKE} -s -C ${WORK}/${place} -f ${CMAKE_CURRENT_LIST_DIR}/make_project/Makefile GASNET=${named}
           SOURCES=${CMAKE_CURRENT_LIST_DIR} "MANUAL_CFLAGS=-std=c99 -Wall -Wextra -Werror"
           "MANUAL_CXXFLAGS=-std=c++11 -Wall -Wextra -Werror" MODE=${MODE})
endmacro()

file(MAKE_DIRECTORY ${WORK}/linked ${WORK}/through_link ${WORK}/strayed/include/smp-conduit)
file(CREATE_LINK ${WORK}/moved/include ${WORK}/linked/include SYMBOLIC)
set(places here)
if(MODE STREQUAL seq)  # what differs between places does not differ between modes
  list(APPEND places there through_link)
endif()
foreach(place IN LISTS places)
  set(prefix ${WORK}/moved)
  set(named ${prefix})
  if(place STREQUAL here)
    set(prefix ${PREFIX})
    set(named ${prefix})
  elseif(place STREQUAL through_link)
    set(named ${WORK}/linked)
  endif()
  make_with(${named} ${place})
  run(${make} show)
  expect("^0 fork ${prefix}\n${prefix}\n${OPT_FLAGS} ${OPT_FLAGS} in ${OPT_FLAGS} ")
  run(${make} all)
  run(${prefix}/bin/gasnetrun_smp -n 2 -v -c 0 -E PATH,GREETING=2 ${WORK}/${place}/hello)
  expect("env AQUEDUCT_RANKS=2 AQUEDUCT_CONDUIT=smp GREETING=2 .*hello from rank 1 of 2")
  run(${CMAKE_COMMAND} -E env GASNET_TRACEFILE=${WORK}/${place}/trace ${prefix}/bin/amudprun -np 2
      ${WORK}/${place}/hello_cxx)
  expect("hello from rank 1 of 2")
  run(${prefix}/bin/gasnet_trace ${WORK}/${place}/trace)
  expect("\n2 ranks, 2 threads")
  run(${CMAKE_COMMAND} -E env GASNET_PSHM_NODES=2 ${WORK}/${place}/hello_cxx)
  expect("hello from rank 1 of 2")
  run(${WORK}/${place}/tools)
  expect("counted to 42, the clock runs")
endforeach()

# Fragments that were copied away from their tree know where it was installed; clients may choose their own optimisation.
file(COPY ${PREFIX}/include/smp-conduit/smp-${MODE}.mak DESTINATION ${WORK}/strayed/include/smp-conduit)
file(COPY ${PREFIX}/include/gasnet_tools-${MODE}.mak DESTINATION ${WORK}/strayed/include)
make_with(${WORK}/strayed here)
run(${make} show GASNET_OPT_CFLAGS=-O1)
expect("^0 fork ${PREFIX}\n${PREFIX}\n-O1 ${OPT_FLAGS} in -O1 ")

# What launchers look for in the text of a program.
string(TOUPPER ${MODE} mode)
run(${PREFIX}/bin/ident ${WORK}/here/hello)
set(idents "${output}")
foreach(ident "ConduitName: SMP" "ThreadModel: GASNET_${mode}" "Segment: GASNET_SEGMENT_FAST"
              "Config: .libgasnet.a. RELEASE=.*,THREADMODEL=${mode}")
  if(NOT idents MATCHES "[$]GASNet${ident}")
    message(FATAL_ERROR "no '${ident}' among the program's ident strings:\n${idents}")
  endif()
endforeach()

run(${PREFIX}/bin/ident ${PREFIX}/${LIBDIR}/libgasnet-smp-${MODE}.a)
expect("libgasnet-smp-${MODE}.a:\n *[$]GASNetCoreLibraryName: AQUEDUCT [$]\n")
execute_process(COMMAND ${PREFIX}/bin/ident ${WORK}/nothing RESULT_VARIABLE result ERROR_VARIABLE output)
if(NOT result EQUAL 1 OR NOT output MATCHES "^ident: [^\n]*nothing cannot be read\n$")
  message(FATAL_ERROR "ident of a file that is not there ended with ${result} and said:\n${output}")
endif()

# The same for each conduit that was installed: the program knows which one it was compiled for, and runs on it.
file(GLOB launchers RELATIVE ${PREFIX}/bin ${PREFIX}/bin/gasnetrun_*)
foreach(launcher IN LISTS launchers)
  string(REPLACE gasnetrun_ "" conduit ${launcher})
  file(MAKE_DIRECTORY ${WORK}/${conduit})
  make_with(${PREFIX} ${conduit})
  run(${make} hello CONDUIT=${conduit})
  string(TOUPPER ${conduit} name)
  run(${PREFIX}/bin/ident ${WORK}/${conduit}/hello)
  expect("[$]GASNetConduitName: ${name} [$]")
  run(${PREFIX}/bin/${launcher} -n 2 -v ${WORK}/${conduit}/hello)
  expect("(aqueduct run -n 2 --conduit |env AQUEDUCT_RANKS=2 AQUEDUCT_CONDUIT=)${conduit}.*hello from rank 1 of 2")
  # So it does where nobody names a conduit.
  run(${CMAKE_COMMAND} -E env AQUEDUCT_RANKS=2 AQUEDUCT_CONDUIT_PATH=${PREFIX}/${LIBDIR}/aqueduct GASNET_TRACEFILE=${WORK}/${conduit}/trace GASNET_TRACEMASK=CI
      ${WORK}/${conduit}/hello)
  expect("hello from rank 1 of 2")
  if(NOT conduit STREQUAL smp)
    file(STRINGS ${WORK}/${conduit}/trace chosen REGEX "conduit ${conduit}" LIMIT_COUNT 1)
    if(NOT chosen)
      message(FATAL_ERROR "a program that was compiled for ${conduit} ran on another conduit")
    endif()
  endif()
endforeach()

# Programs for mpi are linked by the compiler of an MPI, and are tied to none while they call none.
if(EXISTS ${PREFIX}/bin/gasnetrun_mpi)
  make_with(${PREFIX} mpi)
  run(${make} show_linker CONDUIT=mpi)
  expect("^1 [^\n]*/mpi[^/\n]*\n")
  run(${make} -B hello CONDUIT=mpi)
  run(ldd ${WORK}/mpi/hello)
  if(output MATCHES "libmpi")
    message(FATAL_ERROR "a program that calls no MPI needs one:\n${output}")
  endif()
endif()
make_with(${PREFIX} udp)
run(${make} show_linker CONDUIT=udp)
expect("^0 ")

# A client of a GASNet that was installed for `everything` has a prefix for that, which moves with the tree.
foreach(prefix ${PREFIX} ${WORK}/moved)
  set(everything ${prefix}/${LIBDIR}/gasnet-everything)
  file(MAKE_DIRECTORY ${WORK}/everything)
  make_with(${everything} everything)
  run(${make} show)
  expect("^0 fork ${everything}\n")
  run(${make} -B segmentless hello_cxx tools CONDUIT=udp)
  run(${PREFIX}/bin/ident ${WORK}/everything/segmentless)
  expect("[$]GASNetConduitName: UDP [$].*[$]GASNetSegment: GASNET_SEGMENT_EVERYTHING [$]")
  run(${everything}/bin/gasnetrun_udp -n 2 ${WORK}/everything/segmentless)
  # Where only the headers are taken from there.
  run(${CC} -DGASNET_SEQ -I${everything}/include ${CMAKE_CURRENT_LIST_DIR}/../everything/segmentless.c -fsyntax-only)
  run(${CC} -DGASNET_SEQ -isystem ${everything}/include ${CMAKE_CURRENT_LIST_DIR}/../everything/segmentless.c -fsyntax-only)
endforeach()

# What cannot be done is refused in one line.
foreach(arguments "-n;2;-N;3;prog" "-n;2;-spawner=ssh;prog" "prog" "-n;2" "-n;2;-zzz;prog")
  execute_process(COMMAND ${PREFIX}/bin/gasnetrun_smp ${arguments} RESULT_VARIABLE result ERROR_VARIABLE output)
  if(result EQUAL 0 OR NOT output MATCHES "^gasnetrun_smp: [^\n]*\n$")
    message(FATAL_ERROR "gasnetrun_smp ${arguments} ended with ${result} and said:\n${output}")
  endif()
endforeach()
