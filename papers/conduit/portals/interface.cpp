#include "papers/conduit/portals/interface.hpp"

#include "base/fatal.hpp"

namespace aqueduct::conduit::portals {

void LockedEventQueue::open(ptl_handle_ni_t ni, std::size_t events, const char* name) {
  name_ = name;
  check(PtlEQAlloc(ni, events, PTL_EQ_HANDLER_NONE, &handle_), name);
}

bool LockedEventQueue::get(ptl_event_t* event) {
  return get(event, [](const ptl_event_t&) {});
}

bool LockedEventQueue::get_locked(ptl_event_t* event) {
  const int code = PtlEQGet(handle_, event);
  if (code == PTL_EQ_EMPTY) return false;
  if (code == PTL_EQ_DROPPED) fatal("portals", "%s overflowed: events were lost", name_);
  check(code, name_);
  return true;
}

InterfaceClient::InterfaceClient(RankId self) : Client(kName) {
  if (node() != self)
    fatal(kName, "rank %u is on node %u; each rank needs the node of its number", self, node());
}

void InterfaceClient::open_queues(const QueueSizes& sizes) {
  safe.open(ni(), sizes.safe, "SAFE_EQ");
  am.open(ni(), sizes.am, "AM_EQ");
  sys.open(ni(), sizes.sys, "SYS_EQ");
}

}  // namespace aqueduct::conduit::portals
