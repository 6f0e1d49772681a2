# Plug-ins of the papers' conduits export their entry and nothing else: not the interface that they contain, whose names a program may
# have from another library.
string(REPLACE "," ";" PLUGINS "${PLUGINS}")
foreach(plugin IN LISTS PLUGINS)
  execute_process(COMMAND ${NM} -D --defined-only --format=posix ${plugin} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  if(NOT symbols MATCHES "^aqueduct_conduit_plugin [^\n]*\n$")
    message(FATAL_ERROR "${plugin} exports:\n${symbols}")
  endif()
endforeach()
