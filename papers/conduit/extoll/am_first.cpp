// Active messages, the first and plain implementation. It sends each section of a message by itself.
//
//   send       head | arguments, up to 14 in a packet | payload, 56 bytes in a packet
//   receive    one packet in each poll
//   lock       taken and given back for each packet, in both directions
//
// Its costs for a Short with arguments, as RandomAccess sends: - two packets instead of one: twice the card's
//   work at both ends (send_velo, take_velo), twice the calls
//     and stores of the processors, and two of the target's slots instead of one. The card works on one packet
//     at a time, so its rate of messages is halved.
//   - two polls instead of one until the handler runs. A poll has costs of its own: a look at the mailbox and
//     at the notification queue, and whatever the client does around it.
//   - two locks at each end instead of one, and as many in each poll as a burst has packets.
// A Medium has its payload in packets of its own although the last one before has room: one packet more,
// which shows while payloads are small.
//
// docs/extoll_conduit.md has the count for each kind of message, and what it amounts to.
#include <algorithm>

#include "papers/conduit/extoll/am.hpp"

namespace aqueduct::conduit::extoll {
namespace {

class FirstAm final : public AmImplementation {
 public:
  explicit FirstAm(PacketLink& link) : link_(link) {}

  bool send(Outgoing& message) override {
    for (;;) {
      if (!link_.send_packet(message, next_section(message))) return false;
      if (message.left() == 0) return true;
      link_.unlock();
      spend_lock();
      link_.lock();
    }
  }

  unsigned receive() override {
    spend_lock();
    return link_.take_packet() ? 1 : 0;
  }

 private:
  // The rest of the section that is being sent, as far as it fits.
  static std::size_t next_section(const Outgoing& message) {
    const std::size_t ends[] = {Head::kBytes, message.front_bytes, message.bytes()};
    for (const std::size_t end : ends) {
      if (message.sent_bytes < end) return std::min(end - message.sent_bytes, kPacketBytes);
    }
    return 0;
  }

  PacketLink& link_;
};

}  // namespace

std::unique_ptr<AmImplementation> make_first_am(PacketLink& link) { return std::make_unique<FirstAm>(link); }

}  // namespace aqueduct::conduit::extoll
