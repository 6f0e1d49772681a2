// The environment variables by which a supervisor tells a rank its place. They are for one process: join()
// removes them, so that a program that the rank starts does not take itself for that rank.
#pragma once

namespace aqueduct::job::place {

inline constexpr char kRank[] = "AQUEDUCT_RANK";
inline constexpr char kSize[] = "AQUEDUCT_SIZE";
inline constexpr char kMemoryFd[] = "AQUEDUCT_MEMORY_FD";
inline constexpr char kControlFd[] = "AQUEDUCT_CONTROL_FD";
inline constexpr char kCores[] = "AQUEDUCT_CORES";
inline constexpr char kBinding[] = "AQUEDUCT_BINDING";    // NarrowBinding::text(); only where there is one
inline constexpr char kLayout[] = "AQUEDUCT_JOB_LAYOUT";  // layout_setting() of the supervisor
inline constexpr char kNeighbours[] = "AQUEDUCT_JOB_NEIGHBOURS";  // neighbours_setting(), likewise
inline constexpr char kRendezvous[] = "AQUEDUCT_RENDEZVOUS";      // its address, if there are several hosts
inline constexpr char kMachines[] = "AQUEDUCT_JOB_MACHINES";      // the layout, if the hosts are machines
// A key from the user, not from a supervisor (job/launchers/given_key.hpp).
inline constexpr char kKey[] = "AQUEDUCT_JOB_KEY";
// Not removed: the place that a foreign launcher has given, once a process has taken it.
inline constexpr char kJoined[] = "AQUEDUCT_JOINED";
inline constexpr char kConduit[] = "AQUEDUCT_CONDUIT";  // not removed: the user may set it as well

/// The variables for one process alone.
inline constexpr const char* kAll[] = {kRank,    kSize,   kMemoryFd,   kControlFd,  kCores,
                                       kBinding, kLayout, kNeighbours, kRendezvous, kMachines};

}  // namespace aqueduct::job::place
