// Active messages. One whose payload is small is one message of the stream: head, arguments, payload
// (parts/am_codec.hpp). The payload of a larger one follows by itself: that of a Long comes from the client's
// memory, which is counted for as long, and goes to its destination; that of a Medium is copied before, and
// has room of its own where it arrives.
//
// Replies get through: everything that arrives is taken, in order. What may not be delivered now, requests
// while a handler waits to reply, is parked in parcels, whose number credits bound.
//
// Threads: any thread sends; whoever polls holds the session but while a handler runs.
#pragma once
#include "conduit/mpi/endpoint.hpp"
#include "conduit/mpi/heads.hpp"
#include "parts/parcels.hpp"

namespace aqueduct::conduit::mpi {

class Messages {
 public:
  explicit Messages(Endpoint& endpoint) : endpoint_(endpoint) {}

  // Without the session.
  Post inject(RankId target, const Message& request);
  Post reply(const Origin& origin, const Message& reply);

  // With the session.
  /// Delivers what has arrived, or parks what may not be delivered; gives its buffer back.
  void take(const Stream::Arrival& arrival, Scope scope, bool may_deliver);
  /// Delivers one that was parked. False: there is none.
  bool deliver_parked(Scope scope) {
    if (!replies_.is_empty()) return deliver(*replies_.pop());
    return scope == Scope::kAll && !requests_.is_empty() && deliver(*requests_.pop());
  }
  void count_resources(observe::ResourceCounts& counts) const {
    counts.holds("parcels of messages", parcels_.lent());
  }

 private:
  void send(RankId target, parts::AmKind kind, const Message& message);
  void send_large(RankId target, parts::AmKind kind, const Message& message);
  Post send_notice(RankId target, const Message& request);
  Stream::Buffer* begin(HeadKind kind, std::uint32_t payload_bytes);
  /// Of a request's credits. The last one comes back with what its handler does.
  void owe_all_but_one(RankId source, const Message& request) {
    const unsigned credits = endpoint_.credits_of(request.payload_bytes);
    if (credits > 1) [[unlikely]]
      endpoint_.credits.owe(source, credits - 1);
  }
  void take_other(const Stream::Arrival& arrival, Scope scope, bool may_deliver);
  void take_decoded(const Stream::Arrival& arrival, parts::DecodedMessage& decoded, bool is_notice,
                    Scope scope, bool may_deliver);
  void has_left(parts::Parcel& parcel);
  void has_landed(parts::Parcel& parcel);
  void park(parts::Parcel& parcel) { (parcel.message.is_reply ? replies_ : requests_).push(&parcel); }
  bool deliver(parts::Parcel& parcel);

  Endpoint& endpoint_;
  parts::ParcelPool parcels_;
  parts::ParcelQueue requests_;
  parts::ParcelQueue replies_;
};

}  // namespace aqueduct::conduit::mpi
