// uGNI in a live job: its process, made at the first GNI_CdmCreate.
//
// The job is the one that gex_Client_Init would join: the program was started by `aqueduct run`, or starts
// its ranks itself if AQUEDUCT_RANKS says so, or is alone; a program may use both interfaces. The address of
// a process is its rank. Messages go over the fabric between processes (fabric/shm, or fabric/udp between
// hosts).
//
// Puts, gets and atomics of others make progress while this process computes, in a progress thread
// (nic/progress_thread.hpp), which every look at a completion queue relieves.
#include "papers/nic/live_device.hpp"
#include "papers/nic/ugni/fabric_device.hpp"
#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni {
namespace {

constexpr fabric::Plane kUgniPlane{3};

}  // namespace

Process* Process::open_live() {
  using Device = nic::LiveDevice<FabricDevice, Call, Call::kEvent>;
  return nic::LiveParts<Device, Process>::open(kUgniPlane, "ugni", "GNI_CdmCreate");
}

}  // namespace aqueduct::ugni
