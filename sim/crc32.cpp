#include "sim/crc32.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace aqueduct::sim {
namespace {

constexpr std::uint32_t kPolynomial = 0xedb88320u;  // reflected
constexpr std::size_t kSlices = 8;

// table[k][b]: what byte b does to the remainder when k more bytes follow it; eight bytes go at once.
using Remainders = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Remainders make_remainders() {
  Remainders tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? kPolynomial : 0);
    tables[0][byte] = rest;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = before >> 8 ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Remainders kRemainders = make_remainders();

std::uint32_t load_little_endian(const unsigned char* from) {
  std::uint32_t word;
  std::memcpy(&word, from, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap32(word);
  return word;
}

}  // namespace

std::uint32_t crc32(const void* data, std::size_t bytes, std::uint32_t before) {
  const auto* at = static_cast<const unsigned char*>(data);
  std::uint32_t rest = ~before;
  for (; bytes >= kSlices; bytes -= kSlices, at += kSlices) {
    const std::uint32_t low = load_little_endian(at) ^ rest;
    const std::uint32_t high = load_little_endian(at + 4);
    rest = kRemainders[7][low & 0xff] ^ kRemainders[6][low >> 8 & 0xff] ^ kRemainders[5][low >> 16 & 0xff] ^
           kRemainders[4][low >> 24] ^ kRemainders[3][high & 0xff] ^ kRemainders[2][high >> 8 & 0xff] ^
           kRemainders[1][high >> 16 & 0xff] ^ kRemainders[0][high >> 24];
  }
  for (; bytes != 0; --bytes, ++at) rest = rest >> 8 ^ kRemainders[0][(rest ^ *at) & 0xff];
  return ~rest;
}

}  // namespace aqueduct::sim
