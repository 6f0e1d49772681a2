#include "papers/conduit/portals/long_messages.hpp"

#include <cstring>

#include "base/fatal.hpp"
#include "parts/body.hpp"

namespace aqueduct::conduit::portals {

void ReadyHeader::put(const InterfaceClient& interface) const {
  check(PtlPutRegion(md, offset, bytes, PTL_NO_ACK_REQ, interface.process(target), kAmEntry, kAccess, bits,
                     remote_offset, data),
        "PtlPutRegion of a message");
}

Longs::Longs(PortalsPort& port, Operations& operations, PutsAndGets& progress)
    : port_(port),
      operations_(operations),
      progress_(progress),
      kind_(parts::choose_long_protocol(kName, Longs::long_abilities())),
      protocol_(parts::make_long_protocol(kind_, *this)) {}

// Headers come in order, but large payloads land in any order.
parts::LongAbilities Longs::long_abilities() const { return {.reports_landing = true, .tells_target = true}; }

void Longs::send(const Message& message, const ReadyHeader& header, Lid lid, const HeldMemory& held) {
  Leaving& leaving = leaving_.take();
  leaving.set(header.target, message, lid);
  leaving.envelope = header;
  leaving.local = held;
  protocol_->start(leaving);
}

// If the target gets an event, it is the payload descriptor's.
parts::PayloadPut Longs::put_payload(parts::LongSend& send, parts::PutReport report) {
  std::uint32_t name;
  PortalsOperation& operation = operations_.create(&name);
  const RankId target = send.target;
  operation.client = this;
  operation.owner = &send;
  operation.held = Leaving::of(send).local;
  operation.tells_of_end = report == parts::PutReport::kLanded;
  operation.events = operation.tells_of_end ? 2 : 1;
  if (operation.tells_of_end)
    std::atomic_ref(operation.awaited_peer).store(target + 1, std::memory_order_relaxed);
  const Selector selector = report != parts::PutReport::kTellTarget ? Selector::kRar
                            : send.is_reply                         ? Selector::kRarSrc
                                                                    : Selector::kRarAm;
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(send.destination) - port_.segments[target].base;
  check(PtlPutRegion(operation.held.md, operation.held.offset, send.payload_bytes,
                     operation.tells_of_end ? PTL_ACK_REQ : PTL_NO_ACK_REQ, port_.interface.process(target),
                     kRarEntry, kAccess, PayloadBits{selector, name}.encode(), offset,
                     std::uint64_t{port_.self()} << 32 | send.nonce),
        "PtlPutRegion of a payload");
  return parts::PayloadPut::kBegun;
}

Post Longs::send_envelope(parts::LongSend& send) {
  Leaving::of(send).envelope.put(port_.interface);
  return Post::kDone;
}

void Longs::serve() {
  Spinning spinning;
  progress_.serve(spinning);
}

ArrivedLong* Longs::header_came(RankId source, bool is_reply, Lid lid, const HeaderBits& bits,
                                const std::byte* body, parts::CreditByte credit) {
  ArrivedLong& arrival = arrived_.take();
  arrival.source = source;
  arrival.is_reply = is_reply;
  arrival.nonce = lid;
  arrival.handler = bits.handler;
  arrival.nargs = bits.nargs;
  arrival.chunk = bits.chunk;
  arrival.credit = credit;
  std::memcpy(arrival.args, body, bits.nargs * sizeof(std::int32_t));
  if (!tells_of_payloads()) {
    LongDestination where;
    std::memcpy(&where, body + parts::arguments_bytes(bits.nargs), sizeof where);
    if (!port_.segment().contains(where.address, where.bytes))
      fatal(kName, "a Long from rank %u names memory outside the segment", source);
    arrival.destination = reinterpret_cast<void*>(where.address);
    arrival.payload_bytes = where.bytes;
  }
  return static_cast<ArrivedLong*>(protocol_->envelope_came(arrival));
}

ArrivedLong* Longs::payload_came(const ptl_event_t& event, bool is_reply) {
  const auto source = static_cast<RankId>(event.hdr_data >> 32);
  const parts::LandedAt at{static_cast<std::byte*>(event.md.start) + event.offset, event.mlength};
  return static_cast<ArrivedLong*>(
      protocol_->payload_came(source, is_reply, static_cast<Lid>(event.hdr_data), at));
}

}  // namespace aqueduct::conduit::portals
