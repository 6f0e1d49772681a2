#include "papers/nic/extoll/mailbox.hpp"

#include <cstring>

namespace aqueduct::extoll {

std::uint64_t VeloStatus::encode() const {
  return std::uint64_t{source & 0xffffffu} | static_cast<std::uint64_t>(mtt & 3u) << 32 |
         static_cast<std::uint64_t>(end_of_message) << 36 | static_cast<std::uint64_t>(tag) << 40 |
         static_cast<std::uint64_t>(length & 0x7fu) << 48;
}

VeloStatus VeloStatus::decode(std::uint64_t word) {
  return {.source = static_cast<std::uint32_t>(word & 0xffffffu),
          .tag = static_cast<std::uint8_t>(word >> 40),
          .mtt = static_cast<std::uint8_t>(word >> 32 & 3u),
          .length = static_cast<std::uint8_t>(word >> 48 & 0x7fu),
          .end_of_message = (word >> 36 & 1u) != 0};
}

namespace {

/// The first word of a part of so many bytes in a slot: it ends just before the status and has whole
/// quadwords.
std::size_t first_word(std::size_t bytes) { return VELO2_SLOT_SIZE / 8 - 1 - (bytes + 7) / 8; }

}  // namespace

void Mailbox::write(const VeloStatus& status, std::span<const std::byte> part) {
  Slot& slot = slots_[written_++ % slots_.size()];
  if (!part.empty()) std::memcpy(&slot.words[first_word(part.size())], part.data(), part.size());
  __atomic_store_n(&slot.words[kWords - 1], status.encode(), __ATOMIC_RELEASE);
}

bool Mailbox::peek(VeloStatus* status) const {
  const std::uint64_t word =
      __atomic_load_n(&slots_[read_ % slots_.size()].words[kWords - 1], __ATOMIC_ACQUIRE);
  if (word == 0) return false;
  *status = VeloStatus::decode(word);
  return true;
}

void Mailbox::read(std::byte* to) {
  Slot& slot = slots_[read_++ % slots_.size()];
  const std::size_t bytes = VeloStatus::decode(slot.words[kWords - 1]).length;
  if (bytes != 0) std::memcpy(to, &slot.words[first_word(bytes)], bytes);
  slot.words[kWords - 1] = 0;
}

}  // namespace aqueduct::extoll
