// Handles the device's reports: messages that come, messages that have left, and peers that are gone.
//
// VELO messages of one source take turns: payloads land in any order, and go to mailboxes in the order of
// their headers. A message without predecessors needs no turn.
#include "papers/nic/extoll/process.hpp"

namespace aqueduct::extoll {

Process::Process(Device& device) : LockedProcess(device) { device_.set_library(*this); }

Process::~Process() = default;

NicTransfer* Process::arrived(const Incoming& incoming) {
  const Section section{*this};
  const std::optional<WireHeader> header = WireHeader::read(incoming);
  if (!header) return nullptr;
  if (header->kind > MessageKind::kVeloRefused) return rma_arrived(*header, incoming.source);
  if (header->kind != MessageKind::kVelo) {
    const bool refused = header->kind == MessageKind::kVeloRefused;
    settle(line_of(header->target_vpid, header->generation, incoming.source, header->source_vpid),
           header->count, refused ? VELO2_RET_INVALID_MBOX : VELO2_RET_SUCCESS);
    return nullptr;
  }
  VeloLanding& landing = landings_.take();
  landing.header = *header;
  landing.in.peer = incoming.source;
  landing.in.payload = {landing.bytes.data(), header->bytes};
  landing.whole = true;
  landing.ready = header->bytes == 0;
  take_turn(landing);
  if (!landing.ready) return &landing.in;
  deliver_in_turn(landing);
  return nullptr;
}

void Process::landed(NicTransfer& transfer, bool whole) {
  const Section section{*this};
  Lent& lent = static_cast<Lent&>(transfer);
  if (lent.owner == Lent::Owner::kRmaLanding)
    return rma_landed(*static_cast<RmaLanding*>(lent.object), whole);
  VeloLanding& landing = *static_cast<VeloLanding*>(lent.object);
  landing.whole = whole;
  landing.ready = true;
  deliver_in_turn(landing);
}

void Process::take_turn(VeloLanding& landing) {
  if (landing_ == nullptr && turns_.empty()) {
    landing_ = &landing;
    return;
  }
  if (VeloLanding* const before = std::exchange(landing_, nullptr)) turns_[before->in.peer].push_back(before);
  turns_[landing.in.peer].push_back(&landing);
}

void Process::deliver_in_turn(VeloLanding& landing) {
  if (landing_ == &landing) {
    landing_ = nullptr;
    if (landing.whole) deliver(landing);
    landings_.give_back(landing);
    return;
  }
  const auto found = turns_.find(landing.in.peer);
  std::deque<VeloLanding*>& turns = found->second;
  while (!turns.empty() && turns.front()->ready) {
    VeloLanding& first = *turns.front();
    turns.pop_front();
    // The sender learns of a message that broke off by undeliverable().
    if (first.whole) deliver(first);
    landings_.give_back(first);
  }
  if (turns.empty()) turns_.erase(found);
}

bool Process::has_all_left() {
  const Section section{*this};
  return leaving_ == 0;
}

void Process::sent(NicTransfer& transfer) {
  const Section section{*this};
  --leaving_;
  Lent& lent = static_cast<Lent&>(transfer);
  if (lent.owner == Lent::Owner::kRequest) {
    sent_request(*static_cast<RmaRequest*>(lent.object));
  } else if (lent.owner == Lent::Owner::kAnswer) {
    sent_answer(*static_cast<RmaAnswer*>(lent.object));
  } else {
    packets_.give_back(*static_cast<VeloPacket*>(lent.object));
  }
}

void Process::undeliverable(NodeId target, std::span<const std::byte> bytes) {
  const Section section{*this};
  const std::optional<WireHeader> header = WireHeader::read_own(bytes);
  if (!header) return;
  if (header->kind > MessageKind::kVeloRefused) return rma_undeliverable(*header, target);
  if (header->kind != MessageKind::kVelo) return;
  settle(line_of(header->source_vpid, header->generation, target, header->target_vpid), 1, VELO2_RET_ERROR);
}

void Process::lost(NodeId node) {
  const Section section{*this};
  mark_lost(node);
  rma_lost(node);
  changed();
}

}  // namespace aqueduct::extoll
