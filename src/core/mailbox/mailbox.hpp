// A mailbox: requests from one lane of one rank to one neighbour, and their answers, through memory that both
// share.
//
// Shape. Slots, each a one-line envelope: a 64-bit header and up to 14 arguments. Beside each envelope lie
// three inline buffers (two for requests, used in turn, one for the answer: arguments that did not fit, and
// payloads of up to kInlineBytes). Medium payloads beyond that lie in large places. A long payload is
// copied directly into the peer's segment. A request is answered in its own slot, so it brings the room for
// its reply with it: replying never waits.
//
// Why answers go into the same line. A core that polls a line owns it, and whoever wants to write there must
// first fetch it: a trip. A line that is written by one side, read and written by the other, and read again
// by the first makes one trip each way; with a line for each direction the same conversation takes four. So a
// pair of ranks has two mailboxes: `express` of one slot, in which a conversation stays in one line, and
// `queue` for streams of requests.
//
// One sender, one receiver. Positions count requests; position p is in slot p % kSlots, in lap 1 + p / kSlots
// (modulo 256). A slot's header says (lap, state), and its states follow each other strictly:
//
//     request (lap n)  --receiver-->  reply or done (lap n)  --sender-->  request (lap n + 1)
//
// The sender owns the slot when its position is answered, the receiver while it is a request. Each fills
// everything else first and stores the header last, with release; the other loads it with acquire. A side
// that finds the header it expects therefore sees all that was written before, and no other word is needed to
// find a message or a free slot. All-zero memory is an empty mailbox: lap 0 never comes before lap 1.
//
// The receiver takes requests in order (head). It answers each once: with the reply, or with `done` when the
// handler has returned without one. Answers may come in any order; the sender takes them in order, which in
// the end frees the slot.
//
// Cumulative acknowledgement. A receiver that handles one request of the mailbox after the other need not
// write `done` into each slot. Instead it stores in one word, now and then, how many requests it has handled
// altogether and how many of the last ones had no reply. The lines of a stream then go one way, from the
// sender to the receiver, and the sender frees many slots with one look. A slot is answered when its header
// says so or when its position is below that count; a reply is written before it is counted. The receiver
// stores the count at the latest when a reply follows requests without one, and when the mailbox is empty:
// what the sender knows is late by the run of a few handlers, never by more. Where several threads take
// requests, they answer each in its slot; the count then stays behind and means nothing any more.
//
// A request payload is read in place by its handler, which may still read when it has replied. If the
// receiver handles one request of the mailbox after the other, it may publish that reply at once where the
// payload is in an inline buffer: the next request in the slot has the other inline buffer, and the one after
// that is not written before the next has been answered, by a later handler. In all other cases the answer is
// held back until the handler returns.
//
// Large places. A mailbox has a number of them for requests and as many for answers; the envelope says which
// one a payload lies in. In the queue that is the slot, for requests also modulo kLargeWindow: a large
// request is sent only while fewer than kLargeWindow requests are under way, so that no two of them share a
// place. (Answers have no such window: each of 64 small requests may get a large one.) The fewer places, the
// more of their lines are still in the writer's cache; but a line that its reader has looked at is better
// left alone for a while. So the reader says whether payloads are read at all (LargeHints), and then all
// places are used in turn. The express mailbox has one request at a time, and stays in one place as long as
// that is in both first-level caches.
//
// A medium payload can be written in place: next_slot() before, publish_next() after.
//
// Threads: the two sides may be in different processes. Several threads of one side must exclude each other
// in write(), in taking, and in settling (three separate matters); peeks are hints that any thread may take.
// Answering needs no lock: a slot is answered by the thread that took it.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "am/message.hpp"
#include "base/cache_lines.hpp"
#include "base/copy.hpp"
#include "base/prefetch.hpp"
#include "base/types.hpp"

