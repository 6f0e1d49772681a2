// Longs whose header and payload travel separately: whichever comes second runs the handler.
//
// A pair is known by its source and its Lid. The first to come leaves what it knows here; the second takes it
// away. Any thread. At most as many wait as a peer has messages under way.
#pragma once
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "base/spin_lock.hpp"
#include "conduit/conduit.hpp"
#include "conduit/portals/match_bits.hpp"

namespace aqueduct::conduit::portals {

/// What the header of a Long brought.
struct LongHeader {
  std::uint8_t handler = 0;
  std::uint8_t nargs = 0;
  std::uint32_t chunk = 0;   ///< of the initiator, for the reply
  parts::CreditByte credit;  ///< for the reply
  std::int32_t args[kMaxArgs]{};
};

struct LongPayload {
  void* start = nullptr;
  std::size_t bytes = 0;
};

class Lids {
 public:
  /// The header has come: true if the payload is there, which is then in `*payload`.
  bool header_came(RankId source, Lid lid, const LongHeader& header, LongPayload* payload) {
    const std::lock_guard guard(lock_);
    const auto [place, first] = waiting_.try_emplace(key(source, lid), Half{header, {}, false});
    if (first) return false;
    *payload = place->second.payload;
    waiting_.erase(place);
    return true;
  }

  /// The payload has come: true if the header is there, which is then in `*header`.
  bool payload_came(RankId source, Lid lid, const LongPayload& payload, LongHeader* header) {
    const std::lock_guard guard(lock_);
    const auto [place, first] = waiting_.try_emplace(key(source, lid), Half{{}, payload, true});
    if (first) return false;
    *header = place->second.header;
    waiting_.erase(place);
    return true;
  }

  /// A Lid for a Reply to `target`; not unique for ever, but among those that can be under way.
  Lid next_for_reply() {
    return kFirstReplyLid | (last_.fetch_add(1, std::memory_order_relaxed) & (kFirstReplyLid - 1));
  }

  std::size_t waiting() const {
    const std::lock_guard guard(lock_);
    return waiting_.size();
  }

 private:
  struct Half {
    LongHeader header;
    LongPayload payload;
    bool is_payload;
  };

  static std::uint64_t key(RankId source, Lid lid) { return std::uint64_t{source} << 32 | lid; }

  mutable SpinLock lock_;
  std::unordered_map<std::uint64_t, Half> waiting_;
  std::atomic<std::uint32_t> last_{0};
};

}  // namespace aqueduct::conduit::portals
