// What a rank says about itself to those who look at the job (observe/record.hpp, observe/counters.hpp): the
// memory that it is written to, in the job's shared memory where there is one.
//
// A simulated rank has no such memory: it is described when somebody asks (Rank::describe()). Of its counters
// only the retries are kept, by peers for which there were any, and of its teams only that of all ranks.
#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>

#include "job/place/membership.hpp"
#include "observe/record.hpp"
#include "observe/state.hpp"

namespace aqueduct::core {

struct Thread;

class OwnRecord {
 public:
  static constexpr unsigned kWorldSlot = 0;
  static constexpr unsigned kNoSlot = 0xff;

  OwnRecord(const job::Membership& place, bool is_simulated, bool threaded, const char* conduit);
  OwnRecord(const OwnRecord&) = delete;
  OwnRecord& operator=(const OwnRecord&) = delete;

  /// Null in a simulation.
  observe::RankRecord* shared() const { return record_; }
  /// Others may read it from now on, and ask for the positions of threads by `signal`; 0: they cannot be
  /// asked.
  void open(int signal);

  /// Gives a new thread its record and its counters.
  void lend(Thread& thread);
  /// The calling thread uses its record from now on, or does not any more.
  void enter(const Thread& thread);
  void leave(const Thread& thread);

  /// A send of `thread` to `peer` has lacked something.
  void count_retry(const Thread& thread, RankId peer, observe::Retry why);
  /// Of a simulated rank: adds what sends to `peer` have lacked.
  void describe_retries(RankId peer, observe::RankState& state) const;

  /// Answers the slot in which this rank counts how far it has come in a new team; kNoSlot: there is no room
  /// for one more.
  unsigned add_team(std::uint32_t id, std::uint32_t size);
  void remove_team(unsigned slot);
  /// The counts of the team in that slot. For kNoSlot: a record that nobody reads.
  observe::TeamProgress& team(unsigned slot) { return slot == kNoSlot ? unwatched_ : teams_[slot]; }

  /// How long a wait may last before it is reported (AQUEDUCT_HANG_SECONDS); 0: for ever.
  std::uint64_t hang_ns() const { return hang_ns_; }
  /// Asks the supervisor for a report on all ranks. For signal handlers, too.
  void ask_for_report();
  /// Writes the report of a rank that is alone, if one was asked for.
  void report_alone();

 private:
  const job::Membership& place_;
  observe::RankRecord* record_ = nullptr;
  observe::TeamProgress own_world_{};
  observe::TeamProgress unwatched_{};
  observe::TeamProgress* teams_ = &own_world_;
  std::unordered_map<RankId, std::array<std::uint32_t, observe::kRetries>> simulated_retries_;
  std::uint64_t hang_ns_ = 0;
  std::atomic<bool> is_report_wanted_{false};
};

}  // namespace aqueduct::core
