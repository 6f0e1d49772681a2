#include "papers/conduit/portals/control_line.hpp"

namespace aqueduct::conduit::portals {

void ControlLine::attach() {
  ptl_handle_md_t unused;
  check(PtlMDAttach(port_.attach(kAmEntry, Selector::kSys),
                    descriptor(nullptr, 0, PTL_MD_OP_PUT, nullptr, port_.interface.sys.handle()), PTL_RETAIN,
                    &unused),
        "PtlMDAttach of SYS");
}

void ControlLine::open() {
  const ptl_md_t nothing = descriptor(nullptr, 0, PTL_MD_EVENT_END_DISABLE, nullptr, PTL_EQ_NONE);
  check(PtlMDBind(port_.interface.ni(), nothing, PTL_RETAIN, &md_), "PtlMDBind of SYS");
}

void ControlLine::send(RankId target, const ControlBits& bits, ptl_hdr_data_t data) const {
  check(PtlPutRegion(md_, 0, 0, PTL_NO_ACK_REQ, port_.interface.process(target), kAmEntry, kAccess,
                     bits.encode(), 0, data),
        "PtlPutRegion of a control message");
}

unsigned ControlLine::poll() {
  unsigned found = 0;
  ptl_event_t event;
  while (port_.interface.sys.get(&event)) {
    ++found;
    port_.interface.check_event(event);
    if (event.type != PTL_EVENT_PUT_END) continue;
    const ControlBits bits = ControlBits::decode(event.match_bits);
    const auto which = static_cast<std::size_t>(bits.which);
    if (which < handlers_.size() && handlers_[which])
      handlers_[which]->told(event.initiator.nid, bits, event.hdr_data);
  }
  return found;
}

}  // namespace aqueduct::conduit::portals
