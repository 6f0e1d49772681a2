#include "aqueduct/tools/bytes.h"

#include <bit>
#include <cstring>

namespace {

constexpr std::size_t kWord = sizeof(uint64_t);

uint64_t load_word(const unsigned char* source) {
  uint64_t word;
  std::memcpy(&word, source, kWord);
  return word;
}

}  // namespace

extern "C" {

size_t gasnett_count0s(const void* source, size_t nbytes) {
  const auto* bytes = static_cast<const unsigned char*>(source);
  const auto* const end = bytes + nbytes;
  size_t zeros = 0;
  for (; static_cast<size_t>(end - bytes) >= kWord; bytes += kWord) {
    zeros += static_cast<size_t>(gasnett_count0s_uint64_t(load_word(bytes)));
  }
  for (; bytes != end; ++bytes) zeros += *bytes == 0;
  return zeros;
}

size_t gasnett_count0s_copy(void* destination, const void* source, size_t nbytes) {
  const auto* bytes = static_cast<const unsigned char*>(source);
  const auto* const end = bytes + nbytes;
  auto* to = static_cast<unsigned char*>(destination);
  size_t zeros = 0;
  for (; static_cast<size_t>(end - bytes) >= kWord; bytes += kWord, to += kWord) {
    const uint64_t word = load_word(bytes);
    std::memcpy(to, &word, kWord);
    zeros += static_cast<size_t>(gasnett_count0s_uint64_t(word));
  }
  for (; bytes != end; ++bytes, ++to) {
    *to = *bytes;
    zeros += *bytes == 0;
  }
  return zeros;
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
