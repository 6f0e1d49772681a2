// Asynchronous initiator chaining: the payload is put and the call returns. When the initiator polls and
// finds that it has landed, it sends the envelope.
//
//   initiator   put_payload                          memory free when the put has left
//               put_landed ▸ send_envelope           whenever it polls next
//   target                      envelope_came ▸ deliver
//
// Other messages overlap with the round trip. An initiator that computes and does not poll delays its own
// envelopes for as long.
#include "parts/long/long_protocol.hpp"

namespace aqueduct::parts {
namespace {

class AsyncChaining final : public LongProtocol {
 public:
  using LongProtocol::LongProtocol;

 private:
  am::Post begin(LongSend& send) override {
    // The envelope is sent; and this function, which looks at `send` meanwhile.
    send.steps_left.store(2, std::memory_order_relaxed);
    if (!put_payload(send, PutReport::kLanded)) return am::Post::kRetry;
    step(send);
    return am::Post::kDone;
  }

  void has_left(LongSend& send) override { release(send); }
  void has_landed(LongSend& send) override { send_envelope(send); }
};

}  // namespace

std::unique_ptr<LongProtocol> make_async_chaining(LongNetwork& network) {
  return std::make_unique<AsyncChaining>(network);
}

}  // namespace aqueduct::parts
