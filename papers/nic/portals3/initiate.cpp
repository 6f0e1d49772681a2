// Put, get and getput from the initiator's side, up to send().
#include "papers/nic/portals3/interface.hpp"

namespace aqueduct::portals3 {

int Interface::resolve(const Descriptor* descriptor, const Extent& extent, const Target& target,
                       Extent& resolved) const {
  if (descriptor == nullptr || !descriptor->active) return PTL_MD_INVALID;
  if (target.process.nid >= nodes_ || target.process.pid == PTL_PID_ANY) return PTL_PROCESS_INVALID;
  const std::uint64_t all = descriptor->region.bytes();
  resolved = extent.bytes == Extent::kWhole ? Extent{0, all} : extent;
  if (resolved.offset > all || resolved.bytes > all - resolved.offset) return PTL_MD_ILLEGAL;
  return resolved.bytes <= PTL_MAX_TRANS_SZ ? PTL_OK : PTL_MD_ILLEGAL;
}

TransferRecord* Interface::request(MessageKind kind, Phase phase, Descriptor& source, Descriptor& answer,
                                   const Extent& extent, std::uint64_t local_offset, const Target& target) {
  TransferRecord* message = messages_.take();
  if (message == nullptr) return nullptr;
  if (kind == MessageKind::kGet) {
    message->aim_at_nothing();
  } else if (message->aim(source.region, extent.offset, extent.bytes)) {
    message->memory = source.memory;
  } else {
    messages_.give_back(*message);
    return nullptr;
  }
  message->owner = this;
  message->kind = kind;
  message->phase = phase;
  message->peer = target.process.nid;
  message->pid = self_.pid;
  message->bridge = &bridge_;
  // A get's request reads none of its memory, so the reply need not wait until the request is known to have
  // left, unless that has an event of its own.
  message->descriptor =
      kind != MessageKind::kGet || source.has(PTL_MD_EVENT_SEND_FOR_GET) ? &source : nullptr;
  if (message->descriptor != nullptr) ++source.pending;

  WireHeader& wire = message->wire;
  wire = WireHeader{};
  wire.kind = kind;
  wire.source = self_;
  wire.target = target.process;
  wire.uid = identity_.uid;
  wire.jid = identity_.jid;
  wire.pt_index = target.pt_index;
  wire.ac_index = target.ac_index;
  wire.match_bits = target.match_bits;
  wire.requested = extent.bytes;
  wire.remote_offset = target.remote_offset;
  wire.local_offset = local_offset;
  wire.hdr_data = target.hdr_data;
  wire.descriptor = handle_of(HandleKind::kDescriptor, answer);
  wire.generation = answer.generation;
  message->header = wire.bytes();

  ptl_event_t& event = message->event;
  event.initiator = self_;
  event.uid = identity_.uid;
  event.jid = identity_.jid;
  event.pt_index = target.pt_index;
  event.match_bits = target.match_bits;
  event.rlength = event.mlength = extent.bytes;
  event.offset = extent.offset;
  event.hdr_data = target.hdr_data;

  ++counter(PTL_SR_SEND_COUNT);
  counter(PTL_SR_SEND_LENGTH) += wire.payload_bytes();
  return message;
}

int Interface::put(ptl_handle_md_t md, const Extent& extent, ptl_ack_req_t ack, const Target& target) {
  Section section{*this, Context::kCall};
  Descriptor* descriptor = find_descriptor(md);
  Extent part;
  if (const int code = resolve(descriptor, extent, target, part); code != PTL_OK) return code;
  TransferRecord* message =
      request(MessageKind::kPut, Phase::kPut, *descriptor, *descriptor, part, part.offset, target);
  if (message == nullptr) return PTL_NO_SPACE;
  message->wire.ack_wanted = ack == PTL_ACK_REQ;
  if (message->wire.ack_wanted != 0) message->wire.ticket = expectations_.add(message->wire);
  message->wire.seal();
  descriptor->consume();
  describe(message->event, *descriptor);
  post_start(*message, PTL_EVENT_SEND_START);
  section.send(*message);
  return PTL_OK;
}

int Interface::get(ptl_handle_md_t md, const Extent& extent, const Target& target) {
  Section section{*this, Context::kCall};
  Descriptor* descriptor = find_descriptor(md);
  Extent part;
  if (const int code = resolve(descriptor, extent, target, part); code != PTL_OK) return code;
  TransferRecord* message =
      request(MessageKind::kGet, Phase::kRequest, *descriptor, *descriptor, part, part.offset, target);
  if (message == nullptr) return PTL_NO_SPACE;
  message->wire.ticket = expectations_.add(message->wire);
  message->wire.seal();
  describe(message->event, *descriptor);
  if (descriptor->has(PTL_MD_EVENT_SEND_FOR_GET)) post_start(*message, PTL_EVENT_SEND_START);
  section.send(*message);
  return PTL_OK;
}

int Interface::getput(ptl_handle_md_t get_md, ptl_handle_md_t put_md, const Target& target) {
  Section section{*this, Context::kCall};
  Descriptor* answer = find_descriptor(get_md);
  Descriptor* source = find_descriptor(put_md);
  Extent part;
  if (const int code = resolve(answer, {}, target, part); code != PTL_OK) return code;
  if (const int code = resolve(source, {}, target, part); code != PTL_OK) return code;
  if (part.bytes > static_cast<std::uint64_t>(limits_.max_getput_md)) return PTL_MD_ILLEGAL;
  TransferRecord* message = request(MessageKind::kGetPut, Phase::kRequest, *source, *answer, part, 0, target);
  if (message == nullptr) return PTL_NO_SPACE;
  message->wire.ticket = expectations_.add(message->wire);
  message->wire.seal();
  source->consume();
  describe(message->event, *source);
  post_start(*message, PTL_EVENT_SEND_START);
  section.send(*message);
  return PTL_OK;
}

}  // namespace aqueduct::portals3
