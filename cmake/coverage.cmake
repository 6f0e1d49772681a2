# AQUEDUCT_COVERAGE: programs count which of their lines they run, and leave that beside their objects (*.gcda), where
# scripts/coverage reads it. Ranks leave by _exit, which would lose the counts: it is wrapped.
option(AQUEDUCT_COVERAGE "Count which lines are run" OFF)
if(AQUEDUCT_COVERAGE)
  set(AQUEDUCT_CLIENT_FLAGS --coverage)
  add_compile_options(--coverage -fprofile-update=atomic -O1)
  set(wrapper ${PROJECT_BINARY_DIR}/coverage_exit.o)
  file(WRITE ${PROJECT_BINARY_DIR}/coverage_exit.c
       "void __gcov_dump(void);\nvoid __real__exit(int);\nvoid __wrap__exit(int code) { __gcov_dump(); __real__exit(code); }\n")
  execute_process(COMMAND ${CMAKE_C_COMPILER} -fPIC -c ${PROJECT_BINARY_DIR}/coverage_exit.c -o ${wrapper} COMMAND_ERROR_IS_FATAL ANY)
  add_link_options(--coverage LINKER:--wrap=_exit ${wrapper})
endif()
