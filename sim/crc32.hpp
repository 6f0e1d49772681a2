// CRC-32 (the polynomial of Ethernet, reflected, 0x04C11DB7): what guards the bytes of a message end to end.
//
//   std::uint32_t crc = crc32(header, header_bytes);
//   crc = crc32(payload, payload_bytes, crc);      // goes on where the first call ended
#pragma once
#include <cstddef>
#include <cstdint>

namespace aqueduct::sim {

std::uint32_t crc32(const void* data, std::size_t bytes, std::uint32_t before = 0);

}  // namespace aqueduct::sim
