// How ranks speak of puts and gets, beside active messages (parts/am_codec.hpp), whose first byte is another.
//
//   put           the bytes follow                                  answered by put_done
//   large_put     the bytes come by themselves, under a tag          answered by put_done
//   get           wants bytes                                       answered by got, with the bytes
//   large_get     wants bytes by themselves, under a tag             which is the answer
//
// Each of the four takes a credit of its target's (parts/request_credits.hpp), which the answer gives back.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>

#include "base/types.hpp"

namespace aqueduct::conduit::mpi {

enum class TransferKind : std::uint8_t { kPut, kLargePut, kGet, kLargeGet, kPutDone, kGot };

struct TransferHead {
  std::uint8_t mark = kMark;
  TransferKind kind = TransferKind::kPut;
  std::uint8_t credits = 0;  // beside the one of an answer
  std::uint8_t unused = 0;
  std::uint32_t operation = 0;  // its name at the rank that began it
  std::uint64_t address = 0;    // of the target
  std::uint64_t bytes = 0;

  static constexpr std::uint8_t kMark = 0xf1;
  static bool is_one(std::span<const std::byte> message) {
    return !message.empty() && static_cast<std::uint8_t>(message[0]) == kMark;
  }
  bool is_answer() const { return kind >= TransferKind::kPutDone; }
  bool has_bytes() const { return kind == TransferKind::kPut || kind == TransferKind::kGot; }
};
static_assert(sizeof(TransferHead) == 24);

}  // namespace aqueduct::conduit::mpi
