#include "papers/conduit/portals/port.hpp"

namespace aqueduct::conduit::portals {

ptl_handle_me_t PortalsPort::attach(ptl_pt_index_t entry, Selector selector) {
  ptl_handle_me_t me;
  check(PtlMEAttach(interface.ni(), entry, InterfaceClient::anybody(), bits_of(selector), kIgnored,
                    PTL_RETAIN, PTL_INS_AFTER, &me),
        "PtlMEAttach");
  return me;
}

ptl_handle_md_t PortalsPort::attach_memory(ptl_handle_me_t entry, void* start, std::size_t bytes,
                                           unsigned options, void* handler, ptl_handle_eq_t queue) {
  ptl_handle_md_t md;
  check(PtlMDAttach(entry, descriptor(start, bytes, options, handler, queue), PTL_RETAIN, &md),
        "PtlMDAttach");
  return md;
}

void PortalsPort::attach_request_chunks(SafeEvents& handler) {
  request_md =
      attach_memory(attach(kAmEntry, Selector::kReqSb), request_chunks.memory(), request_chunks.bytes(),
                    PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE, handler.mark(), interface.safe.handle());
}

unsigned PortalsPort::poll_safe() {
  unsigned found = 0;
  ptl_event_t event;
  while (found < settings.safe_limit && interface.safe.get(&event)) {
    interface.check_event(event);
    SafeEvents::of(event).happened(event);
    ++found;
  }
  watch->found(found);
  return found;
}

}  // namespace aqueduct::conduit::portals
