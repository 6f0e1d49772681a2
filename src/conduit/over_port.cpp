#include "conduit/over_port.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/fatal.hpp"
#include "base/silence.hpp"
#include "base/spin_lock.hpp"
#include "conduit/rma_over_port.hpp"
#include "parts/am_codec.hpp"
#include "parts/parcels.hpp"
#include "parts/pending_replies.hpp"
#include "parts/request_credits.hpp"
#include "world/work.hpp"

namespace aqueduct::conduit {
namespace {

using parts::AmKind;
using parts::Parcel;

constexpr unsigned kMostKept = 32;
constexpr unsigned kAtOnce = 32;  // messages that one poll delivers
static_assert(parts::kMostHeaderBytes <= fabric::kMaxHeader);

class OverPort final : public Conduit, private fabric::PortClient, private parts::PendingReplies {
 public:
  OverPort(const char* name, std::shared_ptr<fabric::Port> port, conduit::Receiver& receiver,
           const OverPortOptions& options)
      : name_(name),
        limits_(options.limits),
        port_holder_(std::move(port)),
        port_(*port_holder_),
        receiver_(receiver),
        copied_bytes_(port_.traits().copied_bytes),
        released_bytes_(std::max(port_.traits().copied_bytes, port_.traits().released_bytes)),
        credits_(port_.traits().nodes, options.credits, options.credits / 2) {
    if (options.has_rma) rma_ = std::make_unique<RmaOverPort>(name_, port_, receiver_);
    port_.set_client(*this);
  }

  Limits limits() const override { return limits_; }

  Post inject(RankId target, const Message& request) override {
    return send(target, AmKind::kRequest, request);
  }

  Post reply(const Origin& origin, const Message& reply) override {
    const Post post = send(origin.source, AmKind::kReply, reply);
    parts::DeliveredRequest::of(origin).is_answered = post == Post::kDone;
    return post;
  }

  unsigned poll(Scope scope) override {
    // What the port reports counts, also where nothing is to be delivered: a put that it has taken, credits.
    // A rank whose network serves others does not rest.
    unsigned delivered = port_.progress() != 0 ? 1 : 0;
    if (rma_) rma_->poll();
    // Likewise what another thread was told.
    if (credits_came_.load(std::memory_order_relaxed))
      delivered |= credits_came_.exchange(false, std::memory_order_relaxed) ? 1 : 0;
    if (!has_work_.load(std::memory_order_acquire)) return delivered;
    give_credits_back();
    delivered += deliver(replies_, kAtOnce - delivered);
    if (scope == Scope::kReplies) return delivered;
    delivered += deliver(requests_, kAtOnce - delivered);
    const std::lock_guard queues_guard(queues_lock_);
    const std::lock_guard credits_guard(credits_lock_);
    has_work_.store(!replies_.is_empty() || !requests_.is_empty() || credits_.due_peers() != 0,
                    std::memory_order_relaxed);
    return delivered;
  }

  void finish_sending(std::uint64_t most_ns) override { port_.finish_sending(most_ns); }

  void segments_attached(std::span<const SegmentBounds> segments) override {
    segment_ = segments[port_.self()];
    port_.expose({reinterpret_cast<void*>(segment_.base), segment_.size});
    if (rma_) rma_->set_segment(segment_);
  }
  Rma* rma() override { return rma_.get(); }
  Doorbell* doorbell(RankId rank) override { return port_.doorbell(rank); }
  std::vector<observe::Missing> awaits() override { return parts::missing_answers(*this); }
  void has_died(RankId rank) override { port_.forget(rank); }

  void count_resources(observe::ResourceCounts& counts) override {
    if (rma_) rma_->count_resources(counts);
    const std::lock_guard queues_guard(queues_lock_);
    const std::lock_guard guard(credits_lock_);
    counts.holds("parcels of messages", parcels_.lent() + leaving_.lent());
    counts.holds("payloads that leave", kept_[0] + kept_[1]);
    const parts::RequestCredits::Sums credits = credits_.sums();
    counts.lends("request credits", credits.outstanding, credits.owed);
  }

 private:
  // Sending.