namespace aqueduct::core {

using am::Category;
using am::Message;

inline constexpr std::size_t kInlineBytes = 1024;
inline constexpr std::size_t kLargeBytes = am::kMostMedium;
inline constexpr std::size_t kFirstLevelBytes = 8192;  ///< a payload that leaves room in a first-level cache
inline constexpr std::uint32_t kExpressPlaces = 8;
inline constexpr std::uint32_t kQueuePlaces = 64;
inline constexpr std::uint32_t kLargeWindow = 16;
static_assert(kQueuePlaces % kLargeWindow == 0);
inline constexpr unsigned kArgsInShort = 14;
inline constexpr unsigned kArgsWithAddress = 12;

enum class SlotState : std::uint8_t { kRequest, kReply, kDone };

/// The 64-bit word that makes an envelope visible.
struct Header {
  std::uint64_t bits;

  static Header make(std::uint8_t lap, SlotState state, Category category, std::uint8_t handler,
                     unsigned nargs, std::size_t payload_bytes = 0) {
    return {std::uint64_t{lap} | static_cast<std::uint64_t>(state) << 8 |
            static_cast<std::uint64_t>(category) << 10 | std::uint64_t{nargs} << 12 |
            std::uint64_t{handler} << 17 | std::uint64_t{payload_bytes} << 25};
  }
  static Header done(std::uint8_t lap) {
    return {std::uint64_t{lap} | static_cast<std::uint64_t>(SlotState::kDone) << 8};
  }

  std::uint8_t lap() const { return static_cast<std::uint8_t>(bits); }
  SlotState state() const { return static_cast<SlotState>((bits >> 8) & 3); }
  Category category() const { return static_cast<Category>((bits >> 10) & 3); }
  unsigned nargs() const { return (bits >> 12) & 31; }
  std::uint8_t handler() const { return static_cast<std::uint8_t>(bits >> 17); }
  std::size_t payload_bytes() const { return bits >> 25; }

  bool is_request_of(std::uint8_t lap) const { return (bits & 0x3ff) == lap; }
  bool is_answer_of(std::uint8_t lap) const { return this->lap() == lap && state() != SlotState::kRequest; }
  /// Category and number of arguments, in one number; below kNoKind.
  unsigned kind() const { return (bits >> 10) & 0x7f; }
  static constexpr std::uint8_t kind(Category category, unsigned nargs) {
    return static_cast<std::uint8_t>(static_cast<unsigned>(category) | nargs << 2);
  }
  static constexpr std::uint8_t kNoKind = 0xff;
};

/// How many requests have been handled, and how many of the last of these had no reply (255: or more).
struct CumulativeAck {
  std::uint64_t bits;

  static CumulativeAck make(std::uint64_t handled, std::uint64_t without_reply) {
    return {handled << 8 | (without_reply < 255 ? without_reply : 255)};
  }
  std::uint64_t handled() const { return bits >> 8; }
  std::uint64_t without_reply() const { return bits & 255; }
};

struct alignas(kCacheLine) Envelope {
  std::atomic<std::uint64_t> header;
  union {
    std::int32_t args[kArgsInShort];
    struct {
      std::uint64_t address;  // long: where the payload lies; medium: 1 + its large place, or 0
      std::int32_t args_after[kArgsWithAddress];
    };
  };
};
static_assert(sizeof(Envelope) == kCacheLine);

struct alignas(kCacheLine) InlineBuffer {
  std::byte payload[kInlineBytes];
  alignas(kCacheLine) std::int32_t more_args[kCacheLine / sizeof(std::int32_t)];
};

/// What the reader of large payloads tells their writer. Seldom written.
struct alignas(kCacheLine) LargeHints {
  std::atomic<std::uint32_t> read;

