// The conduit contract: what a network must do for Aqueduct, and what it may do.
//
// Required: say what you are, carry an active message to a rank, and poll. Everything else in the library
// (put, get, values, barriers, ...) then works through the reference implementations over active messages.
// Optional: natives. A conduit hands out an object (say, `rma()`) and the library uses it in place of the
// reference.
//
// Ranks that share memory are neighbours: the core moves their messages and data through shared memory itself
// and the conduit never sees them, unless it asks for no neighbourhood.
//
// Threads: inject(), reply() and poll() may be called by any thread at any time; a conduit protects itself,
// but holds no lock while it delivers. They never block: what cannot be done now is answered kRetry, and the
// core polls and tries again. Replies must get through while requests are stuck (poll(kReplies) must be
// enough to free room for a reply), because a request handler that replies cannot run other requests.
//
// Memory: when inject() and reply() return kDone the payload is the caller's again, unless the message says
// where to count it (Message::unreleased) and the conduit does, until it needs it no more. A delivered
// payload belongs to the conduit and stays valid until deliver() returns.
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
#include "job/bootstrap/bootstrap.hpp"
#include "job/place/membership.hpp"
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
  /// Where a conduit may count a source that it still reads, instead of giving it back at return.
  am::Unreleased* unreleased = nullptr;

  static const Reuse kAtReturn;
  static const Reuse kWhenDone;
  static Reuse counted(am::Unreleased& where) { return {false, &where}; }
  bool operator==(const Reuse& other) const { return is_stable == other.is_stable; }
};
inline constexpr Reuse Reuse::kAtReturn{};
inline constexpr Reuse Reuse::kWhenDone{true};

/// Native put and get (optional). Addresses are checked by the caller. `done` is called once, from poll() or
/// at once. A put that must give the source back at return may serve what has arrived, but runs no request
/// handlers.
class Rma {
 public:
  using Done = void (*)(void* operation);
  virtual Post put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
                   void* operation) = 0;
  virtual Post get(RankId target, void* to, const void* from, std::size_t bytes, Done done,
                   void* operation) = 0;

  /// True if all memory of the target's process can be reached, not only its segment. What is not mapped
  /// there ends the job with one line.
  virtual bool reaches_everything() const { return false; }

 protected:
  ~Rma() = default;
};

enum class AtomicType : std::uint8_t { kI32, kU32, kI64, kU64, kFloat, kDouble };
/// What is done to the element. Sums and products of integers wrap; kCompareSwap writes the operand if it
/// finds the comparand there.
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
  void* before = nullptr;  ///< gets what was there before; null: nobody asks
};

/// Native atomics (optional). What a network does to memory need not be atomic with what processors do to it,
/// so it is given all operations of a domain or none: also those on this rank's own memory and its
/// neighbours'.
class Atomics {
 public:
  using Done = void (*)(void* operation);
  /// The same on all ranks.
  virtual bool has(AtomicType type, AtomicAction action) = 0;
  /// `done` is called once, from poll() or at once, when it is performed and `before` is stored.
  virtual Post start(const AtomicRequest& request, Done done, void* operation) = 0;

 protected:
  ~Atomics() = default;
};

/// What each rank has exported for its segment (Conduit::export_segment). A view that stays valid; what it
/// looks at lies once on the host, so a conduit looks up a peer's key when it first needs it and keeps
/// nothing for others.
class SegmentKeys {
 public:
  SegmentKeys() = default;
  /// The key of a rank is what follows the first `skip` bytes of its row.
  SegmentKeys(const job::Gathered& rows, std::size_t skip) : rows_(rows), skip_(skip) {}
  /// Empty if that rank has exported nothing.
  job::Bytes operator[](RankId rank) const {
    return rows_.size() == 0 ? job::Bytes() : rows_[rank].subspan(skip_);
  }

 private:
  job::Gathered rows_;
  std::size_t skip_ = 0;
};

class Conduit {
 public:
  virtual ~Conduit() = default;

  // Required.
  virtual Limits limits() const = 0;
  virtual Post inject(RankId target, const Message& request) = 0;
  virtual Post reply(const Origin& origin, const Message& reply) = 0;
  /// Delivers what has arrived, within reason, and returns how many messages that was.
  virtual unsigned poll(Scope scope) = 0;

