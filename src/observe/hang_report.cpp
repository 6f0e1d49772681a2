#include "observe/hang_report.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <unordered_map>

#include "observe/words.hpp"

namespace aqueduct::observe {
namespace {

using Edges = std::vector<std::vector<RankId>>;

constexpr std::uint64_t kNotYet = 0;
/// Of one rank, for what follows from them: of thousands that are missing somewhere, some tell enough.
constexpr std::size_t kMostEdges = 16;
/// Follow at most this many wait chains.
constexpr std::size_t kMostStarts = 1024;

/// The longest wait of a rank, if it has one.
const Wait* wait_in(const RankState& state) {
  const Wait* longest = nullptr;
  for (const ThreadState& thread : state.threads) {
    if (thread.wait.kind == WaitKind::kNothing) continue;
    if (!longest || thread.wait.waited_ns > longest->waited_ns) longest = &thread.wait;
  }
  return longest;
}

const ThreadState* handler_in(const RankState& state) {
  for (const ThreadState& thread : state.threads) {
    if (thread.has_answered && thread.in_handler != 0) return &thread;
  }
  return nullptr;
}

/// It says that it waits, and could go on if it got what it waits for. One that was stopped, or ran into a
/// handler that does not return, in a wait cannot.
bool can_be_helped(const RankState& state) { return state.is_here() && wait_in(state) && !handler_in(state); }

/// Places of ranks in the list of states.
class Places {
 public:
  explicit Places(const std::vector<RankState>& states) {
    for (std::size_t i = 0; i < states.size(); ++i) places_[states[i].rank] = i;
  }
  /// The number of states if there is none.
  std::size_t operator()(RankId rank) const {
    const auto found = places_.find(rank);
    return found == places_.end() ? kNowhere : found->second;
  }
  static constexpr std::size_t kNowhere = ~std::size_t{0};

