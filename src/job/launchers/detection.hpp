// Which launcher has started this process, found from the environment alone: nothing is loaded or connected.
//
// In this order, unless AQUEDUCT_LAUNCHER names one:
//
//   env    AQUEDUCT_RANK, AQUEDUCT_SIZE and AQUEDUCT_ROOT: whoever starts the ranks has said it all
//   pmix   PMIX_NAMESPACE and PMIX_RANK: Open MPI's mpirun, srun --mpi=pmix, prterun
//   pmi2   PMI_FD and PMI_RANK inside a step of Slurm: srun --mpi=pmi2
//   pmi1   PMI_FD and PMI_RANK elsewhere: Hydra's mpiexec; PMI_PORT and PMI_ID: the same with -pmi-port; or a
//          step of Slurm with several tasks and without any of these: srun --mpi=none
//   none   anything else: the program starts its own ranks (AQUEDUCT_RANKS) or is alone
//
// A launcher that has started one process is none: there is nobody to meet.
//
// A program that a rank starts inherits what its launcher had told the rank. It must not take itself for that
// rank: forget() removes what is for one process, and remembers what others may still need, an MPI in the
// same program, as used (AQUEDUCT_JOINED).
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace aqueduct::job::launchers {

enum class Launcher : std::uint8_t { kNone, kEnvironment, kPmix, kPmi2, kPmi1 };

/// As AQUEDUCT_LAUNCHER writes it.
const char* name_of(Launcher launcher);

struct Detected {
  Launcher launcher = Launcher::kNone;
  std::string because;     ///< what has decided, in words
  bool is_forced = false;  ///< by AQUEDUCT_LAUNCHER
};

/// Null where a variable is not set.
using Lookup = std::function<const char*(const char* name)>;

/// A malformed AQUEDUCT_LAUNCHER is fatal.
Detected detect(const Lookup& lookup);
/// In the environment of this process.
Detected detect();

/// The rank of this process has been found, in whatever way: programs that it starts are not this rank.
void forget();

}  // namespace aqueduct::job::launchers
