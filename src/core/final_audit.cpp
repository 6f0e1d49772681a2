#include "core/final_audit.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "core/thread.hpp"
#include "job/bootstrap/bootstrap.hpp"
#include "job/place/activity.hpp"

namespace aqueduct::core {
namespace {

#ifdef NDEBUG
constexpr std::int64_t kUsualPatience = 0;
#else
constexpr std::int64_t kUsualPatience = 10;
#endif
constexpr std::int64_t kMostPatience = 3600;
constexpr std::uint64_t kOthersComeNs = 1'000'000'000;
constexpr std::size_t kMostLent = 8;

/// What a rank tells the others.
struct Books {
  std::uint32_t is_wrong = 0;
  std::uint32_t lent = 0;  ///< how many of these there are
  struct {
    std::uint64_t taken, given;
  } of[kMostLent]{};
};

class FinalAudit {
 public:
  FinalAudit(Rank& rank, std::uint64_t patience_ns)
      : rank_(rank), patience_ns_(patience_ns), begin_ns_(rank.clock().now_ns()) {}

  void run() {
    if (!all_have_come()) return;
    for (bool is_first = true;; is_first = false) {
      const std::string held = look();
      if (!gather(is_first)) return;
      if (wrong_ == kNoRank && imbalance_.empty()) return;
      // All see the same, so all stop at the same time; one of them says why.
      if (rounds_ended_) {
        if (wrong_ == rank_.id()) fail("rank " + std::to_string(wrong_) + ": " + held);
        if (wrong_ == kNoRank && rank_.id() == 0) fail(imbalance_);
        return;
      }
    }
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    fatal("gasnet_exit", "at the end of the job something was not given back. %s", what.c_str());
  }

  /// Whether the ranks of this host leave as this one does.
  bool all_have_come() {
    job::Activity* const own = rank_.activity();
    const job::Activity* const lines = own - rank_.id();
    own->is_done.store(1, std::memory_order_relaxed);
    const job::Layout& hosts = rank_.place().hosts;
    const RankId here = hosts.place(rank_.id()).host;
    for (RankId peer = 0; peer < rank_.size(); ++peer) {
      if (hosts.place(peer).host != here) continue;
      while (lines[peer].is_done.load(std::memory_order_relaxed) == 0) {
        if (lines[peer].leaves.load(std::memory_order_relaxed) != 0 || has_taken(kOthersComeNs)) return false;
        rank_.settle();
        ::sched_yield();
      }
    }
    return true;
  }

  /// Takes what is under way for a while, and returns what this rank holds, in words.
  std::string look() {
    constexpr unsigned kPolls = 100;
    for (unsigned i = 0; i < kPolls; ++i) rank_.settle();
    observe::ResourceCounts counts;
    const std::string held = rank_.audit(counts);
    mine_ = {};
    mine_.is_wrong = !held.empty();
    names_ = counts.lent();
    mine_.lent = static_cast<std::uint32_t>(std::min(names_.size(), kMostLent));
    for (std::size_t i = 0; i < mine_.lent; ++i) mine_.of[i] = {names_[i].taken, names_[i].given};
    if (has_taken(patience_ns_)) mine_.is_wrong |= kIsLate;
    return held;
  }

  /// Exchanges them. False: the others do not come.
  bool gather(bool is_first) {
    job::Bootstrap& bootstrap = rank_.bootstrap();
    bootstrap.begin_all_gather(job::bytes_of(mine_));
    while (!bootstrap.advance()) {
      if (is_first && has_taken(2 * kOthersComeNs)) return false;
      rank_.settle();
      ::sched_yield();
    }
    Books sum;
    wrong_ = kNoRank;
    rounds_ended_ = false;
    for (RankId peer = 0; peer < rank_.size(); ++peer) {
      Books theirs;
      const job::Bytes bytes = bootstrap.gathered()[peer];
      if (bytes.size() != sizeof theirs) return false;  // these ranks are elsewhere in the program
      std::memcpy(&theirs, bytes.data(), sizeof theirs);
      if ((theirs.is_wrong & kHolds) != 0 && wrong_ == kNoRank) wrong_ = peer;
      if ((theirs.is_wrong & kIsLate) != 0) rounds_ended_ = true;
      for (std::size_t i = 0; i < mine_.lent; ++i) {
        sum.of[i].taken += theirs.of[i].taken;
        sum.of[i].given += theirs.of[i].given;
      }
    }
    observe::ResourceCounts all;
    for (std::size_t i = 0; i < mine_.lent; ++i) all.lends(names_[i].name, sum.of[i].taken, sum.of[i].given);
    imbalance_ = all.imbalance();
    return true;
  }

  bool has_taken(std::uint64_t ns) const { return rank_.clock().now_ns() - begin_ns_ > ns; }

  static constexpr std::uint32_t kHolds = 1, kIsLate = 2;

  Rank& rank_;
  std::uint64_t patience_ns_;
  std::uint64_t begin_ns_;
  Books mine_;
  std::vector<observe::ResourceCounts::Lent> names_;
  RankId wrong_ = kNoRank;  // the first rank that holds something
  std::string imbalance_;
  bool rounds_ended_ = false;
};

}  // namespace

void audit_at_end(Rank& rank) {
  if (rank.is_simulated() || !rank.has_network() || rank.failures() || rank.has_several_threads()) return;
  const Thread* const thread = current_thread();
  if (!thread || thread->handling) return;
  const std::int64_t seconds = env::integer({"AQUEDUCT_AUDIT"}, 0, kMostPatience).value_or(kUsualPatience);
  if (seconds != 0) FinalAudit(rank, static_cast<std::uint64_t>(seconds) * 1'000'000'000).run();
}

}  // namespace aqueduct::core