 private:
  std::unordered_map<RankId, std::size_t> places_;
};

bool is_team_wait(WaitKind kind) {
  return kind == WaitKind::kBarrier || kind == WaitKind::kNamedBarrier || kind == WaitKind::kCollective;
}

std::uint64_t arrivals(const TeamState& team, WaitKind kind) {
  if (kind == WaitKind::kBarrier) return team.barriers;
  return kind == WaitKind::kNamedBarrier ? team.named_barriers : team.collectives;
}

std::string name_handler(const ThreadState& thread) {
  std::string name = "handler " + std::to_string(thread.handler);
  if (!thread.handler_name.empty()) name += " ('" + thread.handler_name + "')";
  return name + (thread.in_handler == 1 ? " of a request of rank " : " of a reply of rank ") +
         std::to_string(thread.source);
}

/// Of a wait for credits: what sends to that peer have lacked so far, and how often.
std::string retries_of(const RankState& state, const Wait& wait) {
  if (wait.kind != WaitKind::kCredits) return "";
  std::string text;
  for (const PeerState& peer : state.peers) {
    if (peer.peer != wait.peer) continue;
    for (const std::string& reason : name_retries(peer.counts)) text += (text.empty() ? "" : ", ") + reason;
  }
  return text;
}

/// What a rank does that does not wait.
std::string name_deed(const RankState& state) {
  switch (state.process) {
    case ProcessState::kNotStarted:
      return "has not started the library";
    case ProcessState::kStopped:
      return "is stopped";
    case ProcessState::kTraced:
      return "is stopped by a debugger";
    case ProcessState::kGone:
      return "has left the job";
    case ProcessState::kCrashed:
      return "has crashed";
    case ProcessState::kSilent:
      return "cannot be asked: its host has not answered";
    case ProcessState::kRuns:
    case ProcessState::kSleeps:
      break;
  }
  if (const ThreadState* const thread = handler_in(state)) return "runs " + name_handler(*thread);
  for (const ThreadState& thread : state.threads) {
    if (thread.has_answered && thread.has_prepared)
      return "has prepared a message and neither committed nor cancelled it";
  }
  if (!state.resting.empty()) return "waits for " + state.resting;
  if (state.polls) return "polls for messages by itself";
  return state.process == ProcessState::kRuns ? "computes outside of the library"
                                              : "sleeps outside of the library";
}

/// For a finding: what keeps those from going on that wait for it. It waits for nobody that is known.
std::string name_cause(const RankState& state) {
  if (!can_be_helped(state)) return name_deed(state);
  const Wait& wait = *wait_in(state);
  return "waits for " + name_wait(wait) +
         (wait.kind == WaitKind::kBlockUntil && wait.call.empty() ? ", which nobody has sent" : "");
}

/// By breadth, the shortest way from `start` back to it.
std::vector<std::size_t> cycle_through(std::size_t start, const std::vector<std::vector<std::size_t>>& next) {
  std::vector<std::size_t> from(next.size(), Places::kNowhere);
  std::deque<std::size_t> reached = {start};
  while (!reached.empty()) {
    const std::size_t at = reached.front();
    reached.pop_front();
    for (const std::size_t to : next[at]) {
      if (to == start) {
        std::vector<std::size_t> cycle;
        for (std::size_t back = at; back != start; back = from[back]) cycle.push_back(back);
        cycle.push_back(start);
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
      }
      if (from[to] != Places::kNowhere) continue;
      from[to] = at;
      reached.push_back(to);
    }
  }
  return {};
}

/// Leaves only edges that may be part of a cycle: none to those that wait for nobody, again and again.
void drop_ends(std::vector<std::vector<std::size_t>>& next) {
  std::vector<std::vector<std::size_t>> before(next.size());
  std::vector<std::size_t> left(next.size());
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < next.size(); ++i) {
    for (const std::size_t to : next[i]) before[to].push_back(i);
    left[i] = next[i].size();
    if (left[i] == 0) ends.push_back(i);
  }
  std::vector<bool> is_end(next.size());
  while (!ends.empty()) {
    const std::size_t end = ends.back();
    ends.pop_back();
    is_end[end] = true;
    for (const std::size_t from : before[end]) {
      if (--left[from] == 0) ends.push_back(from);
    }
  }
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (is_end[i]) next[i].clear();
    std::erase_if(next[i], [&](std::size_t to) { return is_end[to]; });
  }
}

std::vector<RankId> ranks_that(const std::vector<RankState>& states, const auto& is_one) {
  std::vector<RankId> ranks;
  for (const RankState& state : states) {
    if (is_one(state)) ranks.push_back(state.rank);
  }
  return ranks;
}

void add_states(std::vector<std::string>& sentences, const std::vector<RankState>& states,
                ProcessState process, const char* one, const char* many, const char* advice = "") {
  const std::vector<RankId> ranks =
      ranks_that(states, [&](const RankState& state) { return state.process == process; });
  if (ranks.empty()) return;
  sentences.push_back(name_ranks(ranks) + (ranks.size() == 1 ? one : many) + advice);
}

/// For whom, in the end, so many ranks wait: those who themselves wait for nobody.
void add_roots(std::vector<std::string>& sentences, const std::vector<RankState>& states,
               const Edges& edges) {
  const Places place(states);
  std::vector<std::vector<RankId>> waiting_for(states.size());
  std::size_t starts = 0;
  for (std::size_t start = 0; start < states.size() && starts < kMostStarts; ++start) {
    if (edges[start].empty()) continue;
    ++starts;
    std::vector<bool> seen(states.size());
    std::vector<std::size_t> rest = {start};
    seen[start] = true;
    while (!rest.empty()) {
      const std::size_t at = rest.back();
      rest.pop_back();
      if (edges[at].empty()) waiting_for[at].push_back(states[start].rank);
      for (const RankId rank : edges[at]) {
        const std::size_t to = place(rank);
        if (to == Places::kNowhere || seen[to]) continue;
        seen[to] = true;
        rest.push_back(to);
      }
    }
  }
  std::size_t most = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (waiting_for[i].size() > waiting_for[most].size()) most = i;
  }
  if (waiting_for[most].empty()) return;
  const std::size_t waiting = waiting_for[most].size();
  const bool is_everyone = waiting + 1 == states.size() && waiting > 1;
  const std::string who = is_everyone ? "everyone" : name_ranks(waiting_for[most]);
  sentences.push_back(who + (is_everyone || waiting == 1 ? " waits for rank " : " wait for rank ") +
                      std::to_string(states[most].rank) + ", which " + name_cause(states[most]));
}

}  // namespace

