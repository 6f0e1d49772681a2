// Active messages, the second implementation: it avoids unneeded packets, looks and locks.
//
//   send       head, arguments and payload without gaps: each packet is full but for the last
//   receive    all packets that are there, up to a mailbox full or 64 messages, in each poll
//   lock       once for a message that is sent, once for all packets of a poll
//
// A Short of up to 12 arguments is one packet and one slot. Of a Medium the first bytes of the payload ride
// in the packet of head and arguments. A burst of packets is taken by one poll, and its handlers run one
// after the other; am_first.cpp says what the difference is worth.
#include <algorithm>

#include "papers/conduit/extoll/am.hpp"

namespace aqueduct::conduit::extoll {
namespace {

constexpr unsigned kBurst = 4;             // after so many packets, makes progress to fetch more
constexpr unsigned kPacketsAtOnce = 1024;  // a full mailbox; one message may have 150

class SecondAm final : public AmImplementation {
 public:
  explicit SecondAm(PacketLink& link) : link_(link) {}

  bool send(Outgoing& message) override {
    while (message.left() != 0) {
      if (!link_.send_packet(message, std::min(message.left(), kPacketBytes))) return false;
    }
    return true;
  }

  unsigned receive() override {
    spend_lock();
    unsigned taken = 0;
    while (taken < kPacketsAtOnce && link_.take_packet()) {
      ++taken;
      if (link_.is_enough() || (taken < kBurst && !link_.has_packet())) break;
    }
    return taken;
  }

 private:
  PacketLink& link_;
};

}  // namespace

std::unique_ptr<AmImplementation> make_second_am(PacketLink& link) {
  return std::make_unique<SecondAm>(link);
}

}  // namespace aqueduct::conduit::extoll
