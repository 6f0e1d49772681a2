#include "core/own_record.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/clock.hpp"
#include "base/env.hpp"
#include "core/rank.hpp"
#include "core/thread.hpp"
#include "job/inspection/inspection.hpp"
#include "job/inspection/job_table.hpp"
#include "job/place/control.hpp"
#include "job/place/shared_memory.hpp"
#include "observe/hang_report.hpp"

namespace aqueduct::core {
namespace {

/// What simulated ranks count goes here.
observe::ThreadRecord ignored_record;
observe::PeerCounters ignored_counters;

std::uint64_t hang_ns_from_environment() {
  constexpr std::int64_t kMostSeconds = std::int64_t{365} * 86'400;
  const auto seconds = env::integer({"AQUEDUCT_HANG_SECONDS"}, 0, kMostSeconds).value_or(0);
  return static_cast<std::uint64_t>(seconds) * 1'000'000'000;
}

unsigned lane_of(const Thread& thread) { return std::min(thread.index, observe::kThreadRecords - 1); }

}  // namespace

OwnRecord::OwnRecord(const job::Membership& place, bool is_simulated, bool threaded, const char* conduit)
    : place_(place) {
  if (!is_simulated) {
    record_ = static_cast<observe::RankRecord*>(
        job::map_shared(place.memory_fd, job::rank_record_place(place.rank), sizeof(observe::RankRecord),
                        "what this rank says about itself"));
    teams_ = record_->teams;
    record_->lanes = threaded ? observe::kThreadRecords : 1;
    record_->started_ns = machine_clock().now_ns();
    std::strncpy(record_->conduit, conduit, sizeof record_->conduit - 1);
    hang_ns_ = hang_ns_from_environment();
  }
  teams_[kWorldSlot].size = place.size;
  teams_[kWorldSlot].id_plus_one.store(1, std::memory_order_relaxed);
}

void OwnRecord::open(int signal) {
  record_->signal = static_cast<std::uint32_t>(signal);
  record_->pid.store(static_cast<std::uint32_t>(::getpid()), std::memory_order_release);
}

void OwnRecord::lend(Thread& thread) {
  if (!record_) {
    thread.record = &ignored_record;
    thread.peers = &ignored_counters;
    return;
  }
  constexpr std::size_t kMostPresent = 64 << 10;
  const unsigned lane = lane_of(thread);
  const std::size_t bytes = job::peer_counters_bytes(place_.size);
  thread.record = &record_->threads[lane];
  thread.peers = static_cast<observe::PeerCounters*>(
      job::map_shared(place_.memory_fd, job::peer_counters_place(place_.rank, lane, place_.size), bytes,
                      "the counters of this rank"));
  thread.peer_mask = ~RankId{0};
  job::make_present(thread.peers, std::min(bytes, kMostPresent));
}

void OwnRecord::enter(const Thread& thread) {
  if (record_) thread.record->tid.store(static_cast<std::uint32_t>(::gettid()), std::memory_order_relaxed);
}

void OwnRecord::leave(const Thread& thread) {
  if (record_) thread.record->tid.store(0, std::memory_order_relaxed);
}

void Thread::count_retry(RankId peer, observe::Retry why) const {
  rank.own_record().count_retry(*this, peer, why);
}

void OwnRecord::count_retry(const Thread& thread, RankId peer, observe::Retry why) {
  if (record_) {
    thread.with(peer).retries[static_cast<unsigned>(why)].add();
  } else {
    ++simulated_retries_[peer][static_cast<unsigned>(why)];
  }
}

void OwnRecord::describe_retries(RankId peer, observe::RankState& state) const {
  const auto found = simulated_retries_.find(peer);
  if (found == simulated_retries_.end()) return;
  observe::PeerState& known = state.peers.emplace_back();
  known.peer = peer;
  std::copy(found->second.begin(), found->second.end(), known.counts.retries);
}

unsigned OwnRecord::add_team(std::uint32_t id, std::uint32_t size) {
  if (!record_) return kNoSlot;
  for (unsigned slot = 0; slot < observe::kMostTeams; ++slot) {
    std::uint32_t nobody = 0;
    if (!teams_[slot].id_plus_one.compare_exchange_strong(nobody, id + 1)) continue;
    teams_[slot].size = size;
    return slot;
  }
  return kNoSlot;
}

void OwnRecord::remove_team(unsigned slot) {
  if (slot == kNoSlot) return;
  observe::TeamProgress& team = teams_[slot];
  team.barriers = team.named_barriers = team.collectives = 0;
  team.id_plus_one.store(0, std::memory_order_release);
}

void OwnRecord::ask_for_report() {
  if (place_.control_fd >= 0) {
    job::announce_hang(place_.control_fd);
  } else {
    is_report_wanted_.store(true, std::memory_order_relaxed);
  }
}

void OwnRecord::report_alone() {
  if (!is_report_wanted_.load(std::memory_order_relaxed) || !is_report_wanted_.exchange(false)) return;
  job::Inspection inspection(place_.memory_fd, {place_.rank}, place_.size, "");
  const std::string text = "aqueduct: what this rank waits for:\n" +
                           observe::hang_report(inspection.look({.with_stacks = true}), {});
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace aqueduct::core