std::vector<RankId> missing_members(const std::vector<RankState>& states, const Wait& wait) {
  if (!is_team_wait(wait.kind) || wait.team == kNoTeam || wait.number == kNotYet) return {};
  return ranks_that(states, [&](const RankState& state) {
    for (const TeamState& team : state.teams) {
      if (team.team == wait.team) return arrivals(team, wait.kind) < wait.number;
    }
    return wait.team == 0;  // all ranks are members of that one
  });
}

Edges wait_edges(const std::vector<RankState>& states) {
  Edges edges(states.size());
  const Places place(states);
  std::map<std::tuple<WaitKind, std::uint32_t, std::uint64_t>, std::vector<RankId>>
      absent;  // thousands ask the same
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!can_be_helped(states[i])) continue;
    for (const ThreadState& thread : states[i].threads) {
      const Wait& wait = thread.wait;
      if (wait.kind == WaitKind::kNothing) continue;
      const auto [known, is_new] = absent.try_emplace({wait.kind, wait.team, wait.number});
      if (is_new) {
        known->second = missing_members(states, wait);
        if (known->second.size() > kMostEdges) known->second.resize(kMostEdges);
      }
      std::vector<RankId> others = known->second;
      if (wait.peer != kNoRank) others.push_back(wait.peer);
      if (others.empty() && !is_team_wait(wait.kind)) {
        for (const Missing& missing : wait.missing) {
          const std::size_t peer = place(missing.peer);
          if (peer != Places::kNowhere && !can_be_helped(states[peer])) others.push_back(missing.peer);
        }
      }
      edges[i].insert(edges[i].end(), others.begin(), others.end());
    }
    std::sort(edges[i].begin(), edges[i].end());
    edges[i].erase(std::unique(edges[i].begin(), edges[i].end()), edges[i].end());
    std::erase(edges[i], states[i].rank);
  }
  return edges;
}

std::vector<RankId> find_cycle(const std::vector<RankState>& states, const Edges& edges) {
  const Places place(states);
  std::vector<std::vector<std::size_t>> next(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (const RankId rank : edges[i]) {
      if (const std::size_t to = place(rank); to != Places::kNowhere) next[i].push_back(to);
    }
  }
  drop_ends(next);
  for (std::size_t start = 0; start < states.size(); ++start) {
    std::vector<RankId> ranks;
    for (const std::size_t at : cycle_through(start, next)) ranks.push_back(states[at].rank);
    if (!ranks.empty()) return ranks;
  }
  return {};
}

