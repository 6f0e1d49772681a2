// Small collectives of neighbours: everybody writes a cell in shared memory and reads those of the others.
//
// A board has rows, used in turn by collectives number 1, 2, 3, ..., and in each row one cell for every
// member: a stamp, the number of the collective that it was written for, and a little data. In a reduction
// every member stamps its cell when its data is there, and whoever wants the result waits for all stamps; in
// a broadcast the root does, and the others stamp theirs when they have read.
//
// Why nothing is overwritten too early: a member runs the collectives of a board one after the other, so its
// stamp n says that it is done with all before n. With R rows, number n is written only by a member that
// knows that all have stamped n-R+1 or later, hence are done with n-R, whose row it takes. It knows that from
// reading the row of n-R+1, if it has not learned it before; a reduction to all teaches it anyway, so that a
// sequence of those reads nothing twice. A member that reads a broadcast n may stamp its own cell of that row
// for the same reason: the root has looked before it wrote.
//
// Two boards serve a team. The compact one has cells of 16 bytes, two rows, and those of several members in
// one cache line, so that whoever fetches the line to write its own cell sees the others' on the same trip.
// The wide one has a line or more for each cell, and more rows, so that the root of a broadcast can run
// ahead.
//
// Threads: any; a lock is held while a board advances, also while a function of the client runs, and only
// start() waits for it. A neighbour that dies: the job layer ends the job.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/doorbell.hpp"
#include "extended/collectives/shared_collective.hpp"
#include "extended/collectives/started_operations.hpp"

namespace aqueduct::extended::collectives {

/// Where the cells of a board lie.
struct BoardShape {
  std::uint32_t rows;
  std::size_t data_bytes;   ///< the most that a cell holds
  std::size_t data_offset;  ///< in a cell, after the stamp
  std::size_t row_bytes;    ///< between two rows of a member
};

class Board final : public SharedCollective {
 public:
  struct Member {
    std::byte* cell;  ///< in the first row; all are zeroed before any member starts a collective
    Doorbell* doorbell;
    RankId rank = 0;  ///< in the job, for messages about it
  };
  Board(BoardShape shape, std::vector<Member> members, gex_Rank_t me);

  /// Starts a collective of at most shape().data_bytes and answers its number.
  std::uint64_t start(const Request& request) override;

  bool passed(std::uint64_t number) override {
    return operations_.passed(number, [this] { advance(); });
  }
  /// Whether everything that was started is complete.
  bool idle() const { return completed() == started(); }
  /// The number of the last collective that was started.
  std::uint64_t started() const { return operations_.started(); }

  std::uint64_t completed() const override { return operations_.completed(); }

  const BoardShape& shape() const { return shape_; }

 private:
  struct Entry {
    Request request;
    bool published = false;
  };
  struct Stamp {
    std::atomic<std::uint64_t> number;
  };

  std::byte* cell(gex_Rank_t member, std::uint64_t number) const {
    return members_[member].cell + number % shape_.rows * shape_.row_bytes;
  }
  const std::byte* data(gex_Rank_t member, std::uint64_t number) const {
    return cell(member, number) + shape_.data_offset;
  }
  bool stamped(gex_Rank_t member, std::uint64_t number) const {
    const std::uint64_t seen =
        reinterpret_cast<Stamp*>(cell(member, number))->number.load(std::memory_order_acquire);
    if (seen < number) return false;
    // Nobody is ahead of us by more than the rows: see above.
    if (seen > number + shape_.rows) [[unlikely]]
      refuse_stamp(member, seen, number);
    return true;
  }
  /// Ends the job: the member cannot have written that stamp.
  [[noreturn]] void refuse_stamp(gex_Rank_t member, std::uint64_t seen, std::uint64_t number) const;
  bool all_stamped(std::uint64_t number) const;
  void stamp(std::uint64_t number);

  void advance();
  bool may_write(std::uint64_t number);
  bool publish(const Request& request, std::uint64_t number);
  bool finish(const Request& request, std::uint64_t number);
  void combine(const Request& request, std::uint64_t number);

  gex_Rank_t size() const { return static_cast<gex_Rank_t>(members_.size()); }

  const BoardShape shape_;
  const std::vector<Member> members_;
  const gex_Rank_t me_;
  std::uint64_t known_stamped_ = 0;  // all members are known to have stamped this number or a later one
  StartedOperations<Entry> operations_;
};

}  // namespace aqueduct::extended::collectives
