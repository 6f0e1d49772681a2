// Bootstrap: what the ranks of a job tell each other before any network exists, and also later, while
// messages already flow. Slow and simple next to the collectives of clients; used a handful of times per job.
//
//   all_gather   every rank contributes bytes, as many as it likes; all are shown everybody's
//   broadcast    one rank's bytes are shown to all
//   barrier      returns when every rank has called it
//
// Every rank makes the same sequence of calls, one operation at a time; a call that does not match those of
// others ends the job with one line that names both.
//
// Steps       An operation is begun (begin_...) and then advanced by steps that never block, until advance()
//             says that it is over. The blocking calls wait through the hook that the owner has set: core's
//             runs messages meanwhile. Without a hook they back off: spin, yield, then sleep at what the
//             implementation can sleep at.
// Memory      What a rank contributes is copied before begin_... returns. A result belongs to the bootstrap
//             and stays until this rank begins its next operation. Where ranks share memory it is one table
//             on the host that all read; a rank keeps nothing that grows with the job.
// Threads     One thread at a time, with what orders them left to the caller. Not in handlers.
// Failure     A rank that dies is noticed by the job layer, which ends the job. A TCP peer that closes its
//             connection early ends it with one line that names who is behind that connection.
//
//   Gathered all = bootstrap.all_gather(bytes_of(address));
//   for (RankId peer = 0; peer < all.size(); ++peer) remember(peer, all[peer]);
//
// Implementations: shm_bootstrap.hpp on one host, tcp_bootstrap.hpp between hosts, host_bootstrap.hpp for
// both together.
#pragma once
#include <poll.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/types.hpp"

namespace aqueduct::job {

using Bytes = std::span<const std::byte>;

/// The bytes of one object.
template <class Item>
Bytes bytes_of(const Item& item) {
  static_assert(std::is_trivially_copyable_v<Item>);
  return std::as_bytes(std::span(&item, 1));
}

/// The result of an operation: the bytes of each rank. A view; see above for how long it is valid.
class Gathered {
 public:
  /// Where one rank's bytes lie in the data.
  struct Row {
    std::uint64_t offset;
    std::uint64_t bytes;
  };

  Gathered() = default;
  Gathered(const Row* rows, RankId size, Bytes data) : rows_(rows), size_(size), data_(data) {}
  /// Of `size` ranks only `root` has said anything.
  static Gathered of_root(RankId root, const Row* row, RankId size, Bytes data) {
    Gathered gathered(row, size, data);
    gathered.only_ = root;
    return gathered;
  }

  RankId size() const { return size_; }
  /// Checked on the way: a row may lie in memory that others write. What leaves the data ends the job, with a
  /// line that names `rank`.
  Bytes operator[](RankId rank) const { return at(rank, rank); }
  /// The same where rows are not ranks: `writer` is who is named.
  Bytes at(RankId row, RankId writer) const;

 private:
  const Row* rows_ = nullptr;
  RankId size_ = 0;
  RankId only_ = kNoRank;  // the rank to which the single row belongs, if it is one
  Bytes data_;
};

class Bootstrap {
 public:
  using WaitUntil = std::function<void(const std::function<bool()>& condition)>;
  using WakeOthers = std::function<void()>;

  enum class Kind : std::uint8_t { kAllGather = 1, kBroadcast = 2, kBarrier = 3 };
  /// What all ranks must call alike.
  struct Call {
    Kind kind = Kind::kBarrier;
    RankId root = 0;  ///< of a broadcast; otherwise 0
    bool operator==(const Call&) const = default;
  };

  virtual ~Bootstrap() = default;
  Bootstrap(const Bootstrap&) = delete;
  Bootstrap& operator=(const Bootstrap&) = delete;

  RankId rank() const { return rank_; }
  RankId size() const { return size_; }

  /// How the blocking calls wait. `wait_until` returns once its condition holds, which it looks at from time
  /// to time; `wake_others` is called when that of others on this host may have come to hold. Both may be
  /// empty: then the default, above.
  void set_waiting(WaitUntil wait_until, WakeOthers wake_others) {
    wait_until_ = std::move(wait_until);
    wake_others_ = std::move(wake_others);
  }

  /// Never block. Only when the operation before is over.
  void begin_all_gather(Bytes mine) { begin({Kind::kAllGather, 0}, mine); }
  /// `data` matters at the root only.
  void begin_broadcast(RankId root, Bytes data) {
    begin({Kind::kBroadcast, root}, rank_ == root ? data : Bytes());
  }
  void begin_barrier() { begin({Kind::kBarrier, 0}, {}); }

  /// Goes on as far as is possible at once. True when no operation is under way (any more).
  bool advance() {
    if (under_way_ && step()) under_way_ = false;
    return !under_way_;
  }
  /// The result of the last operation: of all ranks after an all-gather, of its root after a broadcast.
  const Gathered& gathered() const { return gathered_; }

  /// The same, blocking.
  const Gathered& all_gather(Bytes mine) {
    begin_all_gather(mine);
    wait();
    return gathered_;
  }
  Bytes broadcast(RankId root, Bytes data) {
    begin_broadcast(root, data);
    wait();
    return gathered_[root];
  }
  void barrier() {
    begin_barrier();
    wait();
  }

  /// Every rank contributes one item of a type that is copied as bytes: `visit(rank, item)` in the order of
  /// ranks.
  template <class Item, class Visit>
  void all_gather(const Item& mine, Visit&& visit) {
    all_gather(bytes_of(mine));
    for (RankId peer = 0; peer < size_; ++peer) {
      Item theirs;
      std::memcpy(&theirs, sized(peer, sizeof theirs), sizeof theirs);
      visit(peer, theirs);
    }
  }

  /// One sleep of a wait without a hook: advances, and if that does not end the operation sleeps until
  /// something may have happened, or for some milliseconds.
  virtual void sleep() = 0;
  /// What a loop of the owner's may sleep at, beside what `wake_others` rings: advance() when it is ready.
  virtual void add_to_poll(std::vector<pollfd>& polled) const { (void)polled; }
  /// True while the operation under way waits for what nobody rings a bell for, at sockets: who sleeps
  /// elsewhere must not do so for long.
  virtual bool awaits_network() const { return false; }

 protected:
  Bootstrap(RankId rank, RankId size) : rank_(rank), size_(size) {}

  /// Implementations: takes the contribution over and starts `call`, the number `operation()` of its kind.
  virtual void start(const Call& call, Bytes mine) = 0;
  /// Goes on with it; true when it is over and set_result() was called.
  virtual bool step() = 0;

  const Call& call() const { return call_; }
  /// The number of the operation under way; the first is 1.
  std::uint64_t operation() const { return operation_; }
  void set_result(Gathered gathered) { gathered_ = gathered; }
  void wake_others() const {
    if (wake_others_) wake_others_();
  }

 private:
  void begin(const Call& call, Bytes mine);
  void wait();
  const std::byte* sized(RankId rank, std::size_t bytes) const;

  RankId rank_;
  RankId size_;
  std::uint64_t operation_ = 0;
  bool under_way_ = false;
  Call call_;
  Gathered gathered_;
  WaitUntil wait_until_;
  WakeOthers wake_others_;
};

/// "an all-gather", "a barrier", "a broadcast from rank 3"; `root` names the root otherwise.
std::string describe(const Bootstrap::Call& call, const std::string& root = {});

}  // namespace aqueduct::job
