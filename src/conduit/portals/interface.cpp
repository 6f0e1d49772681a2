#include "conduit/portals/interface.hpp"

#include "base/fatal.hpp"

namespace aqueduct::conduit::portals {

void check(int code, const char* what) {
  if (code != PTL_OK) fatal("portals", "%s: %s", what, PtlErrorStr(code));
}

void EventQueue::open(ptl_handle_ni_t ni, std::size_t events, const char* name) {
  name_ = name;
  check(PtlEQAlloc(ni, events, PTL_EQ_HANDLER_NONE, &handle_), name);
}

bool EventQueue::get(ptl_event_t* event) {
  return get(event, [](const ptl_event_t&) {});
}

bool EventQueue::get_locked(ptl_event_t* event) {
  const int code = PtlEQGet(handle_, event);
  if (code == PTL_EQ_EMPTY) return false;
  if (code == PTL_EQ_DROPPED) fatal("portals", "%s overflowed: events were lost", name_);
  check(code, name_);
  return true;
}

Interface::Interface(RankId self) {
  int interfaces = 0;
  check(PtlInit(&interfaces), "PtlInit");
  ptl_ni_limits_t actual;
  const int code = PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, &actual, &ni_);
  if (code != PTL_IFACE_DUP) check(code, "PtlNIInit");
  ptl_process_id_t id;
  check(PtlGetId(ni_, &id), "PtlGetId");
  if (id.nid != self)
    fatal("portals", "rank %u is on node %u; each rank needs the node of its number", self, id.nid);
  pid_ = id.pid;
}

Interface::~Interface() {
  PtlNIFini(ni_);
  PtlFini();
}

void Interface::open_queues(const QueueSizes& sizes) {
  safe.open(ni_, sizes.safe, "SAFE_EQ");
  am.open(ni_, sizes.am, "AM_EQ");
  sys.open(ni_, sizes.sys, "SYS_EQ");
}

void Interface::check_event(const ptl_event_t& event) const {
  if (event.ni_fail_type == PTL_NI_OK) [[likely]]
    return;
  fatal("portals", "%s with rank %u failed: %s", PtlEventKindStr(event.type), event.initiator.nid,
        PtlNIFailStr(ni_, event.ni_fail_type));
}

ptl_md_t descriptor(void* start, std::size_t bytes, unsigned options, void* role, ptl_handle_eq_t queue) {
  ptl_md_t md{};
  md.start = start;
  md.length = bytes;
  md.threshold = PTL_MD_THRESH_INF;
  md.options = options | PTL_MD_EVENT_START_DISABLE;
  md.user_ptr = role;
  md.eq_handle = queue;
  return md;
}

}  // namespace aqueduct::conduit::portals
