// The result of an all-gather, kept for good: one table for all ranks that share a room, whatever their
// number. A rank looks up what it needs when it needs it, and keeps nothing of others itself.
//
//   keep(gathered)        by every rank that shares the room: the first one copies, the others go on
//   [a barrier]           the caller's: until it is over the table may not be complete
//   view()                rows as they were gathered; valid for as long as this object is
//
// All-zero memory is a table that nobody has kept anything in. One keep() in the life of a room. Rows lie
// where others write, and are checked when they are read (Gathered).
//
// Threads: one at a time; a view may be read by any.
#pragma once
#include <atomic>
#include <memory>

#include "job/bootstrap/shared_table.hpp"

namespace aqueduct::job {

class KeptTable {
 public:
  /// How much room it takes in a SharedRoom.
  static constexpr std::size_t kRoomBytes = kPage + SharedTable::kRoomBytes;

  KeptTable(std::unique_ptr<SharedRoom> room, RankId rows);
  ~KeptTable();
  KeptTable(const KeptTable&) = delete;
  KeptTable& operator=(const KeptTable&) = delete;

  /// `gathered` must be the same on all ranks.
  void keep(const Gathered& gathered);
  Gathered view() { return table_.view(); }

 private:
  static constexpr std::size_t kClaimBytes = kPage;  // the table lies behind

  std::unique_ptr<SharedRoom> room_;
  std::atomic<std::uint32_t>* claims_;
  SharedTable table_;
};

}  // namespace aqueduct::job
