#include "papers/nic/portals3/doorbells.hpp"

#include "papers/nic/portals3/handle.hpp"
#include "papers/nic/portals3/interface.hpp"
#include "papers/nic/portals3/process.hpp"

namespace aqueduct::portals3 {

Doorbell* doorbell_of(ptl_handle_ni_t ni, NodeId node) {
  Process* const process = Process::current();
  Interface* const interface = process ? process->interface(Handle::decode(ni).interface) : nullptr;
  return interface ? interface->nal().doorbell(node) : nullptr;
}

}  // namespace aqueduct::portals3
