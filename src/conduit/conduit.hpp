// The conduit contract: what a network must do for Aqueduct, and what it may do.
//
// A conduit must state its limits, carry an active message to a rank, and poll. Everything else in the
// library (put, get, values, barriers, ...) then works through the reference implementations over active
// messages. A conduit may have natives: it returns an object, say from `rma()`, and the library uses that in
// place of the reference.
//
// Ranks that share memory are neighbours: the core moves their messages and data through shared memory itself
// and the conduit never sees them, unless it asks for no neighbourhood.
//
// Threads: inject(), reply() and poll() may be called by any thread at any time; a conduit protects itself,
// but holds no lock while it delivers. They never block: they return kRetry when they cannot send now, and
// the core polls and tries again. Replies must get through while requests are stuck (poll(kReplies) alone
// must free room for a reply), because a request handler that replies cannot run other requests.
//
// Memory: when inject() and reply() return kDone the payload belongs to the caller again. If the message says
// where to count it (Message::unreleased), the conduit may keep using it and count it there until it has
// finished. A delivered payload belongs to the conduit and stays valid until deliver() returns.
//
// A dead peer: the job layer ends the job. A conduit that learns of a death first calls fatal().
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "am/message.hpp"
#include "base/doorbell.hpp"
#include "base/types.hpp"
#include "device/driver.hpp"
#include "job/bootstrap/bootstrap.hpp"
#include "job/place/membership.hpp"
#include "observe/resources.hpp"
#include "observe/state.hpp"

namespace aqueduct::world {
class World;
}

namespace aqueduct::conduit {

using am::Category;
using am::kLeastMaxMedium;
using am::kMaxArgs;
using am::Limits;
using am::Message;
using am::Origin;
using am::Post;
using am::Receiver;
using am::Scope;
using am::SegmentBounds;

/// When the source of a put may change again.
struct Reuse {
  bool is_stable = false;
  /// The conduit may count a source here that it still reads when it returns.
  am::Unreleased* unreleased = nullptr;

  static const Reuse kAtReturn;
  static const Reuse kWhenDone;
  static Reuse counted(am::Unreleased& where) { return {false, &where}; }
  bool operator==(const Reuse& other) const { return is_stable == other.is_stable; }
};
inline constexpr Reuse Reuse::kAtReturn{};
inline constexpr Reuse Reuse::kWhenDone{true};

/// Native put and get (optional). Addresses are checked by the caller. `done` is called once, from poll() or
/// at once. A put that must release the source at return may process arrivals meanwhile, but runs no request
/// handlers.
class Rma {
 public:
  using Done = void (*)(void* operation);
  virtual Post put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
                   void* operation) = 0;
  virtual Post get(RankId target, void* to, const void* from, std::size_t bytes, Done done,
                   void* operation) = 0;

  /// True if puts and gets reach all memory of the target's process, not only its segment. Memory that is not
  /// mapped there ends the job with one line.
  virtual bool reaches_everything() const { return false; }

 protected:
  ~Rma() = default;
};

enum class AtomicType : std::uint8_t { kI32, kU32, kI64, kU64, kFloat, kDouble };
/// The action on the element. Sums and products of integers wrap; kCompareSwap writes the operand if the
/// element equals the comparand.
enum class AtomicAction : std::uint8_t {
  kRead,
  kWrite,
  kCompareSwap,
  kAdd,
  kMultiply,
  kMin,
  kMax,
  kAnd,
  kOr,
  kXor
};

/// One atomic operation. Operands are the bits of an element, in the low-order bytes.
struct AtomicRequest {
  RankId target = 0;
  void* address = nullptr;  ///< at the target, in its attached segment; aligned
  AtomicType type = AtomicType::kU64;
  AtomicAction action = AtomicAction::kRead;
  std::uint64_t operand = 0;
  std::uint64_t comparand = 0;
  void* before = nullptr;  ///< receives the old value; null: the caller does not need it
};

/// Native atomics (optional). A network's accesses to memory need not be atomic with those of processors, so
/// the network gets all operations of a domain or none, also those on this rank's own memory and its
/// neighbours'.
class Atomics {
 public:
  using Done = void (*)(void* operation);
  /// Whether it has this operation; the same on all ranks.
  virtual bool has(AtomicType type, AtomicAction action) = 0;
  /// `done` is called once, from poll() or at once, when the operation is performed and `before` is stored.
  virtual Post start(const AtomicRequest& request, Done done, void* operation) = 0;

 protected:
  ~Atomics() = default;
};

/// The keys that ranks have exported for their segments (Conduit::export_segment). This view stays valid and
/// reads one table per host, so a conduit looks up a peer's key when it first needs it and stores nothing for
/// other peers.
class SegmentKeys {
 public:
  SegmentKeys() = default;
  /// The key of a rank is what follows the first `skip` bytes of its row.
  SegmentKeys(const job::Gathered& rows, std::size_t skip) : rows_(rows), skip_(skip) {}
  /// The key of `rank`; empty if it has exported none.
  job::Bytes operator[](RankId rank) const {
    return rows_.size() == 0 ? job::Bytes() : rows_[rank].subspan(skip_);
  }

 private:
  job::Gathered rows_;
  std::size_t skip_ = 0;
};

class DeviceTransfers;

class Conduit {
 public:
  virtual ~Conduit() = default;

  // Required.
  virtual Limits limits() const = 0;
  virtual Post inject(RankId target, const Message& request) = 0;
  virtual Post reply(const Origin& origin, const Message& reply) = 0;
  /// Delivers arrived messages, a limited number per call, and returns how many; more where something else
  /// has moved on, such as a put. A rank that waits gives way after many polls that return 0.
  virtual unsigned poll(Scope scope) = 0;

