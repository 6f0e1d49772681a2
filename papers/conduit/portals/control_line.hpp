// Control messages of the conduit: no bytes, everything in the match bits and the header data
// (match_bits.hpp).
//
// They need neither credits nor tokens nor chunks. In place of flow control each kind has its own bound of
// how many can be under way between two ranks, and the queue for them, SYS_EQ, has room for all. They may be
// served at any time, also where a request handler runs. Any thread may send and poll.
#pragma once
#include <array>

#include "papers/conduit/portals/port.hpp"

namespace aqueduct::conduit::portals {

/// Who hears of control messages of a kind.
class ControlHandler {
 public:
  virtual void told(RankId sender, const ControlBits& bits, ptl_hdr_data_t data) = 0;

 protected:
  ~ControlHandler() = default;
};

class ControlLine {
 public:
  explicit ControlLine(Port& port) : port_(port) {}

  /// SYS, where others' messages come, is attached first; what ours are sent from after everything else.
  void attach();
  void open();

  /// Before anybody sends. A kind without a handler is ignored.
  void set_handler(Control which, ControlHandler& handler) {
    handlers_[static_cast<std::size_t>(which)] = &handler;
  }

  void send(RankId target, const ControlBits& bits, ptl_hdr_data_t data) const;
  /// Takes all that there are, and answers how many.
  unsigned poll();

 private:
  Port& port_;
  std::array<ControlHandler*, kControls> handlers_{};
  ptl_handle_md_t md_ = PTL_INVALID_HANDLE;
};

}  // namespace aqueduct::conduit::portals
