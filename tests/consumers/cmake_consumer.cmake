# Configures, builds and tests CMake projects against the package in PREFIX: one in C and C++, one in C alone, and one in C that calls
# the papers' interfaces.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
function(try project)
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/${project} -B ${WORK}/${project} -G ${GENERATOR}
      -D CMAKE_PREFIX_PATH=${PREFIX} -D CMAKE_C_COMPILER=${CC} "-DCMAKE_C_FLAGS=${FLAGS}"
      -D HELLO_SOURCE=${CMAKE_CURRENT_LIST_DIR}/hello.c -D EXAMPLES=${EXAMPLES} ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/${project})
  run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/${project} --output-on-failure --no-tests=error)
endfunction()
try(cmake_project -D CMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${FLAGS}")
try(cmake_c_project)
try(cmake_papers_project)

# Two libraries would be two jobs in one process.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/cmake_both_project -B ${WORK}/cmake_both_project -G ${GENERATOR}
                -D CMAKE_PREFIX_PATH=${PREFIX} -D CMAKE_C_COMPILER=${CC} -D HELLO_SOURCE=${CMAKE_CURRENT_LIST_DIR}/hello.c
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE error)
if(result EQUAL 0 OR NOT error MATCHES "AQUEDUCT_LIBRARY")
  message(FATAL_ERROR "a program with both libraries ended with ${result}:\n${error}")
endif()
