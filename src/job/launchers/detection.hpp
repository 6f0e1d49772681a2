// Finds which launcher has started this process, from the environment alone: it loads and connects nothing.
//
// In this order, unless AQUEDUCT_LAUNCHER names one:
//
//   env    AQUEDUCT_RANK, AQUEDUCT_SIZE and AQUEDUCT_ROOT, set by whoever starts the ranks
//   pmix   PMIX_NAMESPACE and PMIX_RANK: Open MPI's mpirun, srun --mpi=pmix, prterun
//   pmi2   PMI_FD and PMI_RANK inside a step of Slurm: srun --mpi=pmi2
//   pmi1   PMI_FD and PMI_RANK elsewhere: Hydra's mpiexec; PMI_PORT and PMI_ID: the same with -pmi-port; or a
//          step of Slurm with several tasks and without any of these: srun --mpi=none
//   none   anything else: the program starts its own ranks (AQUEDUCT_RANKS) or is alone
//
// A launcher that has started a single process counts as none.
//
// A program that a rank starts inherits the rank's environment, and must not take itself for that rank:
// forget() removes the variables that are for one process. Those of a launcher stay, because an MPI in the
// same program may need them, and AQUEDUCT_JOINED marks them as used.
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
  std::string because;     ///< the reason, in words
  bool is_forced = false;  ///< by AQUEDUCT_LAUNCHER
};

/// Null where a variable is not set.
using Lookup = std::function<const char*(const char* name)>;

/// A malformed AQUEDUCT_LAUNCHER is fatal.
Detected detect(const Lookup& lookup);
/// The same in the environment of this process.
Detected detect();

/// Call it once the rank of this process is known, so that programs that it starts do not take themselves for
/// this rank.
void forget();

}  // namespace aqueduct::job::launchers
