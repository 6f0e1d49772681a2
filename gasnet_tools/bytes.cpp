#include "aqueduct/tools/bytes.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace {

constexpr std::size_t kWord = sizeof(uint64_t);

uint64_t load_word(const unsigned char* source) {
  uint64_t word;
  std::memcpy(&word, source, kWord);
  return word;
}

/// Counts the zeros, and copies if asked to. Eight sums run side by side in the bytes of one word, so that
/// they have to be added up before one can overflow.
template <bool kCopies>
std::size_t count(unsigned char* to, const unsigned char* from, std::size_t bytes) {
  constexpr std::size_t kWordsInABlock = 255;
  std::size_t zeros = 0;
  while (bytes >= kWord) {
    const std::size_t words = std::min(bytes / kWord, kWordsInABlock);
    uint64_t sums = 0;
    for (std::size_t index = 0; index < words; ++index) {
      const uint64_t word = load_word(from + index * kWord);
      if constexpr (kCopies) std::memcpy(to + index * kWord, &word, kWord);
      sums += aq_zero_bytes_(word);
    }
    for (; sums != 0; sums >>= 8) zeros += sums & 0xff;
    from += words * kWord;
    if constexpr (kCopies) to += words * kWord;
    bytes -= words * kWord;
  }
  for (; bytes > 0; --bytes, ++from) {
    if constexpr (kCopies) *to++ = *from;
    zeros += *from == 0;
  }
  return zeros;
}

}  // namespace

extern "C" {

size_t gasnett_count0s(const void* source, size_t nbytes) {
  return count<false>(nullptr, static_cast<const unsigned char*>(source), nbytes);
}

size_t gasnett_count0s_copy(void* destination, const void* source, size_t nbytes) {
  return count<true>(static_cast<unsigned char*>(destination), static_cast<const unsigned char*>(source),
                     nbytes);
}

uint64_t gasnett_checksum(const void* source, int nbytes) {
  // A word at a time; the length goes in first, so that zeros at the end count.
  constexpr uint64_t kMixer = 0x9e3779b97f4a7c15u;
  const auto* bytes = static_cast<const unsigned char*>(source);
  auto left = static_cast<std::size_t>(nbytes < 0 ? 0 : nbytes);
  uint64_t sum = (left + 1) * kMixer;
  for (; left >= kWord; left -= kWord, bytes += kWord) sum = std::rotl((sum ^ load_word(bytes)) * kMixer, 29);
  uint64_t rest = 0;
  std::memcpy(&rest, bytes, left);
  sum = (sum ^ rest) * kMixer;
  return sum ^ (sum >> 32);
}

}  // extern "C"
