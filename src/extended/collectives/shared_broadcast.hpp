// Larger broadcasts of neighbours: all members read from the root's memory at the same time.
//
// If the root's data lies in its segment, which all neighbours have mapped, they copy it from there, and the
// root is done when they are. If not, the root copies it piece by piece to slots in shared memory, from where
// the others take it, and is done when the last piece is there: it may run ahead by as many pieces as there
// are slots.
//
// Pieces are numbered through all broadcasts of the team, from whichever root, alike on all members: the size
// of a broadcast says how many it has, also where the root's data is read in place. Piece p uses slot
// p % kSlots of its root.
//
// Who writes what. A root writes a slot, then its stamp: the number of the piece, and where the data is. A
// member writes its own line only: the number of the last piece that it is done with, having copied or, as
// the root, published it, and with that of all before.
//
// Why nothing is overwritten too early. Before the root of piece p writes slot p % kSlots it has read in all
// members' lines that they are done with piece p - kSlots, hence with whatever was in that slot. Data that is
// read in place belongs to the root again when all lines say that the last piece is done. Stamps and lines
// are stored with release and loaded with acquire.
//
// A broadcast may ask that no data moves before all members have started it: then each writes the number of
// the broadcast in its line when it starts, and the root waits for all. It may also ask that nobody is done
// before everybody: then each waits until all lines say so.
//
// Sleepers: whoever writes a stamp or a line rings for all other members.
// Threads: as board.hpp has it. A neighbour that dies: the job layer ends the job.
#pragma once
#include <algorithm>
#include <atomic>
#include <vector>

#include "base/doorbell.hpp"
#include "base/spin_lock.hpp"
#include "extended/collectives/shared_collective.hpp"

namespace aqueduct::extended::collectives {

/// How members find each other's segments.
class SharedSegments {
 public:
  /// Of memory in this member's segment, if all members have it mapped: how far it is from the start. Else
  /// kNowhere.
  virtual std::size_t offset_of(const void* address, std::size_t bytes) const = 0;
  /// The same memory of `member`, as it is mapped here; null if it is not.
  virtual const std::byte* find(gex_Rank_t member, std::size_t offset, std::size_t bytes) const = 0;

  static constexpr std::size_t kNowhere = ~std::size_t{0};

 protected:
  ~SharedSegments() = default;
};

class SharedBroadcast final : public SharedCollective {
 public:
  static constexpr std::size_t kPieceBytes = 64 * 1024;
  static constexpr std::uint32_t kSlots = 4;

  /// What each member has of it in shared memory.
  struct Lines {
    struct alignas(2 * kCacheLine) Progress {
      std::atomic<std::uint64_t> done;     // pieces
      std::atomic<std::uint64_t> started;  // broadcasts, where all enter together
    };
    struct alignas(2 * kCacheLine) Stamp {
      std::atomic<std::uint64_t> piece;
      std::uint64_t place;  // 0: in the slot; else one more than the offset in the root's segment
    };
    Progress progress;
    Stamp stamps[kSlots];
  };
  struct Member {
    Lines* lines;      ///< zeroed before anybody starts
    std::byte* slots;  ///< kSlots times kPieceBytes
    Doorbell* doorbell;
  };

  /// `segments` must outlive it.
  SharedBroadcast(std::vector<Member> members, gex_Rank_t me, const SharedSegments& segments);

  std::uint64_t start(const Request& request) override;
  bool passed(std::uint64_t number) override;
  std::uint64_t completed() const override { return completed_.load(std::memory_order_acquire); }
  std::uint64_t started() const { return started_.load(std::memory_order_acquire); }

 private:
  // Copied at once, before whoever called looks at other things.
  static constexpr std::size_t kMostAtOnce = 4 * kPieceBytes;

  enum class Stage : std::uint8_t {
    kFresh,     // nothing has been published or found
    kInPieces,  // the data goes through slots
    kInPlace,   // it lies in the root's segment
    kMoved,     // this member's part is done
  };
  struct Entry {
    Request request;
    std::uint64_t first = 0;  // piece
    std::uint64_t last = 0;
    std::uint64_t next = 0;           // to publish or to take
    const std::byte* from = nullptr;  // kInPlace: as it is mapped here
    std::size_t copied = 0;           // of it
    Stage stage = Stage::kFresh;
  };

  void advance();
  bool publish(Entry& entry, std::uint64_t number, std::size_t& budget);
  bool take(Entry& entry, std::size_t& budget);
  void find_in_place(Entry& entry, std::uint64_t place) const;
  void stamp(std::uint64_t piece, std::uint64_t place);
  void be_done_with(std::uint64_t piece);
  void wake_others() const;
  bool may_write(std::uint64_t piece) { return piece <= kSlots || all_done_with(piece - kSlots); }
  bool all_done_with(std::uint64_t piece);
  bool all_started(std::uint64_t number) const;
  Entry& entry(std::uint64_t number) { return entries_[number % entries_.size()]; }
  std::size_t piece_bytes(const Entry& entry, std::uint64_t piece) const {
    return std::min(kPieceBytes, entry.request.bytes - (piece - entry.first) * kPieceBytes);
  }
  Lines::Stamp& stamp_of(gex_Rank_t root, std::uint64_t piece) const {
    return members_[root].lines->stamps[piece % kSlots];
  }
  std::byte* slot_of(gex_Rank_t root, std::uint64_t piece) const {
    return members_[root].slots + piece % kSlots * kPieceBytes;
  }

  const std::vector<Member> members_;
  const gex_Rank_t me_;
  const SharedSegments& segments_;
  SpinLock lock_;
  std::atomic<std::uint64_t> started_{0};
  std::atomic<std::uint64_t> completed_{0};
  std::uint64_t last_piece_ = 0;  // of all that was started
  std::uint64_t known_done_ = 0;  // all others are known to be done with this piece
  std::vector<Entry> entries_;    // those that are started and not complete; a power of two of them
};

}  // namespace aqueduct::extended::collectives
