// Longs whose payload travels by itself: implements the network of parts/long over VELO and RMA.
//
// Threads: with the endpoint's lock held.
#pragma once
#include <functional>
#include <memory>

#include "papers/conduit/extoll/rma.hpp"
#include "parts/long/choice.hpp"
#include "parts/long/leaving_long.hpp"
#include "parts/parcels.hpp"
#include "parts/pool.hpp"

namespace aqueduct::conduit::extoll {

class Longs;
class Messages;

/// A message that has come, wholly or in part.
struct ArrivedMessage : parts::LongArrival {
  Longs* fetched_by = nullptr;  ///< set if the payload is fetched
  parts::Parcel parcel;
  Head head;
  ExposedSource exposed;
  std::size_t front_here = 0, payload_here = 0;  ///< bytes
  bool has_front = false;                        ///< all of it, and it is read
  std::byte* payload_to = nullptr;
  alignas(8) std::byte front[kMostFrontBytes];
};

class Longs final : private parts::LongNetwork, private CommandHandler {
 public:
  using Leaving = parts::LeavingLong<Outgoing, RmaCommand*>;  ///< the command of a rendezvous holds memory

  /// `progress` is called while put-sync-send waits.
  Longs(Endpoint& endpoint, Messages& messages, PutsAndGets& transfers, std::function<void()> progress);

  static parts::LongAbilities abilities();

  /// A record for a message that is to be sent: the caller fills the envelope.
  Leaving& take(RankId target, const Message& message);
  /// After kRetry the record does not belong to the caller any more.
  Post send(Leaving& leaving);
  /// The peer has read the payload of the message of this name; false: there is none.
  bool source_read(RankId peer, std::uint64_t name);

  /// These return the message that is complete now; null: none.
  parts::LongArrival* envelope_came(ArrivedMessage& arrived) { return protocol_->envelope_came(arrived); }
  parts::LongArrival* payload_came(RankId source, std::uint64_t place) {
    return protocol_->payload_came(source, false, place);
  }
  void poll() { protocol_->poll(); }
  bool has_unfinished() const { return leaving_.lent() != 0; }
  std::size_t leaving() const { return leaving_.lent(); }
  std::size_t halves() const { return protocol_->memory().waiting; }

 private:
  parts::LongAbilities long_abilities() const override { return abilities(); }
  parts::PayloadPut put_payload(parts::LongSend& send, parts::PutReport report) override;
  Post expose_payload(parts::LongSend& send) override;
  Post send_envelope(parts::LongSend& send) override;
  void serve() override { progress_(); }
  void finished(parts::LongSend& send) override;
  Post get_payload(parts::LongArrival& arrival) override;
  void tell_source(parts::LongArrival& arrival) override;
  void told(RmaCommand& command) override;
  void landed(RmaCommand& command) override;
  void over(RmaCommand& command) override { endpoint_.release(command); }

  Endpoint& endpoint_;
  Messages& messages_;
  PutsAndGets& transfers_;
  std::function<void()> progress_;
  parts::Pool<Leaving> leaving_;
  std::unique_ptr<parts::LongProtocol> protocol_;
};

}  // namespace aqueduct::conduit::extoll
