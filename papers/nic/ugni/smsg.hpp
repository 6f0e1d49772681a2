// How mailboxes lie in memory (smsg.cpp).
#pragma once
#include <cstdint>

#include "gni_types.h"

namespace aqueduct::ugni {

inline constexpr std::uint64_t kMailboxHead = 64;

inline std::uint64_t slot_bytes(const gni_smsg_attr_t& attributes) {
  return sizeof(std::uint64_t) + (std::uint64_t{attributes.msg_maxsize} + 7) / 8 * 8;
}
/// Of one pair's mailbox.
std::uint64_t mailbox_bytes(const gni_smsg_attr_t& attributes);
/// Whether type, credits and size make sense.
bool is_mailbox(const gni_smsg_attr_t& attributes);

}  // namespace aqueduct::ugni
