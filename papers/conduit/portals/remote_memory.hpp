// Memory of other ranks outside their segments, for puts and gets: borrowed from its owner before the first
// use, and kept in a Firehose cache for the next.
//
//   borrower → owner   lend me these pages for puts (or gets), and take back loan n
//   borrower → owner   take back loan n
//   owner → borrower   answer: the loan's number, or why not (lent_memory.hpp)
//
// These are control messages (control_line.hpp), which the owner handles in every poll. At most one message
// from one rank to another is unanswered; the next ones wait here. So SYS_EQ needs room for two per peer, one
// each way.
//
// Each peer's memory has two caches, for puts and for gets, because memory may be read-only. A loan is never
// larger than requested, because the memory beside it may be unmapped by now. The caches of peers bound what
// they have borrowed here: GASNET_FIREHOSE_R regions in all, divided among the ranks.
//
// Memory that is not mapped there ends the job with one line. The conduit notices a peer that does not
// answer.
//
// Threads: any. Nothing waits. The lock of a peer is not held while Portals or a cache is called.
#pragma once
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/spin_lock.hpp"
#include "job/place/membership.hpp"
#include "papers/conduit/portals/control_line.hpp"
#include "papers/conduit/portals/mapped_memory.hpp"
#include "papers/conduit/portals/settings.hpp"
#include "parts/firehose.hpp"
#include "parts/probe_list.hpp"

namespace aqueduct::conduit::portals {

class RemoteMemory final : private ControlHandler {
 public:
  RemoteMemory(ControlLine& line, const job::Membership& membership, const PortalsSettings& settings);
  ~RemoteMemory();

  /// A region of a peer that an operation uses.
  struct Borrowed {
    parts::Firehose* cache = nullptr;
    parts::Firehose::Region* region = nullptr;
  };

  /// The beginning of a range at a peer that is borrowed or will be. It must not move while it is pending.
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

  /// Borrows at most one region, unless that has begun already. True: it is borrowed, and stays so until
  /// take(). False: call again; is_idle() tells whether something is under way.
  bool borrow(RankId target, Access access, std::uintptr_t address, std::size_t bytes, Pin* pin);
  /// Whether nothing is borrowed or under way.
  static bool is_idle(Pin& pin) {
    return std::atomic_ref(pin.state).load(std::memory_order_relaxed) == Pin::State::kNone;
  }
  /// Passes the borrowed region to an operation; the pin can be used again.
  static Borrowed take(Pin* pin);
  static void release(const Borrowed& taken);

  /// Lists the peers that have not answered a request for memory yet (parts/pending_replies.hpp).
  void list_unanswered(parts::ProbeList& peers) const;
  bool is_asked(RankId owner) const;

 private:
  struct Lender;
  class Cache;
  struct Order {
    ControlBits bits{};
    std::uint64_t pages = 0;
    parts::Firehose* cache = nullptr;
    parts::Firehose::Region* region = nullptr;  // null: it borrows nothing
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
