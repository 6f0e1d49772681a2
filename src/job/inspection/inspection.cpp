#include "job/inspection/inspection.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

#include "base/clock.hpp"
#include "job/inspection/job_table.hpp"

namespace aqueduct::job {
namespace {

using observe::ProcessState;
using observe::RankRecord;
using observe::RankState;

}  // namespace

struct ProcessFacts {
  ProcessState state = ProcessState::kGone;
  std::uint64_t caught = 0;  ///< the set of caught signals
};

namespace {

ProcessFacts ask_system(std::uint32_t pid) {
  ProcessFacts facts;
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    char letter = 0;
    unsigned long long set = 0;
    if (std::sscanf(line.c_str(), "State: %c", &letter) == 1) {
      if (letter == 'R') facts.state = ProcessState::kRuns;
      if (letter == 'S' || letter == 'D') facts.state = ProcessState::kSleeps;
      if (letter == 'T') facts.state = ProcessState::kStopped;
      if (letter == 't') facts.state = ProcessState::kTraced;
    }
    if (std::sscanf(line.c_str(), "SigCgt: %llx", &set) == 1) facts.caught = set;
  }
  return facts;
}

bool catches(const ProcessFacts& facts, std::uint32_t signal) {
  return signal >= 1 && signal <= 64 && (facts.caught >> (signal - 1) & 1) != 0;
}

void sleep_us(long us) {
  const timespec moment = {0, us * 1000};
  nanosleep(&moment, nullptr);
}

}  // namespace

/// The state of a rank at one time.
struct Inspection::Seen {
  RankId rank = 0;
  std::unique_ptr<RankRecord> record = std::make_unique<RankRecord>();
  ProcessFacts process;
  bool is_asked = false;
  std::uint32_t asked = 0;

  std::uint32_t pid() const { return record->pid.load(std::memory_order_relaxed); }
  unsigned lanes() const { return std::min<unsigned>(record->lanes, observe::kThreadRecords); }
  std::uint64_t polls() const {
    std::uint64_t polls = 0;
    for (const observe::ThreadRecord& thread : record->threads) polls += thread.counters.polls.get();
    return polls;
  }
};

Inspection::Inspection(int memory_fd, std::vector<RankId> ranks, RankId size, std::string host)
    : memory_fd_(memory_fd), ranks_(std::move(ranks)), size_(size), host_(std::move(host)) {}

/// Reads again while the rank writes a wait; after some attempts takes the record as it is.
void Inspection::read(Seen& seen) const {
  constexpr int kMostTries = 8;
  RankRecord& record = *seen.record;
  const auto place = static_cast<off_t>(rank_record_place(seen.rank));
  for (int tries = 0; tries < kMostTries; ++tries) {
    if (::pread(memory_fd_, &record, sizeof record, place) != static_cast<ssize_t>(sizeof record))
      std::memset(static_cast<void*>(&record), 0, sizeof record);
    bool is_whole = true;
    for (unsigned i = 0; i < observe::kThreadRecords && is_whole; ++i) {
      const std::uint32_t version = record.threads[i].wait.version.load(std::memory_order_relaxed);
      std::uint32_t again = version;
      if (record.threads[i].tid.load(std::memory_order_relaxed) == 0) continue;
      const std::size_t offset = offsetof(RankRecord, threads) + i * sizeof(observe::ThreadRecord) +
                                 offsetof(observe::ThreadRecord, wait) +
                                 offsetof(observe::WaitRecord, version);
      (void)!::pread(memory_fd_, &again, sizeof again, place + static_cast<off_t>(offset));
      is_whole = version % 2 == 0 && again == version;
    }
    if (is_whole) break;
  }
  if (seen.pid() == 0) return;
  seen.process = ask_system(seen.pid());
  // A process that has become another program has no handler any more.
  if (seen.process.state != ProcessState::kGone && record.signal != 0 &&
      !catches(seen.process, record.signal))
    seen.process.state = ProcessState::kGone;
}

void Inspection::ask(const std::vector<Seen*>& asked) const {
  for (Seen* const seen : asked) {
    const bool may_answer =
        seen->process.state == ProcessState::kRuns || seen->process.state == ProcessState::kSleeps;
    if (!may_answer || !catches(seen->process, seen->record->signal)) continue;
    seen->is_asked = true;
    seen->asked = seen->record->asked.load(std::memory_order_relaxed) + 1;
    (void)!::pwrite(memory_fd_, &seen->asked, sizeof seen->asked,
                    static_cast<off_t>(rank_record_place(seen->rank) + offsetof(RankRecord, asked)));
    for (const observe::ThreadRecord& thread : seen->record->threads) {
      if (const std::uint32_t tid = thread.tid.load(std::memory_order_relaxed); tid != 0)
        syscall(SYS_tgkill, static_cast<pid_t>(seen->pid()), static_cast<pid_t>(tid),
                static_cast<int>(seen->record->signal));
    }
  }
}

