// How small messages begin that are no plain active messages, whose first byte is another
// (parts/am_codec.hpp).
//
//   put           the bytes follow                            counted by an answer
//   get           wants bytes                                 an answer has them
//   answer        of so many puts and gets of the peer's, the oldest of each; the bytes of the gets follow
//   large_put     the bytes follow by themselves (bulk.hpp)    answered by large_put_done
//   large_get     wants bytes by themselves                   which are the answer
//   large_message an active message without its payload, which follows by itself
//   notice        an active message that takes no credit
//   credit_word   what ranks say about credits (parts/credit_bank.hpp)
//
// Puts, gets and active messages take a credit of their target's (parts/request_credits.hpp), which comes
// back with what answers them.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>

#include "base/types.hpp"

namespace aqueduct::conduit::mpi {

enum class HeadKind : std::uint8_t {
  kCreditWord = 0xf0,
  kPut,
  kGet,
  kAnswer,
  kLargePut,
  kLargePutDone,
  kLargeGet,
  kLargeMessage,
  kNotice
};

constexpr bool is_head(std::uint8_t mark) { return mark >= static_cast<std::uint8_t>(HeadKind::kCreditWord); }

/// Of puts and gets.
struct TransferHead {
  HeadKind kind = HeadKind::kPut;
  std::uint8_t credits = 0;  ///< beside those of what is answered
  bool is_alone = false;     ///< nothing else awaits an answer: answer it at once
  std::uint8_t unused = 0;
  std::uint32_t operation = 0;  ///< of a large put: its name at the rank that began it
  std::uint64_t address = 0;    ///< of the target
  std::uint64_t bytes = 0;
};
static_assert(sizeof(TransferHead) == 24);

struct AnswerHead {
  HeadKind kind = HeadKind::kAnswer;
  std::uint8_t credits = 0;
  std::uint16_t puts = 0;
  std::uint16_t gets = 0;
  std::uint16_t unused = 0;
};

struct CreditWordHead {
  HeadKind kind = HeadKind::kCreditWord;
  std::uint8_t word = 0;
  std::uint16_t count = 0;
};

/// Stands before an active message.
struct MessagePrefix {
  HeadKind kind = HeadKind::kNotice;
  std::uint8_t unused[3] = {};
  std::uint32_t payload_bytes = 0;  ///< that follow by themselves
};
static_assert(sizeof(AnswerHead) == 8 && sizeof(MessagePrefix) == 8);

/// False if the message is shorter.
template <class Head>
bool read_head(std::span<const std::byte> message, Head* head) {
  if (message.size() < sizeof *head) return false;
  std::memcpy(head, message.data(), sizeof *head);
  return true;
}

}  // namespace aqueduct::conduit::mpi
