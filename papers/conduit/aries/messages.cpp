// Sending active messages.
#include "papers/conduit/aries/messages.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "world/work.hpp"

namespace aqueduct::conduit::aries {
namespace {

std::uint64_t run_of(unsigned slots) {
  return slots >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << slots) - 1;
}

}  // namespace

Messages::Messages(Endpoint& endpoint, PutsAndGets& transfers, std::function<void()> progress)
    : endpoint_(endpoint),
      transfers_(transfers),
      message_posts_(PostUse::kMessage, endpoint),
      control_posts_(PostUse::kControl, endpoint),
      longs_(endpoint, *this, transfers, std::move(progress)),
      peers_((endpoint.ranks + kPeerBlock - 1) / kPeerBlock),
      outstanding_(endpoint.settings.total_depth),
      scratch_(endpoint.settings.buffer_bytes()) {
  for (std::uint32_t slot = endpoint.settings.total_depth; slot-- > 0;) free_buffers_.push_back(slot);
  if (endpoint.is_rendezvous) fetches_.resize(endpoint.settings.rendezvous_buffers);
  for (std::size_t i = 0; i < fetches_.size(); ++i) {
    fetches_[i].messages = this;
    fetches_[i].body = endpoint.area.at(endpoint.area.rendezvous_buffer(i));
    free_fetches_.push_back(&fetches_[i]);
  }
}

Messages::Peer& Messages::peer(RankId rank) {
  std::unique_ptr<PeerBlock>& block = peers_[rank / kPeerBlock];
  if (!block) block = std::make_unique<PeerBlock>();
  Peer& peer = (*block)[rank % kPeerBlock];
  if (!peer.is_known) {
    peer.is_known = true;
    peer.free_slots = run_of(endpoint_.settings.depth);
  }
  return peer;
}

// An empty payload cannot travel by itself: it always comes with its header.
Messages::Body Messages::body_of(const Message& message) const {
  const std::size_t args = parts::arguments_bytes(message.nargs);
  switch (message.category) {
    case Category::kShort:
      return {MessageForm::kShort, args};
    case Category::kMedium:
      return {MessageForm::kMedium, args + message.payload_bytes};
    default: {
      const std::size_t packed = args + sizeof(std::uint64_t) + message.payload_bytes;
      if (message.payload_bytes == 0 || packed <= endpoint_.settings.packed_long_bytes)
        return {MessageForm::kPackedLong, packed};
      return {MessageForm::kLong, args + sizeof(Envelope)};
    }
  }
}

void Messages::fill(std::byte* to, const Message& message, const Body& body) const {
  world::spend(world::kAmSend);
  to = parts::write_arguments(to, message);
  const auto destination = reinterpret_cast<std::uint64_t>(message.destination);
  if (body.command == MessageForm::kLong) {
    const Envelope envelope{.destination = destination, .bytes = message.payload_bytes};
    std::memcpy(to, &envelope, sizeof envelope);
    return;
  }
  if (body.command == MessageForm::kPackedLong) {
    std::memcpy(to, &destination, sizeof destination);
    to += sizeof destination;
  }
  if (body.command != MessageForm::kShort) parts::write_payload(to, message);
}

// Takes a buffer here, consecutive slots there, and for a Long one of the outstanding Longs.
bool Messages::reserve(RankId target, const Body& body, std::uint32_t* pool_slot, std::uint8_t* target_slot) {
  const bool is_long = body.command == MessageForm::kLong;
  Peer& there = peer(target);
  if (free_buffers_.empty() || (is_long && there.longs == endpoint_.settings.long_depth)) return false;
  const auto slots =
      endpoint_.is_rendezvous
          ? 1u
          : static_cast<unsigned>(std::max<std::size_t>(
                1, (body.bytes + endpoint_.settings.slot_bytes - 1) / endpoint_.settings.slot_bytes));
  const std::uint64_t run = run_of(slots);
  for (unsigned first = 0; first + slots <= endpoint_.settings.depth; ++first) {
    if ((there.free_slots >> first & run) != run) continue;
    there.free_slots &= ~(run << first);
    if (is_long) ++there.longs;
    *pool_slot = free_buffers_.back();
    free_buffers_.pop_back();
    *target_slot = static_cast<std::uint8_t>(first);
    outstanding_[*pool_slot] = {target, run << first, is_long, true, false};
    return true;
  }
  return false;
}

