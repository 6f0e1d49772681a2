// How many credits a rank of a job should lend, and the receive memory that they stand for.
//
// A credit is kCreditBytes of a request receive buffer (ReqRB) and one event. Small jobs can afford to lend
// every peer many; in large ones a peer starts with the minimum and the bank serves those that talk. Memory
// therefore levels off instead of growing with the number of ranks times the depth of requests.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "papers/parts/credits.hpp"

namespace aqueduct::parts {

inline constexpr std::size_t kCreditBytes = 256;

constexpr unsigned credits_for(std::size_t bytes) {
  return bytes <= kCreditBytes ? 1 : static_cast<unsigned>((bytes + kCreditBytes - 1) / kCreditBytes);
}

struct CreditPlanInput {
  RankId ranks = 0;
  RankId self = 0;
  std::size_t chunk_bytes = 2048;  ///< the largest message: 2048 or 1024
  std::size_t chunks_per_buffer = 1024;
  unsigned spare_buffers = 1;  ///< not counted by credits: one is relinked while the others fill
  bool dynamic = true;
  std::optional<std::uint32_t> per_peer, banked;  ///< the user's values in place of the table's
};

struct CreditPlan {
  CreditSettings settings;
  unsigned buffers = 0;  ///< spares included
  std::size_t receive_bytes = 0;
  std::uint32_t events = 0;  ///< slots that the event queue needs: one for each credit
};

CreditPlan plan_credits(const CreditPlanInput& input);

}  // namespace aqueduct::parts
