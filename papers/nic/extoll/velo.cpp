// VELO: ports, messages and flow control.
//
// A port has for each port that it sends to `send_credits` messages that need not be in the target's mailbox
// yet. They wait at the target, in `held`, until the mailbox has room: this models the buffers of cards and
// network, which fill up behind a full mailbox. A message that is in the mailbox returns a credit; credits go
// back by the half of all.
//
//   sender                                     target
//   outstanding < credits: kVelo ──────────▶   held, then the mailbox, slot by slot: a credit is due
//   outstanding -= count  ◀── kVeloCredit ──   when half of all credits are due
//   outstanding -= 1      ◀── kVeloRefused ─   there is no such port, or it was closed before that
//
// A sender without credits gets some once the mailbox has room: then all its messages, more than half of its
// credits, are in the mailbox. Credits are per pair of ports, so a full mailbox does not block messages to
// other mailboxes.
//
// Lives of ports: a VPID may be opened again. Returned credits name the generation of the sender's port, so
// that credits of an earlier life do not count; a target that closes returns all credits.
#include <algorithm>
#include <cstring>
#include <new>

#include "papers/nic/extoll/process.hpp"

namespace aqueduct::extoll {
namespace {

/// velo2_recv reads at most so many slots before it writes the read pointer back.
constexpr std::uint64_t kCommitEvery = 32;

}  // namespace

velo2_ret_t Process::open_velo(velo2_port_t* port) {
  const Section section{*this};
  if (device_.memory_fails()) return VELO2_RET_ERR_MMAP;
  std::unique_ptr<Mailbox> mailbox{new (std::nothrow) Mailbox(std::max(1u, limits_.mailbox_slots))};
  if (mailbox == nullptr) return VELO2_RET_ERR_MMAP;
  VeloPort* const opened = velo_ports_.take(kMaxPorts);
  if (opened == nullptr) return VELO2_RET_ERROR;
  opened->mailbox = std::move(mailbox);
  opened->held.clear();
  opened->lines.clear();
  opened->returns.clear();
  opened->next = {};
  port->handle = nic::handle_bits(HandleKind::kVeloPort, self_, *opened);
  has_opened_velo_ = true;
  for (HeldMessage& message : std::exchange(early_, {})) hold(message);
  return VELO2_RET_SUCCESS;
}

velo2_ret_t Process::close_velo(const velo2_port_t& port) {
  const Section section{*this};
  VeloPort* const closing = velo_port(port);
  if (closing == nullptr) return VELO2_RET_ERROR;
  for (const HeldMessage& held : closing->held)
    send_control(MessageKind::kVeloRefused, closing->vpid(), held.header, held.source, 1);
  for (const auto& [source, owed] : closing->returns) {
    WireHeader about;
    about.source_vpid = static_cast<std::uint8_t>(VELO2_ADDR_VPID(source));
    about.generation = owed.generation;
    if (owed.due != 0)
      send_control(MessageKind::kVeloCredit, closing->vpid(), about, VELO2_ADDR_NODE(source), owed.due);
  }
  velo_connections_.for_each_live([&](VeloConnection& each) {
    if (each.port == closing) velo_connections_.give_back(each);
  });
  closing->mailbox.reset();
  velo_ports_.give_back(*closing);
  return VELO2_RET_SUCCESS;
}

std::uint16_t Process::velo_vpid(const velo2_port_t& port) {
  const Section section{*this};
  const VeloPort* const found = velo_port(port);
  return found != nullptr ? found->vpid() : 0xffff;
}

velo2_ret_t Process::connect_velo(const velo2_port_t& port, std::uint16_t node, std::uint16_t vpid,
                                  velo2_connection_t* connection) {
  const Section section{*this};
  VeloPort* const from = velo_port(port);
  if (from == nullptr) return VELO2_RET_ERROR;
  if (node >= device_.nodes()) return VELO2_RET_INVALID_NODE;
  if (vpid > VELO2_MAX_VPID) return VELO2_RET_INVALID_MBOX;
  VeloConnection* const made = velo_connections_.take(nic::kMaxHandleIndex);
  if (made == nullptr) return VELO2_RET_ERROR;
  made->port = from;
  made->node = node;
  made->vpid = static_cast<std::uint8_t>(vpid);
  made->line = &from->lines[VELO2_ADDR_PACK(node, vpid)];
  connection->handle = nic::handle_bits(HandleKind::kVeloConnection, self_, *made);
  return VELO2_RET_SUCCESS;
}

velo2_ret_t Process::disconnect_velo(const velo2_port_t& port, const velo2_connection_t& connection) {
  const Section section{*this};
  const VeloPort* const from = velo_port(port);
  VeloConnection* const closing = velo_connection(connection);
  if (from == nullptr || closing == nullptr || closing->port != from) return VELO2_RET_ERROR;
  velo_connections_.give_back(*closing);
  return VELO2_RET_SUCCESS;
}

// Sending.

velo2_ret_t Process::send_velo(const velo2_connection_t& connection, std::span<const std::byte> message,
                               std::uint8_t tag, std::uint8_t mtt) {
  const Section section{*this};
  const VeloConnection* const to = velo_connection(connection);
  if (to == nullptr) return VELO2_RET_ERROR;
  if (mtt > VELO2_MAX_MTT) return VELO2_RET_INV_MTT;
  if (message.size() > limits_.message_bytes) return VELO2_RET_INV_MSG;
  if (to->line->failure != VELO2_RET_SUCCESS) return std::exchange(to->line->failure, VELO2_RET_SUCCESS);
  if (is_lost(to->node)) return VELO2_RET_ERROR;
  if (to->line->outstanding >= limits_.send_credits) return VELO2_RET_TRY_AGAIN;
  ++to->line->outstanding;
  VeloPacket& packet = packets_.take();
  packet.header = {};
  packet.header.source_vpid = to->port->vpid();
  packet.header.target_vpid = to->vpid;
  packet.header.tag = tag;
  packet.header.mtt = mtt;
  packet.header.generation = to->port->generation;
  packet.header.bytes = static_cast<std::uint32_t>(message.size());
  if (!message.empty()) std::memcpy(packet.bytes.data(), message.data(), message.size());
  packet.out.unit = Unit::kVelo;
  send_packet(packet, to->node);
  return VELO2_RET_SUCCESS;
}

velo2_ret_t Process::can_send_velo(const velo2_connection_t& connection) {
  const Section section{*this};
  const VeloConnection* const to = velo_connection(connection);
  if (to == nullptr) return VELO2_RET_ERROR;
  const bool tells = to->line->failure != VELO2_RET_SUCCESS || is_lost(to->node);
  return tells || to->line->outstanding < limits_.send_credits ? VELO2_RET_SUCCESS : VELO2_RET_TRY_AGAIN;
}

void Process::send_packet(VeloPacket& packet, NodeId target) {
  packet.header.seal();
  packet.out.peer = target;
  packet.out.header = packet.header.as_bytes();
  packet.out.payload = {packet.bytes.data(), packet.header.payload_bytes()};
  send(packet.out);
}

/// Sends a control message about a message of the port that `about` names as its source.
void Process::send_control(MessageKind kind, std::uint8_t own_vpid, const WireHeader& about, NodeId target,
                           std::uint32_t count) {
  VeloPacket& packet = packets_.take();
  packet.header = {};
  packet.header.kind = kind;
  packet.header.source_vpid = own_vpid;
  packet.header.target_vpid = about.source_vpid;
  packet.header.generation = about.generation;
  packet.header.count = count;
  packet.out.unit = Unit::kResponder;
  send_packet(packet, target);
}

VeloLine* Process::line_of(std::uint8_t vpid, std::uint32_t generation, NodeId peer, std::uint8_t peer_vpid) {
  VeloPort* const port = velo_ports_.find_live(vpid);
  if (port == nullptr || port->generation != generation) return nullptr;
  const auto found = port->lines.find(VELO2_ADDR_PACK(peer, peer_vpid));
  return found != port->lines.end() ? &found->second : nullptr;
}

void Process::settle(VeloLine* line, std::uint32_t count, velo2_ret_t failure) {
  if (line == nullptr) return;
  line->outstanding -= std::min(count, line->outstanding);
  if (failure != VELO2_RET_SUCCESS) line->failure = failure;
  changed();
}

// At the target.

void Process::deliver(const VeloLanding& landing) {
  HeldMessage message{landing.header, landing.in.peer, 0, landing.bytes};
  if (has_opened_velo_) return hold(message);
  early_.push_back(message);
}

void Process::hold(HeldMessage& message) {
  VeloPort* const port = velo_ports_.find_live(message.header.target_vpid);
  if (port == nullptr)
    return send_control(MessageKind::kVeloRefused, message.header.target_vpid, message.header, message.source,
                        1);
  if (!port->held.empty() || !store(*port, message)) port->held.push_back(message);
}

/// Moves waiting messages into the mailbox as far as there is room.
void Process::fill(VeloPort& port) {
  while (!port.held.empty() && store(port, port.held.front())) port.held.pop_front();
}

/// The same with one message; false: some of it is left.
bool Process::store(VeloPort& port, HeldMessage& message) {
  while (port.mailbox->has_room()) {
    const std::uint32_t rest = message.header.bytes - message.stored;
    const std::uint32_t part = std::min<std::uint32_t>(rest, VELO2_SLOT_PAYLOAD);
    const VeloStatus status{.source = VELO2_ADDR_PACK(message.source, message.header.source_vpid),
                            .tag = message.header.tag,
                            .mtt = message.header.mtt,
                            .length = static_cast<std::uint8_t>(part),
                            .end_of_message = part == rest};
    port.mailbox->write(status, std::span{message.bytes}.subspan(message.stored, part));
    message.stored += part;
    changed();
    if (!status.end_of_message) continue;
    owe_credit(port, message);
    return true;
  }
  return false;
}

void Process::owe_credit(VeloPort& port, const HeldMessage& message) {
  VeloReturn& owed = port.returns[VELO2_ADDR_PACK(message.source, message.header.source_vpid)];
  if (owed.generation != message.header.generation) owed = {message.header.generation, 0};
  if (++owed.due < std::max(1u, limits_.send_credits / 2)) return;
  send_control(MessageKind::kVeloCredit, port.vpid(), message.header, message.source, owed.due);
  owed.due = 0;
}

// Receiving.

/// Reads the next message from its slots. If it has more parts than the mailbox has slots, this reads it in
/// several rounds and commits each round itself.
void Process::collect(VeloPort& port) {
  VeloAssembly& next = port.next;
  VeloStatus status;
  while (!next.complete) {
    if (!port.mailbox->peek(&status)) {
      if (next.length == 0 || port.mailbox->uncommitted() < port.mailbox->slots()) return;
      commit(port);
      continue;
    }
    port.mailbox->read(next.bytes.data() + next.length);
    next.length += status.length;
    next.status = status;
    next.complete = status.end_of_message;
  }
}

void Process::commit(VeloPort& port) {
  port.mailbox->commit();
  fill(port);
}

velo2_ret_t Process::check_velo(const velo2_port_t& port, VeloNext* next) {
  const Section section{*this};
  VeloPort* const at = velo_port(port);
  if (at == nullptr) return VELO2_RET_ERROR;
  collect(*at);
  if (!at->next.complete) return VELO2_RET_NO_MSG;
  *next = {at->next.status.source, at->next.length, at->next.status.tag, at->next.status.mtt};
  return VELO2_RET_SUCCESS;
}

bool Process::has_message(const velo2_port_t& port) {
  const Section section{*this};
  const VeloPort* const at = velo_port(port);
  VeloStatus status;
  return at != nullptr && at->mailbox->peek(&status);
}

bool Process::is_commit_forgotten(const velo2_port_t& port) {
  const Section section{*this};
  const VeloPort* const at = velo_port(port);
  return at != nullptr && at->mailbox->uncommitted() == at->mailbox->slots();
}

velo2_ret_t Process::take_velo(const velo2_port_t& port, void* buffer, std::size_t size, std::uint8_t mtt,
                               VeloNext* next, bool commits, bool* committed) {
  const Section section{*this};
  VeloPort* const at = velo_port(port);
  if (at == nullptr) return VELO2_RET_ERROR;
  collect(*at);
  if (!at->next.complete && commits && at->mailbox->uncommitted() != 0) {
    *committed = true;
    commit(*at);
    collect(*at);
  }
  VeloAssembly& message = at->next;
  if (!message.complete) return VELO2_RET_NO_MSG;
  *next = {message.status.source, message.length, message.status.tag, message.status.mtt};
  if (mtt != VELO2_MTT_ANY && mtt != next->mtt) return VELO2_RET_NO_MATCH;
  if (message.length > size) return VELO2_RET_INV_MSG;
  if (message.length != 0) std::memcpy(buffer, message.bytes.data(), message.length);
  message.complete = false;
  message.length = 0;
  const std::uint64_t enough = std::clamp<std::uint64_t>(at->mailbox->slots() / 2, 1, kCommitEvery);
  if (commits && at->mailbox->uncommitted() >= enough) {
    *committed = true;
    commit(*at);
  }
  return VELO2_RET_SUCCESS;
}

velo2_ret_t Process::commit_velo(const velo2_port_t& port) {
  const Section section{*this};
  VeloPort* const at = velo_port(port);
  if (at == nullptr) return VELO2_RET_ERROR;
  commit(*at);
  return VELO2_RET_SUCCESS;
}

const Mailbox* Process::mailbox(const velo2_port_t& port) {
  const Section section{*this};
  const VeloPort* const found = velo_port(port);
  return found != nullptr ? found->mailbox.get() : nullptr;
}

}  // namespace aqueduct::extoll
