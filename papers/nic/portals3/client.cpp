#include "papers/nic/portals3/client.hpp"

#include "base/fatal.hpp"
#include "base/silence.hpp"
#include "world/world.hpp"

namespace aqueduct::portals3 {

void check(const char* client, int code, const char* what) {
  if (code != PTL_OK) [[unlikely]]
    fatal(client, "%s: %s", what, PtlErrorStr(code));
}

Client::Client(const char* name) : name_(name) {
  int interfaces = 0;
  check(PtlInit(&interfaces), "PtlInit");
  const int code = PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &ni_);
  if (code != PTL_IFACE_DUP) check(code, "PtlNIInit");
  check(PtlGetId(ni_, &self_), "PtlGetId");
}

Client::~Client() {
  PtlNIFini(ni_);
  PtlFini();
}

void Client::check_event(const ptl_event_t& event) const {
  if (event.ni_fail_type == PTL_NI_OK) [[likely]]
    return;
  const RankId peer = event.initiator.nid;
  if (const Silence silence = world::current().silence(peer); silence.ns != 0)
    fatal_silence(name_, peer, silence);
  fatal(name_, "%s with rank %u failed: %s", PtlEventKindStr(event.type), peer,
        PtlNIFailStr(ni_, event.ni_fail_type));
}

ptl_md_t descriptor(void* start, std::size_t bytes, unsigned options, void* mark, ptl_handle_eq_t queue) {
  ptl_md_t md{};
  md.start = start;
  md.length = bytes;
  md.threshold = PTL_MD_THRESH_INF;
  md.options = options | PTL_MD_EVENT_START_DISABLE;
  md.user_ptr = mark;
  md.eq_handle = queue;
  return md;
}

}  // namespace aqueduct::portals3
