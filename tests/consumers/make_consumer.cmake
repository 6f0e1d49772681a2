# Builds a makefile project with the fragments in PREFIX, and again with those of a copy of PREFIX elsewhere, and starts its
# programs in the ways that such projects know.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/here ${WORK}/there)
file(COPY ${PREFIX}/ DESTINATION ${WORK}/moved)

function(expect text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "expected '${text}' in:\n${output}")
  endif()
endfunction()

foreach(place here there)
  set(prefix ${PREFIX})
  if(place STREQUAL there)
    set(prefix ${WORK}/moved)
  endif()
  set(make ${MAKE} -s -C ${WORK}/${place} -f ${CMAKE_CURRENT_LIST_DIR}/make_project/Makefile GASNET=${prefix}
           SOURCES=${CMAKE_CURRENT_LIST_DIR} "MANUAL_CFLAGS=-std=c99 -Wall -Wextra -Werror"
           "MANUAL_CXXFLAGS=-std=c++11 -Wall -Wextra -Werror" MODE=${MODE})
  run(${make} show)
  expect("^0 fork ${prefix}\n")
  run(${make} all)
  run(${prefix}/bin/gasnetrun_smp -n 2 -v -c 0 -E PATH,GREETING=2 ${WORK}/${place}/hello)
  expect("aqueduct run -n 2 --conduit smp.*hello from rank 1 of 2")
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

# What cannot be done is refused in one line.
foreach(arguments "-n;2;-N;3;prog" "-n;2;-spawner=ssh;prog" "prog" "-n;2" "-n;2;-zzz;prog")
  execute_process(COMMAND ${PREFIX}/bin/gasnetrun_smp ${arguments} RESULT_VARIABLE result ERROR_VARIABLE output)
  if(result EQUAL 0 OR NOT output MATCHES "^gasnetrun_smp: [^\n]*\n$")
    message(FATAL_ERROR "gasnetrun_smp ${arguments} ended with ${result} and said:\n${output}")
  endif()
endforeach()
