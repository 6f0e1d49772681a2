// Control messages of the conduit: no bytes, everything in the match bits and the header data
// (match_bits.hpp).
//
// They need neither credits nor tokens nor chunks. In place of flow control each kind has its own bound of
// how many can be under way between two ranks, and the queue for them, SYS_EQ, has room for all. They may be
// served at any time, also where a request handler runs. Any thread may send.
#pragma once
#include "papers/conduit/portals/interface.hpp"
#include "papers/conduit/portals/match_bits.hpp"

namespace aqueduct::conduit::portals {

class ControlLine {
 public:
  explicit ControlLine(InterfaceClient& interface) : interface_(interface) {}

  void open() {
    const ptl_md_t nothing = descriptor(nullptr, 0, PTL_MD_EVENT_END_DISABLE, nullptr, PTL_EQ_NONE);
    check(PtlMDBind(interface_.ni(), nothing, PTL_RETAIN, &md_), "PtlMDBind of SYS");
  }

  void send(RankId target, const ControlBits& bits, ptl_hdr_data_t data) const {
    check(PtlPutRegion(md_, 0, 0, PTL_NO_ACK_REQ, interface_.process(target), kAmEntry, kAccess,
                       bits.encode(), 0, data),
          "PtlPutRegion of a control message");
  }

 private:
  InterfaceClient& interface_;
  ptl_handle_md_t md_ = PTL_INVALID_HANDLE;
};

}  // namespace aqueduct::conduit::portals
