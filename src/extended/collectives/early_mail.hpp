// Messages of collectives that this rank has not started yet, kept until it does.
//
// Only short ones come early (at most kEagerBytes of payload), because large ones are sent on demand. How
// many there may be is for the client to say: others can only be ahead by as many collectives as they have
// started. Pieces are kept for the next time.
//
// Threads: guarded by the lock of the team's collectives.
#pragma once
#include <cstring>
#include <memory>
#include <vector>

#include "extended/collectives/program.hpp"

namespace aqueduct::extended::collectives {

struct alignas(16) Piece {
  enum Content : std::uint8_t { kData, kGrant, kCheck };
  Piece* next = nullptr;
  Content content = kData;
  Tag tag = 0;
  gex_Rank_t from = 0;       // kGrant, kCheck
  std::uint64_t detail = 0;  // kData: offset; kGrant: address
  std::size_t bytes = 0;
  bool is_roomy = false;

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
};

class EarlyMail {
 public:
  /// A copy of a message; belongs to the caller until it is given back.
  Piece* keep(const Piece& head, const void* payload) {
    const bool roomy = head.bytes > kSmallRoom;
    Piece*& free = free_[roomy];
    if (!free) {
      blocks_.push_back(std::make_unique_for_overwrite<Room[]>(
          (roomy ? kEagerBytes : kSmallRoom) / sizeof(Room) + sizeof(Piece) / sizeof(Room)));
      free = new (blocks_.back().get()) Piece{};
    }
    Piece* const piece = free;
    free = piece->next;
    *piece = head;
    piece->next = nullptr;
    piece->is_roomy = roomy;
    if (head.bytes != 0) std::memcpy(piece->data(), payload, head.bytes);
    return piece;
  }

  void give_back(Piece* piece) {
    Piece*& free = free_[piece->is_roomy];
    piece->next = free;
    free = piece;
  }

 private:
  static constexpr std::size_t kSmallRoom = 192;
  struct alignas(16) Room {
    std::byte bytes[16];
  };
  static_assert(sizeof(Piece) % sizeof(Room) == 0 && kSmallRoom % sizeof(Room) == 0);

  std::vector<std::unique_ptr<Room[]>> blocks_;
  Piece* free_[2] = {nullptr, nullptr};
};

}  // namespace aqueduct::extended::collectives
