// The puts and gets of a rank that are under way over a port, each under a number (rma_over_port.hpp).
//
// Threads that start operations share nothing: the table has kShares shares with kInShare operations each,
// and a thread uses the share of its own number (base/thread_number.hpp). So threads have a share in common
// only where there are more of them than shares, or where they have begun far from each other. A share is
// made when its first thread comes, and operations in chunks when they are needed; all stay until the table
// ends.
//
// Threads: any. take() holds the share's lock, which only threads of that share take. give_back() takes no
// lock: it pushes the operation onto the share's list of returned ones, of which take() takes all at once
// when it has no other left. Nobody removes a single element from that list, so an address that is its head
// twice means the same list twice (no ABA).
//
// Who may touch an operation, one after the other:
//
//   the thread that takes it    fills it, stores its holds, and last `awaits` (release): then others may see it
//   whoever brings the answer   exchanges `awaits` for 0 (acquire), if it is what that answer says: so it sees all
//                               that was filled in, and no second answer finds anything
//   whoever gives up a hold     takes it off `holds`; the one whose hold was the last gives the operation back
//                               (acquire and release: what all of them did comes before its next use)
//
// A number in a message from outside may name any operation, also one that is being filled. Only `awaits` is
// read of it until the exchange has succeeded, and it is 0 while an operation is filled.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/spin_lock.hpp"
#include "base/thread_number.hpp"
#include "base/types.hpp"
#include "conduit/conduit.hpp"

namespace aqueduct::conduit {

struct alignas(kCacheLine) PortOperation {
  std::atomic<std::uint64_t> awaits{0};  ///< the answer that it waits for; 0: none
  std::atomic<unsigned> holds{0};        ///< 0: it is free
  std::uint32_t number = 0;
  RankId peer = 0;
  std::atomic<bool> is_sent{false};
  void* to = nullptr;
  std::size_t bytes = 0;
  Rma::Done done = nullptr;
  void* operation = nullptr;
  PortOperation* next_free = nullptr;
  am::Unreleased* unreleased = nullptr;  ///< counts the source of a put until it is sent
  std::vector<std::byte> copy;           ///< of a source that was released
};

class OperationTable {
 public:
  static constexpr unsigned kShares = 8;
  static constexpr unsigned kInShare = 256;

  OperationTable() = default;
  ~OperationTable();
  OperationTable(const OperationTable&) = delete;
  OperationTable& operator=(const OperationTable&) = delete;

  /// An operation that is free; null if the share of this thread has none. It is the caller's until it has
  /// holds.
  PortOperation* take();
  /// Takes holds off; without any it is free.
  void release(PortOperation& operation, unsigned holds = 1);
  /// The one of that number, which may be any; null: there is none.
  PortOperation* find(std::uint32_t number) const;

  /// How many have holds.
  std::size_t under_way() const;

 private:
  static constexpr unsigned kInChunk = 32;
  using Chunk = std::array<PortOperation, kInChunk>;

  struct alignas(kCacheLine) Share {
    SpinLock lock;                    // guards the next two
    PortOperation* free = nullptr;    // not those that have been returned since
    unsigned made = 0;                // of its operations
    std::atomic<bool> is_out{false};  // a hint: the last take() found nothing. Written with the lock
    std::array<std::atomic<Chunk*>, kInShare / kInChunk> chunks{};  // written with the lock, once each
    alignas(kCacheLine) std::atomic<PortOperation*> returned{nullptr};
  };

  Share& own_share();
  void make_chunk(Share& share, unsigned share_number);

  std::array<std::atomic<Share*>, kShares> shares_{};
};

}  // namespace aqueduct::conduit
