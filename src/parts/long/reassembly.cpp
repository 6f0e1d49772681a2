// Target-side reassembly: payload and envelope are injected back to back, and arrive in any order. The target
// is told of both and runs the handler when it has both.
//
//   initiator   put_payload ▸ send_envelope              memory free when the put has left
//   target      payload_came ┐ whichever is second
//               envelope_came ┴▸ deliver
//
// Halves are matched by source and nonce (reassembly_table.hpp). The nonce is free again when the message has
// been delivered; the initiator learns that from the reply, explicit or implicit, and sends nothing for it. A
// second envelope under a nonce in use ends the job: its sender breaks the contract.
//
// As quick as the ordered protocol, on networks that keep no order: both parts travel at once, on all paths,
// and neither side has to poll for the other to go on.
#include "base/fatal.hpp"
#include "parts/long/reassembly_table.hpp"

namespace aqueduct::parts {
namespace {

class Reassembly final : public LongProtocol {
 public:
  explicit Reassembly(LongNetwork& network)
      : LongProtocol(network), halves_(network.long_abilities().tells_place) {}

  LongArrival* envelope_came(LongArrival& arrival) override {
    LongArrival* complete = nullptr;
    const RankId source = arrival.source;
    const std::uint64_t nonce = arrival.nonce;
    if (halves_.envelope(arrival, &complete) == ReassemblyTable::Came::kTwice)
      fatal("AM Long", "rank %u has sent two messages of nonce %#llx at once", source,
            static_cast<unsigned long long>(nonce));
    return complete;
  }

  LongArrival* payload_came(RankId source, bool is_reply, std::uint64_t nonce, LandedAt at) override {
    LongArrival* complete = nullptr;
    halves_.payload(source, is_reply, nonce, at, &complete);
    return complete;
  }

  LongMemory memory() const override { return {halves_.most_waiting(), halves_.waiting(), halves_.bytes()}; }

 private:
  am::Post begin(LongSend& send) override {
    send.steps_left.store(2, std::memory_order_relaxed);  // the put has left; the envelope is sent
    if (!put_payload(send, PutReport::kTellTarget)) return am::Post::kRetry;
    send_envelope(send);
    return am::Post::kDone;
  }

  void has_left(LongSend& send) override {
    release(send);
    step(send);
  }

  ReassemblyTable halves_;
};

}  // namespace

std::unique_ptr<LongProtocol> make_reassembly(LongNetwork& network) {
  return std::make_unique<Reassembly>(network);
}

}  // namespace aqueduct::parts
