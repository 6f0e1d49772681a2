// What all Long protocols share: local completion, and envelopes that find no room.
#include "parts/long/long_protocol.hpp"

#include <mutex>

#include "base/fatal.hpp"

namespace aqueduct::parts {
namespace {

constexpr std::uint8_t kLeftBit = 1;
constexpr std::uint8_t kLandedBit = 2;

[[noreturn]] void cannot_read(RankId peer) {
  fatal("AM Long",
        "a payload is to be read between this rank and rank %u, which the network cannot do; an error of the "
        "library",
        peer);
}

[[noreturn]] void unexpected(const char* what, RankId peer) {
  fatal("AM Long", "%s of rank %u, which this protocol does not know; an error of the library", what, peer);
}

}  // namespace

am::Post LongNetwork::expose_payload(LongSend& send) { cannot_read(send.target); }
am::Post LongNetwork::get_payload(LongArrival& arrival) { cannot_read(arrival.source); }
void LongNetwork::tell_source(LongArrival& arrival) { cannot_read(arrival.source); }

am::Post LongProtocol::start(LongSend& send) {
  am::Unreleased& unreleased = *send.unreleased;
  send.reports.store(0, std::memory_order_relaxed);
  unreleased.fetch_add(1, std::memory_order_relaxed);
  if (begin(send) == am::Post::kDone) return am::Post::kDone;  // `send` may be another message by now
  unreleased.fetch_sub(1, std::memory_order_relaxed);
  return am::Post::kRetry;
}

void LongProtocol::put_left(LongSend& send) {
  if ((send.reports.fetch_or(kLeftBit, std::memory_order_acq_rel) & kLeftBit) == 0) has_left(send);
}

// Landing implies leaving, and not every network tells of both.
void LongProtocol::put_landed(LongSend& send) {
  const std::uint8_t before = send.reports.fetch_or(kLeftBit | kLandedBit, std::memory_order_acq_rel);
  if ((before & kLeftBit) == 0) has_left(send);
  if ((before & kLandedBit) == 0) has_landed(send);
}

void LongProtocol::source_read(LongSend& send) { unexpected("a payload was read by order", send.target); }

LongArrival* LongProtocol::payload_came(RankId source, bool, std::uint64_t, LandedAt) {
  unexpected("there was a notice of a payload", source);
}

LongArrival* LongProtocol::payload_read(LongArrival& arrival) {
  unexpected("there was the end of a get", arrival.source);
}

bool LongProtocol::put_payload(LongSend& send, PutReport report) {
  const PayloadPut put = network_.put_payload(send, report);
  if (put == PayloadPut::kHasLeft) put_left(send);
  return put != PayloadPut::kRetry;
}

void LongProtocol::send_envelope(LongSend& send) {
  if (network_.send_envelope(send) == am::Post::kDone) return step(send);
  const std::lock_guard guard(lock_);
  send.next_unsent = nullptr;
  (first_unsent_ ? last_unsent_->next_unsent : first_unsent_) = &send;
  last_unsent_ = &send;
  has_unsent_.store(true, std::memory_order_relaxed);
}

// Once round: one that cannot be sent now does not hold up the others.
void LongProtocol::send_unsent() {
  lock_.lock();
  LongSend* send = first_unsent_;
  first_unsent_ = last_unsent_ = nullptr;
  has_unsent_.store(false, std::memory_order_relaxed);
  lock_.unlock();
  while (send) {
    LongSend* const following = send->next_unsent;
    send_envelope(*send);
    send = following;
  }
}

}  // namespace aqueduct::parts