  Post send(RankId target, AmKind kind, const Message& message) {
    const bool is_request = kind == AmKind::kRequest;
    if (is_request && lacks_credits(target)) return am::retry(receiver_, observe::Retry::kCredits);
    Parcel* kept = nullptr;
    unsigned credits = 0;
    {
      const std::lock_guard guard(credits_lock_);
      const std::size_t most = message.is_lent ? copied_bytes_ : released_bytes_;
      if (message.payload_bytes > most && !(kept = keep(!is_request, target, message)))
        return am::retry(receiver_, observe::Retry::kBuffers);
      if (is_request && !credits_.try_take(target)) {
        if (kept) release(kept);
        lacking(target).store(std::uint64_t{target} + 1, std::memory_order_relaxed);
        return am::retry(receiver_, observe::Retry::kCredits);
      }
      credits = credits_.take_owed(target);
    }
    world::spend(world::kAmSend);
    if (post(target, kind, message, credits, kept)) return Post::kDone;
    const std::lock_guard guard(credits_lock_);
    owe(target, credits);
    if (is_request) {
      credits_.put_back(target);
      if (lacks_credits(target)) lacking(target).store(0, std::memory_order_relaxed);
    }
    if (kept) release(kept);
    return Post::kRetry;
  }

  // Threads that wait for credits look without the lock, which the thread that takes them in needs. What they
  // read is set with the lock when credits for a peer are used up, and cleared with it when some are there
  // again. A place has one peer; another one that takes it makes the first look with the lock.
  std::atomic<std::uint64_t>& lacking(RankId peer) { return lacking_[peer % kLackingPlaces]; }
  bool lacks_credits(RankId peer) {
    return lacking(peer).load(std::memory_order_relaxed) == std::uint64_t{peer} + 1;
  }

  bool post(RankId target, AmKind kind, const Message& message, unsigned credits, Parcel* kept) {
    std::byte header[parts::kMostHeaderBytes];
    const std::byte* const end = parts::encode_header(header, kind, message, credits);
    fabric::Piece piece{const_cast<void*>(message.payload), message.payload_bytes};
    if (kept && !kept->message.unreleased) {
      world::spend(world::kCopy, message.payload_bytes);
      piece.base = kept->room(message.payload_bytes);
      std::memcpy(piece.base, message.payload, message.payload_bytes);
    }
    const std::span<const std::byte> head(header, end);
    if (piece.bytes == 0) return port_.send(target, head, {}, fabric::kNoReport) == fabric::Post::kDone;
    const fabric::Release release = kept ? fabric::Release::kWhenSent : fabric::Release::kAtReturn;
    return port_.send_placed(target, head, {&piece, 1}, place_of(message), release,
                             kept ? reinterpret_cast<std::uint64_t>(kept) : fabric::kNoReport) ==
           fabric::Post::kDone;
  }

  static fabric::Place place_of(const Message& message) {
    if (message.category == Category::kLong)
      return {fabric::Place::Kind::kExposed, reinterpret_cast<std::uint64_t>(message.destination)};
    return {fabric::Place::Kind::kBuffer, 0};
  }

  // Takes a parcel for a payload that the fabric reads after send(); null if there are too many already. One
  // that is lent is read where it lies, and counted until then.
  Parcel* keep(bool is_reply, RankId target, const Message& message) {
    unsigned& count = kept(is_reply, target);
    if (count == kMostKept) return nullptr;
    ++count;
    Parcel* const parcel = leaving_.take();
    parcel->message.is_reply = is_reply;
    parcel->message.unreleased = message.is_lent ? message.unreleased : nullptr;
    parcel->source = target;  // the other end
    if (parcel->message.unreleased) parcel->message.unreleased->fetch_add(1, std::memory_order_relaxed);
    return parcel;
  }
  void release(Parcel* done) {
    if (am::Unreleased* const lent = std::exchange(done->message.unreleased, nullptr))
      lent->fetch_sub(1, std::memory_order_release);
    --kept(done->message.is_reply, done->source);
    leaving_.give_back(done);
  }
  // Counts per peer if ranks may die: payloads for a dead peer never leave, and must not block others.
  unsigned& kept(bool is_reply, RankId target) {
    return receiver_.outlives_others() ? kept_by_peer_[is_reply][target] : kept_[is_reply];
  }

