// A mailbox: active messages from one lane of one rank to one neighbour, in one direction and of one kind (requests or
// replies), through memory that both share.
//
// Shape. A ring of kSlots one-line envelopes. An envelope is a 64-bit header and up to 14 arguments. Beside each
// envelope lies a companion: room for the arguments that did not fit and a payload of up to kCompanionBytes. Larger
// medium payloads travel in one of kParcels parcels. A long payload is copied straight into the peer's segment.
//
// One writer, one reader. The writer owns tail_ and everything in slots [tail, consumed + kSlots); the reader owns head
// and everything in slots [head, tail). All-zero memory is an empty mailbox.
//
// How a message is seen. The header's low byte is the lap: 1 + (position / kSlots), modulo 256. The writer fills
// arguments, companion, parcel or segment first and stores the header last, with release; the reader loads the header of
// the slot at its head with acquire and compares the lap. Since every slot is written once per lap, the header found
// there is either this lap's (there is a message, and all that was written before the header is visible) or the previous
// lap's (there is none yet). No other word is read to find a message, so that one line moves between the cores.
//
// How room is made. The reader publishes how many messages it has consumed, every kPublishInterval messages and
// whenever the mailbox runs dry; a slot is consumed when nothing reads it any more. The writer looks at that word only
// when its last known value leaves no room. A parcel is given back by its own flag, in any order.
// No room is ever lost: a full mailbox is drained either past an interval or until it is dry, and both publish.
//
// Threads: writer and reader may be different threads in different processes. Several threads of one side must exclude
// each other; see core/neighbourhood.hpp.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/types.hpp"
#include "conduit/conduit.hpp"

namespace aqueduct::core {

using conduit::Category;
using conduit::Message;

inline constexpr std::uint32_t kSlots = 64;
inline constexpr std::uint32_t kPublishInterval = 16;
inline constexpr std::size_t kCompanionBytes = 1024;
inline constexpr unsigned kParcels = 4;
inline constexpr std::size_t kParcelBytes = std::size_t{64} << 10;
inline constexpr unsigned kArgsInShort = 14;
inline constexpr unsigned kArgsWithAddress = 12;

/// The 64-bit word that makes an envelope visible.
struct Header {
  std::uint64_t bits = 0;

  static Header make(std::uint32_t position, Category category, std::uint8_t handler, unsigned nargs,
                     bool in_parcel = false, std::size_t payload_bytes = 0) {
    return {std::uint64_t{lap_of(position)} | std::uint64_t{handler} << 8 | std::uint64_t{nargs} << 16 |
            static_cast<std::uint64_t>(category) << 21 | std::uint64_t{in_parcel} << 23 |
            std::uint64_t{payload_bytes} << 24};
  }
  static std::uint8_t lap_of(std::uint32_t position) { return static_cast<std::uint8_t>(position / kSlots + 1); }

  std::uint8_t lap() const { return static_cast<std::uint8_t>(bits); }
  std::uint8_t handler() const { return static_cast<std::uint8_t>(bits >> 8); }
  std::uint8_t nargs() const { return (bits >> 16) & 31; }
  Category category() const { return static_cast<Category>((bits >> 21) & 3); }
  bool in_parcel() const { return (bits >> 23) & 1; }
  std::size_t payload_bytes() const { return bits >> 24; }
  /// A short message whose arguments all lie in the envelope.
  bool is_plain_short() const { return category() == Category::kShort && nargs() <= kArgsInShort; }
};

struct alignas(kCacheLine) Envelope {
  std::atomic<std::uint64_t> header;
  union {
    std::int32_t args[kArgsInShort];
    struct {
      std::uint64_t address;  // long: where the payload lies; medium in a parcel: which one
      std::int32_t args_after[kArgsWithAddress];
    };
  };
};
static_assert(sizeof(Envelope) == kCacheLine);

struct alignas(kCacheLine) Companion {
  std::byte payload[kCompanionBytes];
  alignas(kCacheLine) std::int32_t more_args[kCacheLine / sizeof(std::int32_t)];
};

struct MailboxMemory {
  alignas(kCacheLine) std::atomic<std::uint32_t> consumed;          // written by the reader
  alignas(kCacheLine) std::atomic<std::uint32_t> parcel[kParcels];  // 0 free; writer sets, reader clears
  alignas(kPage) Envelope envelopes[kSlots];
  Companion companions[kSlots];
  alignas(kPage) std::byte parcels[kParcels][kParcelBytes];
};

/// How many arguments lie in the envelope itself.
constexpr unsigned args_in_envelope(Category category) {
  return category == Category::kShort ? kArgsInShort : kArgsWithAddress;
}

/// The writing end. One cache line together with its twin for the other kind.
class MailboxWriter {
 public:
  void open(MailboxMemory* memory) { memory_ = memory; }

  /// Writes a short message of at most kArgsInShort arguments; false if there is no room now.
  bool write_short(std::uint8_t handler, unsigned nargs, const std::int32_t* args) {
    if (full()) [[unlikely]] return false;
    Envelope& envelope = memory_->envelopes[tail_ % kSlots];
    copy_args(envelope.args, args, nargs);
    publish(envelope, Header::make(tail_, Category::kShort, handler, nargs));
    return true;
  }

