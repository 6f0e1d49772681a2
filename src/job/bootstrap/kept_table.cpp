#include "job/bootstrap/kept_table.hpp"

namespace aqueduct::job {

KeptTable::KeptTable(std::unique_ptr<SharedRoom> room, RankId rows)
    : room_(std::move(room)),
      claims_(reinterpret_cast<std::atomic<std::uint32_t>*>(room_->map(0, kClaimBytes))),
      table_(*room_, kClaimBytes, rows) {}

KeptTable::~KeptTable() { room_->unmap(reinterpret_cast<std::byte*>(claims_), kClaimBytes); }

void KeptTable::keep(const Gathered& gathered) {
  // The caller's barrier orders what the first rank writes before the views of others.
  if (claims_->fetch_add(1, std::memory_order_relaxed) != 0) return;
  for (RankId rank = 0; rank < gathered.size(); ++rank) table_.write(rank, gathered[rank]);
}

}  // namespace aqueduct::job
