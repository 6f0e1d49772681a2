// Messages that name the place of their payload, at their target: what has come of each, and which are over.
// Parts come in any order and as often as the network likes; every byte is written once.
//
// A message is known by the number of its transfer, which grows by one with each that the sender begins. It
// begins with the first of its parts that comes, if the owner has the place that this names, and is over when
// all have come. No message is farther than kMostSpan ahead of the first that is not over, so that what is
// remembered of one sender is bounded. Not thread-safe.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/udp/packet.hpp"
#include "fabric/udp/place_table.hpp"
#include "fabric/udp/range_set.hpp"
#include "fabric/udp/transfers.hpp"

namespace aqueduct::fabric::udp {

struct ArrivingMessage {
  std::uint64_t number = 0;
  Place place;
  std::uint64_t payload_bytes = 0;
  std::uint8_t header_bytes = 0;
  std::byte* payload = nullptr;  ///< the memory that the place names
  BufferPool::Buffer buffer;     ///< it lies in there, if it has no place of its own
  std::array<std::byte, kMaxHeader> header;
  ReceivedParts received;

  bool is_named_by(const PartFrame& part) const {
    return part.place == place && part.payload_bytes == payload_bytes && part.header_bytes == header_bytes;
  }
  /// It has no place of its own, and the part holds all of it, where a client can use it.
  bool is_all_in(const PartFrame& part) const {
    const auto at = reinterpret_cast<std::uintptr_t>(part.data.data()) + header_bytes;
    return buffer && part.data.size() == part.whole_bytes() && at % PartFrame::kPayloadAlignment == 0;
  }
  /// It stays in the memory of the part, which is `buffer` now.
  void leave_in(const PartFrame& part) {
    std::copy_n(part.data.data(), header_bytes, header.begin());
    payload = const_cast<std::byte*>(part.data.data()) + header_bytes;
  }
  bool is_whole() const { return received.bytes() == header_bytes + payload_bytes; }
  /// The data of a part, or of several that follow each other, the first of which begins at `offset`.
  void take(std::uint64_t offset, const AlikeParts& parts) {
    const Piece pieces[] = {{header.data(), header_bytes}, {payload, payload_bytes}};
    received.land(pieces, offset, parts);
  }
};

class ArrivingMessages {
 public:
  static constexpr std::uint64_t kMostSpan = 1024;

  enum class Verdict : std::uint8_t {
    kGood,
    kOver,       ///< its message is whole: the part comes late, or twice
    kTooFar,     ///< ahead of what the sender may have begun
    kMalformed,  ///< it does not say what other parts of the message have said
    kNoPlace     ///< it names memory that it may not write to
  };

  /// What to do with a part. `memory(place, bytes)` answers where that place is (PlacedMemory); it is asked
  /// once for each message.
  template <class Memory>
  Verdict judge(const PartFrame& part, Memory&& memory) {
    const std::uint64_t number = whole_number(part.transfer);
    if (is_over(number)) return Verdict::kOver;
    if (number - base() >= kMostSpan) return Verdict::kTooFar;
    if (const ArrivingMessage* const known = find(number))
      return known->is_named_by(part) ? Verdict::kGood : Verdict::kMalformed;
    PlacedMemory payload = memory(part.place, part.payload_bytes);
    if (!payload.begin) return Verdict::kNoPlace;
    ArrivingMessage& begun = begin();
    begun.number = number;
    begun.place = part.place;
    begun.payload_bytes = part.payload_bytes;
    begun.header_bytes = part.header_bytes;
    begun.payload = payload.begin;
    begun.buffer = std::move(payload.buffer);
    return Verdict::kGood;
  }

  /// Of a part that was judged to be good.
  ArrivingMessage& of(const PartFrame& part) { return *find(whole_number(part.transfer)); }
  void end(const ArrivingMessage& message) {
    const std::uint64_t number = message.number;
    const auto place = std::find_if(under_way_.begin(), under_way_.end(),
                                    [&](const auto& one) { return one.get() == &message; });
    std::swap(*place, under_way_.back());
    spare_ = std::move(under_way_.back());
    spare_->buffer.reset();
    under_way_.pop_back();
    over_.add({number, number + 1});
  }
  /// A transfer that is no such message.
  void skip(std::uint32_t transfer) {
    const std::uint64_t number = whole_number(transfer);
    if (!is_over(number) && number - base() < kMostSpan) over_.add({number, number + 1});
  }

  /// Gives the memory back that waits for the next message.
  void release_memory() {
    if (!under_way_.empty()) return;
    under_way_ = std::vector<std::unique_ptr<ArrivingMessage>>();
    spare_.reset();
  }
  std::size_t memory_bytes() const {
    return (under_way_.size() + (spare_ ? 1 : 0)) * sizeof(ArrivingMessage) + over_.memory_bytes() +
           under_way_.capacity() * sizeof(under_way_[0]);
  }

  /// Calls `visit(message)` for those that will not come, and forgets them.
  template <class Visit>
  void abandon(Visit&& visit) {
    for (auto& message : under_way_) visit(*message);
    under_way_.clear();
  }

 private:
  /// All before this are over.
  std::uint64_t base() const { return over_.empty() || over_.front().begin != 0 ? 0 : over_.front().end; }
  /// The wire has the lower half; the whole number is the one that is nearest to base().
  std::uint64_t whole_number(std::uint32_t transfer) const {
    const std::uint64_t from = base();
    return from + static_cast<std::uint64_t>(
                      std::int64_t{static_cast<std::int32_t>(transfer - static_cast<std::uint32_t>(from))});
  }
  bool is_over(std::uint64_t number) const {
    const std::uint64_t from = base();
    if (static_cast<std::int64_t>(number - from) < 0) return true;
    return over_.contains(number);
  }
  ArrivingMessage* find(std::uint64_t number) {
    for (const auto& one : under_way_) {
      if (one->number == number) return one.get();
    }
    return nullptr;
  }
  ArrivingMessage& begin() {
    std::unique_ptr<ArrivingMessage> begun = std::move(spare_);
    if (!begun) begun = std::make_unique_for_overwrite<ArrivingMessage>();
    begun->received.clear();
    return *under_way_.emplace_back(std::move(begun));
  }

  RangeSet over_;
  std::vector<std::unique_ptr<ArrivingMessage>> under_way_;
  std::unique_ptr<ArrivingMessage> spare_;  // the one that was over last: its memory is warm
};

}  // namespace aqueduct::fabric::udp
