// Ordered: the payload is put, and the envelope sent right behind it. The network keeps their order, so the
// envelope's arrival is enough to run the handler.
//
//   initiator   put_payload ▸ send_envelope                              memory free when the put has left
//   target                    envelope_came ▸ deliver
//
// Least work on both sides; nobody has to poll for a message to go on. Needs a network that does not let a
// message overtake a put, which often costs the use of several paths.
#include "parts/long/long_protocol.hpp"

namespace aqueduct::parts {
namespace {

class Ordered final : public LongProtocol {
 public:
  using LongProtocol::LongProtocol;

 private:
  am::Post begin(LongSend& send) override {
    send.steps_left.store(2, std::memory_order_relaxed);  // the put has left; the envelope is sent
    if (!put_payload(send, PutReport::kLeft)) return am::Post::kRetry;
    send_envelope(send);
    return am::Post::kDone;
  }

  void has_left(LongSend& send) override {
    release(send);
    step(send);
  }
};

}  // namespace

std::unique_ptr<LongProtocol> make_ordered(LongNetwork& network) {
  return std::make_unique<Ordered>(network);
}

}  // namespace aqueduct::parts
