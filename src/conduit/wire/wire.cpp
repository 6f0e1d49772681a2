#include "conduit/wire/wire.hpp"

#include <algorithm>
#include <mutex>

#include "base/fatal.hpp"
#include "base/spin_lock.hpp"
#include "conduit/wire/credits.hpp"
#include "conduit/wire/head.hpp"
#include "conduit/wire/parcels.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::wire {
namespace {

constexpr std::size_t kMaxMedium = std::size_t{4} << 10;
constexpr std::size_t kMaxLong = std::size_t{64} << 10;
constexpr unsigned kMostKept = 32;
constexpr unsigned kAtOnce = 32;  // messages that one poll delivers

class Wire final : public Conduit, private fabric::Receiver {
 public:
  Wire(std::shared_ptr<fabric::Port> port, conduit::Receiver& receiver)
      : port_holder_(std::move(port)),
        port_(*port_holder_),
        receiver_(receiver),
        peers_(port_.traits().nodes),
        copied_bytes_(port_.traits().copied_bytes) {
    port_.set_receiver(*this);
  }

  Limits limits() const override { return {kMaxMedium, kMaxLong}; }

  Post inject(RankId target, const Message& request) override {
    {
      const std::lock_guard guard(lock_);
      Peer& peer = peers_[target];
      if (peer.outstanding == kCredits) return Post::kRetry;
      ++peer.outstanding;
    }
    if (post(target, Kind::kRequest, request)) return Post::kDone;
    const std::lock_guard guard(lock_);
    --peers_[target].outstanding;
    return Post::kRetry;
  }

  Post reply(const Origin& origin, const Message& reply) override {
    if (!post(origin.source, Kind::kReply, reply)) return Post::kRetry;
    reinterpret_cast<Parcel*>(origin.cookie)->is_answered = true;
    return Post::kDone;
  }

  unsigned poll(Scope scope) override {
    port_.progress();
    give_credits_back();
    unsigned delivered = 0;
    while (delivered < kAtOnce && deliver_one(replies_)) ++delivered;
    if (scope == Scope::kReplies) return delivered;
    while (delivered < kAtOnce && deliver_one(requests_)) ++delivered;
    return delivered;
  }

  void segments_attached(std::span<const SegmentBounds> segments) override {
    segment_ = segments[port_.self()];
  }

  Doorbell* doorbell(RankId rank) override { return port_.doorbell(rank); }

 private:
  // Sending.

  bool post(RankId target, Kind kind, const Message& message) {
    Head head{kVersion,
              kind,
              message.category,
              message.handler,
              message.nargs,
              0,
              reinterpret_cast<std::uint64_t>(message.destination),
              {}};
    std::copy_n(message.args, message.nargs, head.args);
    Parcel* kept = nullptr;
    {
      const std::lock_guard guard(lock_);
      if (message.payload_bytes > copied_bytes_ && !(kept = keep(kind))) return false;
      head.credits = take_owed(target);
    }
    fabric::Piece piece{const_cast<void*>(message.payload), message.payload_bytes};
    if (kept) {
      piece.base = kept->room(message.payload_bytes);
      std::memcpy(piece.base, message.payload, message.payload_bytes);
    }
    if (send(target, head, piece, kept)) return true;
    const std::lock_guard guard(lock_);
    owe(target, head.credits);
    if (kept) release(kept);
    return false;
  }

