// A table in shared memory with one row of bytes, of any length, for each rank.
//
// A writer takes room for its row from a counter that all writers share, and then owns that room. So rows lie
// densely, and no writer waits to learn the length of another row:
//
//   used | row 0: offset, bytes | row 1 | ...        (rows x 16 bytes)
//   data                                              (at kDataPlace)
//
// All-zero memory is an empty table. The caller orders writers, readers and clear()
// (job/bootstrap/host_meeting.hpp). Counters and rows are checked when they are read, because other processes
// can write them.
#pragma once
#include <atomic>

#include "job/bootstrap/bootstrap.hpp"
#include "job/place/shared_room.hpp"

namespace aqueduct::job {

class SharedTable {
 public:
  static constexpr RankId kMostRows = RankId{1} << 20;
  /// The bytes that a table needs of a SharedRoom.
  static constexpr std::size_t kRoomBytes = std::size_t{1} << 38;

  /// The table begins at `place` of `room`, which outlives it.
  SharedTable(SharedRoom& room, std::size_t place, RankId rows);
  ~SharedTable();
  SharedTable(const SharedTable&) = delete;
  SharedTable& operator=(const SharedTable&) = delete;

  /// Writes `bytes` to a row, once between two calls of clear(). Several processes may write different rows
  /// at once.
  void write(RankId row, Bytes bytes);
  /// The same, but the caller writes the bytes to the room that is returned, before its next call of any
  /// kind.
  std::byte* reserve(RankId row, std::uint64_t bytes);
  /// Makes the room of all rows free again. A row that nobody writes later keeps its old place and length.
  void clear() { head_->used.store(0, std::memory_order_relaxed); }
  /// The rows, without a copy. Valid until the next call of any kind.
  Gathered view();

 private:
  struct alignas(kCacheLine) Head {
    std::atomic<std::uint64_t> used;
  };
  static constexpr std::size_t kDataPlace = std::size_t{1} << 25;  // after the rows
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
