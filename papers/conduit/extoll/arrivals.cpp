// Handles arrivals: reassembles packets into messages, and takes payloads of Longs.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fatal.hpp"
#include "papers/conduit/extoll/messages.hpp"
#include "world/work.hpp"

namespace aqueduct::conduit::extoll {

unsigned Messages::deliver(Scope scope) {
  return arrived_.deliver(endpoint_.lock, endpoint_.receiver, scope, kMessagesAtOnce,
                          [this](const ArrivedMessage& arrived) {
                            if (!arrived.parcel.is_answered) credits_.owe(arrived.source, 1);
                          });
}

void Messages::proceed() {
  if (!unsent_.empty()) continue_sending();
  if (!untold_.empty()) tell_all();
  if (credits_.due_peers() != 0) give_credits_back();
  longs_.poll();
}

// Packets.

bool Messages::take_packet() {
  Packet packet;
  if (!endpoint_.nic.receive(&packet)) return false;
  if (packet.source >= endpoint_.ranks)
    fatal(kName, "a packet has come from rank %u, which is none", packet.source);
  Peer& from = peer(packet.source);
  PeerLine& line = endpoint_.line(packet.source);
  if (packet.tag != line.next_tag_here++)
    fatal(kName, "packets of rank %u are missing: number %u has come instead of %u", packet.source,
          packet.tag, static_cast<std::uint8_t>(line.next_tag_here - 1));
  if (packet.type == PacketType::kControl) {
    control_packet(packet);
  } else if (packet.type == PacketType::kFirst) {
    first_packet(from, packet);
  } else {
    ArrivedMessage*& arriving = from.arriving[stream_of(packet.type == PacketType::kMoreOfReply)];
    if (!arriving) fatal(kName, "a packet of rank %u belongs to no message", packet.source);
    ArrivedMessage& arrived = *arriving;
    if (absorb(arrived, packet.data, packet.bytes)) {
      arriving = nullptr;
      packets_complete(arrived);
    }
  }
  return true;
}

void Messages::check_head(RankId source, const Head& head) const {
  const std::size_t largest[] = {0, ExtollSettings::limits().max_medium, ExtollSettings::kMaxMedium,
                                 ExtollSettings::kMaxLong, ExtollSettings::kMaxLong};
  const bool is_message =
      head.message_kind() == MessageKind::kRequest || head.message_kind() == MessageKind::kReply;
  if (!is_message || head.message_form() > MessageForm::kExposedLong || head.nargs > kMaxArgs ||
      head.payload_bytes > largest[head.form] ||
      (head.message_form() >= MessageForm::kLong && head.payload_bytes == 0))
    fatal(kName, "a message from rank %u is malformed", source);
}

void Messages::came_back(RankId source, unsigned credits) {
  if (credits != 0 && !credits_.came_back(source, credits))
    fatal(kName, "a message from rank %u is malformed: %s", source, parts::RequestCredits::kTooMany);
}

void Messages::first_packet(Peer& from, const Packet& packet) {
  if (packet.bytes < Head::kBytes) fatal(kName, "a message from rank %u is malformed", packet.source);
  const Head head = Head::decode(packet.data);
  check_head(packet.source, head);
  const bool is_reply = head.message_kind() == MessageKind::kReply;
  came_back(packet.source, head.credits + (is_reply ? 1u : 0u));
  ArrivedMessage*& arriving = from.arriving[stream_of(is_reply)];
  if (arriving) fatal(kName, "rank %u has begun a message within another", packet.source);
  world::spend(world::kAmReceive);
  ArrivedMessage& arrived = arrived_.take();
  arrived.source = packet.source;
  arrived.is_reply = is_reply;
  arrived.head = head;
  arrived.front_here = 0;
  arrived.payload_here = 0;
  arrived.has_front = false;
  if (absorb(arrived, packet.data + Head::kBytes, packet.bytes - Head::kBytes)) {
    packets_complete(arrived);
  } else {
    arriving = &arrived;
  }
}

// Bytes beyond the end are the card's padding.
bool Messages::absorb(ArrivedMessage& arrived, const std::byte* from, std::size_t bytes) {
  if (!arrived.has_front) {
    const std::size_t front = front_bytes(arrived.head.message_form(), arrived.head.nargs);
    const std::size_t part = std::min(bytes, front - arrived.front_here);
    const bool is_in_one_piece = part == front;
    if (!is_in_one_piece) std::memcpy(arrived.front + arrived.front_here, from, part);
    arrived.front_here += part;
    if (arrived.front_here < front) return false;
    read_front(arrived, is_in_one_piece ? from : arrived.front);
    from += part;
    bytes -= part;
  }
  const std::size_t along = bytes_along(arrived.head);
  const std::size_t part = std::min(bytes, along - arrived.payload_here);
  if (part != 0) std::memcpy(arrived.payload_to + arrived.payload_here, from, part);
  arrived.payload_here += part;
  return arrived.payload_here == along;
}

// Head and front have come: the message is known except for its payload.
void Messages::read_front(ArrivedMessage& arrived, const std::byte* front) {
  const MessageForm form = arrived.head.message_form();
  Message message{.is_reply = arrived.is_reply,
                  .handler = arrived.head.handler,
                  .nargs = arrived.head.nargs,
                  .args = reinterpret_cast<const std::int32_t*>(front),
                  .payload_bytes = arrived.head.payload_bytes};
  message.category = form == MessageForm::kShort    ? Category::kShort
                     : form == MessageForm::kMedium ? Category::kMedium
                                                    : Category::kLong;
  if (message.category == Category::kLong) {
    front += parts::arguments_bytes(message.nargs);
    std::memcpy(&message.destination, front, sizeof message.destination);
    const auto destination = reinterpret_cast<std::uintptr_t>(message.destination);
    if (message.payload_bytes != 0 && !endpoint_.segment.contains(destination, message.payload_bytes))
      fatal(kName, "a Long from rank %u names memory outside the segment", arrived.source);
    if (form == MessageForm::kExposedLong)
      std::memcpy(&arrived.exposed, front + sizeof message.destination, sizeof arrived.exposed);
    if (form != MessageForm::kPackedLong) {
      arrived.destination = message.destination;
      arrived.payload_bytes = message.payload_bytes;
      arrived.nonce = place_of(destination - endpoint_.segment.base, message.payload_bytes);
    }
  }
  arrived.payload_to = static_cast<std::byte*>(arrived.parcel.take(arrived.source, message));
  arrived.has_front = true;
}

// The place alone distinguishes the payloads of requests and replies, which is enough.
void Messages::packets_complete(ArrivedMessage& arrived) {
  if (arrived.head.message_form() < MessageForm::kLong) return ready(&arrived);
  const bool is_reply = std::exchange(arrived.is_reply, false);
  arrived.parcel.message.is_reply = is_reply;
  ready(longs_.envelope_came(arrived));
}

void Messages::control_packet(const Packet& packet) {
  const Head head = packet.bytes < Head::kBytes ? Head{} : Head::decode(packet.data);
  if (head.nargs > kMostWords || packet.bytes < Head::kBytes + head.nargs * sizeof(std::uint64_t))
    fatal(kName, "a control packet of rank %u is malformed", packet.source);
  came_back(packet.source, head.credits);
  for (unsigned i = 0; i < head.nargs; ++i) {
    std::uint64_t word;
    std::memcpy(&word, packet.data + Head::kBytes + i * sizeof word, sizeof word);
    if (head.message_kind() == MessageKind::kLanded) {
      RmaCommand* const command = endpoint_.nic.landed(packet.source, word);
      if (!command) fatal(kName, "rank %u says of a put that there is not that it has landed", packet.source);
      command->land();
    } else {
      if (head.message_kind() != MessageKind::kSourceRead || !longs_.source_read(packet.source, word))
        fatal(kName, "a control packet of rank %u is malformed", packet.source);
    }
  }
}

// The address tells through which registration the data came, and so whether they are a put or a Long's
// payload.
void Messages::data_came(const Nic::Notice& notice) {
  if (const std::uint64_t offset = notice.nla - endpoint_.segment_puts.nla; offset < endpoint_.segment.size) {
    peer(notice.source).landed.push_back(place_of(offset, notice.bytes));
    return tell(notice.source);
  }
  const std::uint64_t offset = notice.nla - endpoint_.segment_longs.nla;
  if (offset >= endpoint_.segment.size)
    fatal(kName, "rank %u has put something where nothing belongs", notice.source);
  ready(longs_.payload_came(notice.source, place_of(offset, notice.bytes)));
}

void Messages::ready(parts::LongArrival* complete) {
  if (!complete) return;
  ++completed_;
  arrived_.ready(static_cast<ArrivedMessage&>(*complete));
}

}  // namespace aqueduct::conduit::extoll
