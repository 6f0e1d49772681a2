// EXTOLL in a live job: its process, made at the first velo2_open or rma2_open.
//
// The job is the one that gex_Client_Init would join: the program was started by `aqueduct run`, or starts
// its ranks itself if AQUEDUCT_RANKS says so, or is alone; a program may use both interfaces. The node id of
// a process is its rank. Messages go over the fabric between processes (fabric/shm, or fabric/udp between
// hosts). A progress thread fills mailboxes while this process computes (nic/progress_thread.hpp); every look
// relieves it.
#include "papers/nic/extoll/fabric_device.hpp"
#include "papers/nic/extoll/process.hpp"
#include "papers/nic/live_device.hpp"

namespace aqueduct::extoll {
namespace {

constexpr fabric::Plane kExtollPlane{4};

}  // namespace

Process* Process::open_live() {
  using Device = nic::LiveDevice<FabricDevice, Call, Call::kLook>;
  return nic::LiveParts<Device, Process>::open(kExtollPlane, "extoll", "velo2_open");
}

}  // namespace aqueduct::extoll
