# Debian packages, made by `cpack -G DEB` in the build tree (`make deb`):
#
#   libaqueduct0.1                     the shared library, for programs that are linked to it
#   libaqueduct-dev                    headers, static library, what build systems look for, also under GASNet's names
#   aqueduct                           the command, the simulated networks, the manual
#   aqueduct-conduit-{mpi-openmpi,mpi-mpich,ofi}   plug-ins, as far as they were built
#
# Files go below /usr. What each package depends on is read from what it is linked to.
#
# Each install() names its component, one of runtime, dev, tools and conduit-NAME; the default is dev (CMakeLists.txt).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME aqueduct)
set(CPACK_PACKAGE_VENDOR Aqueduct)
set(CPACK_PACKAGE_CONTACT "The Aqueduct developers <aqueduct@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
# With DESTDIR: files that say where they are installed say /usr.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Libraries of the other packages: cpack looks for them where the build has put them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_COMPONENTS_ALL runtime dev)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libaqueduct${soversion})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "${PROJECT_DESCRIPTION}: shared library
 Active messages, remote put and get, atomics, teams and collectives, with the C interface of GASNet-EX.
 Programs start on this host, on several, or under the launcher of an MPI.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS libsodium23)  # loaded by jobs that seal their datagrams, and so not read from the library
# Tells the loader's cache of the library.
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libaqueduct-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libaqueduct${soversion} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS aqueduct)
set(CPACK_COMPONENT_DEV_DESCRIPTION "${PROJECT_DESCRIPTION}: development files
 Headers, the static library, and what CMake, pkg-config and makefiles look for, also under GASNet's names.")

if(AQUEDUCT_BUILD_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL tools)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME aqueduct)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION net)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS libsodium23)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "openssh-client, gdb, librsvg2-bin")
  set(CPACK_COMPONENT_TOOLS_DESCRIPTION "${PROJECT_DESCRIPTION}: launcher, benchmarks, simulation
 The command aqueduct starts jobs, measures networks, simulates machines and explains what went wrong.")
endif()

get_property(plugins GLOBAL PROPERTY AQUEDUCT_PLUGINS)
foreach(name IN LISTS plugins)
  list(APPEND CPACK_COMPONENTS_ALL conduit-${name})
  string(TOUPPER conduit-${name} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME aqueduct-conduit-${name})
  set(CPACK_DEBIAN_${component}_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_${component}_PACKAGE_ENHANCES "aqueduct, libaqueduct${soversion}")
  set(CPACK_COMPONENT_${component}_DESCRIPTION "${PROJECT_DESCRIPTION}: conduit ${name}
 A plug-in that every program of the same version finds when a job starts.")
endforeach()

# The licence, where Debian looks for it; not for plain installations.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} RENAME copyright
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
