// Larger collectives of neighbours: members read each other's data in shared memory, all at the same time.
//
// A member whose source others read publishes it: if it lies in its segment, which all neighbours have
// mapped, it says where, and the source is the client's again when all readers are done. If not, or if it is
// small, it is copied piece by piece to slots in shared memory, and the member may run ahead by as many
// pieces as there are slots. Who reads what, and which pieces there are: block_pattern.hpp. Where only the
// root wants much data from all, it offers its destination, if that lies in its segment, and the others write
// there; they look for the offer before they publish anything.
//
// Pieces are numbered through all collectives of the team, alike on all members: the request says how many
// it has, also where data is read in place. Piece p uses slot p % kSlots of each member.
//
// Who writes what. A source writes a slot, then its stamp: the number of the piece, and where the data is. A
// member writes its own line only: the number of the last piece that it is done with, which it and all before
// it no longer reads, from anybody. In a split reduction each member combines its part of a piece in its own
// slot, once its source has been there; nobody reads that part before it says in its line that this is done.
// Where a byte of a source is for one reader only, that one may also write it, as it was, before it says that
// it is done: its owner then writes the line without waiting for this core (base/cache_lines.hpp).
//
// Why nothing is overwritten too early. Before piece p writes a slot, with a source, a stamp or a result, its
// owner has read in all members' lines that they are done with piece p - kSlots, hence with whatever was in
// that slot. Data that is read in place belongs to the client again when the readers' lines say that they are
// done with it. A reduction may have its source and its destination in one place: a split one reads a part of
// them only before its result is known, and others copy such a source to slots, or through a buffer. Stamps
// and lines are stored with release and loaded with acquire.
//
// Why it goes on. A member publishes, reads and completes collectives in their order, but does not wait with
// the next step of one for another step of the one before. Take the first piece that somebody is not done
// with: all before it are done, so its slots are free, its sources publish it as soon as they poll, and so
// on.
//
// A collective may ask that no data moves before all members have started it: then each writes the number of
// the collective in its line when it starts, and sources wait for all. It may also ask that nobody is
// done before everybody: then each waits until all lines say so.
//
// Sleepers: whoever writes a stamp or a line rings for all other members.
// Threads: as board.hpp has it. A neighbour that dies: the job layer ends the job.
#pragma once
#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "base/doorbell.hpp"
#include "extended/collectives/block_pattern.hpp"
#include "extended/collectives/shared_collective.hpp"
#include "extended/collectives/shared_segments.hpp"
#include "extended/collectives/started_operations.hpp"

namespace aqueduct::extended::collectives {

class SharedBlocks final : public SharedCollective {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{32} << 10;
  static constexpr std::uint32_t kSlots = 8;

  /// What each member has of it in shared memory.
  struct Lines {
    struct alignas(2 * kCacheLine) Progress {
      std::atomic<std::uint64_t> done;      // pieces
      std::atomic<std::uint64_t> combined;  // of split reductions: the last whose part is in the slot
      std::atomic<std::uint64_t> started;   // collectives, where all enter together
    };
    struct alignas(2 * kCacheLine) Stamp {
      std::atomic<std::uint64_t> piece;
      std::uint64_t place;        // 0: in the slot; else one more than the offset in the source's segment
      std::uint64_t destination;  // the same of a destination that is offered; 0: none is
    };
    Progress progress;
    Stamp stamps[kSlots];
  };
  struct Member {
    Lines* lines;      ///< zeroed before anybody starts
    std::byte* slots;  ///< kSlots times kPieceBytes, on a page
    Doorbell* doorbell;
    RankId rank = 0;  ///< in the job, for messages about it
  };

  /// `segments` must outlive it.
  SharedBlocks(std::vector<Member> members, gex_Rank_t me, const SharedSegments& segments);

  /// Whether it serves that request well in a team of that size. Reductions without enter_together and
  /// leave_together only.
  static bool suits(const Request& request, gex_Rank_t size);

  std::uint64_t start(const Request& request) override;
  bool passed(std::uint64_t number) override {
    return operations_.passed(number, [this] { advance(); });
  }
  std::uint64_t completed() const override { return operations_.completed(); }
  std::uint64_t started() const { return operations_.started(); }

 private:
  // Copied or combined at once, before whoever called looks at other things.
  static constexpr std::size_t kMostAtOnce = std::size_t{256} << 10;
  // Of blocks for each member, where one piece holds little of each: longer ones are better sent.
  static constexpr std::uint64_t kMostPieces = 64;
  // The place of a source that is in the reader's destination already.
  static constexpr std::uint64_t kDelivered = ~std::uint64_t{0};

