// Longs whose payload travels by itself: implements the network of parts/long over uGNI.
//
// Threads: with the endpoint's lock held.
#pragma once
#include <functional>
#include <memory>

#include "papers/conduit/aries/envelope.hpp"
#include "papers/conduit/aries/notify.hpp"
#include "papers/conduit/aries/rma.hpp"
#include "parts/long/choice.hpp"
#include "parts/long/leaving_long.hpp"
#include "parts/parcels.hpp"
#include "parts/pool.hpp"

namespace aqueduct::conduit::aries {

class Longs;
class Messages;

/// A message that has come.
struct ArrivedMessage : parts::LongArrival {
  Longs* fetched_by = nullptr;  ///< set if the payload is fetched
  parts::Parcel parcel;
  Notify notify;
  Envelope envelope;
};

class Longs final : private parts::LongNetwork, private PostHandler {
 public:
  /// Arguments, and an Envelope.
  static constexpr std::size_t kMostBytes = parts::arguments_bytes(am::kMaxArgs) + sizeof(Envelope);

  /// A message without its payload, as it is posted.
  struct ReadyMessage {
    Notify notify;
    std::size_t remote_offset = 0;  ///< in the target's area
    std::uint32_t pool_slot = 0;    ///< of a request
    std::size_t bytes = 0;
    alignas(8) std::byte body[kMostBytes];
  };
  using Leaving =
      parts::LeavingLong<ReadyMessage, PostDescriptor*>;  ///< the descriptor of a rendezvous holds memory

  /// `progress` is called while put-sync-send waits.
  Longs(Endpoint& endpoint, Messages& messages, PutsAndGets& transfers, std::function<void()> progress);

  static parts::LongAbilities abilities();

  /// A record for a message that is to be sent: the caller fills the envelope.
  Leaving& take(RankId target, const Message& message, const Notify& notify);
  /// After kRetry the record does not belong to the caller any more.
  Post send(Leaving& leaving);
  /// The peer has read the payload of the message of this name; false: there is none.
  bool source_read(RankId peer, std::uint16_t name);

  /// These return the message that is complete now; null: none.
  parts::LongArrival* envelope_came(ArrivedMessage& arrived) { return protocol_->envelope_came(arrived); }
  parts::LongArrival* payload_came(RankId source, bool is_reply, std::uint8_t nonce) {
    return protocol_->payload_came(source, is_reply, nonce);
  }
  void poll() { protocol_->poll(); }
  bool has_unfinished() const { return leaving_.lent() != 0; }
  std::size_t leaving() const { return leaving_.lent(); }
  parts::LongMemory memory() const { return protocol_->memory(); }

 private:
  parts::LongAbilities long_abilities() const override { return abilities(); }
  parts::PayloadPut put_payload(parts::LongSend& send, parts::PutReport report) override;
  Post expose_payload(parts::LongSend& send) override;
  Post send_envelope(parts::LongSend& send) override;
  void serve() override { progress_(); }
  void finished(parts::LongSend& send) override;
  Post get_payload(parts::LongArrival& arrival) override;
  void tell_source(parts::LongArrival& arrival) override;
  void completed(PostDescriptor& descriptor, std::uint16_t event) override;

  Endpoint& endpoint_;
  Messages& messages_;
  PutsAndGets& transfers_;
  std::function<void()> progress_;
  parts::Pool<Leaving> leaving_;
  std::unique_ptr<parts::LongProtocol> protocol_;
};

}  // namespace aqueduct::conduit::aries
