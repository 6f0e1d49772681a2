// The conduit `mpi` is one of several plug-ins, one for each MPI: mpi-openmpi, mpi-mpich. Which of them the
// name stands for, in this order:
//
//   AQUEDUCT_MPI     openmpi or mpich
//   the program      the MPI that it is linked with: a process has one
//   the launcher     the MPI whose launcher has started the process, if its plug-in is there
//   what there is    the first that there is, in the order above
//
// Nothing is loaded here. Any thread.
#pragma once
#include <string>

#include "conduit/plugin/search.hpp"

namespace aqueduct::conduit::plugin {

inline constexpr char kMpi[] = "mpi";

/// The plug-in's file; without a path, and with a one-line reason in `*why`, if there is none.
File find_mpi(std::string* why);

/// Whether there is any; if not, `*why` says what to do.
bool has_mpi(std::string* why);

}  // namespace aqueduct::conduit::plugin
