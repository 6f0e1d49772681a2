// Portals in a live job: its process, made at the first PtlInit.
//
// The job is the one that gex_Client_Init would join: the program was started by `aqueduct run`, or starts
// its ranks itself if AQUEDUCT_RANKS says so, or is alone; a program may use both interfaces. Nid is the
// rank, pid is kLivePid unless PtlNIInit asks for another, uid is the user's, jid is the same in all
// processes of a job and of no other. There is one interface, PTL_IFACE_DEFAULT, over the fabric between
// processes (fabric/shm).
//
// If a process dies, the job layer ends the job. Like a real network, this one drops messages for a process
// that has not called PtlNIInit yet, so programs must meet before they send.
#pragma once
#include "papers/nic/portals3/process.hpp"

namespace aqueduct::portals3 {

inline constexpr ptl_pid_t kLivePid = 1;

/// Makes the Process of this process, which stays until the program ends. Called once.
Process* open_live_process();

}  // namespace aqueduct::portals3
