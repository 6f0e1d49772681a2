// Control messages of the conduit: no bytes, everything in the match bits and the header data
// (match_bits.hpp).
//
// They need neither credits nor tokens nor chunks. Instead of flow control each kind has a bound on how many
// can be under way between two ranks, and their queue, SYS_EQ, has room for all. They may be handled at any
// time, also while a request handler runs. Any thread may send and poll.
#pragma once
#include <array>

#include "papers/conduit/portals/port.hpp"

namespace aqueduct::conduit::portals {

/// Receives the control messages of a kind.
class ControlHandler {
 public:
  virtual void told(RankId sender, const ControlBits& bits, ptl_hdr_data_t data) = 0;

 protected:
  ~ControlHandler() = default;
};

class ControlLine {
 public:
  explicit ControlLine(PortalsPort& port) : port_(port) {}

  /// attach() attaches SYS, which receives messages, before everything else; open() binds the descriptor that
  /// sends, after everything else.
  void attach();
  void open();

  /// Before anybody sends. A kind without a handler is ignored.
  void set_handler(Control which, ControlHandler& handler) {
    handlers_[static_cast<std::size_t>(which)] = &handler;
  }

  void send(RankId target, const ControlBits& bits, ptl_hdr_data_t data) const;
  /// Takes all messages that have come, and returns how many.
  unsigned poll();

 private:
  PortalsPort& port_;
  std::array<ControlHandler*, kControls> handlers_{};
  ptl_handle_md_t md_ = PTL_INVALID_HANDLE;
};

}  // namespace aqueduct::conduit::portals
