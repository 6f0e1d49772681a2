# Debian packages, made by `cpack -G DEB` in the build tree (`make deb`):
#
#   libaqueduct0.3                     the shared library, for programs that are linked to it
#   libaqueduct-dev                    headers, static library, what build systems look for, also under GASNet's names
#   aqueduct                           the command, the simulated networks, the manual
#   aqueduct-conduit-{mpi-openmpi,mpi-mpich,ofi}   plug-ins, as far as they were built
#   aqueduct-papers                    the conduits of the papers' networks, as plug-ins, and the shared library of their interfaces
#   libaqueduct-caf-dev                Coarray Fortran: the archives, the command aqueduct-caf, what build systems look for
#   libaqueduct-papers-dev             the headers of these interfaces, the static library, what build systems look for
#   libaqueduct-shmem0.3               OpenSHMEM: the shared library
#   libaqueduct-shmem-dev              shmem.h, the static library, compiler wrappers, what build systems look for
#
# Files go below /usr. What each package depends on is read from what it is linked to; plug-ins link nothing of the library, and so name it themselves:
# of exactly their version, because the table through which the two meet (conduit/plugin/) is that version's.
#
# The first line of a description is the package's own: cpack would put one that all have in common before it.
#
# Each install() names its component, one of runtime, dev, tools, papers, papers-dev, shmem, shmem-dev, caf-dev and conduit-NAME; the default is dev (CMakeLists.txt).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME aqueduct)
set(CPACK_PACKAGE_VENDOR Aqueduct)
# An address of the form that Debian asks for, in the domain that is kept for examples: whoever publishes packages puts their own.
set(AQUEDUCT_MAINTAINER "Aqueduct maintainers <maintainers@aqueduct.example>" CACHE STRING "Maintainer of the Debian packages: NAME <ADDRESS>")
set(CPACK_PACKAGE_CONTACT "${AQUEDUCT_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
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
set(CPACK_COMPONENTS_ALL runtime dev papers papers-dev shmem shmem-dev caf-dev)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libaqueduct${soversion})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "one-sided communication for parallel programs: shared library
 Active messages, remote put and get, atomics, teams and collectives, with
 the C interface of GASNet-EX. Programs start on this host, on several, or
 under the launcher of an MPI.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS libsodium23)  # loaded by jobs that seal their datagrams, and so not read from the library
if(AQUEDUCT_IPSEC_MB_INCLUDE)
  file(STRINGS ${AQUEDUCT_IPSEC_MB_INCLUDE}/intel-ipsec-mb.h version REGEX "define IMB_VERSION_STR ")
  string(REGEX MATCH "[0-9]+" ipsec_mb_major "${version}")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS libipsec-mb${ipsec_mb_major})  # loaded likewise, if it is there