  bool is_read() const { return read.load(std::memory_order_relaxed) != 0; }
  void say(bool is_read) {
    if (is_read != this->is_read()) read.store(is_read, std::memory_order_relaxed);
  }
};

/// Where the parts of a slot lie in a mailbox: offsets of the arrays that stand behind the envelopes.
struct SlotMap {
  std::size_t requests, answers, hints, large_requests, large_answers;
  bool is_express;
};

/// One slot. Cheap to make: parts other than the envelope are found when they are asked for.
struct Slot {
  Envelope* envelope = nullptr;
  const SlotMap* map = nullptr;
  std::uint32_t index = 0;
  std::uint8_t lap = 0;

  InlineBuffer& request() const {
    return reinterpret_cast<InlineBuffer*>(memory() + map->requests)[2 * index + (lap & 1)];
  }
  InlineBuffer& answer() const { return reinterpret_cast<InlineBuffer*>(memory() + map->answers)[index]; }
  std::byte* large(bool is_reply, std::size_t place) const {
    return memory() + (is_reply ? map->large_answers : map->large_requests) + place * kLargeBytes;
  }
  LargeHints& hints(bool is_reply) const {
    return reinterpret_cast<LargeHints*>(memory() + map->hints)[is_reply];
  }
  /// The large place for a payload of up to `bytes`.
  std::size_t large_place(bool is_reply, std::size_t bytes) const {
    if (!map->is_express) return is_reply || hints(is_reply).is_read() ? index : index % kLargeWindow;
    return kReadersTakeLines || bytes <= kFirstLevelBytes ? 0 : lap % kExpressPlaces;
  }
  /// Where a medium payload of up to `bytes` may be written before fill().
  std::byte* payload_area(bool is_reply, std::size_t bytes) const {
    if (bytes <= kInlineBytes) return (is_reply ? answer() : request()).payload;
    return large(is_reply, large_place(is_reply, bytes));
  }

  /// Writes everything of a message but its header, which it returns; a payload that stands in its
  /// payload_area() is left there. `shift` takes an address of the peer's segment to where we see it; only
  /// used for a long payload.
  Header fill(const Message& message, std::intptr_t shift) const {
    InlineBuffer& inline_buffer = message.is_reply ? answer() : request();
    std::int32_t* args = envelope->args;
    unsigned room = kArgsInShort;
    if (message.category != Category::kShort) {
      args = envelope->args_after;
      room = kArgsWithAddress;
      if (message.category == Category::kLong) {
        envelope->address = reinterpret_cast<std::uint64_t>(message.destination);
        if (message.payload_bytes != 0) {
          std::memcpy(static_cast<std::byte*>(message.destination) + shift, message.payload,
                      message.payload_bytes);
        }
      } else {
        envelope->address = place_payload(message);
      }
    }
    const unsigned here = message.nargs < room ? message.nargs : room;
    copy_args(args, message.args, here);
    copy_args(inline_buffer.more_args, message.args + here, message.nargs - here);
    return Header::make(lap, message.is_reply ? SlotState::kReply : SlotState::kRequest, message.category,
                        message.handler, message.nargs, message.payload_bytes);
  }

  /// Describes the message in place. Arguments that did not fit in the envelope are gathered in `spill`,
  /// which must hold kMaxArgs.
  Message view(Header header, std::int32_t* spill) const {
    Message message;
    message.is_reply = header.state() == SlotState::kReply;
    message.category = header.category();
    message.handler = header.handler();
    message.nargs = static_cast<std::uint8_t>(header.nargs());
    message.payload_bytes = header.payload_bytes();
    const InlineBuffer& inline_buffer = message.is_reply ? answer() : request();
    unsigned room = kArgsInShort;
    message.args = envelope->args;
    if (message.category != Category::kShort) {
      room = kArgsWithAddress;
      message.args = envelope->args_after;
      if (message.category == Category::kLong) {
        message.payload = message.destination = reinterpret_cast<void*>(envelope->address);
      } else if (envelope->address == 0) {
        message.payload = inline_buffer.payload;
      } else {
        message.payload = large(message.is_reply, envelope->address - 1);
      }
    }
    if (message.nargs > room) [[unlikely]] {
      std::memcpy(spill, message.args, room * sizeof(std::int32_t));
      std::memcpy(spill + room, inline_buffer.more_args, (message.nargs - room) * sizeof(std::int32_t));
      message.args = spill;
    }
    return message;
  }