  // Tries each peer that is due once, so that a peer that cannot take a message now does not delay the
  // others.
  void give_credits_back() {
    for (std::size_t tries = ~std::size_t{0};; --tries) {
      RankId peer;
      unsigned credits;
      {
        const std::lock_guard guard(credits_lock_);
        tries = std::min(tries, credits_.due_peers());
        if (tries == 0) return;
        credits = credits_.take_due(&peer);
      }
      if (credits == 0 || post(peer, AmKind::kCredits, {}, credits, nullptr)) continue;
      const std::lock_guard guard(credits_lock_);
      owe(peer, credits);
    }
  }
  void owe(RankId peer, unsigned credits) {
    credits_.owe(peer, credits);
    if (credits_.due_peers() != 0) has_work_.store(true, std::memory_order_relaxed);
  }

  void sent(std::uint64_t cookie) override {
    if (cookie == fabric::kNoReport) return;
    if (RmaOverPort::is_ours(cookie)) return rma_->sent(cookie);
    const std::lock_guard guard(credits_lock_);
    release(reinterpret_cast<Parcel*>(cookie));
  }

  // A client waits for what it has lent, and whoever finds too many payloads kept waits for one of them. A
  // poll that is told of one has found something: so whoever lacked the place tries again before it rests.
  bool awaits_sent(std::uint64_t cookie) override {
    if (cookie == fabric::kNoReport) return false;
    if (RmaOverPort::is_ours(cookie)) return true;
    const std::lock_guard guard(credits_lock_);
    const Parcel& parcel = *reinterpret_cast<const Parcel*>(cookie);
    return parcel.message.unreleased || kept(parcel.message.is_reply, parcel.source) == kMostKept;
  }

  void undeliverable(std::uint64_t, fabric::NodeId target, std::span<const std::byte>) override {
    if (receiver_.outlives_others()) return;
    end_if_silent(target);
    fatal_about(target, name_, "the network cannot reach rank %u", target);
  }

  // Ends the job if the network has given the peer up.
  void end_if_silent(RankId peer) {
    if (const Silence silence = port_.silence(peer); silence.ns != 0) fatal_silence(name_, peer, silence);
  }

  void retried(fabric::NodeId node, observe::Retry why) override { receiver_.count_retry(node, why); }

  // Receiving.

  void arrived(const fabric::Arrival& arrival) override {
    if (rma_ && RmaOverPort::is_ours(arrival)) return rma_->arrived(arrival);
    parts::DecodedMessage decoded;
    const char* why = parts::decode(arrival.header, arrival.payload_bytes, limits_, segment_, &decoded);
    if (!why && decoded.credits != 0) why = take_credits(arrival.source, decoded.credits);
    if (why) fatal(name_, "a message from rank %u is malformed: %s", arrival.source, why);
    if (decoded.kind == AmKind::kCredits) {
      credits_came_.store(true, std::memory_order_relaxed);
      return port_.discard(arrival.id);
    }
    Parcel* const parcel = take_parcel();
    if (arrival.payload_stays && decoded.message.category == Category::kMedium) {
      parcel->take_beside(arrival.source, decoded.message, arrival.inline_payload);
      parcel->lies_in_port = true;
      parcel->arrival = arrival.id;
      return make_ready(parcel);
    }
    const fabric::Piece to{parcel->take(arrival.source, decoded.message), arrival.payload_bytes};
    if (to.bytes != 0 && !arrival.inline_payload) {
      return port_.accept(arrival.id, {&to, 1}, to.bytes, reinterpret_cast<std::uint64_t>(parcel));
    }
    if (to.bytes != 0 && to.base != arrival.inline_payload)
      std::memcpy(to.base, arrival.inline_payload, to.bytes);
    port_.discard(arrival.id);
    make_ready(parcel);
  }

  // Null, or what is wrong with them.
  const char* take_credits(RankId source, unsigned credits) {
    const std::lock_guard guard(credits_lock_);
    if (!credits_.came_back(source, credits)) return parts::RequestCredits::kTooMany;
    if (lacks_credits(source)) lacking(source).store(0, std::memory_order_relaxed);
    return nullptr;
  }