  // Segments, in this order; a conduit that registers memory does it in the first or in the last.
  /// The key that peers need to reach this rank's segment; any length. The bootstrap takes it to all of them.
  virtual std::vector<std::byte> export_segment(const SegmentBounds& mine) {
    (void)mine;
    return {};
  }
  /// Instead of what follows: there will be no segments, because another rank could not attach its own.
  virtual void withdraw_segment() {}
  /// Where the keys of all ranks are found from now on. Not called if nobody has exported any.
  virtual void import_segments(const SegmentKeys& keys) { (void)keys; }
  /// All segments are known, on every rank, indexed by rank.
  virtual void segments_attached(std::span<const SegmentBounds> segments) { (void)segments; }

  /// Where the threads of `rank` sleep, if this conduit rings there whenever something comes for it. Null:
  /// nobody rings, and a rank that waits polls at intervals.
  virtual Doorbell* doorbell(RankId rank) {
    (void)rank;
    return nullptr;
  }

  // Or, instead of a doorbell: where a thread of this rank can sleep at the network itself.
  /// A descriptor that becomes readable when something comes, or may have; -1: there is none.
  virtual int wake_descriptor() { return -1; }
  /// Called just before a sleep at it: false if something has come that it would not tell of.
  virtual bool may_sleep() { return true; }

  /// This rank is about to leave the job in good order. What it has sent must get to its targets all the
  /// same: returns when nothing is left to do for that, or after so long. Any thread, also in a handler.
  virtual void finish_sending(std::uint64_t most_ns) { (void)most_ns; }

  /// Who may access this address of ours now, other than in the segment, without our help; kNoRank: nobody.
  /// Called in a signal handler.
  virtual RankId borrower_of(std::uintptr_t address) {
    (void)address;
    return kNoRank;
  }

  /// What this rank has sent that nobody has answered yet, for a report: "2 replies" of rank 3. The last has
  /// no peer (kNoRank) if there may be more. Empty if there is nothing, or the conduit does not know.
  virtual std::vector<observe::Missing> awaits() { return {}; }

  // Natives; null means: use the reference over active messages.
  virtual Rma* rma() { return nullptr; }
  virtual Atomics* atomics() { return nullptr; }
};

/// What a conduit is opened with. All of it outlives the conduit.
struct Opening {
  world::World& world;  ///< where the rank lives
  const job::Membership& place;
  /// For addresses: in open(), the same calls on all ranks. Afterwards it is the core's.
  job::Bootstrap& bootstrap;
  Receiver& receiver;
};

/// What the registry knows of a conduit before it is opened.
struct Description {
  const char* name;         ///< as the user writes it
  const char* summary;      ///< one line for `aqueduct info`
  bool uses_neighbourhood;  ///< false: even ranks that share memory talk through the conduit
  RankId max_ranks;         ///< a job larger than this is refused
  int preference;           ///< among those that are possible the highest is chosen
  /// Answers null if this conduit can carry this job, else the reason why not. Null: it carries any.
  const char* (*why_not)(const job::Membership& membership) = nullptr;
  /// Once per rank, on all ranks of the job.
  std::unique_ptr<Conduit> (*open)(const Opening& opening);
  /// What its limits will be, with the environment as it is now.
  Limits (*limits)();
  /// The network interface that it runs on, as simulated machines call it (sim/machine.hpp); null: none, its
  /// ranks share memory.
  const char* nic = nullptr;
  /// More about it for `aqueduct info`: what it would run on here, and why. Null: there is no more to say.
  std::string (*details)() = nullptr;
  /// Ranks can go on when one of them has died (AQUEDUCT_ON_FAILURE=report): what is sent there is lost,
  /// nothing else.
  bool survives_failures = false;
  /// How much it is preferred for this job, where that depends on what it runs on. Null: as `preference`
  /// says.
  int (*preference_here)(const job::Membership& membership) = nullptr;

  int preference_for(const job::Membership& membership) const {
    return preference_here ? preference_here(membership) : preference;
  }
};

}  // namespace aqueduct::conduit