  /// fill() for a medium message of at most kArgsWithAddress arguments and kInlineBytes; its payload may
  /// stand in the inline buffer already.
  template <bool kIsReply>
  Header fill_plain_medium(std::uint8_t handler, unsigned nargs, const std::int32_t* args,
                           const void* payload, std::size_t bytes) const {
    std::byte* const to = (kIsReply ? answer() : request()).payload;
    if (payload != to) copy_small(to, payload, bytes);
    envelope->address = 0;
    copy_args(envelope->args_after, args, nargs);
    return Header::make(lap, kIsReply ? SlotState::kReply : SlotState::kRequest, Category::kMedium, handler,
                        nargs, bytes);
  }

  /// fill() for a long message of at most kArgsWithAddress arguments. `here` is the destination as we see it.
  template <bool kIsReply>
  Header fill_plain_long(std::uint8_t handler, unsigned nargs, const std::int32_t* args, const void* payload,
                         std::size_t bytes, void* destination, void* here) const {
    if (bytes <= kInlineBytes) {
      copy_small(static_cast<std::byte*>(here), payload, bytes);
    } else {
      std::memcpy(here, payload, bytes);
    }
    envelope->address = reinterpret_cast<std::uint64_t>(destination);
    copy_args(envelope->args_after, args, nargs);
    return Header::make(lap, kIsReply ? SlotState::kReply : SlotState::kRequest, Category::kLong, handler,
                        nargs, bytes);
  }

  void publish(Header header) const { envelope->header.store(header.bits, std::memory_order_release); }

  static void copy_args(std::int32_t* to, const std::int32_t* from, unsigned count) {
    for (; count >= 2; count -= 2, to += 2, from += 2) std::memcpy(to, from, 2 * sizeof *to);
    if (count != 0) *to = *from;
  }

 private:
  // Copies a medium payload to where it goes, unless it is there already. Answers what the envelope says.
  std::uint64_t place_payload(const Message& message) const {
    std::byte* const small = (message.is_reply ? answer() : request()).payload;
    if (message.payload == small) return 0;
    // One that was written in place may have become smaller since its place was chosen.
    const auto in_large =
        static_cast<std::size_t>(static_cast<const std::byte*>(message.payload) - large(message.is_reply, 0));
    const std::size_t written = in_large / kLargeBytes;
    if (written < (map->is_express ? kExpressPlaces : kQueuePlaces) && in_large % kLargeBytes == 0)
      return 1 + written;
    const bool is_small = message.payload_bytes <= kInlineBytes;
    const std::size_t place = large_place(message.is_reply, message.payload_bytes);
    if (message.payload_bytes != 0) {
      std::memcpy(is_small ? small : large(message.is_reply, place), message.payload, message.payload_bytes);
    }
    return is_small ? 0 : 1 + place;
  }

  std::byte* memory() const {
    auto* memory = reinterpret_cast<std::byte*>(envelope - index);
    __asm__("" : "+r"(memory));  // the memory does not end where the envelopes do
    return memory;
  }
};

/// Where a receiver stores its cumulative acknowledgement. Not in the line beside an envelope, which
/// processors like to fetch with it.
struct alignas(2 * kCacheLine) CumulativeAckWord {
  std::atomic<std::uint64_t> bits;
};

template <std::uint32_t kSlotCount>
struct MailboxMemory {
  static constexpr std::uint32_t kSlots = kSlotCount;
  struct Nothing {};

