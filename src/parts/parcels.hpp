// What a delivered message leaves to be remembered until it is answered, and what one needs while it waits.
// Not thread-safe.
#pragma once
#include <memory>
#include <vector>

#include "am/message.hpp"
#include "parts/body.hpp"

namespace aqueduct::parts {

/// A request that is being delivered: whom its reply goes to, and whether it has had one. It lasts as long as
/// deliver(); the origin that the handler is given names it. Of a rank's own requests the cookie is 0.
struct DeliveredRequest {
  RankId source = 0;
  bool is_answered = false;

  am::Origin origin() { return {source, reinterpret_cast<std::uint64_t>(this)}; }
  static DeliveredRequest& of(const am::Origin& origin) {
    return *reinterpret_cast<DeliveredRequest*>(origin.cookie);
  }
};

/// A message that owns what it carries; or, on its way out, a payload that the network still reads.
struct Parcel : DeliveredRequest {
  am::Message message;
  Parcel* next = nullptr;
  std::int32_t args[am::kMaxArgs];
  bool lies_in_port = false;  ///< the payload is that of an arrival that is not answered yet
  std::uint64_t arrival = 0;

  /// Memory of at least `bytes`; keeps what it once had.
  std::byte* room(std::size_t bytes) {
    if (bytes > room_bytes_) {
      room_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      room_bytes_ = bytes;
    }
    return room_.get();
  }

  /// Becomes this message of `from`, but for its payload; returns where that goes.
  void* take(RankId from, const am::Message& arrived) {
    take_beside(from, arrived, nullptr);
    void* const to =
        message.category == am::Category::kMedium ? room(message.payload_bytes) : message.destination;
    message.payload = to;
    return to;
  }
  /// The same with a payload that lies elsewhere and stays there until the message is delivered.
  void take_beside(RankId from, const am::Message& arrived, const void* payload) {
    source = from;
    is_answered = false;
    message = arrived;
    message.args = args;
    message.payload = payload;
    if (message.nargs != 0) std::memcpy(args, arrived.args, message.nargs * sizeof(std::int32_t));
  }
  /// The same for a message that does not leave this rank, with its payload.
  void hold(RankId self, const am::Message& own) {
    void* const to = take(self, own);
    if (own.category != am::Category::kShort && own.payload_bytes != 0)
      std::memmove(to, own.payload, own.payload_bytes);
  }

 private:
  std::unique_ptr<std::byte[]> room_;
  std::size_t room_bytes_ = 0;
};

/// A message from a rank to itself, where the network does not carry those: runs the handler here and now,
/// with a copy of a Medium's payload, which it may change. Its origin has the cookie 0. Always kDone.
inline am::Post deliver_to_self(am::Receiver& receiver, RankId self, const am::Message& message) {
  Parcel parcel;
  parcel.hold(self, message);
  receiver.deliver(parcel.message, {self, 0});
  return am::Post::kDone;
}

/// First in, first out.
class ParcelQueue {
 public:
  void push(Parcel* parcel) {
    parcel->next = nullptr;
    (first_ ? last_->next : first_) = parcel;
    last_ = parcel;
  }
  bool is_empty() const { return !first_; }
  Parcel* pop() {
    Parcel* const parcel = first_;
    if (parcel) first_ = parcel->next;
    return parcel;
  }

 private:
  Parcel* first_ = nullptr;
  Parcel* last_ = nullptr;
};

/// Lends parcels; makes a new one when all are lent.
class ParcelPool {
 public:
  Parcel* take() {
    ++lent_;
    if (!free_) return parcels_.emplace_back(std::make_unique<Parcel>()).get();
    Parcel* const parcel = free_;
    free_ = parcel->next;
    return parcel;
  }
  void give_back(Parcel* parcel) {
    --lent_;
    parcel->next = free_;
    free_ = parcel;
  }
  std::size_t lent() const { return lent_; }

 private:
  std::size_t lent_ = 0;
  std::vector<std::unique_ptr<Parcel>> parcels_;
  Parcel* free_ = nullptr;  // the one used last is used next: its memory is warm
};

}  // namespace aqueduct::parts
