# Compiles a C program with what pkg-config says about the package in PREFIX, against either library, and runs it.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
macro(ask_pkg_config out)
  execute_process(COMMAND ${PKG_CONFIG} ${ARGN} aqueduct OUTPUT_VARIABLE ${out} COMMAND_ERROR_IS_FATAL ANY
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(${out} UNIX_COMMAND "${${out}}")
endmacro()
separate_arguments(FLAGS UNIX_COMMAND "${FLAGS}")

ask_pkg_config(flags --cflags)
ask_pkg_config(shared --libs)
ask_pkg_config(static --libs --static)
# The linker prefers the shared library of a directory that has both, so the archive is named by its file.
list(TRANSFORM static REPLACE "^-laqueduct$" "-l:libaqueduct.a")
foreach(kind shared static)
  run(${CC} -std=c99 -Wall -Wextra -Werror ${FLAGS} -DGASNET_SEQ ${flags} ${CMAKE_CURRENT_LIST_DIR}/hello.c
      -o ${WORK}/hello_${kind} ${${kind}})
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${PREFIX}/${LIBDIR}
      ${PREFIX}/bin/aqueduct run -n 2 ${WORK}/hello_${kind})
  if(NOT output MATCHES "hello from rank 1 of 2")
    message(FATAL_ERROR "hello_${kind} said:\n${output}")
  endif()
endforeach()
