# Runs `aqueduct sim` and looks at what it prints.
#   cmake -D TOOL=... -D "ARGUMENTS=a|b|c" [-D EXPECT=regex] [-D CODE=0] [-D TWICE=ON] [-D "ENVIRONMENT=A=1|B=2"]
#         -P command.cmake
# TWICE: a second run, with other addresses, must print the same trace hash.
string(REPLACE "|" ";" arguments "${ARGUMENTS}")
if(NOT DEFINED CODE)
  set(CODE 0)
endif()
string(REPLACE "|" ";" environment "${ENVIRONMENT}")
execute_process(COMMAND env ${environment} ${TOOL} sim ${arguments} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT code EQUAL CODE)
  message(FATAL_ERROR "ended with ${code}, not ${CODE}:\n${output}")
endif()
if(DEFINED EXPECT AND NOT output MATCHES "${EXPECT}")
  message(FATAL_ERROR "'${EXPECT}' is not in:\n${output}")
endif()
if(TWICE)
  string(REGEX MATCH "trace hash    [0-9a-f]+" first "${output}")
  execute_process(COMMAND env "AQUEDUCT_UNUSED=a longer environment moves the stack" ${TOOL} sim ${arguments}
                  OUTPUT_VARIABLE again COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "trace hash    [0-9a-f]+" second "${again}")
  if(NOT first OR NOT first STREQUAL second)
    message(FATAL_ERROR "the first run says '${first}', the second '${second}'")
  endif()
endif()
