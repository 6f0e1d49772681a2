# What `cmake --install` puts where: both libraries, the public headers, and the files through which CMake projects and
# pkg-config find them. The tool installs itself.
#
#   bin/aqueduct  include/*.h  include/aqueduct/*  lib/libaqueduct.{a,so}  lib/cmake/Aqueduct/*  lib/pkgconfig/aqueduct.pc
#   include/aqueduct-papers/*.h  lib/libaqueduct-papers.{a,so}  lib/pkgconfig/aqueduct-papers.pc     the papers' networks (papers/)
#   clients/shmem/CMakeLists.txt says what OpenSHMEM installs.
#   include/aqueduct.hpp  include/aqueduct/cxx/*     the C++ interface (clients/cxx)
#
# The installed tree can be moved: nothing in it names the place where it was installed.
include(CMakePackageConfigHelpers)

# The same name inside this project as in others: the library that BUILD_SHARED_LIBS asks for.
if(BUILD_SHARED_LIBS)
  add_library(Aqueduct::aqueduct ALIAS aqueduct_shared)
  add_library(Aqueduct::papers ALIAS aqueduct-papers_shared)
else()
  add_library(Aqueduct::aqueduct ALIAS aqueduct_static)
  add_library(Aqueduct::papers ALIAS aqueduct-papers_static)
endif()

install(TARGETS aqueduct_static aqueduct_shared EXPORT AqueductTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES ${PROJECT_BINARY_DIR}/include/gasnet_config.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Aqueduct)
install(EXPORT AqueductTargets NAMESPACE Aqueduct:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/AqueductConfig.cmake.in
  ${PROJECT_BINARY_DIR}/AqueductConfig.cmake INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/AqueductConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/AqueductConfig.cmake ${PROJECT_BINARY_DIR}/AqueductConfigVersion.cmake
        DESTINATION ${package_dir})

# From lib/pkgconfig back to the prefix, whatever the library directory is called. Programs find the shared library where it
# is installed; in /usr the loader looks anyway.
file(RELATIVE_PATH AQUEDUCT_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
get_target_property(wrap aqueduct_caf INTERFACE_LINK_OPTIONS)
list(JOIN wrap " " AQUEDUCT_CAF_LINK_OPTIONS)
foreach(kind here system)
  set(AQUEDUCT_PC_RPATH "")
  if(kind STREQUAL here)
    set(AQUEDUCT_PC_RPATH " -Wl,-rpath,\${libdir}")
  endif()
  foreach(package aqueduct aqueduct-papers aqueduct-shmem aqueduct-caf)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/pkgconfig/${kind}/${package}.pc @ONLY)
  endforeach()
endforeach()
# install_pkg_config(PACKAGE COMPONENT)
function(install_pkg_config package component)
  install(CODE "
    set(kind here)
    if(CMAKE_INSTALL_PREFIX STREQUAL /usr)
      set(kind system)
    endif()
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig\" TYPE FILE
         FILES \"${PROJECT_BINARY_DIR}/pkgconfig/\${kind}/${package}.pc\")" COMPONENT ${component})
endfunction()
install_pkg_config(aqueduct dev)
install_pkg_config(aqueduct-papers papers-dev)
install_pkg_config(aqueduct-shmem shmem-dev)
install_pkg_config(aqueduct-caf caf-dev)
include(${CMAKE_CURRENT_LIST_DIR}/gasnet_names.cmake)
