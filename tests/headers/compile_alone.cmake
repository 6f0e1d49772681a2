# Compiles each of HEADERS as the only content of a source file, in each of VARIANTS (SEQ.DEBUG, PAR.NDEBUG, ...);
# prints what the compiler said and fails if any combination fails. Lists are separated by commas. NO_MODE defines
# no thread mode.
foreach(list HEADERS VARIANTS INCLUDE_DIRS COMPILER)
  string(REPLACE "," ";" ${list} "${${list}}")
endforeach()
list(TRANSFORM INCLUDE_DIRS PREPEND -I)

set(failures 0)
foreach(header IN LISTS HEADERS)
  foreach(variant IN LISTS VARIANTS)
    string(REPLACE "." ";-DGASNET_" definitions "-DGASNET_${variant}")
    list(REMOVE_ITEM definitions -DGASNET_NO_MODE)
    # A header of macros only would leave the source empty, which C forbids: hence the declaration after it.
    # Included twice, because clients do.
    execute_process(
      COMMAND printf "#include \"${header}\"\\n#include \"${header}\"\\nextern int something;\\n"
      COMMAND ${COMPILER} -std=${STANDARD} ${definitions} ${INCLUDE_DIRS} -fsyntax-only -
      RESULTS_VARIABLE results ERROR_VARIABLE said)
    if(NOT results STREQUAL "0;0")
      message("${header} does not compile alone as ${STANDARD} with ${variant}:\n${said}")
      math(EXPR failures "${failures} + 1")
    endif()
  endforeach()
endforeach()
if(failures)
  message(FATAL_ERROR "${failures} combinations failed")
endif()
