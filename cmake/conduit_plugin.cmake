# Conduits as plug-ins; src/conduit/plugin/plugin.hpp says what they are made of.
#
#   aqueduct_add_conduit_plugin(NAME SOURCE...)
#
# builds libaqueduct-conduit-NAME.so, as the target conduit_plugin_NAME. One of the sources has
# AQUEDUCT_CONDUIT_PLUGIN(description). aqueduct_install_plugin(NAME) installs it, and makes it a Debian package of its own.

# What plug-ins may contain copies of; the linker takes what they use. What a process may have only once is not among it.
set(plugin_parts conduit/plugin/side/support base/clock base/doorbell base/env base/silence base/variables
    base/secret base/sha256 device/library device/cuda device/hip device/ze job/bootstrap/bootstrap job/place/layout net/address net/job_key net/network_interface net/system_address)
list(TRANSFORM plugin_parts PREPEND ${Aqueduct_SOURCE_DIR}/src/)
list(TRANSFORM plugin_parts APPEND .cpp)
file(GLOB plugin_conduit_parts CONFIGURE_DEPENDS ${Aqueduct_SOURCE_DIR}/src/parts/*.cpp ${Aqueduct_SOURCE_DIR}/src/parts/long/*.cpp ${Aqueduct_SOURCE_DIR}/src/world/work.cpp
                                               ${Aqueduct_SOURCE_DIR}/src/conduit/*.cpp)
add_library(aqueduct_plugin_side STATIC EXCLUDE_FROM_ALL ${plugin_parts} ${plugin_conduit_parts})
aqueduct_unite(aqueduct_plugin_side AS plugin_side ${plugin_parts} ${plugin_conduit_parts})
target_compile_options(aqueduct_plugin_side PRIVATE -ffunction-sections -fdata-sections)

function(aqueduct_add_conduit_plugin name)
  set(target conduit_plugin_${name})
  add_library(${target} MODULE ${ARGN})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME aqueduct-conduit-${name})
  target_link_libraries(${target} PRIVATE aqueduct_plugin_side)
  target_link_options(${target} PRIVATE LINKER:--gc-sections)
  if(NOT AQUEDUCT_SANITIZE)  # whose symbols are in the program
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
  aqueduct_prepare_plugin(${target})
endfunction()

function(aqueduct_install_plugin name)
  install(TARGETS conduit_plugin_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/aqueduct COMPONENT conduit-${name})
  set_property(GLOBAL APPEND PROPERTY AQUEDUCT_PLUGINS ${name})
endfunction()

# What an earlier build has left of a plug-in that is not built any more.
function(aqueduct_forget_plugin name)
  file(REMOVE ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}/aqueduct/libaqueduct-conduit-${name}.so)
endfunction()

function(aqueduct_prepare_plugin target)
  target_include_directories(${target} PRIVATE ${Aqueduct_SOURCE_DIR}/src ${Aqueduct_SOURCE_DIR}/include
                                               ${Aqueduct_BINARY_DIR}/include)
  # Unique symbols would keep a plug-in that is refused from being unloaded.
  target_compile_options(${target} PRIVATE -fno-plt $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  aqueduct_harden(${target})
  aqueduct_harden_link(${target})
endfunction()
aqueduct_prepare_plugin(aqueduct_plugin_side)
