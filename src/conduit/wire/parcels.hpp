// Parcels: what a message needs while it waits, and the lists in which it does. Not thread-safe.
#pragma once
#include <deque>
#include <memory>

#include "conduit/conduit.hpp"

namespace aqueduct::conduit::wire {

/// A message that owns what it carries; or, on its way out, a payload that the fabric still reads.
struct Parcel {
  Message message;
  RankId source = 0;
  bool is_answered = false;  // its reply has been sent
  bool is_reply = false;     // of a payload on its way out
  Parcel* next = nullptr;
  std::int32_t args[kMaxArgs];

  /// Memory of at least `bytes`; keeps what it once had.
  std::byte* room(std::size_t bytes) {
    if (bytes > room_bytes_) {
      room_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      room_bytes_ = bytes;
    }
    return room_.get();
  }

 private:
  std::unique_ptr<std::byte[]> room_;
  std::size_t room_bytes_ = 0;
};

/// First in, first out.
class ParcelQueue {
 public:
  void push(Parcel* parcel) {
    parcel->next = nullptr;
    (first_ ? last_->next : first_) = parcel;
    last_ = parcel;
  }
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
    if (!free_) return &parcels_.emplace_back();
    Parcel* const parcel = free_;
    free_ = parcel->next;
    return parcel;
  }
  void give_back(Parcel* parcel) {
    parcel->next = free_;
    free_ = parcel;
  }

 private:
  std::deque<Parcel> parcels_;
  Parcel* free_ = nullptr;  // the one used last is used next: its memory is warm
};

}  // namespace aqueduct::conduit::wire
