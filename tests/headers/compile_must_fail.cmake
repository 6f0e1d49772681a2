# Compiles SOURCE with FLAGS and fails unless the compiler refuses it and SAYS the given words.
foreach(list FLAGS INCLUDE_DIRS)
  string(REPLACE "," ";" ${list} "${${list}}")
endforeach()
list(TRANSFORM INCLUDE_DIRS PREPEND -I)
execute_process(COMMAND ${COMPILER} ${FLAGS} ${INCLUDE_DIRS} -Werror -fsyntax-only ${SOURCE}
                RESULT_VARIABLE result ERROR_VARIABLE said)
if(result EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiled with ${FLAGS}")
endif()
string(FIND "${said}" "${SAYS}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "the compiler did not say '${SAYS}' but:\n${said}")
endif()
