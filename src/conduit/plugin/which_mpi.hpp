// The conduit `mpi` has a plug-in for each MPI: mpi-openmpi, mpi-mpich. These decide in turn which of them
// the name means:
//
//   AQUEDUCT_MPI     openmpi or mpich
//   the program      the MPI that it is linked with, since a process can have only one
//   the launcher     the MPI whose launcher has started the process, if its plug-in is there
//   what there is    the first that exists, in the order above
//
// This code loads nothing. Any thread.
#pragma once
#include <string>

#include "conduit/plugin/search.hpp"

namespace aqueduct::conduit::plugin {

inline constexpr char kMpi[] = "mpi";

/// The plug-in's file; if there is none, one without a path, with a one-line reason in `*why`.
File find_mpi(std::string* why);

/// Whether there is a plug-in for any MPI; if not, `*why` says what to do.
bool has_mpi(std::string* why);

}  // namespace aqueduct::conduit::plugin
