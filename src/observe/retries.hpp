// Why something could not be sent at once, or had to be sent again: the reasons that conduits and fabrics
// count, in one table. docs/architecture.md says which of them each conduit uses.
//
// The first five are counted once for each send that must wait or is refused (GEX_FLAG_IMMEDIATE), with what
// it lacked first; the last three once for each datagram.
#pragma once
#include <cstddef>
#include <cstdint>

namespace aqueduct::observe {

/// New ones change the layout of PeerCounters.
enum class Retry : std::uint8_t { kMailbox, kCredits, kBuffers, kNetwork, kMemory, kTimeout, kLoss, kTwice };
inline constexpr std::size_t kRetries = 8;

struct RetryWords {
  const char* name;
  const char* meaning;
};

inline constexpr RetryWords kRetryWords[kRetries] = {
    {"mailbox", "the mailbox of a neighbour is full"},
    {"credits", "the peer has not yet given back credits for requests"},
    {"buffers", "all buffers or descriptors for sending are in use"},
    {"network", "the network takes no more now"},
    {"memory", "memory must first be registered, or lent by the peer"},
    {"timeout", "sent again: no acknowledgement came in time"},
    {"loss", "sent again: the peer has what was sent later"},
    {"twice", "came a second time, and was dropped"},
};

}  // namespace aqueduct::observe
