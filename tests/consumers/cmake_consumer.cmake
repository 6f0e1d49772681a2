# Configures, builds and tests CMake projects against the package in PREFIX: one in C and C++, one in C alone.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
function(try project)
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/${project} -B ${WORK}/${project} -G ${GENERATOR}
      -D CMAKE_PREFIX_PATH=${PREFIX} -D CMAKE_C_COMPILER=${CC} "-DCMAKE_C_FLAGS=${FLAGS}"
      -D HELLO_SOURCE=${CMAKE_CURRENT_LIST_DIR}/hello.c ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK}/${project})
  run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/${project} --output-on-failure --no-tests=error)
endfunction()
try(cmake_project -D CMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${FLAGS}")
try(cmake_c_project)
