# Runs two ranks of a program in which something goes wrong: the job must end with code 1 and one line, which matches.
#   cmake -D TOOL=... -D PROGRAM=... -D CONDUIT=... -D CASE=... -D EXPECT=regex -P one_line.cmake
execute_process(COMMAND ${TOOL} run -n 2 --conduit ${CONDUIT} ${PROGRAM} ${CASE}
                RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT code EQUAL 1)
  message(FATAL_ERROR "ended with ${code}, not 1:\n${output}")
endif()
if(NOT output MATCHES "^[^\n]*${EXPECT}[^\n]*\n$")
  message(FATAL_ERROR "is not one line with '${EXPECT}':\n${output}")
endif()
