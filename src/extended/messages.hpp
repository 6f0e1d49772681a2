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

/// One part of an operation is complete, and what it wrote is visible to whoever sees the count. The last
/// access to it: the operation may be reused at once.
inline void count_down(Pending& pending) { pending.fetch_sub(1, std::memory_order_release); }

/// In a handler of the library: answers its request with `message`, of which category, arguments and payload
/// are set. `where` names the part of the library in errors.
inline void reply(const char* where, gex_Token_t token, am::Message& message, core::Internal handler) {
  message.is_reply = true;
  message.handler = static_cast<std::uint8_t>(handler);
  core::send_reply(where, core::this_thread(where), core::from_handle(token), message, 0);
}

}  // namespace aqueduct::extended
