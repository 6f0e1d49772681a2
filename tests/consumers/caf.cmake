# Compiles an example of coarray Fortran with what is installed in PREFIX: by the command, by what pkg-config says, and by a CMake project.
# Runs each with an empty environment.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
macro(run_pi program)
  run(env -i ${PREFIX}/bin/aqueduct run -n 2 ${program})
  if(NOT output MATCHES "pi is 3[.]1415926536")
    message(FATAL_ERROR "${program} said:\n${output}")
  endif()
endmacro()

run(${CMAKE_COMMAND} -E env FC=${GFORTRAN} ${PREFIX}/bin/aqueduct-caf ${EXAMPLES}/coarrays/pi.f90 -o ${WORK}/pi_command)
run_pi(${WORK}/pi_command)

set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs aqueduct-caf OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
run(${GFORTRAN} ${EXAMPLES}/coarrays/pi.f90 -o ${WORK}/pi_pkg_config ${flags})
run_pi(${WORK}/pi_pkg_config)

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/cmake_caf_project -B ${WORK}/build -D CMAKE_PREFIX_PATH=${PREFIX} -D EXAMPLES=${EXAMPLES}
    -D CMAKE_Fortran_COMPILER=${GFORTRAN})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run_pi(${WORK}/build/pi)