  Parcel* take_parcel() {
    const std::lock_guard guard(queues_lock_);
    return parcels_.take();
  }

  void landed(std::uint64_t cookie, fabric::Outcome outcome) override {
    if (RmaOverPort::is_ours(cookie)) return rma_->landed(cookie, outcome);
    auto* const parcel = reinterpret_cast<Parcel*>(cookie);
    if (outcome == fabric::Outcome::kOk) return make_ready(parcel);
    if (!receiver_.outlives_others()) {
      end_if_silent(parcel->source);
      fatal_about(parcel->source, name_, "a payload from rank %u broke off", parcel->source);
    }
    const std::lock_guard guard(queues_lock_);
    parcels_.give_back(parcel);
  }

  void make_ready(Parcel* parcel) {
    const std::lock_guard guard(queues_lock_);
    (parcel->message.is_reply ? replies_ : requests_).push(parcel);
    has_work_.store(true, std::memory_order_release);
  }

  // At most so many; returns how many. The lock that ends one delivery begins the next.
  unsigned deliver(parts::ParcelQueue& queue, unsigned most) {
    unsigned delivered = 0;
    queues_lock_.lock();
    while (delivered < most) {
      Parcel* const parcel = queue.pop();
      if (!parcel) break;
      queues_lock_.unlock();
      ++delivered;
      world::spend(world::kAmReceive);
      if (parcel->message.payload_bytes != 0) world::spend(world::kCopy, parcel->message.payload_bytes);
      receiver_.deliver(parcel->message, parcel->origin());
      if (std::exchange(parcel->lies_in_port, false)) port_.discard(parcel->arrival);
      if (!parcel->message.is_reply && !parcel->is_answered) {
        const std::lock_guard guard(credits_lock_);
        owe(parcel->source, 1);
      }
      queues_lock_.lock();
      parcels_.give_back(parcel);
    }
    queues_lock_.unlock();
    return delivered;
  }

  // Reports.

  void list_unanswered(parts::ProbeList& peers) override {
    const std::lock_guard guard(credits_lock_);
    credits_.list_unanswered(peers);
  }
  // The conduit does not know whether a request will get a reply.
  std::string missing_from(RankId peer) override {
    const std::lock_guard guard(credits_lock_);
    return parts::counted(credits_.outstanding(peer), "reply or credit", "replies or credits");
  }

  const char* name_;
  Limits limits_;
  std::shared_ptr<fabric::Port> port_holder_;
  fabric::Port& port_;
  conduit::Receiver& receiver_;
  SegmentBounds segment_;
  std::size_t copied_bytes_;
  std::size_t released_bytes_;
  std::unique_ptr<RmaOverPort> rma_;  // null: the reference implementation is used

  std::atomic<bool> has_work_{
      false};  // a parcel waits or credits are due; may be true by mistake, never false

  static constexpr unsigned kLackingPlaces = 16;
  std::atomic<std::uint64_t> lacking_[kLackingPlaces] = {};  // by peer: 1 + a peer that has no credits left

  std::atomic<bool> credits_came_{false};  // by a message of their own, since the last poll

  alignas(kCacheLine) SpinLock queues_lock_;  // guards what follows: what has come
  parts::ParcelPool parcels_;
  parts::ParcelQueue requests_;
  parts::ParcelQueue replies_;

  alignas(kCacheLine) SpinLock credits_lock_;  // guards what follows: what leaves
  parts::RequestCredits credits_;
  parts::ParcelPool leaving_;
  unsigned kept_[2] = {0, 0};  // parcels of payloads that leave: of requests, of replies
  std::unordered_map<RankId, unsigned> kept_by_peer_[2];  // the same, see kept()
};

}  // namespace

std::unique_ptr<Conduit> over_port(const char* name, std::shared_ptr<fabric::Port> port, Receiver& receiver,
                                   const OverPortOptions& options) {
  return std::make_unique<OverPort>(name, std::move(port), receiver, options);
}

}  // namespace aqueduct::conduit
