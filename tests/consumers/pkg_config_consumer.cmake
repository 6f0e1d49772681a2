# Compiles a C program with what pkg-config says about the package in PREFIX, against either library, and runs it with an
# empty environment: nothing tells the loader where the library is but the program itself.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
macro(ask_pkg_config out)
  execute_process(COMMAND ${PKG_CONFIG} ${ARGN} OUTPUT_VARIABLE ${out} COMMAND_ERROR_IS_FATAL ANY
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(${out} UNIX_COMMAND "${${out}}")
endmacro()
separate_arguments(FLAGS UNIX_COMMAND "${FLAGS}")

ask_pkg_config(flags --cflags aqueduct)
ask_pkg_config(shared --libs aqueduct)
ask_pkg_config(static --libs --static aqueduct)
# The linker prefers the shared library of a directory that has both, so the archive is named by its file.
list(TRANSFORM static REPLACE "^-laqueduct$" "-l:libaqueduct.a")
# As asked for, whichever library the linker then takes.
ask_pkg_config(private --libs --static aqueduct)
foreach(kind shared static private)
  run(${CC} -std=c99 -Wall -Wextra -Werror ${FLAGS} -DGASNET_SEQ ${flags} ${CMAKE_CURRENT_LIST_DIR}/hello.c
      -o ${WORK}/hello_${kind} ${${kind}})
  run(env -i ${PREFIX}/bin/aqueduct run -n 2 ${WORK}/hello_${kind})
  if(NOT output MATCHES "hello from rank 1 of 2")
    message(FATAL_ERROR "hello_${kind} said:\n${output}")
  endif()
endforeach()

# Under GASNet's name, where the flags also choose the threading mode, and where some ask for variables.
ask_pkg_config(flags --cflags gasnet-smp-par)
ask_pkg_config(libs --libs gasnet-smp-par)
ask_pkg_config(compiler --variable=GASNET_CC gasnet-smp-par)
ask_pkg_config(version --modversion gasnet-smp-par)
if(NOT version MATCHES "^20[0-9][0-9][.]")
  message(FATAL_ERROR "gasnet-smp-par has version '${version}'")
endif()
run(${compiler} -std=c99 -Wall -Wextra -Werror ${FLAGS} ${flags} ${CMAKE_CURRENT_LIST_DIR}/hello.c -o ${WORK}/hello_gasnet
    ${libs})
run(env -i PATH=/usr/bin:/bin ${PREFIX}/bin/gasnetrun_smp -n 2 ${WORK}/hello_gasnet)
if(NOT output MATCHES "hello from rank 1 of 2")
  message(FATAL_ERROR "hello_gasnet said:\n${output}")
endif()