  // Segments, in this order; a conduit that registers memory does it in the first or in the last.
  /// The key that peers need to reach this rank's segment; any length. The bootstrap takes it to all of them.
  virtual std::vector<std::byte> export_segment(const SegmentBounds& mine) {
    (void)mine;
    return {};
  }
  /// Called instead of the next two: there will be no segments, because another rank could not attach its
  /// own.
  virtual void withdraw_segment() {}
  /// Passes the keys of all ranks. Not called if no rank has exported one.
  virtual void import_segments(const SegmentKeys& keys) { (void)keys; }
  /// Called on every rank when all segments are known; `segments` is indexed by rank.
  virtual void segments_attached(std::span<const SegmentBounds> segments) { (void)segments; }

  /// The bell at which the threads of `rank` sleep, if this conduit rings it whenever something comes for
  /// that rank. Null: nobody rings, and a rank that waits polls at intervals.
  virtual Doorbell* doorbell(RankId rank) {
    (void)rank;
    return nullptr;
  }

  // Instead of a doorbell, a thread of this rank can sleep at the network itself. A descriptor that becomes
  // readable when something comes, or may have; -1: there is none.
  virtual int wake_descriptor() { return -1; }
  /// Called just before a sleep at the descriptor: false if something has come that would not make it
  /// readable.
  virtual bool may_sleep() { return true; }

  /// Whether a thread of the library's own may call this conduit while the client's threads do what they
  /// like, as it should be. False: it may not, because of something that the conduit cannot change.
  virtual bool serves_any_thread() const { return true; }

  /// This rank is about to leave the job in good order, but its messages must still arrive: returns when they
  /// no longer need this rank, or after `most_ns`. Any thread, also in a handler.
  virtual void finish_sending(std::uint64_t most_ns) { (void)most_ns; }

  /// The rank that may access this address outside of the segment now, by the network; kNoRank: none. Called
  /// in a signal handler.
  virtual RankId borrower_of(std::uintptr_t address) {
    (void)address;
    return kNoRank;
  }

  /// A rank has died and this one goes on (AQUEDUCT_ON_FAILURE=report): sources that are counted for it
  /// (Message::unreleased, Reuse) must be given back, now or in poll(). For conduits that do not find out by
  /// themselves. Any thread; may be called again for the same rank.
  virtual void has_died(RankId rank) { (void)rank; }

  /// What this rank waits for, for a report: "2 replies" of rank 3. The last entry has no peer (kNoRank) if
  /// there may be more. Empty if there is nothing, or the conduit does not know.
  virtual std::vector<observe::Missing> awaits() { return {}; }

  /// Counts what this rank holds for messages and operations under way (observe/resources.hpp). Called when
  /// the conduit has been opened, and after the end of a job: a difference ends a simulation with one line.
  virtual void count_resources(observe::ResourceCounts& counts) { (void)counts; }

  // Natives; null means: use the reference over active messages.
  virtual Rma* rma() { return nullptr; }
  virtual Atomics* atomics() { return nullptr; }
  /// Of memory on devices (conduit/device_transfers.hpp). The same object as long as the conduit lives.
  virtual DeviceTransfers* device_transfers() { return nullptr; }
};

/// The arguments of open(). All of them outlive the conduit.
struct Opening {
  world::World& world;  ///< where the rank lives
  const job::Membership& place;
  /// For exchanging addresses in open(), with the same calls on all ranks. Afterwards the core uses it.
  job::Bootstrap& bootstrap;
  Receiver& receiver;
  /// The client has promised that one thread calls the library (GASNET_SEQ): the one that opens the conduit.
  /// It wants no progress thread either.
  bool has_one_thread = false;
};

/// Bytes that a conduit takes at a rank for each other one, by what that does.
struct PeerMemory {
  std::size_t silent = 0;  ///< nothing was sent to it, and nothing has come from it
  std::size_t known = 0;   ///< otherwise, while nothing is under way
  std::size_t busy = 0;    ///< at most
};

/// What the registry knows about a conduit before it is opened.
struct Description {
  const char* name;         ///< as the user writes it
  const char* summary;      ///< one line for `aqueduct info`
  bool uses_neighbourhood;  ///< false: even ranks that share memory talk through the conduit
  RankId max_ranks;         ///< a job larger than this is refused
  int preference;           ///< a job gets the possible conduit with the highest one
  /// Returns null if this conduit can carry this job, otherwise the reason. Null: it carries any job.
  const char* (*why_not)(const job::Membership& membership) = nullptr;
  /// Called once per rank, on all ranks of the job.
  std::unique_ptr<Conduit> (*open)(const Opening& opening);
  /// The limits that it will have, with the environment as it is now.
  Limits (*limits)();
  /// The name of its network interface in simulated machines (sim/machine.hpp); null: its ranks share memory.
  const char* nic = nullptr;
  /// More for `aqueduct info`: what it would run on here, and why. Null: nothing more.
  std::string (*details)() = nullptr;
  /// Likewise, of memory. Null: nobody has counted.
  PeerMemory (*peer_memory)() = nullptr;
  /// In a process of its own, which may die of it: writes and reads memory of a device over the network that
  /// the job would use. Empty if the right bytes came back, otherwise the reason. Null: it moves no such
  /// memory.
  std::string (*try_device)(const job::Membership& membership, device::Family family, int ordinal) = nullptr;
  /// Ranks can go on when one of them has died (AQUEDUCT_ON_FAILURE=report): only messages to that rank are
  /// lost.
  bool survives_failures = false;
  /// The preference for this job, if it depends on what the conduit runs on. Null: `preference`.
  int (*preference_here)(const job::Membership& membership) = nullptr;

  int preference_for(const job::Membership& membership) const {
    return preference_here ? preference_here(membership) : preference;
  }
};

}  // namespace aqueduct::conduit
