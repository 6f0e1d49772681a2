# gdb with our commands, where a job hangs: GDB, TOOL, COMMANDS, PROGRAM.
if(NOT GDB)
  message("SKIPPED: gdb is not installed")
  return()
endif()
execute_process(COMMAND ${GDB} -nx -batch -ex "python print('has python')" OUTPUT_VARIABLE said ERROR_QUIET)
if(NOT said MATCHES "has python")
  message("SKIPPED: this gdb has no Python")
  return()
endif()
execute_process(
  COMMAND ${GDB} -nx -batch -x ${COMMANDS} -ex run -ex ranks -ex "rank 2" -ex "print flag" -ex "rank 1" -ex continue --args ${TOOL} sim --nodes 4 ${PROGRAM}
          hang OUTPUT_VARIABLE said ERROR_VARIABLE said)
foreach(expected "  rank 2 waits for a message" "main .argc=[^\n]*grief.c:.*main .argc=[^\n]*grief.c:" "= 0\n" "STUCK: nothing will happen any more" "exited with code 01")
  if(NOT said MATCHES "${expected}")
    message(FATAL_ERROR "gdb has not said ${expected}, but:\n${said}")
  endif()
endforeach()