// Frees what a request holds once it is answered and nothing of it is under way any more.
void Messages::settle(std::uint32_t pool_slot) {
  Outstanding& request = outstanding_[pool_slot];
  if (request.is_unanswered || request.is_leaving) return;
  Peer& there = peer(request.peer);
  there.free_slots |= request.slots;
  if (request.is_long) --there.longs;
  request.slots = 0;
  free_buffers_.push_back(pool_slot);
}

void Messages::long_left(std::uint32_t pool_slot) {
  outstanding_[pool_slot].is_leaving = false;
  settle(pool_slot);
}

Post Messages::inject(RankId target, const Message& request) {
  if (target == endpoint_.self) return parts::deliver_to_self(endpoint_.receiver, endpoint_.self, request);
  const std::lock_guard guard(endpoint_.lock);
  const Body body = body_of(request);
  std::uint32_t pool_slot;
  std::uint8_t target_slot;
  if (!reserve(target, body, &pool_slot, &target_slot))
    return am::retry(endpoint_.receiver,
                     free_buffers_.empty() ? observe::Retry::kBuffers : observe::Retry::kCredits);
  const bool is_long = body.command == MessageForm::kLong;
  const Notify notify{static_cast<std::uint16_t>(pool_slot),
                      endpoint_.is_rendezvous ? MessageType::kRendezvousRequest : MessageType::kRequest,
                      target_slot,
                      static_cast<std::uint16_t>(is_long ? 0 : request.payload_bytes),
                      request.handler,
                      request.nargs,
                      body.command};
  const std::size_t remote =
      endpoint_.area.region(endpoint_.self) + target_slot * endpoint_.settings.slot_bytes;
  Post post;
  if (is_long) {
    post = send_long(target, request, body, notify, remote, pool_slot);
  } else {
    std::byte* const buffer = endpoint_.area.at(endpoint_.area.buffer(pool_slot));
    fill(buffer, request, body);
    post = post_message(target, buffer, body.bytes, remote, notify);
  }
  if (post == Post::kRetry) {
    outstanding_[pool_slot].is_unanswered = false;
    settle(pool_slot);
  }
  return post;
}

Post Messages::reply(const Origin& origin, const Message& reply) {
  if (origin.cookie == 0) return parts::deliver_to_self(endpoint_.receiver, endpoint_.self, reply);
  auto& request = *reinterpret_cast<ArrivedMessage*>(origin.cookie);
  const std::lock_guard guard(endpoint_.lock);
  const Body body = body_of(reply);
  const bool is_long = body.command == MessageForm::kLong;
  Notify notify = request.notify;
  notify.type = MessageType::kReply;
  notify.bytes = static_cast<std::uint16_t>(is_long ? 0 : reply.payload_bytes);
  notify.handler = reply.handler;
  notify.nargs = reply.nargs;
  notify.command = body.command;
  const std::size_t remote = endpoint_.area.buffer(notify.initiator_slot);
  Post post;
  if (is_long) {
    post = send_long(origin.source, reply, body, notify, remote, 0);
  } else {
    fill(scratch_.data(), reply, body);  // a put by FMA has copied it when it returns
    post = post_message(origin.source, scratch_.data(), body.bytes, remote, notify);
  }
  request.parcel.is_answered = post == Post::kDone;
  return post;
}

Post Messages::send_long(RankId target, const Message& message, const Body& body, const Notify& notify,
                         std::size_t remote_offset, std::uint32_t pool_slot) {
  Longs::Leaving& leaving = longs_.take(target, message, notify);
  leaving.envelope.remote_offset = remote_offset;
  leaving.envelope.pool_slot = pool_slot;
  leaving.envelope.bytes = body.bytes;
  fill(leaving.envelope.body, message, body);
  if (!message.is_reply) outstanding_[pool_slot].is_leaving = true;
  if (longs_.send(leaving) == Post::kDone) return Post::kDone;
  if (!message.is_reply) outstanding_[pool_slot].is_leaving = false;
  return Post::kRetry;
}

