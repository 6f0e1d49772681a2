// How a message lies in one stretch of memory: the arguments, and the payload at the next multiple of eight
// bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "am/message.hpp"
#include "base/types.hpp"
#include "world/work.hpp"

namespace aqueduct::parts {

constexpr std::size_t padded(std::size_t bytes) { return round_up(bytes, 8); }

/// How many bytes `nargs` arguments take up in front of a payload.
constexpr std::size_t arguments_bytes(unsigned nargs) { return padded(nargs * sizeof(std::int32_t)); }

/// Writes them, and returns where the payload begins.
inline std::byte* write_arguments(std::byte* to, const am::Message& message) {
  if (message.nargs == 0) return to;
  std::byte* const end = to + arguments_bytes(message.nargs);
  std::memset(end - sizeof(std::int32_t), 0, sizeof(std::int32_t));
  std::memcpy(to, message.args, message.nargs * sizeof(std::int32_t));
  return end;
}

inline std::byte* write_payload(std::byte* to, const am::Message& message) {
  if (message.payload_bytes == 0) return to;
  world::spend(world::kCopy, message.payload_bytes);
  std::memcpy(to, message.payload, message.payload_bytes);
  return to + message.payload_bytes;
}

/// The payload of an arrived message lies where it came: a Medium's stays there, a Long's is put at its
/// destination.
inline void place_payload(am::Message& message) {
  if (message.category != am::Category::kLong) return;
  write_payload(static_cast<std::byte*>(message.destination), message);
  message.payload = message.destination;
}

}  // namespace aqueduct::parts
