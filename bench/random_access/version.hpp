// A version of RandomAccess: a way to bring updates from the rank that makes them to the rank that has their
// word.
//
// Each version is one file. This file has what they share: the job, the loop over a rank's updates, and the
// wait until all updates are applied everywhere. Versions run both live and simulated, so no state of a rank
// is global.
//
//   const VersionKind* kind = find_version("aggregated");
//   Share share;                                    // and handlers_of_updates() registered, share announced
//   Job job{...};
//   auto version = kind->make(job);                 // collective
//   run_pass(job, *version);                        // likewise: until all updates are applied everywhere
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client.hpp"
#include "stream.hpp"
#include "table.hpp"

namespace aqueduct::bench::random_access {

/// The state for handlers: a rank's part of the table, and the number of received updates.
struct Share {
  Table table;
  std::uint64_t received = 0;
  std::uint64_t begun_ns = 0, made_ns = 0;  ///< when this rank began and finished making its updates
};

struct Job {
  gex_TM_t team{};
  gex_Rank_t rank = 0;
  gex_Rank_t size = 1;
  Partition partition{1, 1};
  std::uint64_t updates = 0;  ///< of each rank
  /// The place in the stream at which the updates of rank 0 begin. The first thousands of numbers have few
  /// bits, and most of them name word 0 of a small table, so short runs begin elsewhere.
  std::uint64_t stream_start = 0;
  unsigned look_ahead = 1024;
  const world::Work* made = &kUpdateMade;  ///< the cost of making an update on a simulated processor
  Share* share = nullptr;
  /// The first word of a rank's part, in that rank's addresses.
  std::function<std::uint64_t*(gex_Rank_t)> part_of;

  void barrier() const;
  Stream stream_of(gex_Rank_t of) const { return Stream(stream_start + of * updates); }
};

class Version {
 public:
  explicit Version(const Job& job) : job_(job), look_ahead_(job.look_ahead) {}
  virtual ~Version() = default;
  Version(const Version&) = delete;
  Version& operator=(const Version&) = delete;

  /// Makes this rank's updates and sends them; it holds none when it returns.
  virtual void make_updates() = 0;
  /// Handles updates of other ranks that have come.
  virtual void poll() = 0;
  /// Whether others may be stuck unless this rank calls poll(), because the library's own waits are not
  /// enough.
  virtual bool needs_polls() const { return false; }

  /// The number of updates sent as messages that the target counts (Share::received).
  std::uint64_t sent() const { return sent_; }
  const LookAhead& look_ahead() const { return look_ahead_; }

 protected:
  /// Calls `take(value, owner)` for each update of this rank, and `poll()` now and then.
  template <class Take>
  void for_each_update(Take&& take) {
    constexpr std::uint64_t kUpdatesBetweenPolls = 64;
    const bool is_simulated = world::is_simulated();
    const Partition partition = job_.partition;
    const std::uint64_t updates = job_.updates;
    Stream stream = job_.stream_of(job_.rank);
    for (std::uint64_t i = 0; i < updates; ++i) {
      if (is_simulated) world::spend(*job_.made);
      const std::uint64_t value = stream.next();
      take(value, partition.owner(value));
      if (i % kUpdatesBetweenPolls == 0) poll();
    }
  }

  /// The same for updates of other ranks' words; updates this rank's own words at once.
  template <class HandOver>
  void for_each_update_elsewhere(HandOver&& hand_over) {
    for_each_update([&](std::uint64_t value, gex_Rank_t owner) {
      if (owner == job_.rank) {
        job_.share->table.update(value);
      } else {
        hand_over(value, owner);
      }
    });
  }

  const Job& job_;
  LookAhead look_ahead_;
  std::uint64_t sent_ = 0;
};

struct VersionKind {
  const char* name;
  const char* summary;
  bool is_exact;  ///< loses no update; other versions may have the errors that the rules allow
  std::unique_ptr<Version> (*make)(const Job& job);
  /// The interface that a simulated machine must have for it (sim/machine.hpp); null: any. Live jobs have all
  /// interfaces.
  const char* nic = nullptr;
};

/// Those here, and those that the program adds.
std::span<const VersionKind> versions();
/// Defined by the program: versions that need more than the library.
std::vector<VersionKind> further_versions();
const VersionKind* find_version(std::string_view name);

/// Collective: makes, sends and applies all updates of all ranks. Returns the nanoseconds, virtual ones in a
/// simulation, from a barrier until this rank knows that all updates are applied everywhere.
double run_pass(const Job& job, Version& version);

/// Applies all updates of all ranks to the words in `tables`, without messages. Untimed.
void apply_again(const Job& job, std::span<Table* const> tables);

/// The handlers of all versions that use active messages. They find the Share of a live process by
/// announce(), that of a simulated rank as the data of its endpoint (gex_EP_SetCData).
std::vector<gex_AM_Entry_t> handlers_of_updates();
void announce(Share* share);

inline constexpr gex_AM_Index_t kUpdateHandler = GEX_AM_INDEX_BASE;
inline constexpr gex_AM_Index_t kUpdatesHandler = GEX_AM_INDEX_BASE + 1;

std::unique_ptr<Version> make_active_messages(const Job& job);
std::unique_ptr<Version> make_atomics(const Job& job);
std::unique_ptr<Version> make_get_put(const Job& job);
std::unique_ptr<Version> make_aggregated(const Job& job);

}  // namespace aqueduct::bench::random_access