// For a request by rendezvous only the notify word travels; its body waits in the pool buffer.
Post Messages::post_message(RankId target, const std::byte* body, std::size_t bytes,
                            std::size_t remote_offset, const Notify& notify) {
  if (notify.type == MessageType::kRendezvousRequest) {
    std::byte* const buffer = endpoint_.area.at(endpoint_.area.buffer(notify.initiator_slot));
    if (body != buffer) std::memcpy(buffer, body, bytes);
    bytes = 0;
    remote_offset = endpoint_.area.ring(endpoint_.self);
  }
  PostDescriptor* const descriptor = endpoint_.nic.take(message_posts_, target);
  if (!descriptor) return am::retry(endpoint_.receiver, observe::Retry::kBuffers);
  Peer& there = peer(target);
  const std::uint32_t place = there.send_position % (2 * endpoint_.settings.depth);
  gni_post_descriptor_t& post = descriptor->post;
  post.type = GNI_POST_FMA_PUT_W_SYNCFLAG;
  post.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
  post.dlvr_mode = message_delivery();
  post.local_addr = reinterpret_cast<std::uint64_t>(body);
  post.length = bytes;
  post.remote_addr = endpoint_.remote_area(target) + remote_offset;
  post.remote_mem_hndl = endpoint_.areas[target].memory;
  post.sync_flag_value = notify.encode();
  post.sync_flag_addr =
      endpoint_.remote_area(target) + endpoint_.area.ring(endpoint_.self) + place * sizeof(std::uint64_t);
  if (endpoint_.nic.post_fma(*descriptor, "GNI_PostFma") == Post::kRetry) {
    endpoint_.nic.give_back(*descriptor);
    return Post::kRetry;
  }
  ++there.send_position;
  return Post::kDone;
}

// Envelopes that must stay behind their payloads use the same delivery mode.
std::uint16_t Messages::message_delivery() const {
  return endpoint_.long_kind == parts::LongProtocolKind::kOrdered ? GNI_DLVMODE_IN_ORDER
                                                                  : endpoint_.settings.delivery;
}

void Messages::tell(RankId target, Control what, std::uint16_t argument) {
  const std::uint64_t value =
      Event{endpoint_.self, EventType::kControl, static_cast<std::uint8_t>(what), argument}.encode();
  if (!unsent_controls_.empty() || !post_control(target, value)) unsent_controls_.push_back({target, value});
}

bool Messages::post_control(RankId target, std::uint64_t value) {
  PostDescriptor* const descriptor = endpoint_.nic.take(control_posts_, target);
  if (!descriptor) return false;
  descriptor->post.type = GNI_POST_CQWRITE;
  descriptor->post.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
  descriptor->post.dlvr_mode = endpoint_.settings.delivery;
  descriptor->post.remote_mem_hndl = endpoint_.areas[target].memory;
  descriptor->post.cqwrite_value = value;
  if (endpoint_.nic.post_cq_write(*descriptor) == Post::kDone) return true;
  endpoint_.nic.give_back(*descriptor);
  return false;
}

// What many ranks share with each other is too much to be counted: a million ranks have 10^12 peers.
void Messages::count_resources(observe::ResourceCounts& counts) const {
  constexpr RankId kMostCounted = 4096;
  std::uint64_t slots = 0, longs = 0, unseen = 0;
  if (endpoint_.ranks <= kMostCounted) {
    for (const std::unique_ptr<PeerBlock>& block : peers_) {
      if (!block) continue;
      for (const Peer& peer : *block) {
        if (peer.is_known)
          slots += static_cast<unsigned>(std::popcount(run_of(endpoint_.settings.depth) & ~peer.free_slots));
        longs += peer.longs;
        unseen += peer.unseen;
      }
    }
  }
  counts.holds("buffers of requests", endpoint_.settings.total_depth - free_buffers_.size());
  counts.holds("slots at peers", slots);
  counts.holds("Longs at peers", longs);
  counts.holds("headers that are announced", unseen);
  counts.holds("Longs that leave", longs_.leaving());
  counts.holds("halves of Longs", longs_.memory().waiting);
  counts.holds("messages that have come", arrived_.lent());
  counts.holds("control messages that wait", unsent_controls_.size());
  counts.holds("bodies that are fetched", fetches_.size() - free_fetches_.size() + unfetched_.size());
}

// For reports.

void Messages::list_unanswered(parts::ProbeList& peers) const {
  for (const Outstanding& request : outstanding_) {
    if (request.is_unanswered) peers.add(request.peer);
  }
}

unsigned Messages::answers_missing_from(RankId rank) const {
  unsigned missing = 0;
  for (const Outstanding& request : outstanding_) missing += request.is_unanswered && request.peer == rank;
  return missing;
}

}  // namespace aqueduct::conduit::aries
