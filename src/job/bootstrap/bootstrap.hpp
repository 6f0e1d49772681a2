// Bootstrap: simple collectives by which the ranks of a job exchange data before any network exists, and also
// later, while messages already flow. They are slower than the collectives of clients, and a job uses them a
// handful of times.
//
//   all_gather   every rank contributes any number of bytes; all ranks see the bytes of all
//   broadcast    all ranks see the bytes of one
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
// Threads     One thread at a time, which the caller sees to. Not in handlers.
// Failure     The job layer notices that a rank has died and ends the job. If a TCP peer closes its
//             connection early, the job ends with one line that names who was reached over that connection.
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
  /// The result of a broadcast among `size` ranks: only `root` has a row.
  static Gathered of_root(RankId root, const Row* row, RankId size, Bytes data) {
    Gathered gathered(row, size, data);
    gathered.only_ = root;
    return gathered;
  }

  RankId size() const { return size_; }
  /// The bytes of `rank`. The row may lie in memory that others write, so it is checked: if it points beyond
  /// the data, the job ends with a line that names `rank`.
  Bytes operator[](RankId rank) const { return at(rank, rank); }
  /// The same where rows are not ranks; the line names `writer`.
  Bytes at(RankId row, RankId writer) const;

 private:
  const Row* rows_ = nullptr;
  RankId size_ = 0;
  RankId only_ = kNoRank;  // the rank to which the single row belongs, if there is only one
  Bytes data_;
};

class Bootstrap {
 public:
  using WaitUntil = std::function<void(const std::function<bool()>& condition)>;
  using WakeOthers = std::function<void()>;

  enum class Kind : std::uint8_t { kAllGather = 1, kBroadcast = 2, kBarrier = 3 };
  /// The kind and the root of an operation, in which all ranks must agree.
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

  /// Sets how the blocking calls wait. `wait_until` tests its condition from time to time and returns once it
  /// holds; `wake_others` is called when a condition of other ranks on this host may have become true. If
  /// both are empty, the calls back off as said above.
  void set_waiting(WaitUntil wait_until, WakeOthers wake_others) {
    wait_until_ = std::move(wait_until);
    wake_others_ = std::move(wake_others);
  }

  /// The begin_ calls never block; the previous operation must be over.
  void begin_all_gather(Bytes mine) { begin({Kind::kAllGather, 0}, mine); }
  /// `data` matters at the root only.
  void begin_broadcast(RankId root, Bytes data) {
    begin({Kind::kBroadcast, root}, rank_ == root ? data : Bytes());
  }
  void begin_barrier() { begin({Kind::kBarrier, 0}, {}); }

  /// Does what is possible without waiting. True if no operation is under way any more.
  bool advance() {
    if (under_way_ && step()) under_way_ = false;
    return !under_way_;
  }
  /// The result of the last operation: of all ranks after an all-gather, of its root after a broadcast.
  const Gathered& gathered() const { return gathered_; }

  /// The blocking forms.
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

  /// Every rank contributes one trivially copyable item; calls `visit(rank, item)` in the order of ranks.
  template <class Item, class Visit>
  void all_gather(const Item& mine, Visit&& visit) {
    all_gather(bytes_of(mine));
    for (RankId peer = 0; peer < size_; ++peer) {
      Item theirs;
      std::memcpy(&theirs, sized(peer, sizeof theirs), sizeof theirs);
      visit(peer, theirs);
    }
  }

  /// Waits without a hook call this. It advances; if the operation is not over then, it sleeps until
  /// something may have happened, or for some milliseconds.
  virtual void sleep() = 0;
  /// Adds descriptors for the owner's poll(), beside the bell that `wake_others` rings; one that is ready
  /// calls for advance().
  virtual void add_to_poll(std::vector<pollfd>& polled) const { (void)polled; }
  /// True while the operation waits at sockets, for which nobody rings a bell: a thread that sleeps elsewhere
  /// must wake up soon.
  virtual bool awaits_network() const { return false; }

 protected:
  Bootstrap(RankId rank, RankId size) : rank_(rank), size_(size) {}

  /// For implementations. Copies the contribution and starts `call`, which has the number `operation()`.
  virtual void start(const Call& call, Bytes mine) = 0;
  /// Advances the operation; true when it is over and set_result() was called.
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
