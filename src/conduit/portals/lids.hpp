// Longs whose header and payload travel separately: whichever comes second runs the handler.
//
// A pair is known by its source and its Lid. The first to come leaves what it knows here; the second takes it
// away. Any thread. At most as many wait as a peer has messages under way.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/spin_lock.hpp"
#include "conduit/conduit.hpp"
#include "conduit/portals/match_bits.hpp"

namespace aqueduct::conduit::portals {

/// What has come of a Long: its header, its payload, or both.
struct LongMessage {
  std::uint8_t handler = 0;
  std::uint8_t nargs = 0;
  std::uint32_t chunk = 0;     ///< of the initiator, for the reply
  parts::CreditByte credit{};  ///< for the reply
  std::int32_t args[kMaxArgs]{};
  void* payload = nullptr;
  std::size_t payload_bytes = 0;
};

class Lids {
 public:
  /// `*half` has come: the header, or the payload. True if the other one is there, and `*half` is whole now.
  bool came(RankId source, Lid lid, bool is_payload, LongMessage* half) {
    const std::lock_guard guard(lock_);
    const auto [place, first] = waiting_.try_emplace(std::uint64_t{source} << 32 | lid, *half);
    if (first) return false;
    LongMessage& other = place->second;
    if (is_payload) std::swap(*half, other);
    half->payload = other.payload;
    half->payload_bytes = other.payload_bytes;
    waiting_.erase(place);
    return true;
  }

  /// A Lid for a Reply to `target`; not unique for ever, but among those that can be under way.
  Lid next_for_reply() {
    return kFirstReplyLid | (last_.fetch_add(1, std::memory_order_relaxed) & (kFirstReplyLid - 1));
  }

 private:
  SpinLock lock_;
  std::unordered_map<std::uint64_t, LongMessage> waiting_;
  std::atomic<std::uint32_t> last_{0};
};

}  // namespace aqueduct::conduit::portals
