// What one writer and one reader share: the memory through which messages go from the one to the other.
//
// Messages. A ring of slots, four cache lines each: a 64-bit word, then the header, then the payload if there
// is room; a payload of up to kBesideBytes that does not fit lies in a buffer beside the slot. Position p is
// in slot p % kSlots, in lap 1 + p / kSlots (modulo 256). The word says (lap, state), and its states follow
// each other strictly:
//
//     message (lap n)  --reader-->  taken or go (lap n)  --writer-->  message (lap n + 1)
//
// The writer owns a slot whose word is an answer of the lap before, the reader one whose word is a message of
// the lap that it expects. Each fills everything else first and stores the word last, with release; the other
// loads it with acquire. So whoever finds the word that it expects sees all that was written before it, and
// no other word is needed to find a message or a free slot. All-zero memory is a free slot in lap 0. The
// payload never lies where a word is looked for, so nothing that it contains can be taken for one.
//
// The reader looks at messages in order and answers each once, in any order: `taken` when header and payload
// are no longer needed, or `go` to a message whose payload is larger than that.
//
// Larger payloads. `go` says how many bytes the reader wants and a name (landing) under which it will know
// them. They follow in a second ring, of chunks: a word (lap, full or empty) with the name, and up to
// kChunkBytes of data. The same rule holds:
//
//     full (lap n)  --reader-->  empty (lap n)  --writer-->  full (lap n + 1)
//
// The chunks of one payload follow each other in order, so the reader needs no offsets.
//
// Room. A writer that finds no free slot says so in `room_wanted`, and the reader then rings its doorbell
// when it has freed one. Both store one word and load the other's; the fence that this needs is paid by the
// writer when it announces its sleep (base/fence.hpp), before it looks again. A writer that forgets to look
// again is woken by its time-out only.
//
// Threads: the two sides may be in different processes. Several threads of one side exclude each other.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/types.hpp"
#include "fabric/fabric.hpp"

namespace aqueduct::fabric::shm {

inline constexpr std::uint32_t kSlots = 64;
inline constexpr std::size_t kSlotBytes = 4 * kCacheLine;
inline constexpr std::size_t kBesideBytes = std::size_t{8} << 10;
inline constexpr std::uint32_t kChunks = 8;
inline constexpr std::size_t kChunkBytes = std::size_t{32} << 10;

enum class SlotState : std::uint8_t { kTaken, kMessage, kGo };
enum class ChunkState : std::uint8_t { kEmpty, kFull };

/// The word that makes a slot or a chunk visible: whose turn it is, and two numbers.
template <class State>
struct Word {
  std::uint64_t bits;

  static Word make(std::uint8_t lap, State state, std::uint8_t small = 0, std::uint64_t large = 0) {
    return {std::uint64_t{lap} | static_cast<std::uint64_t>(state) << 8 | std::uint64_t{small} << 16 |
            large << 24};
  }
  bool is(std::uint8_t lap, State state) const {
    return (bits & 0xffff) == (std::uint64_t{lap} | static_cast<std::uint64_t>(state) << 8);
  }
  std::uint8_t lap() const { return static_cast<std::uint8_t>(bits); }
  State state() const { return static_cast<State>((bits >> 8) & 0xff); }
  std::uint8_t small() const { return static_cast<std::uint8_t>(bits >> 16); }
  std::uint64_t large() const { return bits >> 24; }
};

using SlotWord = Word<SlotState>;    // small: bytes of the header; large: bytes of the payload
using ChunkWord = Word<ChunkState>;  // large: bytes of the data

/// What `go` says, in the body of the slot.
struct Go {
  std::uint64_t landing;
  std::uint64_t bytes;
};

struct alignas(kCacheLine) RingSlot {
  std::atomic<std::uint64_t> word;
  std::byte body[kSlotBytes - sizeof(std::atomic<std::uint64_t>)];

  /// Where the payload of a message lies, or would, if it has room behind the header.
  static std::size_t payload_offset(std::size_t header_bytes) { return round_up(header_bytes, 8); }
  static bool holds(std::size_t header_bytes, std::size_t payload_bytes) {
    return payload_bytes <= sizeof(body) - payload_offset(header_bytes);
  }

  SlotWord load() const { return {word.load(std::memory_order_acquire)}; }
  void store(SlotWord value) { word.store(value.bits, std::memory_order_release); }
};
static_assert(sizeof(RingSlot) == kSlotBytes && kMaxHeader <= 255);

struct alignas(kCacheLine) Chunk {
  std::atomic<std::uint64_t> word;
  std::uint64_t landing;

  ChunkWord load() const { return {word.load(std::memory_order_acquire)}; }
  void store(ChunkWord value) { word.store(value.bits, std::memory_order_release); }
};

/// All of it, for one direction between two nodes. Pages that are never used cost nothing.
struct alignas(kPage) Pair {
  RingSlot slots[kSlots];
  Chunk chunks[kChunks];
  alignas(kCacheLine) std::atomic<std::uint32_t> room_wanted;
  alignas(kPage) std::byte beside[kSlots][kBesideBytes];
  std::byte data[kChunks][kChunkBytes];
};

/// The lap of position `position` in a ring of `slots`.
constexpr std::uint8_t lap_of(std::uint32_t position, std::uint32_t slots) {
  return static_cast<std::uint8_t>(position / slots + 1);
}
constexpr std::uint8_t lap_before(std::uint8_t lap) { return static_cast<std::uint8_t>(lap - 1); }

}  // namespace aqueduct::fabric::shm