  bool send(RankId target, const Head& head, const fabric::Piece& piece, Parcel* kept) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&head);
    return port_.send(target, {bytes, Head::bytes_for(head.nargs)}, {&piece, piece.bytes != 0 ? 1u : 0u},
                      reinterpret_cast<std::uint64_t>(kept)) == fabric::Post::kDone;
  }

  // A parcel for a payload that the fabric reads after send(); null if there are too many already.
  Parcel* keep(Kind kind) {
    const bool is_reply = kind == Kind::kReply;
    if (kept_[is_reply] == kMostKept) return nullptr;
    ++kept_[is_reply];
    Parcel* const parcel = parcels_.take();
    parcel->is_reply = is_reply;
    return parcel;
  }
  void release(Parcel* kept) {
    --kept_[kept->is_reply];
    parcels_.give_back(kept);
  }

  std::uint16_t take_owed(RankId target) {
    Peer& peer = peers_[target];
    const std::uint16_t owed = peer.owed;
    peer.owed = 0;
    return owed;
  }

  void owe(RankId source, std::uint16_t credits) {
    Peer& peer = peers_[source];
    const bool was_due = peer.owed >= kCreditsDue;
    peer.owed = static_cast<std::uint16_t>(peer.owed + credits);
    if (!was_due && peer.owed >= kCreditsDue) due_.push_back(source);
  }

  void give_credits_back() {
    for (;;) {
      Head head{kVersion, Kind::kCredits, Category::kShort, 0, 0, 0, 0, {}};
      RankId source;
      {
        const std::lock_guard guard(lock_);
        if (due_.empty()) return;
        source = due_.back();
        due_.pop_back();
        // Fewer than that: something else has taken them along since.
        if (peers_[source].owed < kCreditsDue) continue;
        head.credits = take_owed(source);
      }
      if (send(source, head, {}, nullptr)) continue;
      const std::lock_guard guard(lock_);
      owe(source, head.credits);
      return;
    }
  }

  void sent(std::uint64_t cookie) override {
    if (cookie == 0) return;
    const std::lock_guard guard(lock_);
    release(reinterpret_cast<Parcel*>(cookie));
  }

  [[noreturn]] void undeliverable(std::uint64_t, fabric::NodeId target, std::span<const std::byte>) override {
    fatal("wire", "the network cannot reach rank %u", target);
  }

  // Receiving.

  void arrived(const fabric::Arrival& arrival) override {
    Head head;
    const std::size_t bytes = arrival.header.size();
    if (bytes < Head::bytes_for(0) || bytes > sizeof head)
      malformed(arrival, "the header has the wrong size");
    std::memcpy(&head, arrival.header.data(), bytes);
    check(arrival, head);
    Parcel* parcel = nullptr;
    {
      const std::lock_guard guard(lock_);
      Peer& peer = peers_[arrival.source];
      const unsigned back = head.credits + (head.kind == Kind::kReply ? 1u : 0u);
      if (back > peer.outstanding) malformed(arrival, "more credits come back than were lent");
      peer.outstanding = static_cast<std::uint16_t>(peer.outstanding - back);
      if (head.kind != Kind::kCredits) parcel = parcels_.take();
    }
    if (!parcel) return port_.discard(arrival.id);
    fill(*parcel, arrival, head);
    take_payload(*parcel, arrival);
  }

  void check(const fabric::Arrival& arrival, const Head& head) const {
    if (head.version != kVersion) malformed(arrival, "it is of another version");
    if (head.kind < Kind::kRequest || head.kind > Kind::kCredits || head.category > Category::kLong ||
        head.nargs > kMaxArgs || arrival.header.size() != Head::bytes_for(head.nargs)) {
      malformed(arrival, "the header makes no sense");
    }
    const std::size_t most = head.category == Category::kShort || head.kind == Kind::kCredits ? 0
                             : head.category == Category::kMedium                             ? kMaxMedium
                                                                                              : kMaxLong;
    if (arrival.payload_bytes > most) malformed(arrival, "the payload is too large");
    if (head.category != Category::kLong || arrival.payload_bytes == 0) return;
    if (!segment_.contains(head.destination, arrival.payload_bytes)) {
      malformed(arrival, "the payload would lie outside the segment");
    }
  }

  [[noreturn]] static void malformed(const fabric::Arrival& arrival, const char* why) {
    fatal("wire", "a message from rank %u is malformed: %s", arrival.source, why);
  }

  static void fill(Parcel& parcel, const fabric::Arrival& arrival, const Head& head) {
    std::memcpy(parcel.args, head.args, head.nargs * sizeof(std::int32_t));
    parcel.source = arrival.source;
    parcel.is_answered = false;
    parcel.message = {head.category,         head.kind == Kind::kReply,
                      head.handler,          static_cast<std::uint8_t>(head.nargs),
                      parcel.args,           nullptr,
                      arrival.payload_bytes, nullptr};
    if (head.category == Category::kLong) {
      parcel.message.payload = parcel.message.destination = reinterpret_cast<void*>(head.destination);
    } else if (head.category == Category::kMedium) {
      parcel.message.payload = parcel.room(arrival.payload_bytes);
    }
  }

  void take_payload(Parcel& parcel, const fabric::Arrival& arrival) {
    void* const to = const_cast<void*>(parcel.message.payload);
    if (arrival.payload_bytes != 0 && !arrival.inline_payload) {
      const fabric::Piece piece{to, arrival.payload_bytes};
      return port_.accept(arrival.id, {&piece, 1}, piece.bytes, reinterpret_cast<std::uint64_t>(&parcel));
    }
    if (arrival.payload_bytes != 0) std::memcpy(to, arrival.inline_payload, arrival.payload_bytes);
    port_.discard(arrival.id);
    make_ready(&parcel);
  }

  void landed(std::uint64_t cookie, fabric::Outcome outcome) override {
    auto* const parcel = reinterpret_cast<Parcel*>(cookie);
    if (outcome != fabric::Outcome::kOk) fatal("wire", "a payload from rank %u broke off", parcel->source);
    make_ready(parcel);
  }

  void make_ready(Parcel* parcel) {
    const std::lock_guard guard(lock_);
    (parcel->message.is_reply ? replies_ : requests_).push(parcel);
  }

  bool deliver_one(ParcelQueue& queue) {
    lock_.lock();
    Parcel* const parcel = queue.pop();
    lock_.unlock();
    if (!parcel) return false;
    receiver_.deliver(parcel->message, {parcel->source, reinterpret_cast<std::uint64_t>(parcel)});
    const std::lock_guard guard(lock_);
    if (!parcel->message.is_reply && !parcel->is_answered) owe(parcel->source, 1);
    parcels_.give_back(parcel);
    return true;
  }

  std::shared_ptr<fabric::Port> port_holder_;
  fabric::Port& port_;
  conduit::Receiver& receiver_;
  SegmentBounds segment_;

  SpinLock lock_;  // of what follows
  Peers peers_;
  std::size_t copied_bytes_;
  ParcelPool parcels_;
  ParcelQueue requests_;
  ParcelQueue replies_;
  unsigned kept_[2] = {0, 0};  // parcels of payloads on their way out: of requests, of replies
  std::vector<RankId> due_;    // to whom credits should go back soon
};

const char* why_not(const job::Membership&) { return nullptr; }

std::unique_ptr<Conduit> open(const Opening& opening) {
  return std::make_unique<Wire>(opening.world.open_port(fabric::Plane::kWire), opening.receiver);
}

}  // namespace

std::unique_ptr<Conduit> over(fabric::Port& port, conduit::Receiver& receiver) {
  return std::make_unique<Wire>(std::shared_ptr<fabric::Port>(std::shared_ptr<void>(), &port), receiver);
}

const Description kDescription = {
    .name = "wire",
    .summary = "active messages over a bare fabric; here, between processes of one host",
    .uses_neighbourhood = false,
    .max_ranks = job::kMaxRanks,
    .preference = 1,
    .why_not = why_not,
    .open = open,
    .limits =
        [] {
          return Limits{kMaxMedium, kMaxLong};
        },
    .nic = "fabric",
};

}  // namespace aqueduct::conduit::wire
