# Installs the build tree BUILD into PREFIX, which is emptied first, and looks for what must be there.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${PREFIX})
run(${SOURCE}/scripts/install ${BUILD} ${PREFIX})
foreach(file bin/aqueduct include/gasnetex.h include/gasnet_fwd.h include/gasnet_config.h ${LIBDIR}/libaqueduct.a
        ${LIBDIR}/libaqueduct.so ${LIBDIR}/aqueduct_data_offset.o ${LIBDIR}/pkgconfig/aqueduct.pc ${LIBDIR}/cmake/Aqueduct/AqueductConfig.cmake
        include/gasnet.h include/gasnet_tools-par.mak include/smp-conduit/smp-seq.mak include/smp-conduit/gasnet_core.h
        ${LIBDIR}/libgasnet-smp-par.a ${LIBDIR}/libgasnet_tools-seq.a ${LIBDIR}/pkgconfig/gasnet-smp-parsync.pc
        ${LIBDIR}/gasnet-everything/include/udp-conduit/udp-par.mak ${LIBDIR}/gasnet-everything/include/gasnetex.h
        ${LIBDIR}/gasnet-everything/lib/pkgconfig/gasnet-udp-par.pc ${LIBDIR}/gasnet-everything/lib/cmake/GASNet/GASNetConfig.cmake
        include/aqueduct-papers/gni_pub.h include/aqueduct-papers/portals3.h include/aqueduct-papers/velo2.h include/aqueduct-papers/rma2.h
        ${LIBDIR}/libaqueduct-papers.a ${LIBDIR}/libaqueduct-papers.so ${LIBDIR}/pkgconfig/aqueduct-papers.pc
        ${LIBDIR}/cmake/Aqueduct/AqueductPapersTargets.cmake ${LIBDIR}/aqueduct/libaqueduct-conduit-portals.so
        ${LIBDIR}/aqueduct/libaqueduct-conduit-mpi-portals.so ${LIBDIR}/aqueduct/libaqueduct-conduit-aries.so
        ${LIBDIR}/aqueduct/libaqueduct-conduit-extoll.so
        bin/aqueduct-caf ${LIBDIR}/libaqueduct-caf.a ${LIBDIR}/libaqueduct-caf-gfortran8.a ${LIBDIR}/pkgconfig/aqueduct-caf.pc
        ${LIBDIR}/cmake/Aqueduct/AqueductCafTargets.cmake
        include/aqueduct-shmem/shmem.h include/aqueduct-shmem/shmem/types.h include/aqueduct-shmem/mpp/shmem.h ${LIBDIR}/libaqueduct-shmem.a
        ${LIBDIR}/libaqueduct-shmem.so ${LIBDIR}/pkgconfig/aqueduct-shmem.pc ${LIBDIR}/cmake/Aqueduct/AqueductShmemTargets.cmake
        bin/aqueduct-oshcc bin/aqueduct-oshc++ bin/aqueduct-oshrun ${LIBDIR}/aqueduct-shmem/bin/oshcc ${LIBDIR}/aqueduct-shmem/bin/oshrun
        include/udp-conduit/udp-par.mak include/udp-conduit/gasnet_core.h ${LIBDIR}/libgasnet-udp-seq.a
        ${LIBDIR}/pkgconfig/gasnet-udp-par.pc bin/gasnetrun_udp bin/gasnetrun_smp bin/amudprun bin/gasnet_trace bin/ident)
  if(NOT EXISTS ${PREFIX}/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
# An installed tree can be moved, so its text files do not name the place where it was made. Only the .pc files for those
# who look for GASNet do, because some of them read these files without pkg-config.
file(GLOB_RECURSE texts ${PREFIX}/${LIBDIR}/*.cmake ${PREFIX}/${LIBDIR}/*.pc ${PREFIX}/include/*.h)
list(FILTER texts EXCLUDE REGEX "/gasnet[^/]*[.]pc$")
foreach(file IN LISTS texts)
  file(READ ${file} text)
  foreach(place ${PREFIX} ${BUILD} ${SOURCE})
    string(FIND "${text}" "${place}/" found)
    if(NOT found EQUAL -1)
      message(FATAL_ERROR "${file} names ${place}")
    endif()
  endforeach()
endforeach()
# Headers of the papers' interfaces would hide those of a machine that has such a network.
file(GLOB_RECURSE elsewhere ${PREFIX}/include/*)
list(FILTER elsewhere INCLUDE REGEX "/(gni_|portals3|velo2|rma2)[^/]*$")
list(FILTER elsewhere EXCLUDE REGEX "/include/aqueduct-papers/[^/]*$")
if(elsewhere)
  message(FATAL_ERROR "headers of the papers are outside of their folder: ${elsewhere}")
endif()
run(${PREFIX}/bin/aqueduct --version)
