// Memory of other ranks outside their segments, for puts and gets: borrowed from its owner before the first
// use, and kept in a Firehose cache for the next.
//
//   borrower → owner   lend me these pages for puts (or gets), and take back loan n
//   borrower → owner   take back loan n
//   owner → borrower   answer: the loan's number, or why not (lent_memory.hpp)
//
// Control messages (control_line.hpp), which the owner serves wherever it polls. There is one unanswered
// message at most from one rank to another; the next ones wait here. So SYS_EQ needs room for two from each
// peer, one each way.
//
// Each peer's memory has two caches, for puts and for gets, because memory may be there to be read only. A
// loan is never grown beyond what was asked for, because what lies beside it may be gone by now. What a peer
// may have borrowed here is bounded by its caches: GASNET_FIREHOSE_R regions in all, divided among the ranks.
//
// Memory that is not mapped there ends the job with one line. A peer that does not answer: the conduit
// notices.
//
// Threads: any. Nothing waits. The lock of a peer is not held while Portals or a cache is called.
#pragma once
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/mapped_memory.hpp"
#include "base/spin_lock.hpp"
#include "job/place/membership.hpp"
#include "papers/conduit/portals/control_line.hpp"
#include "papers/conduit/portals/settings.hpp"
#include "parts/firehose.hpp"
#include "parts/peer_watch.hpp"

namespace aqueduct::conduit::portals {

class RemoteMemory final : private ControlHandler {
 public:
  RemoteMemory(ControlLine& line, const job::Membership& membership, const Settings& settings);
  ~RemoteMemory();

  /// A region of a peer that an operation uses.
  struct Borrowed {
    parts::Firehose* cache = nullptr;
    parts::Firehose::Region* region = nullptr;
  };

  /// The beginning of a range at a peer, borrowed or about to be. Stays where it is while it is pending.
  struct Pin {
    enum class State : std::uint8_t { kNone, kPending, kBorrowed };
    State state = State::kNone;
    Access access = Access::kRead;
    RankId target = 0;
    std::uintptr_t address = 0;
    std::size_t bytes = 0;  ///< how much of the range
    parts::Firehose* cache = nullptr;
    parts::Firehose::Request request;
  };

  /// Borrows as much as one region takes, unless that has begun. True: it is borrowed; until take() it stays
  /// so. False: call again; is_idle() says whether something is under way.
  bool borrow(RankId target, Access access, std::uintptr_t address, std::size_t bytes, Pin* pin);
  /// Nothing is borrowed, nor under way.
  static bool is_idle(Pin& pin) {
    return std::atomic_ref(pin.state).load(std::memory_order_relaxed) == Pin::State::kNone;
  }
  /// Hands what is borrowed to an operation; the pin can be used again.
  static Borrowed take(Pin* pin);
  static void release(const Borrowed& taken);

  /// Those who have been asked for memory and have not answered yet (parts/pending_replies.hpp).
  void list_unanswered(parts::PeerWatch::ProbeList& peers) const;
  bool is_asked(RankId owner) const;

 private:
  struct Lender;
  class Cache;
  struct Order {
    ControlBits bits{};
    std::uint64_t pages = 0;
    parts::Firehose* cache = nullptr;
    parts::Firehose::Region* region = nullptr;  // null: nothing is borrowed with it
  };

  /// The answer of a peer has come.
  void told(RankId sender, const ControlBits& bits, ptl_hdr_data_t data) override;
  Lender& peer(RankId rank);
  void enqueue(RankId target, std::vector<Order>& orders);
  static void borrowed(parts::Firehose::Request& request, bool pinned);

  const ControlLine& line_;
  parts::Firehose::Settings cache_settings_;
  std::mutex making_;
  std::vector<std::atomic<Lender*>> peers_;
  bool closing_ = false;
};

}  // namespace aqueduct::conduit::portals