std::vector<std::string> findings(const std::vector<RankState>& states) {
  std::vector<std::string> sentences;
  add_states(sentences, states, ProcessState::kStopped, " is stopped", " are stopped",
             "; SIGCONT lets it go on");
  add_states(sentences, states, ProcessState::kTraced, " is stopped by a debugger",
             " are stopped by a debugger");
  add_states(sentences, states, ProcessState::kCrashed, " has crashed", " have crashed");
  add_states(sentences, states, ProcessState::kGone, " has left the job", " have left the job");
  add_states(sentences, states, ProcessState::kNotStarted, " has not started the library",
             " have not started the library");
  add_states(sentences, states, ProcessState::kSilent, " cannot be asked: its host has not answered",
             " cannot be asked: their host has not answered");
  for (const RankState& state : states) {
    if (const ThreadState* const thread = handler_in(state); thread && state.is_here())
      sentences.push_back("rank " + std::to_string(state.rank) + " runs " + name_handler(*thread) +
                          ": until it returns that thread does nothing else");
  }
  const Edges edges = wait_edges(states);
  if (const std::vector<RankId> cycle = find_cycle(states, edges); !cycle.empty()) {
    std::string text = "a cycle: ";
    constexpr std::size_t kMostShown = 8;
    for (std::size_t i = 0; i < std::min(cycle.size(), kMostShown); ++i)
      text += "rank " + std::to_string(cycle[i]) + " waits for ";
    if (cycle.size() > kMostShown)
      text += std::to_string(cycle.size() - kMostShown) + " others, and these for ";
    sentences.push_back(text + "rank " + std::to_string(cycle.front()));
  }
  add_roots(sentences, states, edges);
  const bool all_wait =
      std::all_of(states.begin(), states.end(), [](const RankState& state) { return can_be_helped(state); });
  if (sentences.empty() && all_wait && !states.empty())
    sentences.push_back("all ranks wait for something that nobody has sent");
  return sentences;
}

std::string describe_rank(const std::vector<RankState>& states, const RankState& state) {
  std::string text = "rank " + std::to_string(state.rank);
  if (!state.where.empty()) text += " (" + state.where + ")";
  const Wait* const wait = wait_in(state);
  if (!state.is_here() || !wait) return text + " " + name_deed(state);
  if (const ThreadState* const thread = handler_in(state)) text += " runs " + name_handler(*thread) + ", and";
  text += " waits for " + name_wait(*wait);
  if (!wait->call.empty() && wait->kind != WaitKind::kBlockUntil) text += ", in " + wait->call;
  if (wait->waited_ns != 0) text += ", since " + name_time(wait->waited_ns);
  if (const std::vector<RankId> missing = missing_members(states, *wait); !missing.empty())
    text += "; " + name_ranks(missing) + (missing.size() == 1 ? " has not come" : " have not come");
  if (const std::string retries = retries_of(state, *wait); !retries.empty()) text += "; retries: " + retries;
  if (const std::string missing = name_missing(*wait); !missing.empty())
    text += "; it has not got " + missing;
  return text;
}

namespace {

std::string describe_frame(const Frame& frame) {
  constexpr const char* kIndent = "      ";
  std::string lines;
  for (const std::string& function : frame.inlined) lines += kIndent + function + " (inlined)\n";
  return lines + kIndent + frame.text + (frame.source.empty() ? "" : " at " + frame.source) + "\n";
}

}  // namespace

std::string hang_report(const std::vector<RankState>& states, const ReportOptions& options) {
  std::string text;
  std::size_t lines = 0;
  std::map<std::vector<std::string>, RankId> shown;
  for (const RankState& state : states) {
    if (!options.shows_gone && state.process == ProcessState::kGone) continue;
    if (lines++ >= options.most_ranks && options.most_ranks != 0) continue;
    text += "  " + describe_rank(states, state) + "\n";
    if (!options.with_stacks) continue;
    for (const ThreadState& thread : state.threads) {
      if (!thread.has_answered || thread.stack.empty()) continue;
      if (state.threads.size() > 1) text += "      thread " + std::to_string(thread.tid) + ":\n";
      std::vector<std::string> stack;
      for (const Frame& frame : thread.stack) stack.push_back(frame.text);
      if (const auto [same, is_new] = shown.try_emplace(std::move(stack), state.rank); !is_new) {
        text += "      the same stack as rank " + std::to_string(same->second) + "\n";
        continue;
      }
      for (const Frame& frame : thread.stack) text += describe_frame(frame);
    }
  }
  if (options.most_ranks != 0 && lines > options.most_ranks)
    text += "  and " + std::to_string(lines - options.most_ranks) + " more\n";
  for (const std::string& sentence : findings(states)) text += "  => " + sentence + "\n";
  return text;
}

}  // namespace aqueduct::observe