  /// Writes any message, or answers false if there is no room now. `shift` takes an address of the reader's segment to
  /// where we see it; only used for a long payload.
  bool write(const Message& message, std::intptr_t shift) {
    if (full()) [[unlikely]] return false;
    const std::uint32_t slot = tail_ % kSlots;
    Envelope& envelope = memory_->envelopes[slot];
    bool in_parcel = false;
    std::int32_t* args = envelope.args;
    if (message.category != Category::kShort) {
      args = envelope.args_after;
      if (message.category == Category::kLong) {
        envelope.address = reinterpret_cast<std::uint64_t>(message.destination);
        if (message.payload_bytes != 0) {
          std::memcpy(static_cast<std::byte*>(message.destination) + shift, message.payload, message.payload_bytes);
        }
      } else if (message.payload_bytes <= kCompanionBytes) [[likely]] {
        if (message.payload_bytes != 0) {
          std::memcpy(memory_->companions[slot].payload, message.payload, message.payload_bytes);
        }
      } else {
        const unsigned parcel = free_parcel();
        if (parcel == kParcels) return false;
        in_parcel = true;
        envelope.address = parcel;
        memory_->parcel[parcel].store(1, std::memory_order_relaxed);
        std::memcpy(memory_->parcels[parcel], message.payload, message.payload_bytes);
      }
    }
    const unsigned room = args_in_envelope(message.category);
    const unsigned here = message.nargs < room ? message.nargs : room;
    copy_args(args, message.args, here);
    copy_args(memory_->companions[slot].more_args, message.args + here, message.nargs - here);
    publish(envelope, Header::make(tail_, message.category, message.handler, message.nargs, in_parcel,
                                   message.payload_bytes));
    return true;
  }

 private:
  bool full() {
    if (tail_ - consumed_ != kSlots) [[likely]] return false;
    consumed_ = memory_->consumed.load(std::memory_order_acquire);
    return tail_ - consumed_ == kSlots;
  }

  void publish(Envelope& envelope, Header header) {
    envelope.header.store(header.bits, std::memory_order_release);
    ++tail_;
  }

  static void copy_args(std::int32_t* to, const std::int32_t* from, unsigned count) {
    for (; count >= 2; count -= 2, to += 2, from += 2) std::memcpy(to, from, 2 * sizeof *to);
    if (count != 0) *to = *from;
  }

  unsigned free_parcel() const {
    unsigned i = 0;
    while (i < kParcels && memory_->parcel[i].load(std::memory_order_acquire) != 0) ++i;
    return i;
  }

  MailboxMemory* memory_ = nullptr;
  std::uint32_t tail_ = 0;
  std::uint32_t consumed_ = 0;  // what we last knew of the reader's progress
};

/// The reading end. peek() tells whether there is a message; the others must only follow a peek() that found one.
class MailboxReader {
 public:
  void open(MailboxMemory* memory) { memory_ = memory; }

  /// True if there is a message; its header is then in `*header`. May also be called by threads that do not hold the
  /// reader's lock, as a hint.
  bool peek(Header* header) const {
    const std::uint32_t head = head_.load(std::memory_order_relaxed);
    header->bits = memory_->envelopes[head % kSlots].header.load(std::memory_order_acquire);
    return header->lap() == Header::lap_of(head);
  }

  /// The arguments of a short message of at most kArgsInShort, in place.
  const std::int32_t* short_args() const { return memory_->envelopes[slot()].args; }

  /// Describes the message at the head in place. Arguments that did not fit in the envelope are gathered in `spill`,
  /// which must hold kMaxArgs. The description is valid until retire().
  Message view(Header header, std::int32_t* spill) const {
    const Envelope& envelope = memory_->envelopes[slot()];
    Message message;
    message.category = header.category();
    message.handler = header.handler();
    message.nargs = header.nargs();
    message.payload_bytes = header.payload_bytes();
    const unsigned room = args_in_envelope(message.category);
    message.args = envelope.args;
    if (message.category != Category::kShort) {
      message.args = envelope.args_after;
      if (message.category == Category::kLong) {
        message.payload = message.destination = reinterpret_cast<void*>(envelope.address);
      } else {
        message.payload =
            header.in_parcel() ? memory_->parcels[envelope.address % kParcels] : memory_->companions[slot()].payload;
      }
    }
    if (message.nargs > room) [[unlikely]] {
      std::memcpy(spill, message.args, room * sizeof(std::int32_t));
      std::memcpy(spill + room, memory_->companions[slot()].more_args, (message.nargs - room) * sizeof(std::int32_t));
      message.args = spill;
    }
    return message;
  }

  /// Which parcel the message at the head occupies (only if header.in_parcel()).
  unsigned parcel() const { return memory_->envelopes[slot()].address % kParcels; }
  void free_parcel(unsigned parcel) { memory_->parcel[parcel].store(0, std::memory_order_release); }

  /// The slot at the head is no longer read; moves on to the next and answers what peek() would there.
  bool retire(Header* next) {
    const std::uint32_t head = head_.load(std::memory_order_relaxed) + 1;
    head_.store(head, std::memory_order_relaxed);
    const bool more = peek(next);
    if (!more || head % kPublishInterval == 0) memory_->consumed.store(head, std::memory_order_release);
    return more;
  }

 private:
  std::uint32_t slot() const { return head_.load(std::memory_order_relaxed) % kSlots; }

  MailboxMemory* memory_ = nullptr;
  std::atomic<std::uint32_t> head_{0};  // atomic because threads that only peek read it without the reader's lock
};

}  // namespace aqueduct::core
