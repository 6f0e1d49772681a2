// Sending active messages.
#include "papers/conduit/extoll/messages.hpp"

#include <algorithm>
#include <cstring>

#include "world/work.hpp"

namespace aqueduct::conduit::extoll {
namespace {

const world::Work kAmLock("am_lock");

std::unique_ptr<AmImplementation> make_am(AmVersion version, PacketLink& link) {
  return version == AmVersion::kFirst ? make_first_am(link) : make_second_am(link);
}

}  // namespace

void spend_lock() { world::spend(kAmLock); }

Messages::Messages(Endpoint& endpoint, PutsAndGets& transfers, std::function<void()> progress)
    : endpoint_(endpoint),
      credits_(endpoint.ranks, endpoint.settings.requests, std::max(1u, endpoint.settings.requests / 2)),
      peers_((endpoint.ranks + kPeerBlock - 1) / kPeerBlock),
      am_(make_am(endpoint.settings.am, *this)),
      longs_(endpoint, *this, transfers, std::move(progress)) {}

Messages::Peer& Messages::peer(RankId rank) {
  std::unique_ptr<PeerBlock>& block = peers_[rank / kPeerBlock];
  if (!block) block = std::make_unique<PeerBlock>();
  return (*block)[rank % kPeerBlock];
}

// An empty payload cannot travel by itself: it always comes with its head.
MessageForm Messages::form_of(const Message& message) const {
  if (message.category == Category::kShort) return MessageForm::kShort;
  if (message.category == Category::kMedium) return MessageForm::kMedium;
  if (message.payload_bytes <= endpoint_.settings.packed_long_bytes) return MessageForm::kPackedLong;
  return endpoint_.long_kind == parts::LongProtocolKind::kRendezvousGet ? MessageForm::kExposedLong
                                                                        : MessageForm::kLong;
}

void Messages::fill(Outgoing& out, RankId target, const Message& message, MessageForm form,
                    unsigned credits) {
  world::spend(world::kAmSend);
  const MessageKind kind = message.is_reply ? MessageKind::kReply : MessageKind::kRequest;
  const Head head{.kind = static_cast<std::uint8_t>(kind),
                  .form = static_cast<std::uint8_t>(form),
                  .handler = message.handler,
                  .nargs = message.nargs,
                  .credits = static_cast<std::uint8_t>(credits),
                  .payload_bytes = static_cast<std::uint32_t>(message.payload_bytes)};
  head.encode(out.front);
  std::byte* const beside = parts::write_arguments(out.front + Head::kBytes, message);
  if (form >= MessageForm::kPackedLong) std::memcpy(beside, &message.destination, sizeof message.destination);
  out.target = target;
  out.is_reply = message.is_reply;
  out.front_bytes = static_cast<std::uint32_t>(Head::kBytes + front_bytes(form, message.nargs));
  out.sent_bytes = 0;
  out.payload = static_cast<const std::byte*>(message.payload);
  out.payload_bytes = bytes_along(head);
}

Post Messages::inject(RankId target, const Message& request) {
  if (target == endpoint_.self) return parts::deliver_to_self(endpoint_.receiver, endpoint_.self, request);
  const std::lock_guard guard(endpoint_.lock);
  spend_lock();
  if (!credits_.try_take(target)) return am::retry(endpoint_.receiver, observe::Retry::kCredits);
  const unsigned credits = credits_.take_owed(target);
  if (send(target, request, credits) == Post::kDone) return Post::kDone;
  credits_.owe(target, credits);
  credits_.put_back(target);
  return Post::kRetry;
}

Post Messages::reply(const Origin& origin, const Message& reply) {
  if (origin.cookie == 0) return parts::deliver_to_self(endpoint_.receiver, endpoint_.self, reply);
  auto& request = *reinterpret_cast<ArrivedMessage*>(origin.cookie);
  const std::lock_guard guard(endpoint_.lock);
  spend_lock();
  const unsigned credits = credits_.take_owed(origin.source);
  const Post post = send(origin.source, reply, credits);
  if (post == Post::kRetry) credits_.owe(origin.source, credits);
  request.parcel.is_answered = post == Post::kDone;
  return post;
}

Post Messages::send(RankId target, const Message& message, unsigned credits) {
  const MessageForm form = form_of(message);
  if (form >= MessageForm::kLong) {
    Longs::Leaving& leaving = longs_.take(target, message);
    fill(leaving.envelope, target, message, form, credits);
    return longs_.send(leaving);
  }
  Outgoing out;
  fill(out, target, message, form, credits);
  return send_out(out);
}

// A message of which only some packets have left is continued later from a copy; the next one of its stream
// waits.
Post Messages::send_out(Outgoing& out) {
  Outgoing*& leaving = peer(out.target).leaving[stream_of(out.is_reply)];
  if (leaving) return am::retry(endpoint_.receiver, observe::Retry::kNetwork);
  leaving = &out;
  const bool has_left = am_->send(out);
  leaving = nullptr;
  if (has_left) return Post::kDone;
  if (out.sent_bytes == 0) return Post::kRetry;
  Outgoing& kept = kept_.take();
  kept.target = out.target;
  kept.is_reply = out.is_reply;
  kept.front_bytes = out.front_bytes;
  kept.sent_bytes = out.sent_bytes;
  kept.payload_bytes = out.payload_bytes;
  std::memcpy(kept.front, out.front, out.front_bytes);
  if (kept.kept_bytes < out.payload_bytes) {
    kept.kept = std::make_unique_for_overwrite<std::byte[]>(out.payload_bytes);
    kept.kept_bytes = out.payload_bytes;
  }
  kept.payload = kept.kept.get();
  if (out.payload_bytes != 0) {
    world::spend(world::kCopy, out.payload_bytes);
    std::memcpy(kept.kept.get(), out.payload, out.payload_bytes);
  }
  leaving = &kept;
  unsent_.push_back(&kept);
  return Post::kDone;
}

void Messages::continue_sending() {
  for (std::size_t tries = unsent_.size(); tries != 0 && !unsent_.empty(); --tries) {
    Outgoing* const out = unsent_.front();
    unsent_.pop_front();
    if (!am_->send(*out)) {
      unsent_.push_back(out);
      continue;
    }
    peer(out->target).leaving[stream_of(out->is_reply)] = nullptr;
    kept_.give_back(*out);
  }
}

bool Messages::send_packet(Outgoing& message, std::size_t bytes) {
  const PacketType type = message.sent_bytes == 0 ? PacketType::kFirst
                          : message.is_reply      ? PacketType::kMoreOfReply
                                                  : PacketType::kMoreOfRequest;
  const std::size_t first = message.sent_bytes, front = message.front_bytes;
  std::byte packet[kPacketBytes];
  const std::byte* data = packet;
  if (first + bytes <= front) {
    data = message.front + first;
  } else if (first >= front) {
    data = message.payload + (first - front);
  } else {
    std::memcpy(packet, message.front + first, front - first);
    std::memcpy(packet + (front - first), message.payload, bytes - (front - first));
  }
  if (!endpoint_.nic.send(endpoint_.line(message.target), message.target, type, data, bytes)) return false;
  message.sent_bytes += static_cast<std::uint32_t>(bytes);
  return true;
}

// Control packets.

bool Messages::send_control(RankId target, MessageKind kind, unsigned credits,
                            std::span<const std::uint64_t> words) {
  std::byte packet[kPacketBytes];
  const Head head{.kind = static_cast<std::uint8_t>(kind),
                  .nargs = static_cast<std::uint8_t>(words.size()),
                  .credits = static_cast<std::uint8_t>(credits)};
  head.encode(packet);
  if (!words.empty()) std::memcpy(packet + Head::kBytes, words.data(), words.size_bytes());
  return endpoint_.nic.send(endpoint_.line(target), target, PacketType::kControl, packet,
                            Head::kBytes + words.size_bytes());
}

/// Sends words in as many packets as needed, with credits that are due; false: some words are left.
bool Messages::send_words(RankId target, MessageKind kind, std::vector<std::uint64_t>& words) {
  while (!words.empty()) {
    const std::size_t count = std::min<std::size_t>(words.size(), kMostWords);
    const unsigned credits = credits_.take_owed(target);
    if (!send_control(target, kind, credits, std::span(words).last(count))) {
      credits_.owe(target, credits);
      return false;
    }
    words.resize(words.size() - count);
  }
  return true;
}

void Messages::tell(RankId target) {
  Peer& to = peer(target);
  if (to.is_to_be_told) return;
  to.is_to_be_told = true;
  untold_.push_back(target);
}

void Messages::tell_read(RankId source, std::uint64_t name) {
  peer(source).read.push_back(name);
  tell(source);
}

void Messages::tell_all() {
  for (std::size_t tries = untold_.size(); tries != 0; --tries) {
    const RankId target = untold_.front();
    untold_.pop_front();
    Peer& to = peer(target);
    const bool has_told = send_words(target, MessageKind::kLanded, to.landed) &&
                          send_words(target, MessageKind::kSourceRead, to.read);
    to.is_to_be_told = !has_told;
    if (to.is_to_be_told) untold_.push_back(target);
  }
}

// Tries each peer that is due once, so that a peer that cannot take a message now does not delay the others.
void Messages::give_credits_back() {
  for (std::size_t tries = credits_.due_peers(); tries != 0; --tries) {
    RankId target;
    const unsigned credits = credits_.take_due(&target);
    if (credits != 0 && !send_control(target, MessageKind::kCredits, credits, {}))
      credits_.owe(target, credits);
  }
}

void Messages::count_resources(observe::ResourceCounts& counts) const {
  std::uint64_t words = 0;
  for (const std::unique_ptr<PeerBlock>& block : peers_) {
    if (!block) continue;
    for (const Peer& peer : *block) words += peer.landed.size() + peer.read.size();
  }
  counts.holds("messages of which packets are left", kept_.lent());
  counts.holds("words for peers", words);
  counts.holds("Longs that leave", longs_.leaving());
  counts.holds("halves of Longs", longs_.halves());
  counts.holds("messages that have come", arrived_.lent());
  const parts::RequestCredits::Sums credits = credits_.sums();
  counts.lends("request credits", credits.outstanding, credits.owed);
}

// For reports.

void Messages::list_stuck(parts::ProbeList& peers) const {
  for (const Outgoing* out : unsent_) peers.add(out->target);
}

unsigned Messages::stuck_to(RankId rank) const {
  return static_cast<unsigned>(
      std::ranges::count_if(unsent_, [&](const Outgoing* out) { return out->target == rank; }));
}

}  // namespace aqueduct::conduit::extoll