  Envelope envelopes[kSlots];
  /// Where the page of the envelopes has room: the acknowledgement of a mailbox where it has not, which would
  /// need one more page for it.
  [[no_unique_address]] std::conditional_t<(kSlots + 4) * kCacheLine <= kPage, CumulativeAckWord, Nothing>
      spare;
  alignas(kPage) InlineBuffer requests[2 * kSlots];
  InlineBuffer answers[kSlots];
  LargeHints hints[2];  // of requests, of answers
  alignas(kPage) std::byte large_requests[kSlots == 1 ? kExpressPlaces : kQueuePlaces][kLargeBytes];
  alignas(kPage) std::byte large_answers[kSlots == 1 ? kExpressPlaces : kQueuePlaces][kLargeBytes];

  static std::uint8_t lap_of(std::uint64_t position) {
    return static_cast<std::uint8_t>(position / kSlots + 1);
  }
  Envelope& envelope(std::uint64_t position) { return envelopes[position % kSlots]; }
  Slot slot(std::uint64_t position);
};

template <std::uint32_t kSlotCount>
inline constexpr SlotMap kSlotMap = {
    offsetof(MailboxMemory<kSlotCount>, requests),      offsetof(MailboxMemory<kSlotCount>, answers),
    offsetof(MailboxMemory<kSlotCount>, hints),         offsetof(MailboxMemory<kSlotCount>, large_requests),
    offsetof(MailboxMemory<kSlotCount>, large_answers), kSlotCount == 1};

template <std::uint32_t kSlotCount>
Slot MailboxMemory<kSlotCount>::slot(std::uint64_t position) {
  const auto i = static_cast<std::uint32_t>(position % kSlots);
  return {&envelopes[i], &kSlotMap<kSlotCount>, i, lap_of(position)};
}

/// The sending end: writes requests, and takes and settles their answers.
///
/// Positions [settled, claimed) are answers whose handlers run now; those from claimed on are not taken yet.
/// With one thread the two are equal except while a handler runs. With several, claim() and finish() are
/// called under the settling lock, handlers run outside it, and a slot is free when it and all before it are
/// finished.
template <class Memory>
class MailboxSender {
 public:
  /// `ack_word` is the one that the receiver stores to; null if there is none.
  void open(Memory* memory, const CumulativeAckWord* ack_word) {
    memory_ = memory;
    ack_word_ = ack_word;
  }

  /// True if some answer is to be taken; `*position` is then where the next will be.
  bool awaits(std::uint64_t* position) const {
    *position = claimed_.load(std::memory_order_relaxed);
    return *position != tail_.load(std::memory_order_relaxed);
  }
  /// True if some request is not settled.
  bool outstanding() const {
    return tail_.load(std::memory_order_relaxed) != settled_.load(std::memory_order_acquire);
  }
  /// How many there have ever been.
  std::uint64_t sent() const { return tail_.load(std::memory_order_relaxed); }
  /// How many are not.
  std::uint64_t under_way() const {
    return tail_.load(std::memory_order_relaxed) - settled_.load(std::memory_order_acquire);
  }
  bool full() const { return under_way() == Memory::kSlots; }
  /// True if there is no room for a request with a medium payload of `bytes`.
  bool full_for(std::size_t bytes) const {
    if (bytes <= kInlineBytes || Memory::kSlots == 1) return full();
    return under_way() >= kLargeWindow;
  }

  /// Writes a short request of at most kArgsInShort arguments. Not when full().
  void write_short(std::uint8_t handler, unsigned nargs, const std::int32_t* args) {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    Envelope& envelope = memory_->envelope(tail);
    Slot::copy_args(envelope.args, args, nargs);
    const Header header =
        Header::make(Memory::lap_of(tail), SlotState::kRequest, Category::kShort, handler, nargs);
    envelope.header.store(header.bits, std::memory_order_release);
    advance(tail);
  }