endif()
# Tells the loader's cache of the library.
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libaqueduct-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libaqueduct${soversion} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS aqueduct)
set(CPACK_COMPONENT_DEV_DESCRIPTION "one-sided communication for parallel programs: development files
 Headers, the static library, and what CMake, pkg-config and makefiles look
 for to compile a program with Aqueduct, also under GASNet's names.")

set(CPACK_DEBIAN_PAPERS_PACKAGE_NAME aqueduct-papers)
set(CPACK_DEBIAN_PAPERS_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PAPERS_PACKAGE_DEPENDS "libaqueduct${soversion} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PAPERS_PACKAGE_ENHANCES aqueduct)
set(CPACK_DEBIAN_PAPERS_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_COMPONENT_PAPERS_DESCRIPTION "one-sided communication for parallel programs: networks of papers
 Portals 3.3, uGNI and EXTOLL, as papers describe them, between the processes
 of a job: the conduits portals, mpi-portals, aries and extoll, which every
 program of the same version of Aqueduct finds, and the shared library for
 programs that call these interfaces themselves.")

set(CPACK_DEBIAN_PAPERS-DEV_PACKAGE_NAME libaqueduct-papers-dev)
set(CPACK_DEBIAN_PAPERS-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PAPERS-DEV_PACKAGE_DEPENDS "aqueduct-papers (= ${PROJECT_VERSION}), libaqueduct-dev (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_PAPERS-DEV_DESCRIPTION "one-sided communication for parallel programs: interfaces of papers
 portals3.h, gni_pub.h, velo2.h and rma2.h in a folder of their own, the
 static library, and what CMake and pkg-config look for to compile a program
 that calls Portals 3.3, uGNI or EXTOLL.")

set(CPACK_DEBIAN_SHMEM_PACKAGE_NAME libaqueduct-shmem${soversion})
set(CPACK_DEBIAN_SHMEM_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_SHMEM_PACKAGE_DEPENDS "libaqueduct${soversion} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_SHMEM_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_COMPONENT_SHMEM_DESCRIPTION "one-sided communication for parallel programs: OpenSHMEM
 The interface of OpenSHMEM 1.6 over Aqueduct: the shared library, for
 programs that are linked to it.")

# Its commands have names of their own: those of other implementations (oshcc, oshrun) are in /usr/lib/.../aqueduct-shmem/bin.
set(CPACK_DEBIAN_SHMEM-DEV_PACKAGE_NAME libaqueduct-shmem-dev)
set(CPACK_DEBIAN_SHMEM-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_SHMEM-DEV_PACKAGE_DEPENDS "libaqueduct-shmem${soversion} (= ${PROJECT_VERSION}), libaqueduct-dev (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_SHMEM-DEV_PACKAGE_RECOMMENDS aqueduct)
set(CPACK_COMPONENT_SHMEM-DEV_DESCRIPTION "one-sided communication for parallel programs: OpenSHMEM, development
 shmem.h in a folder of its own, the static library, the commands
 aqueduct-oshcc, aqueduct-oshc++ and aqueduct-oshrun, and what CMake and
 pkg-config look for.")

set(CPACK_DEBIAN_CAF-DEV_PACKAGE_NAME libaqueduct-caf-dev)
set(CPACK_DEBIAN_CAF-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_CAF-DEV_PACKAGE_DEPENDS "libaqueduct-dev (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_CAF-DEV_PACKAGE_RECOMMENDS "gfortran, aqueduct")
set(CPACK_COMPONENT_CAF-DEV_DESCRIPTION "one-sided communication for parallel programs: Coarray Fortran
 The library for programs with coarrays, which gfortran compiles with the
 option -fcoarray=lib, and the command aqueduct-caf, which does so.")

if(AQUEDUCT_BUILD_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL tools)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME aqueduct)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION net)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS libsodium23)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS aqueduct-papers)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "openssh-client, binutils, gdb, librsvg2-bin")
  set(CPACK_COMPONENT_TOOLS_DESCRIPTION "one-sided communication for parallel programs: the command
 The command aqueduct starts jobs, measures networks, simulates machines and
 explains what went wrong. With its manual, and completion for bash and zsh.")
endif()

get_property(plugins GLOBAL PROPERTY AQUEDUCT_PLUGINS)
set(carries_mpi-openmpi "Open MPI")
set(carries_mpi-mpich "MPICH")
set(carries_ofi "libfabric: InfiniBand, Omni-Path, TCP and others")
foreach(name IN LISTS plugins)
  list(APPEND CPACK_COMPONENTS_ALL conduit-${name})
  string(TOUPPER conduit-${name} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME aqueduct-conduit-${name})
  set(CPACK_DEBIAN_${component}_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_${component}_PACKAGE_DEPENDS "libaqueduct${soversion} (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_${component}_PACKAGE_ENHANCES aqueduct)
  if(NOT DEFINED carries_${name})
    set(carries_${name} "the conduit ${name}")
  endif()
  set(CPACK_COMPONENT_${component}_DESCRIPTION "one-sided communication for parallel programs: conduit ${name}
 A plug-in that carries the messages of Aqueduct over ${carries_${name}}.
 Every program of the same version of Aqueduct finds it when a job starts,
 also one that was linked before the plug-in was installed.")
endforeach()

# The licence, where Debian looks for it; not for plain installations.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} RENAME copyright
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