  struct Entry {
    Request request;
    BlockPattern pattern;
    std::uint64_t first = 0;  // piece
    std::uint64_t last = 0;
    std::uint64_t next = 0;         // to publish; 0: nothing has been done
    std::uint64_t destination = 0;  // that this member offers, as in its stamp
    bool published = false;
    bool has_own = false;   // what it has for itself is in its destination
    bool in_place = false;  // others read the source where it is
    bool reading = false;   // sources_ and combining_ are about this one
  };
  // Of the collective that is being read: how far this member is with each of the others.
  struct Source {
    const std::byte* in_place = nullptr;  // the source, as it is mapped here
    std::uint64_t next = 0;               // piece
    std::uint64_t destination = 0;        // that it offers
  };

  // Where results are computed that replace a source.
  struct alignas(kPage) Buffer {
    std::byte bytes[BlockPattern::kMostElement];
  };

  void advance();
  bool publish(Entry& entry, std::uint64_t number, std::size_t& budget);
  bool publish_source(Entry& entry, std::size_t& budget);
  bool offer_destination(const Entry& entry);
  void copy_own(const Entry& entry) const;
  bool should_copy(const Entry& entry) const;
  bool read(Entry& entry, std::size_t& budget);
  bool read_blocks(const Entry& entry, std::size_t& budget);
  bool reduce(const Entry& entry, std::size_t& budget);
  bool reduce_parts(const Entry& entry, std::size_t& budget);
  std::size_t combine_own_part(const Entry& entry, std::uint64_t piece);
  std::uint64_t gather_parts(const Entry& entry, std::size_t& budget);
  bool all_published(const Entry& entry, std::uint64_t piece);
  void combine(const Entry& entry, std::uint64_t piece, BlockPattern::Part part, std::byte* to);
  bool is_released(const Entry& entry);

  const std::byte* find(const Entry& entry, gex_Rank_t source, std::uint64_t piece);
  void give_lines_back(const Entry& entry, gex_Rank_t source, const std::byte* from, std::size_t bytes) const;
  const Lines::Stamp* find_stamp(gex_Rank_t member, std::uint64_t piece) const;
  std::byte* destination_of_root(const Entry& entry, std::uint64_t offered) const;
  /// Ends the job: the member cannot have written what it shows.
  [[noreturn]] void refuse(gex_Rank_t source, const char* what) const;
  void stamp(std::uint64_t piece, std::uint64_t place, std::uint64_t destination);
  void be_done_with(std::uint64_t piece);
  void wake_others() const;
  bool may_write(std::uint64_t piece) { return piece <= kSlots || all_done_with(piece - kSlots); }
  bool all_done_with(std::uint64_t piece);
  bool all_combined(std::uint64_t piece) const;
  bool all_started(std::uint64_t number) const;
  bool is_done_with(gex_Rank_t member, std::uint64_t piece) const {
    return members_[member].lines->progress.done.load(std::memory_order_acquire) >= piece;
  }
  bool has_combined(gex_Rank_t member, std::uint64_t piece) const {
    return members_[member].lines->progress.combined.load(std::memory_order_acquire) >= piece;
  }
  Lines::Stamp& stamp_of(gex_Rank_t member, std::uint64_t piece) const {
    return members_[member].lines->stamps[piece % kSlots];
  }
  std::byte* slot_of(gex_Rank_t member, std::uint64_t piece) const {
    return members_[member].slots + piece % kSlots * kPieceBytes;
  }
  gex_Rank_t size() const { return static_cast<gex_Rank_t>(members_.size()); }
  // The others in an order that starts after us, so that not all read from the same one.
  gex_Rank_t after(gex_Rank_t distance) const { return (me_ + distance) % size(); }

  const std::vector<Member> members_;
  const gex_Rank_t me_;
  const SharedSegments& segments_;
  std::uint64_t last_piece_ = 0;  // of all that was started
  std::uint64_t known_done_ = 0;  // all others are known to be done with this piece
  std::uint64_t publishing_ = 1;  // the first collective that is not published
  std::uint64_t reading_ = 1;     // the first that this member has still to read for
  std::vector<Source> sources_;
  std::uint64_t combining_ = 0;  // piece, of the reduction that is being read for
  const std::unique_ptr<Buffer> buffer_;
  StartedOperations<Entry> operations_;
};

}  // namespace aqueduct::extended::collectives
