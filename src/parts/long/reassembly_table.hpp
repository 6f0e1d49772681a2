// What the target of Longs knows of messages of which only one half has come: a hash table of chained
// buckets, by source and nonce.
//
// The first half leaves an entry, the last one takes it away. So there are at most as many entries as
// messages may be under way to this rank, and none when nothing is. Entries are recycled and added a few at a
// time.
//
// Where the place of a payload is its nonce, several messages may have the same: their halves are matched in
// any way, and there are either envelopes without payload under a nonce or payloads without envelope.
//
// Threads: any; one short lock. Halves of one message may come at the same time: one of the two finds the
// other.
#pragma once
#include <array>
#include <deque>
#include <mutex>

#include "base/spin_lock.hpp"
#include "parts/long/long_protocol.hpp"

namespace aqueduct::parts {

class ReassemblyTable {
 public:
  /// One of the two must be there for an entry to be: the envelope, or some of the payload.
  enum class Came : std::uint8_t {
    kWaits,     ///< for the rest
    kComplete,  ///< `*complete` is the envelope's arrival
    kTwice,     ///< this envelope was here before: the nonce is not the source's to use
  };

  explicit ReassemblyTable(bool nonces_are_places = false) : nonces_are_places_(nonces_are_places) {}

  Came envelope(LongArrival& arrival, LongArrival** complete) {
    const Key key{arrival.source, arrival.nonce, arrival.is_reply};
    const std::lock_guard guard(lock_);
    Entry*& place = find_or_add(key);
    if (place->arrival && !nonces_are_places_) return Came::kTwice;
    Entry*& mine = place->arrival ? add(place) : place;
    mine->arrival = &arrival;
    mine->missing += arrival.pieces;
    if (mine->missing >= 0) return settle(mine, complete);
    if (!nonces_are_places_) return Came::kWaits;
    mine->arrival = nullptr;  // payloads of others are here already
    *complete = &arrival;
    return Came::kComplete;
  }

  Came payload(RankId source, bool is_reply, std::uint64_t nonce, LandedAt at, LongArrival** complete) {
    const std::lock_guard guard(lock_);
    Entry*& place = find_or_add({source, nonce, is_reply});
    --place->missing;
    if (at.address) place->at = at;
    return settle(place, complete);
  }

  /// Messages of which a half is missing, and the most that there have ever been.
  std::size_t waiting() const {
    const std::lock_guard guard(lock_);
    return waiting_;
  }
  std::size_t most_waiting() const {
    const std::lock_guard guard(lock_);
    return most_waiting_;
  }
  std::size_t bytes() const {
    const std::lock_guard guard(lock_);
    return sizeof buckets_ + entries_.size() * sizeof(Entry);
  }

 private:
  static constexpr unsigned kBuckets = 64;
  static constexpr unsigned kGrowth = 8;

  struct Key {
    RankId source;
    std::uint64_t nonce;
    bool is_reply;
    bool operator==(const Key&) const = default;
  };
  struct Entry {
    Key key{};
    LongArrival* arrival = nullptr;
    int missing = 0;  // pieces; less than 0 while they come before their envelope
    LandedAt at;
    Entry* next = nullptr;
  };

  // Nonces are often multiples of some size, so all of their bits count.
  static unsigned bucket_of(const Key& key) {
    std::uint64_t hash = (std::uint64_t{key.source} << 33 | std::uint64_t{key.is_reply}) ^ key.nonce << 1;
    hash *= 0x9E3779B97F4A7C15u;
    return static_cast<unsigned>(hash >> 58);
  }
  static_assert(kBuckets == 1u << (64 - 58));

  Entry*& find_or_add(const Key& key) {
    Entry** place = &buckets_[bucket_of(key)];
    while (*place && (*place)->key != key) place = &(*place)->next;
    if (*place) return *place;
    insert(*place, key);
    return *place;
  }

  // Another one with the nonce of this entry.
  Entry*& add(Entry*& beside) {
    insert(beside, beside->key);
    return beside;
  }

  void insert(Entry*& place, Key key) {
    if (!free_) grow();
    Entry* const entry = free_;
    free_ = entry->next;
    *entry = {key, nullptr, 0, {}, place};
    place = entry;
    most_waiting_ = std::max(most_waiting_, ++waiting_);
  }

  Came settle(Entry*& place, LongArrival** complete) {
    Entry* const entry = place;
    if (!entry->arrival || entry->missing != 0) return Came::kWaits;
    *complete = entry->arrival;
    if (entry->at.address) {
      entry->arrival->destination = entry->at.address;
      entry->arrival->payload_bytes = entry->at.bytes;
    }
    place = entry->next;
    entry->next = free_;
    free_ = entry;
    --waiting_;
    return Came::kComplete;
  }

  void grow() {
    for (unsigned i = 0; i < kGrowth; ++i) {
      Entry& entry = entries_.emplace_back();
      entry.next = free_;
      free_ = &entry;
    }
  }

  const bool nonces_are_places_;
  mutable SpinLock lock_;
  std::array<Entry*, kBuckets> buckets_{};
  std::deque<Entry> entries_;
  Entry* free_ = nullptr;
  std::size_t waiting_ = 0;
  std::size_t most_waiting_ = 0;
};

}  // namespace aqueduct::parts
