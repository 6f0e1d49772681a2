// A table in shared memory with one row of bytes for each rank, of any length.
//
// Who writes a row takes room for it from a counter that all writers share, and then has that room to
// himself. So rows lie densely, whatever their lengths, and nobody waits for another one's length:
//
//   used | row 0: offset, bytes | row 1 | ...        (rows x 16 bytes)
//   data                                              (at kDataPlace)
//
// All-zero memory is an empty table. The order between writers, readers and clear() is the caller's
// (job/bootstrap/host_meeting.hpp). Counters and rows are checked when they are read: they lie where others
// write.
#pragma once
#include <atomic>

#include "job/bootstrap/bootstrap.hpp"
#include "job/place/shared_room.hpp"

namespace aqueduct::job {

class SharedTable {
 public:
  static constexpr RankId kMostRows = RankId{1} << 20;
  /// How much room a table takes in a SharedRoom.
  static constexpr std::size_t kRoomBytes = std::size_t{1} << 38;

  /// The table that begins at `place` of `room`, which outlives it.
  SharedTable(SharedRoom& room, std::size_t place, RankId rows);
  ~SharedTable();
  SharedTable(const SharedTable&) = delete;
  SharedTable& operator=(const SharedTable&) = delete;

  /// Fills a row by `bytes`, once between two clear(); several writers at once, each of another row.
  void write(RankId row, Bytes bytes);
  /// The same with what is still to be written to the room that is returned, until the next call of any kind.
  std::byte* reserve(RankId row, std::uint64_t bytes);
  /// Makes all rows empty room again; those that are not written later keep what they had.
  void clear() { head_->used.store(0, std::memory_order_relaxed); }
  /// What has been written, as it lies there. Valid until the next call of any kind.
  Gathered view();

 private:
  struct alignas(kCacheLine) Head {
    std::atomic<std::uint64_t> used;
  };
  static constexpr std::size_t kDataPlace = std::size_t{1} << 25;  // behind the rows
  static constexpr std::size_t kDataBytes = kRoomBytes - kDataPlace;
  static_assert(sizeof(Head) + kMostRows * sizeof(Gathered::Row) <= kDataPlace);

  std::size_t rows_bytes() const;
  void map_data(std::size_t bytes);

  SharedRoom& room_;
  std::size_t place_;
  RankId size_;
  Head* head_;
  Gathered::Row* rows_;
  std::byte* data_ = nullptr;
  std::size_t mapped_ = 0;
};

}  // namespace aqueduct::job