std::vector<RankState> Inspection::look(const InspectOptions& look) {
  constexpr long kTickUs = 500;
  std::vector<Seen> before(ranks_.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    before[i].rank = ranks_[i];
    read(before[i]);
  }
  std::vector<Seen*> asked;
  for (Seen& seen : before) {
    if (seen.pid() != 0) asked.push_back(&seen);
  }
  if (look.with_stacks) ask(asked);

  std::vector<Seen> now(ranks_.size());
  const std::uint64_t end_ns =
      machine_clock().now_ns() +
      static_cast<std::uint64_t>(look.with_stacks ? look.patience_ms : 0) * 1'000'000;
  if (look.with_stacks) sleep_us(kTickUs);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    now[i].rank = ranks_[i];
    for (;;) {
      read(now[i]);
      const auto has_answered = [&](const observe::ThreadRecord& thread) {
        return thread.tid.load(std::memory_order_relaxed) == 0 ||
               thread.position.answered.load(std::memory_order_relaxed) == before[i].asked;
      };
      const bool is_done = !before[i].is_asked || std::all_of(std::begin(now[i].record->threads),
                                                              std::end(now[i].record->threads), has_answered);
      if (is_done || machine_clock().now_ns() >= end_ns) break;
      sleep_us(kTickUs);
    }
  }
  std::vector<RankState> states;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    now[i].is_asked = before[i].is_asked;
    now[i].asked = before[i].asked;
    states.push_back(state_of(before[i], now[i], look.with_stacks));
    if (look.with_counters) {
      add_counters(states.back(), now[i]);
    } else {
      add_awaited_counters(states.back(), now[i]);
    }
  }
  return states;
}

RankState Inspection::state_of(const Seen& before, const Seen& now, bool with_stacks) {
  RankState state;
  state.rank = now.rank;
  if (!host_.empty()) state.where = "host " + host_;
  if (now.pid() == 0) return state;
  const RankRecord& record = *now.record;
  state.where += (state.where.empty() ? "pid " : ", pid ") + std::to_string(now.pid());
  state.process = now.process.state;
  state.polls = now.polls() != before.polls();
  state.conduit = observe::clean_text(record.conduit, sizeof record.conduit);
  for (const observe::TeamProgress& team : record.teams) {
    if (const std::uint32_t id = team.id_plus_one.load(std::memory_order_relaxed); id != 0)
      state.teams.push_back(
          {id - 1, team.size, team.barriers.load(), team.named_barriers.load(), team.collectives.load()});
  }
  const std::uint64_t now_ns = machine_clock().now_ns();
  for (const observe::ThreadRecord& thread : record.threads) {
    observe::ThreadState known;
    known.tid = thread.tid.load(std::memory_order_relaxed);
    if (known.tid == 0) continue;
    if (std::optional<observe::Wait> wait = observe::wait_of(thread.wait, now_ns))
      known.wait = std::move(*wait);
    const observe::Position& position = thread.position;
    known.has_answered = with_stacks && now.is_asked && state.is_here() &&
                         position.answered.load(std::memory_order_relaxed) == now.asked;
    if (known.has_answered) {
      known.in_handler = std::min<std::uint8_t>(position.in_handler, 2);
      known.has_prepared = position.has_prepared != 0;
      known.handler = position.handler;
      known.source = position.source;
      known.handler_name = observe::clean_text(position.handler_name, sizeof position.handler_name);
      const unsigned frames = std::min<unsigned>(position.frames, observe::Position::kMostFrames);
      known.stack = symbols_.name(static_cast<pid_t>(now.pid()), {position.stack, position.stack + frames},
                                  state.files);
    }
    state.threads.push_back(std::move(known));
    observe::ThreadCounts counts;
    std::memcpy(static_cast<void*>(&counts), static_cast<const void*>(&thread.counters), sizeof counts);
    add_words(state.done, counts);
  }
  return state;
}

void Inspection::add_counters(RankState& state, const Seen& seen) const {
  const unsigned lanes = seen.lanes();
  std::vector<observe::PeerCounts> all(size_);
  std::vector<observe::PeerCounts> some(kPage / sizeof(observe::PeerCounts));
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const auto begin = static_cast<off_t>(peer_counters_place(state.rank, lane, size_));
    const auto end = begin + static_cast<off_t>(peer_counters_bytes(size_));
    // Skips pages that were never written, often most of them.
    for (off_t at = begin; (at = ::lseek(memory_fd_, at, SEEK_DATA)) >= 0 && at < end;
         at += static_cast<off_t>(kPage)) {
      at -= at % static_cast<off_t>(kPage);
      if (::pread(memory_fd_, static_cast<void*>(some.data()), kPage, at) != static_cast<ssize_t>(kPage))
        break;
      const std::size_t first = static_cast<std::size_t>(at - begin) / sizeof(observe::PeerCounts);
      for (std::size_t i = 0; i < some.size() && first + i < all.size(); ++i)
        add_words(all[first + i], some[i]);
    }
  }
  for (RankId peer = 0; peer < size_; ++peer) {
    const auto* const words = reinterpret_cast<const std::uint64_t*>(&all[peer]);
    if (std::any_of(words, words + sizeof all[peer] / sizeof *words,
                    [](std::uint64_t word) { return word != 0; }))
      state.peers.push_back({peer, all[peer]});
  }
}

void Inspection::add_awaited_counters(RankState& state, const Seen& seen) const {
  std::set<RankId> awaited;
  for (const observe::ThreadState& thread : state.threads) {
    if (thread.wait.kind == observe::WaitKind::kCredits && thread.wait.peer < size_)
      awaited.insert(thread.wait.peer);
  }
  for (const RankId peer : awaited) {
    observe::PeerState& known = state.peers.emplace_back();
    known.peer = peer;
    for (unsigned lane = 0; lane < seen.lanes(); ++lane) {
      observe::PeerCounts counts;
      const std::size_t place = peer_counters_place(state.rank, lane, size_) + peer * sizeof counts;
      if (::pread(memory_fd_, &counts, sizeof counts, static_cast<off_t>(place)) ==
          static_cast<ssize_t>(sizeof counts))
        add_words(known.counts, counts);
    }
  }
}

}  // namespace aqueduct::job
