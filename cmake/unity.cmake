# Most of the time that a small C++ file takes goes into the headers that it includes. The sources of one layer include
# much the same ones, so they are compiled together: five times as fast for the library. So are those of each test program. Names in
# unnamed namespaces must therefore differ within a layer, and within a test program; what two files need alike belongs into a header.
#
# AQUEDUCT_UNITY=OFF compiles each file by itself: less to do after a small change, and a compile_commands.json that names
# every file. The debug preset does so. AQUEDUCT_UNITY_EXCEPT lists files (src/core/pools.cpp;...) that alone are compiled by themselves, for who
# changes these again and again: a whole build stays fast and such a change costs one small file (tests/mutations/run).
option(AQUEDUCT_UNITY "Compile the sources of one layer together" ON)
set(AQUEDUCT_UNITY_EXCEPT "" CACHE STRING "Sources to compile by themselves, as paths from the root of the project")

# aqueduct_unite(TARGET [AS NAME] SOURCE...): compiles these sources of TARGET together: all of them, if they are given a
# name, else those of each layer (src/core, bench).
function(aqueduct_unite target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "AS" "")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${AQUEDUCT_UNITY} UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARG_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(path IN_LIST AQUEDUCT_UNITY_EXCEPT)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    set(group ${ARG_AS})
    if(NOT group)
      cmake_path(GET path PARENT_PATH folder)
      string(REGEX MATCH "^[^/]+(/[^/]+)?" layer "${folder}")
      string(MAKE_C_IDENTIFIER "${layer}" group)
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
