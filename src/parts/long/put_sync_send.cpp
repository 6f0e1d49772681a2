// Put-sync-send, or synchronous initiator chaining: the payload is put, the initiator waits until it has
// landed, and then sends the envelope.
//
//   initiator   put_payload ▸ serve until it has landed ▸ send_envelope   memory free at return
//   target                                                  envelope_came ▸ deliver
//
// Simple, and needs little of the network. Every message costs its initiator a round trip, in which it sends
// nothing else; local completion is never asynchronous.
#include "parts/long/long_protocol.hpp"

namespace aqueduct::parts {
namespace {

class PutSyncSend final : public LongProtocol {
 public:
  using LongProtocol::LongProtocol;

 private:
  am::Post begin(LongSend& send) override {
    // The put has landed; the envelope is sent; and this function, which looks at `send` meanwhile.
    send.steps_left.store(3, std::memory_order_relaxed);
    if (!put_payload(send, PutReport::kLanded)) return am::Post::kRetry;
    while (send.steps_left.load(std::memory_order_acquire) == 3) network_.serve();
    send_envelope(send);
    step(send);
    return am::Post::kDone;
  }

  void has_left(LongSend& send) override { release(send); }
  void has_landed(LongSend& send) override { step(send); }
};

}  // namespace

std::unique_ptr<LongProtocol> make_put_sync_send(LongNetwork& network) {
  return std::make_unique<PutSyncSend>(network);
}

}  // namespace aqueduct::parts
