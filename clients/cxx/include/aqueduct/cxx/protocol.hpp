// The messages between ranks.
//
//   kCall         Medium  function, slot; payload: the function's bytes and arguments     runs it, sends the answer
//   kCallLong     Long    function, slot; payload in memory that kLanding has given       the same, frees the memory
//   kCallFar      Short   function, slot, address, size: like kCallLong, put there before
//   kLanding      Short   slot, size                                                      answers with an address, or 0
//   kAnswer       Medium  slot, kind; payload
//   kSmallAnswer  Short   slot, a value of at most 8 bytes
//   kRelease      Short   address                                                         frees what kFar has pointed to
//   kRecords      Medium  name of an aggregator, whether for its host; payload: records   runs them
//
// A slot is the address of an Answer at the caller, or its number in a job that reports failures, where an
// answer may come after it was given up. 0: nobody waits. A handler answers with a reply; a function that
// returns a task, or that came before the distributed object that it needs, is answered by a request later.
#ifndef AQUEDUCT_CXX_PROTOCOL_HPP_
#define AQUEDUCT_CXX_PROTOCOL_HPP_

#include <mutex>

#include "aqueduct/cxx/context.hpp"
#include "aqueduct/cxx/frame_pool.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

enum HandlerName {
  kCall,
  kCallLong,
  kCallFar,
  kLanding,
  kAnswer,
  kSmallAnswer,
  kRelease,
  kRecords,
  kHandlers
};

enum class AnswerKind : std::uint32_t {
  kValue,
  kError,       // payload: what an exception said
  kFar,         // payload: address and size of a value in the sender's segment
  kLandsAt,     // payload: the address that kLanding asked for
  kPeerFailed,  // made here
};

// Somebody who waits for an answer. `arrive` is called in a handler, by any thread; it is told who answers
// unless that is a value. `peer`, whose death is an answer too, matters in a job that reports failures.
struct Answer : Work {
  void (*arrive)(Answer*, rank_t, AnswerKind, const std::byte* payload, std::size_t size) = nullptr;
  rank_t peer = 0;
};

inline gex_AM_Arg_t low(std::uint64_t value) {
  return static_cast<gex_AM_Arg_t>(static_cast<std::uint32_t>(value));
}
inline gex_AM_Arg_t high(std::uint64_t value) { return static_cast<gex_AM_Arg_t>(value >> 32); }
inline std::uint64_t joined(gex_AM_Arg_t low, gex_AM_Arg_t high) {
  return static_cast<std::uint32_t>(low) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32;
}

inline std::uint64_t slot_of(Context& context, Answer* answer) {
  if (!context.reports_failures) [[likely]] {
    return reinterpret_cast<std::uintptr_t>(answer);
  }
  const std::lock_guard lock(context.expected_lock);
  context.expected.emplace(context.next_expected, answer);
  return context.next_expected++;
}

// The one who waits; null if it has given up.
inline Answer* answer_of(Context& context, std::uint64_t slot) {
  if (!context.reports_failures) [[likely]] {
    return reinterpret_cast<Answer*>(slot);
  }
  const std::lock_guard lock(context.expected_lock);
  const auto found = context.expected.find(slot);
  if (found == context.expected.end()) return nullptr;
  Answer* const answer = found->second;
  context.expected.erase(found);
  return answer;
}

inline std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
inline std::byte* pointer_to(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