  /// Writes a medium request of at most kArgsWithAddress arguments and kInlineBytes. Not when full().
  void write_plain_medium(std::uint8_t handler, unsigned nargs, const std::int32_t* args, const void* payload,
                          std::size_t bytes) {
    publish_next(next_slot().template fill_plain_medium<false>(handler, nargs, args, payload, bytes));
  }
  /// Writes any request. Not when full_for() its payload.
  void write(const Message& message, std::intptr_t shift) { publish_next(next_slot().fill(message, shift)); }

  /// The slot that the next request goes to, for one that is written in two steps. Not when
  /// full_for() its payload.
  Slot next_slot() const { return memory_->slot(tail_.load(std::memory_order_relaxed)); }
  /// Sends the request that was filled into next_slot().
  void publish_next(Header header) {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    memory_->envelope(tail).header.store(header.bits, std::memory_order_release);
    advance(tail);
  }

  /// True if the next answer to be taken is there; its header is then in `*header`, or one that stands for
  /// it.
  bool peek_answer(Header* header) const {
    std::uint64_t next;
    if (!awaits(&next)) return false;
    if (peek_answer_at(next, header)) return true;
    if (ack().handled() <= next) return false;
    // Look again: its reply, if there is one, was written before it was counted.
    if (!peek_answer_at(next, header)) *header = Header::done(Memory::lap_of(next));
    return true;
  }
  bool peek_answer_at(std::uint64_t position, Header* header) const {
    header->bits = memory_->envelope(position).header.load(std::memory_order_acquire);
    return header->is_answer_of(Memory::lap_of(position));
  }

  /// Takes the answer that peek_answer() found; finish() must follow when it is no longer read.
  std::uint64_t claim() {
    const std::uint64_t position = claimed_.load(std::memory_order_relaxed);
    claim_at(position);
    return position;
  }
  void claim_at(std::uint64_t position) { claimed_.store(position + 1, std::memory_order_relaxed); }
  Slot slot(std::uint64_t position) const { return memory_->slot(position); }

  /// Takes and finishes the `done` that peek_answer() found, and with it as many as are known to follow.
  /// Returns how many; 0 if requests are acknowledged that were never sent: no rank can have written that.
  unsigned settle_done() {
    const std::uint64_t first = claimed_.load(std::memory_order_relaxed);
    const CumulativeAck counted = ack();
    if (counts_too_many(counted)) [[unlikely]]
      return 0;
    const std::uint64_t many = counted.handled() - first;
    if (counted.handled() > first && many <= counted.without_reply() &&
        settled_.load(std::memory_order_relaxed) == first) {
      claimed_.store(first + many, std::memory_order_relaxed);
      settled_.store(first + many, std::memory_order_release);
      return static_cast<unsigned>(many);
    }
    finish(claim());
    return 1;
  }

  /// False if what the other side writes here cannot have been written by it. A hint from any thread.
  bool is_sound() const {
    std::uint64_t position, again;
    if (!awaits(&position)) return true;
    const Header header{memory_->envelope(position).header.load(std::memory_order_acquire)};
    const bool is_expected = header.lap() == Memory::lap_of(position) && !counts_too_many(ack());
    return is_expected || !awaits(&again) || again != position;
  }

  /// Frees the slot of a claimed answer as soon as all before it are free.
  void finish(std::uint64_t position) {
    if constexpr (Memory::kSlots == 1) {
      settled_.store(position + 1, std::memory_order_release);
      return;
    }
    std::uint64_t settled = settled_.load(std::memory_order_relaxed);
    if (position == settled && finished_ == 0) [[likely]] {
      settled_.store(settled + 1, std::memory_order_release);
      return;
    }
    finished_ |= bit(position);
    while (finished_ & bit(settled)) {
      finished_ &= ~bit(settled);
      ++settled;
    }
    settled_.store(settled, std::memory_order_release);
  }

 private:
  static_assert(Memory::kSlots <= 64, "one bit for each slot");
  static std::uint64_t bit(std::uint64_t position) { return std::uint64_t{1} << (position % Memory::kSlots); }

