# Libraries that are used where they are installed: libfabric, MPIs. Where some were installed or removed since the last
# configuration, what CMake remembers of them is forgotten, so that they are looked for again.
#
# scripts/optional_libraries says what there is. What it said is kept in optional_libraries.txt of the build tree, where
# scripts/build compares it with what is there now.
#
#   aqueduct_find_optional_program(VARIABLE NAMES NAME... DOC TEXT)   find_program, which looks again then
execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../scripts/optional_libraries OUTPUT_VARIABLE optional_libraries
                COMMAND_ERROR_IS_FATAL ANY)
set(optional_libraries_file ${CMAKE_BINARY_DIR}/optional_libraries.txt)
set(optional_libraries_before "")
if(EXISTS ${optional_libraries_file})
  file(READ ${optional_libraries_file} optional_libraries_before)
endif()
if(NOT optional_libraries STREQUAL optional_libraries_before)
  foreach(name __pkg_config_checked_libfabric pkgcfg_lib_libfabric_fabric)
    unset(${name} CACHE)
  endforeach()
  # A path that the user has given stays as long as something is there.
  foreach(name IN LISTS AQUEDUCT_OPTIONAL_PROGRAMS)
    if("${${name}}" STREQUAL "${${name}_FOUND}" OR NOT EXISTS "${${name}}")
      unset(${name} CACHE)
    endif()
  endforeach()
  file(WRITE ${optional_libraries_file} "${optional_libraries}")
endif()

macro(aqueduct_find_optional_program variable)
  if(NOT ${variable})
    find_program(${variable} ${ARGN})
    set(${variable}_FOUND "${${variable}}" CACHE INTERNAL "what was found, and not given")
  endif()
  set(optional_programs ${AQUEDUCT_OPTIONAL_PROGRAMS} ${variable})
  list(REMOVE_DUPLICATES optional_programs)
  set(AQUEDUCT_OPTIONAL_PROGRAMS "${optional_programs}" CACHE INTERNAL "whose paths may be forgotten")
endmacro()
