# Hands what the build knows to gasnet/install.cmake, which installs the names that GASNet's own build systems know.
# Those that GASNet has too, as far as they are built; the first is the default.
set(AQUEDUCT_GASNET_CONDUITS smp udp)
get_property(mpis GLOBAL PROPERTY AQUEDUCT_MPIS)
if(mpis)
  list(APPEND AQUEDUCT_GASNET_CONDUITS mpi)
endif()
if(TARGET conduit_plugin_ofi)
  list(APPEND AQUEDUCT_GASNET_CONDUITS ofi)
endif()
set(AQUEDUCT_GASNET_MODES seq par parsync)

# A C program that links the static library also needs the C++ runtime, which lies where only its compiler looks.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.so OUTPUT_VARIABLE cxx_runtime
                OUTPUT_STRIP_TRAILING_WHITESPACE)
get_filename_component(cxx_runtime_dir "${cxx_runtime}" DIRECTORY)
set(runtime_libs "-lstdc++ -lm -lpthread")
if(IS_ABSOLUTE "${cxx_runtime}")
  set(runtime_libs "-L${cxx_runtime_dir} ${runtime_libs}")
endif()
set(misc_flags "${AQUEDUCT_CLIENT_FLAGS}")
# As GASNet's own fragments: puts of a few cache lines are inline code of the client.
set(opt_flags -O3)
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(opt_flags -g)
endif()
# See there.
add_library(aqueduct_data_offset OBJECT ${CMAKE_CURRENT_LIST_DIR}/gasnet/data_offset.c)
install(FILES $<TARGET_OBJECTS:aqueduct_data_offset> DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME aqueduct_data_offset.o)

file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/cmake/GASNet /prefix)
file(STRINGS ${PROJECT_BINARY_DIR}/include/gasnet_config.h release REGEX "GASNET_RELEASE_VERSION_")
string(REGEX MATCHALL "[0-9]+" release "${release}")
list(JOIN release "." release)

install(CODE "
  set(TEMPLATES [[${CMAKE_CURRENT_LIST_DIR}/gasnet]])
  set(BINDIR [[${CMAKE_INSTALL_BINDIR}]])
  set(LIBDIR [[${CMAKE_INSTALL_LIBDIR}]])
  set(INCLUDEDIR [[${CMAKE_INSTALL_INCLUDEDIR}]])
  set(CC [[${CMAKE_C_COMPILER}]])
  set(CXX [[${CMAKE_CXX_COMPILER}]])
  set(OPT_FLAGS [[${opt_flags}]])
  set(MISC_FLAGS [[${misc_flags}]])
  set(RUNTIME_LIBS [[${runtime_libs}]])
  set(TO_PREFIX [[${to_prefix}]])
  set(RELEASE [[${release}]])
  set(CONDUITS [[${AQUEDUCT_GASNET_CONDUITS}]])
  set(MODES [[${AQUEDUCT_GASNET_MODES}]])
  include([[${CMAKE_CURRENT_LIST_DIR}/gasnet/install.cmake]])")
