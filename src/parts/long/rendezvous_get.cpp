// Rendezvous get: the initiator sends the envelope alone, with the address of the payload. The target reads
// the payload, runs the handler, and tells the initiator that its memory is free.
//
//   initiator   expose_payload ▸ send_envelope              source_read: memory free
//   target                         envelope_came ▸ get_payload ▸ payload_read ▸ tell_source ▸ deliver
//
// Least work for the initiator. A message takes a round trip longer, and so does local completion; a target
// that does not poll holds the initiator's memory and whatever the network lends to expose it.
#include <mutex>

#include "parts/long/long_protocol.hpp"

namespace aqueduct::parts {
namespace {

class RendezvousGet final : public LongProtocol {
 public:
  using LongProtocol::LongProtocol;

  void source_read(LongSend& send) override {
    release(send);
    step(send);
  }

  LongArrival* envelope_came(LongArrival& arrival) override {
    if (network_.get_payload(arrival) == am::Post::kRetry) keep(arrival);
    return nullptr;
  }

  LongArrival* payload_read(LongArrival& arrival) override {
    network_.tell_source(arrival);
    return &arrival;
  }

 private:
  am::Post begin(LongSend& send) override {
    send.steps_left.store(2, std::memory_order_relaxed);  // the envelope is sent; the payload has been read
    if (network_.expose_payload(send) == am::Post::kRetry) return am::Post::kRetry;
    send_envelope(send);
    return am::Post::kDone;
  }

  // Arrivals for whose get there was no room.

  void keep(LongArrival& arrival) {
    const std::lock_guard guard(lock_);
    arrival.next_unread = unread_;
    unread_ = &arrival;
    has_unread_.store(true, std::memory_order_relaxed);
  }

  void poll_arrivals() override {
    if (!has_unread_.load(std::memory_order_relaxed)) return;
    lock_.lock();
    LongArrival* arrival = unread_;
    unread_ = nullptr;
    has_unread_.store(false, std::memory_order_relaxed);
    lock_.unlock();
    while (arrival) {
      LongArrival* const following = arrival->next_unread;
      if (network_.get_payload(*arrival) == am::Post::kRetry) keep(*arrival);
      arrival = following;
    }
  }

  SpinLock lock_;
  LongArrival* unread_ = nullptr;
  std::atomic<bool> has_unread_{false};
};

}  // namespace

std::unique_ptr<LongProtocol> make_rendezvous_get(LongNetwork& network) {
  return std::make_unique<RendezvousGet>(network);
}

}  // namespace aqueduct::parts
