// What the parts of the Portals conduit share: the interface and its queues, send tokens, the chunks of
// ReqSB, and the segments.
//
// Threads: any, after construction; segments are set once, before anything uses them.
#pragma once
#include <optional>
#include <vector>

#include "conduit/conduit.hpp"
#include "papers/conduit/portals/event_handlers.hpp"
#include "papers/conduit/portals/interface.hpp"
#include "papers/conduit/portals/match_bits.hpp"
#include "papers/conduit/portals/settings.hpp"
#include "papers/parts/memory/chunk_pool.hpp"
#include "papers/parts/portals_watch.hpp"
#include "papers/parts/send_tokens.hpp"

namespace aqueduct::conduit::portals {

struct PortalsPort {
  PortalsPort(const job::Membership& place, Receiver& receives, const PortalsSettings& how)
      : settings(how),
        membership(place),
        receiver(receives),
        interface(place.rank),
        tokens(how.send_tokens),
        request_chunks(how.request_chunks, how.chunk_bytes) {}

  RankId self() const { return membership.rank; }
  const SegmentBounds& segment() const { return segments[self()]; }

  ptl_handle_me_t attach(ptl_pt_index_t entry, Selector selector);
  /// `handler` is the mark() of a handler, or null if there are no events.
  ptl_handle_md_t attach_memory(ptl_handle_me_t entry, void* start, std::size_t bytes, unsigned options,
                                void* handler, ptl_handle_eq_t queue);
  /// Attaches ReqSB; sets request_md.
  void attach_request_chunks(SafeEvents& handler);

  /// Takes events of SAFE_EQ, at most as many as the settings say, and returns how many.
  unsigned poll_safe();

  const PortalsSettings settings;
  const job::Membership membership;
  Receiver& receiver;
  InterfaceClient interface;
  parts::SendTokens tokens;
  parts::ChunkPool request_chunks;  ///< ReqSB
  ptl_handle_md_t request_md = PTL_INVALID_HANDLE;
  std::vector<SegmentBounds> segments;
  std::optional<parts::PortalsWatch> watch;
};

constexpr ptl_match_bits_t bits_of(Selector selector) { return static_cast<std::uint8_t>(selector); }

}  // namespace aqueduct::conduit::portals
