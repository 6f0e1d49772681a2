// The mailbox of a VELO port: a ring of slots that the card writes and the process reads.
//
//   slot     | unused | payload, whole quadwords | status |     64 bytes; the status is the last quadword
//   status   15..0 node | 23..16 vpid | 33..32 mtt | 36 eom | 47..40 tag | 54..48 length
//
// The card writes a slot's payload and then its status, which is never 0; the process finds a message by a
// status that is not 0, takes the bytes, and makes the status 0 again. A message takes as many slots as it
// needs, one after the other; `length` is the part's, and the last part has `eom`.
//
// The process counts the slots that it has read, and commit() tells the card that count. A slot is free for
// the card once the committed read pointer is past it. So a process that does not commit finds no more
// messages after one round, because the card has no room.
//
// The caller has a lock.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "velo2.h"

namespace aqueduct::extoll {

struct VeloStatus {
  std::uint32_t source = 0;  ///< VELO2_ADDR_PACK
  std::uint8_t tag = 0;
  std::uint8_t mtt = 0;
  std::uint8_t length = 0;
  bool end_of_message = false;

  std::uint64_t encode() const;
  static VeloStatus decode(std::uint64_t word);
};

class Mailbox {
 public:
  explicit Mailbox(std::uint32_t slots) : slots_(slots) {}

  // The card.
  bool has_room() const { return written_ - committed_ < slots_.size(); }
  /// There must be room, and `part` must fit into a slot and have the length in `status`.
  void write(const VeloStatus& status, std::span<const std::byte> part);

  // The process.
  /// The status of the next slot; false: it is empty.
  bool peek(VeloStatus* status) const;
  /// Copies the part in the next slot, which must not be empty, and frees the slot on the process's side.
  void read(std::byte* to);
  void commit() { committed_ = read_; }
  /// Slots that were read and not committed.
  std::uint64_t uncommitted() const { return read_ - committed_; }
  std::size_t slots() const { return slots_.size(); }
  /// The bytes of a slot, for tests.
  std::span<const std::byte> slot(std::size_t index) const {
    return std::as_bytes(std::span{slots_[index].words});
  }

 private:
  static constexpr std::size_t kWords = VELO2_SLOT_SIZE / 8;
  struct alignas(VELO2_SLOT_SIZE) Slot {
    std::uint64_t words[kWords] = {};
  };

  std::vector<Slot> slots_;
  std::uint64_t written_ = 0, read_ = 0, committed_ = 0;  ///< slots in all, since the beginning
};

}  // namespace aqueduct::extoll
