// What every cipher of seals has in common: the key of one stream, and the nonce that a datagram's name
// makes.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>

#include "base/fatal.hpp"
#include "fabric/udp/seal.hpp"

namespace aqueduct::fabric::udp {

using SealKey = std::array<unsigned char, 32>;
using Nonce = std::array<unsigned char, 12>;

inline bool can_be_sealed(const PacketName& name) {
  return name.sender < PacketName::kMostNodes && name.target < PacketName::kMostNodes &&
         name.number < PacketName::kMostNumbers;
}

/// 56 bits of the number, 20 of the sender, 20 of the target: different for every name.
inline Nonce nonce_of(const PacketName& name) {
  const std::uint64_t pair = std::uint64_t{name.target} << 20 | name.sender;
  const std::uint64_t first = (name.number & (PacketName::kMostNumbers - 1)) | pair << 56;
  const auto last = static_cast<std::uint32_t>(pair >> 8);
  Nonce nonce;
  std::memcpy(nonce.data(), &first, sizeof first);
  std::memcpy(nonce.data() + sizeof first, &last, sizeof last);
  return nonce;
}

/// Ends the job where a name is out of range: its nonce would be used twice.
inline Nonce new_nonce(const PacketName& name) {
  if (!can_be_sealed(name)) [[unlikely]]
    fatal("udp", "packet %llu from %u to %u is beyond what can be sealed with one key",
          static_cast<unsigned long long>(name.number), name.sender, name.target);
  return nonce_of(name);
}

inline unsigned char* in_characters(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }
inline const unsigned char* in_characters(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

}  // namespace aqueduct::fabric::udp
