# Configures, builds and tests a CMake project against the package in PREFIX.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/cmake_project -B ${WORK} -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${PREFIX}
    -D CMAKE_C_COMPILER=${CC} -D CMAKE_CXX_COMPILER=${CXX} "-DCMAKE_C_FLAGS=${FLAGS}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
    -D HELLO_SOURCE=${CMAKE_CURRENT_LIST_DIR}/hello.c)
run(${CMAKE_COMMAND} --build ${WORK})
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK} --output-on-failure --no-tests=error)
