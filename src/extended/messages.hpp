// What the reference implementations share: their messages carry addresses as pairs of arguments, and their
// replies count down what the initiator waits for.
#pragma once
#include <cstdint>

#include "core/am.hpp"
#include "extended/operation.hpp"

namespace aqueduct::extended {

/// 64 bits as two arguments, low-order half first.
struct Halves {
  std::int32_t low, high;
};
inline Halves split(std::uint64_t bits) {
  return {static_cast<std::int32_t>(bits), static_cast<std::int32_t>(bits >> 32)};
}
inline Halves split(const void* pointer) { return split(reinterpret_cast<std::uint64_t>(pointer)); }

inline std::uint64_t join_bits(std::int32_t low, std::int32_t high) {
  return std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | static_cast<std::uint32_t>(low);
}
template <class T>
T* join(std::int32_t low, std::int32_t high) {
  return reinterpret_cast<T*>(join_bits(low, high));
}

/// So many requests to `peer` follow, each of which will be answered.
inline void count_up(Thread& thread, RankId peer, observe::TransferKind what, Pending& pending,
                     std::uint32_t requests = 1) {
  thread.count_in_flight(peer, what, requests);
  pending.fetch_add(requests, std::memory_order_relaxed);
  if (core::Failures* const failures = thread.rank.failures()) [[unlikely]]
    failures->started(peer, pending, requests);
}
/// The first of these requests could not be sent, so none is sent. Returns what the caller answers to the
/// client.
inline int take_back(Thread& thread, RankId peer, observe::TransferKind what, Pending& pending,
                     std::uint32_t requests = 1) {
  thread.count_in_flight(peer, what, -std::uint64_t{requests});
  core::Failures* const failures = thread.rank.failures();
  if (failures && !failures->withdrawn(peer, pending, requests)) [[unlikely]]
    return GASNET_OK;  // the peer has died, and the operation is over
  pending.fetch_sub(requests, std::memory_order_relaxed);
  return GASNET_ERR_NOT_READY;
}

/// One part of an operation is complete, and what it wrote is visible to whoever sees the count. The last
/// access to it: the operation may be reused at once.
inline void count_down(Pending& pending) { pending.fetch_sub(1, std::memory_order_release); }
/// The same in the handler of the reply that completes it.
inline void count_down(gex_Token_t token, observe::TransferKind what, Pending& pending) {
  const core::Token& reply = core::from_handle(token);
  core::this_thread("reply").count_in_flight(reply.origin.source, what, ~std::uint64_t{0});
  core::Failures* const failures = reply.rank.failures();
  if (failures && !failures->answered(reply.origin.source, pending)) [[unlikely]]
    return;
  count_down(pending);
}

/// Called in the handler of a request: counts that this rank has served it.
inline void count_served(gex_Token_t token, observe::TransferKind what) {
  core::Token& request = core::from_handle(token);
  request.rank.count_served(request.origin.source, what);
}

/// In a handler of the library: answers its request with `message`, of which category, arguments and payload
/// are set. `where` names the part of the library in errors.
inline void reply(const char* where, gex_Token_t token, am::Message& message, core::Internal handler) {
  message.is_reply = true;
  message.handler = static_cast<std::uint8_t>(handler);
  core::send_reply(where, core::this_thread(where), core::from_handle(token), message, 0);
}

}  // namespace aqueduct::extended
