// What comes.
#include <atomic>
#include <cstring>

#include "base/fatal.hpp"
#include "papers/conduit/aries/messages.hpp"
#include "world/work.hpp"

namespace aqueduct::conduit::aries {
namespace {

constexpr unsigned kAtOnce = 32;  // messages that one poll delivers

// The bytes between the arguments and a packed payload.
std::size_t bytes_beside(MessageForm command) {
  return command == MessageForm::kLong         ? sizeof(Envelope)
         : command == MessageForm::kPackedLong ? sizeof(std::uint64_t)
                                               : 0;
}

}  // namespace

unsigned Messages::deliver(Scope scope) {
  return arrived_.deliver(endpoint_.lock, endpoint_.receiver, scope, kAtOnce,
                          [this](ArrivedMessage& arrived) { handler_over(arrived); });
}

void Messages::proceed() {
  for (std::size_t looks = slow_peers_.size(); looks != 0; --looks) {
    const RankId slow = slow_peers_.front();
    slow_peers_.pop_front();
    peer(slow).is_slow = false;
    header_came(slow, false);
  }
  while (!unsent_controls_.empty() &&
         post_control(unsent_controls_.front().target, unsent_controls_.front().value)) {
    unsent_controls_.pop_front();
  }
  if (!unfetched_.empty()) continue_fetches();
  longs_.poll();
}

unsigned Messages::take_arrivals(unsigned limit) {
  std::uint64_t data;
  for (unsigned i = 0; i < limit; ++i) {
    if (!endpoint_.nic.next_arrival(&data)) return i;
    const Event event = Event::decode(data);
    if (event.rank >= endpoint_.ranks)
      fatal(kName, "an event has come from rank %u, which is none", event.rank);
    switch (event.type) {
      case EventType::kHeader:
        header_came(event.rank, true);
        break;
      case EventType::kRequestPayload:
      case EventType::kReplyPayload:
        ready(longs_.payload_came(event.rank, event.type == EventType::kReplyPayload, event.detail));
        break;
      case EventType::kControl:
        control_came(event);
        break;
    }
  }
  return limit;
}

// Takes the visible words, at most as many as events have announced. Looks again later for a word that is not
// visible yet, because events overtake the data that they announce.
void Messages::header_came(RankId source, bool is_announced) {
  Peer& from = peer(source);
  if (is_announced) ++from.unseen;
  auto* const ring = reinterpret_cast<std::uint64_t*>(endpoint_.area.at(endpoint_.area.ring(source)));
  while (from.unseen != 0) {
    std::atomic_ref<std::uint64_t> place(ring[from.receive_position % (2 * endpoint_.settings.depth)]);
    const std::uint64_t word = place.load(std::memory_order_acquire);
    if (word == 0) break;
    place.store(0, std::memory_order_relaxed);
    ++from.receive_position;
    --from.unseen;
    take_message(source, Notify::decode(word));
  }
  if (from.unseen == 0 || from.is_slow) return;
  from.is_slow = true;
  slow_peers_.push_back(source);
}

std::size_t Messages::body_bytes(const Notify& notify) {
  return parts::arguments_bytes(notify.nargs) + bytes_beside(notify.command) + notify.bytes;
}

void Messages::take_message(RankId source, const Notify& notify) {
  const bool is_request = notify.type == MessageType::kRequest && !endpoint_.is_rendezvous;
  const bool is_reply = notify.type == MessageType::kReply;
  const bool is_fetched = notify.type == MessageType::kRendezvousRequest && endpoint_.is_rendezvous;
  const bool is_known = (is_request || is_reply || is_fetched) && notify.command >= MessageForm::kShort &&
                        notify.command <= MessageForm::kPackedLong;
  const std::size_t room =
      is_request ? endpoint_.settings.region_bytes - notify.target_slot * endpoint_.settings.slot_bytes
                 : endpoint_.settings.buffer_bytes();
  if (!is_known || notify.nargs > kMaxArgs || notify.target_slot >= endpoint_.settings.depth ||
      notify.initiator_slot >= endpoint_.settings.total_depth || body_bytes(notify) > room) {
    fatal(kName, "a message from rank %u is malformed", source);
  }
  if (is_fetched) return fetch_body(source, notify);
  if (is_request)
    return take_body(source, notify,
                     endpoint_.area.at(endpoint_.area.region(source)) +
                         notify.target_slot * endpoint_.settings.slot_bytes);
  const Outstanding& request = outstanding_[notify.initiator_slot];
  if (request.peer != source || !request.is_unanswered) {
    warn(kName, "a reply from rank %u to no request of ours was dropped", source);
    return;
  }
  take_body(source, notify, endpoint_.area.at(endpoint_.area.buffer(notify.initiator_slot)));
}

// Copies a request's body out of its slots, because the reply frees them while the handler may still read; a
// reply's body stays in its buffer until its handler is over.
void Messages::take_body(RankId source, const Notify& notify, const std::byte* body) {
  world::spend(world::kAmReceive);
  const bool is_reply = notify.type == MessageType::kReply;
  const std::size_t args = parts::arguments_bytes(notify.nargs);
  ArrivedMessage& arrived = arrived_.take();
  arrived.source = source;
  arrived.is_reply = is_reply;
  arrived.nonce = notify.target_slot;
  arrived.notify = notify;
  Message message{.is_reply = is_reply,
                  .handler = notify.handler,
                  .nargs = notify.nargs,
                  .args = reinterpret_cast<const std::int32_t*>(body),
                  .payload_bytes = notify.bytes};
  message.category = notify.command == MessageForm::kShort    ? Category::kShort
                     : notify.command == MessageForm::kMedium ? Category::kMedium
                                                              : Category::kLong;
  body += args;
  if (notify.command == MessageForm::kLong) {
    arrived.parcel.take(source, message);
    return take_long_envelope(arrived, body);
  }
  if (notify.command == MessageForm::kPackedLong) {
    std::memcpy(&message.destination, body, sizeof message.destination);
    body += sizeof message.destination;
    if (notify.bytes != 0 &&
        !endpoint_.segment.contains(reinterpret_cast<std::uintptr_t>(message.destination), notify.bytes))
      fatal(kName, "a Long from rank %u names memory outside the segment", source);
  } else if (message.category == Category::kLong) {
    fatal(kName, "a message from rank %u is of no known kind", source);
  }
  message.payload = body;
  if (is_reply) {
    arrived.parcel.source = source;
    arrived.parcel.message = message;
    parts::place_payload(arrived.parcel.message);
  } else {
    void* const to = arrived.parcel.take(source, message);
    if (message.category != Category::kShort && notify.bytes != 0) {
      world::spend(world::kCopy, notify.bytes);
      std::memcpy(to, body, notify.bytes);
    }
  }
  ready(&arrived);
}

void Messages::take_long_envelope(ArrivedMessage& arrived, const std::byte* body) {
  std::memcpy(&arrived.envelope, body, sizeof arrived.envelope);
  const Envelope& envelope = arrived.envelope;
  if (envelope.bytes > AriesSettings::kMaxLong ||
      !endpoint_.segment.contains(envelope.destination, envelope.bytes))
    fatal(kName, "a Long from rank %u names memory outside the segment", arrived.source);
  arrived.destination = reinterpret_cast<void*>(envelope.destination);
  arrived.payload_bytes = envelope.bytes;
  Message& message = arrived.parcel.message;
  message.destination = arrived.destination;
  message.payload = arrived.destination;
  message.payload_bytes = envelope.bytes;
  ready(longs_.envelope_came(arrived));
}

void Messages::ready(parts::LongArrival* complete) {
  if (complete) arrived_.ready(static_cast<ArrivedMessage&>(*complete));
}

void Messages::control_came(const Event& event) {
  if (event.detail == static_cast<std::uint8_t>(Control::kCredit)) {
    const std::uint16_t slot = event.argument;
    if (slot >= endpoint_.settings.total_depth || outstanding_[slot].peer != event.rank ||
        !outstanding_[slot].is_unanswered) {
      warn(kName, "a credit from rank %u for no request of ours was dropped", event.rank);
      return;
    }
    outstanding_[slot].is_unanswered = false;
    return settle(slot);
  }
  if (event.detail != static_cast<std::uint8_t>(Control::kSourceRead) ||
      !longs_.source_read(event.rank, event.argument))
    fatal(kName, "a control message of rank %u means nothing", event.rank);
}

// Frees a reply's buffer. For a request without a reply, returns what the reply would have returned.
void Messages::handler_over(ArrivedMessage& arrived) {
  const std::uint16_t slot = arrived.notify.initiator_slot;
  if (arrived.is_reply) {
    outstanding_[slot].is_unanswered = false;
    settle(slot);
  } else if (!arrived.parcel.is_answered) {
    tell(arrived.source, Control::kCredit, slot);
  }
}

}  // namespace aqueduct::conduit::aries
