// Keeps the result of an all-gather for good, in one table for all ranks that share a room. A rank looks up a
// peer's row when it needs it, and stores nothing per peer itself.
//
//   keep(gathered)        every rank that shares the room calls it; the first one copies
//   [a barrier]           by the caller; before it is over the table may be incomplete
//   view()                the rows as they were gathered; valid as long as this object
//
// All-zero memory is an empty table. A room is filled once. Others could overwrite rows, so they are checked
// when they are read (Gathered).
//
// Threads: one at a time; a view may be read by any.
#pragma once
#include <atomic>
#include <memory>

#include "job/bootstrap/shared_table.hpp"

namespace aqueduct::job {

class KeptTable {
 public:
  /// The bytes that it needs of a SharedRoom.
  static constexpr std::size_t kRoomBytes = kPage + SharedTable::kRoomBytes;

  KeptTable(std::unique_ptr<SharedRoom> room, RankId rows);
  ~KeptTable();
  KeptTable(const KeptTable&) = delete;
  KeptTable& operator=(const KeptTable&) = delete;

  /// `gathered` must be the same on all ranks.
  void keep(const Gathered& gathered);
  Gathered view() { return table_.view(); }

 private:
  static constexpr std::size_t kClaimBytes = kPage;  // the table follows

  std::unique_ptr<SharedRoom> room_;
  std::atomic<std::uint32_t>* claims_;
  SharedTable table_;
};

}  // namespace aqueduct::job