  CumulativeAck ack() const { return {ack_word_ ? ack_word_->bits.load(std::memory_order_acquire) : 0}; }
  /// A request can be handled before its sender, another thread of this side, has counted it.
  bool counts_too_many(CumulativeAck counted) const {
    return counted.handled() > tail_.load(std::memory_order_relaxed) + 1;
  }

  void advance(std::uint64_t tail) {
    tail_.store(tail + 1, std::memory_order_relaxed);
    // In a stream of requests, fetch a line that was answered long ago before it is needed.
    if constexpr (Memory::kSlots > kAhead) expect_write(&memory_->envelope(tail + kAhead));
  }

  static constexpr std::uint32_t kAhead = 4;

  Memory* memory_ = nullptr;
  const CumulativeAckWord* ack_word_ = nullptr;
  std::atomic<std::uint64_t> tail_{0};
  std::atomic<std::uint64_t> claimed_{0};
  std::atomic<std::uint64_t> settled_{0};
  std::uint64_t finished_ = 0;
};

/// The receiving end: takes requests. The thread that takes one answers it (Slot::publish), or, if it is the
/// only one, may call note_handled() instead where there is no reply, and in any case.
template <class Memory>
class MailboxReceiver {
 public:
  /// `ack_word` is the one that the sender reads; null if there is none, and then note_handled() is not
  /// called.
  void open(Memory* memory, CumulativeAckWord* ack_word) {
    memory_ = memory;
    ack_word_ = ack_word;
  }

  /// True if there is a request; its header is then in `*header`.
  bool peek(Header* header) const { return peek_at(next(), header); }
  /// Takes the request that peek() found.
  Slot take() { return take_at(next()); }

  /// The same for a caller who asks only once where the next request will be.
  std::uint64_t next() const { return head_.load(std::memory_order_relaxed); }
  const std::atomic<std::uint64_t>& header_at(std::uint64_t position) const {
    return memory_->envelope(position).header;
  }
  bool peek_at(std::uint64_t position, Header* header) const {
    header->bits = memory_->envelope(position).header.load(std::memory_order_acquire);
    return header->is_request_of(Memory::lap_of(position));
  }
  Slot take_at(std::uint64_t position) {
    head_.store(position + 1, std::memory_order_relaxed);
    return memory_->slot(position);
  }

  /// False if what lies where the next request will be cannot have been written by the other side: it is a
  /// request of this lap, or anything of the lap before. A hint from any thread.
  bool is_sound() const {
    const std::uint64_t position = next();
    const Header header{memory_->envelope(position).header.load(std::memory_order_acquire)};
    const std::uint8_t lap = Memory::lap_of(position);
    return header.is_request_of(lap) || header.lap() == static_cast<std::uint8_t>(lap - 1) ||
           next() != position;
  }

  /// The request taken last has been handled, and replied to or not. True if store_ack() must follow.
  bool note_handled(bool replied) {
    if (!replied) return ++uncounted_ == kCountedAtOnce;
    replied_before_ = next();
    return uncounted_ != 0;
  }
  /// The requests taken so far are or will be answered in their slots.
  void note_answered() { replied_before_ = next(); }
  /// True if requests have been handled that the sender does not know of.
  bool ack_is_due() const { return uncounted_ != 0; }
  void store_ack() {
    const std::uint64_t handled = next();
    ack_word_->bits.store(CumulativeAck::make(handled, handled - replied_before_).bits,
                          std::memory_order_release);
    uncounted_ = 0;
  }

 private:
  static constexpr unsigned kCountedAtOnce = 16;

  Memory* memory_ = nullptr;
  CumulativeAckWord* ack_word_ = nullptr;
  std::atomic<std::uint64_t> head_{0};
  std::uint64_t replied_before_ = 0;  // no request from here on has been replied to
  unsigned uncounted_ = 0;
};

}  // namespace aqueduct::core
