// Longs whose header and payload travel separately, on their way out and as they come.
#pragma once
#include "conduit/conduit.hpp"
#include "papers/conduit/portals/match_bits.hpp"
#include "parts/long/long_protocol.hpp"

namespace aqueduct::conduit::portals {

/// A header with its body, ready to be put from its chunk.
struct ReadyHeader {
  RankId target = 0;
  ptl_handle_md_t md = PTL_INVALID_HANDLE;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  ptl_match_bits_t bits = 0;
  std::size_t remote_offset = 0;
  ptl_hdr_data_t data = 0;
};

/// One that leaves.
struct LeavingLong : parts::LongSend {
  ReadyHeader header;
};

/// One whose header has come, and what its reply needs.
struct ArrivedLong : parts::LongArrival {
  std::uint8_t handler = 0;
  std::uint8_t nargs = 0;
  std::uint32_t chunk = 0;     ///< of the initiator
  parts::CreditByte credit{};  ///< for the reply
  std::int32_t args[kMaxArgs]{};
};

/// Follows the arguments of a header, unless the event of the payload tells the target the same.
struct LongDestination {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

}  // namespace aqueduct::conduit::portals
