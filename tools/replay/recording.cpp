#include "tools/replay/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "tools/replay/arrivals.hpp"

namespace aqueduct::replay {
namespace {

using Phase = RecordedEvent::Phase;
using What = Step::What;

/// Why a recording cannot be replayed.
struct Refusal {
  std::string line;
};

constexpr std::uint64_t kNamedBarriers = ~std::uint32_t{0};
constexpr std::uint32_t kMostTypes = 6;
/// A wait that no message has ended, and that took longer, was ended by something that is not recorded.
constexpr std::int64_t kUnexplainedNs = 1000;
/// As trace::timeline has them.
constexpr std::uint32_t kEnterTogether = 0x100, kLeaveTogether = 0x200, kCollectiveKind = 0xff;
constexpr std::uint32_t kSplit = 8, kCreate = 9;
/// Calls that look one after the other are one loop if the program does so little in between.
constexpr std::int64_t kBetweenLooksNs = 1000;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

Completion completion_of(std::string_view name) {
  if (has(name, "NBI")) return Completion::kImplicit;
  return has(name, "NB") || name.ends_with("_nb") ? Completion::kEvent : Completion::kBlocking;
}

/// Of all ranks, by the number that a file has for it.
class Messages {
 public:
  explicit Messages(Program& program) : program_(program) {}

  std::uint32_t at(std::uint64_t number) {
    const auto [entry, is_new] =
        by_number_.try_emplace(number, static_cast<std::uint32_t>(program_.messages.size()));
    if (is_new) program_.messages.emplace_back();
    return entry->second;
  }
  std::uint32_t unnumbered() {
    program_.messages.emplace_back();
    return static_cast<std::uint32_t>(program_.messages.size() - 1);
  }

 private:
  Program& program_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_number_;
};

/// Teams by their id, which another team may get when the first is destroyed: all members of both see that
/// in the same order.
class Teams {
 public:
  explicit Teams(std::uint32_t ranks) : latest_(ranks) {}

  /// Its members, from what each of them says.
  void define(const RecordedEvent& event) {
    if (event.bytes == 0 || event.bytes > latest_.size() || event.peer >= event.bytes)
      throw Refusal{"is no timeline: it has a team that cannot be"};
    const std::uint32_t generation = ++latest_[event.rank][event.team];
    std::vector<std::uint32_t>& members = members_[{event.team, generation}];
    members.resize(static_cast<std::size_t>(event.bytes), kNone);
    if (members[event.peer] != kNone) throw Refusal{"is no timeline: two ranks have one place in a team"};
    members[event.peer] = event.rank;
  }
  /// From now on that rank means the next team of that id.
  void join(const RecordedEvent& event) { ++latest_[event.rank][event.team]; }
  /// 0 is all ranks; others count from 1 in the order of `members()`.
  std::uint32_t number_of(std::uint32_t rank, std::uint64_t team) const {
    if (team == 0) return 0;
    const auto generation = latest_[rank].find(team);
    const auto found =
        generation == latest_[rank].end() ? members_.end() : members_.find({team, generation->second});
    if (found == members_.end())
      throw Refusal{"uses a team whose making is not in it: record the job from its beginning"};
    return static_cast<std::uint32_t>(std::distance(members_.begin(), found)) + 1;
  }
  void forget_generations() {
    for (auto& each : latest_) each.clear();
  }
  const auto& members() const { return members_; }

 private:
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::uint32_t>> members_;
  std::vector<std::map<std::uint64_t, std::uint32_t>> latest_;  // of each rank
};

/// Barriers and collectives: the n-th of a team is the same for all its members.
class Meetings {
 public:
  Meetings(Program& program, std::uint32_t ranks) : program_(program), seen_(ranks) {}

  enum class Family : std::uint8_t { kBarrier, kNamed, kCollective, kSplit };
  std::uint32_t arrive(std::uint32_t rank, std::uint32_t step, std::uint32_t team, Family family) {
    const std::uint32_t number = seen_[rank][{team, family}]++;
    const auto [entry, is_new] = all_.try_emplace(std::tuple{team, family, number},
                                                  static_cast<std::uint32_t>(program_.meetings.size()));
    if (is_new) program_.meetings.emplace_back();
    program_.meetings[entry->second].members.emplace_back(rank, step);
    sizes_.resize(program_.meetings.size());
    sizes_[entry->second] = program_.teams[team].size();
    return entry->second;
  }
  bool all_are_complete() const {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (program_.meetings[i].members.size() != sizes_[i]) return false;
    }
    return true;
  }

 private:
  Program& program_;
  std::map<std::tuple<std::uint32_t, Family, std::uint32_t>, std::uint32_t> all_;
  std::vector<std::map<std::pair<std::uint32_t, Family>, std::uint32_t>> seen_;
  std::vector<std::size_t> sizes_;
};

/// What all ranks share while the program is made.
struct Making {
  explicit Making(Program& made, std::uint32_t ranks)
      : program(made), messages(made), teams(ranks), meetings(made, ranks) {}
  Program& program;
  Messages messages;
  Teams teams;
  Meetings meetings;
  std::map<std::string, std::uint64_t> unknown;  ///< calls that nobody can replay
  std::map<std::string, std::uint64_t> others;   ///< calls that are replayed as something like them
  std::uint64_t unexplained_waits = 0;
};

/// The program of one rank, from its events.
class RankMaker {
 public:
  RankMaker(Making& making, std::uint32_t rank, std::vector<const RecordedEvent*> events)
      : making_(making), rank_(rank), events_(std::move(events)), program_(making.program.ranks[rank]) {}

  void make() {
    for (std::size_t i = 0; i < events_.size();) i = add(i);
  }
  /// When all ranks are made.
  void finish() { find_arrivals(making_.program, arrived_, waits_, program_.arrivals); }

 private:
  /// The first event after those that lie in that one.
  std::size_t end_of(std::size_t at) const {
    std::size_t i = at + 1;
    while (i < events_.size() && events_[i]->depth > events_[at]->depth) ++i;
    return i;
  }

  std::size_t add(std::size_t at) {
    const RecordedEvent& event = *events_[at];
    const std::size_t end = end_of(at);
    if (event.phase != Phase::kSlice) return at + 1;
    if (event.looked == 0 || !continues_loop(event)) add_gap(event.begin);
    now_ = std::max(now_, event.begin + event.duration);
    const std::size_t handled_before = arrived_.size();
    count_arrivals(at, end);
    if (event.category == "operation") {
      add_operation(event, at, end);
    } else if (event.category == "barrier") {
      add_barrier(event, at, end);
    } else if (event.category == "wait") {
      add_wait(event, at, end, handled_before);
    } else if (event.category == "send") {
      add_send(event);
    }
    return end;
  }

  Step& push(What what, Kind kind, const RecordedEvent& event) {
    Step step;
    step.what = what;
    step.kind = kind;
    step.recorded = {event.begin, event.begin + event.duration};
    program_.steps.push_back(step);
    return program_.steps.back();
  }

  void add_gap(std::int64_t until) {
    if (until <= now_) return;
    Step step;
    step.ns = static_cast<std::uint64_t>(until - now_);
    step.recorded = {now_, until};
    program_.steps.push_back(step);
  }

  std::uint32_t checked_peer(const RecordedEvent& event) const {
    if (event.peer >= making_.program.ranks.size())
      throw Refusal{fmt::format("is no timeline: {} of rank {} has no peer in the job", event.name, rank_)};
    return event.peer;
  }

  std::uint64_t checked_bytes(const RecordedEvent& event) const {
    if (event.bytes > kMostBytes)
      throw Refusal{
          fmt::format("is no timeline: {} of rank {} has {} bytes", event.name, rank_, event.bytes)};
    return event.bytes;
  }

  /// The operation that a call has started.
  void take_event(Step& step, std::size_t at, std::size_t end) {
    if (step.completion != Completion::kEvent) return;
    for (std::size_t i = at + 1; i < end; ++i) {
      if (events_[i]->phase != Phase::kStarted || events_[i]->depth != events_[at]->depth + 1) continue;
      step.event = static_cast<std::uint32_t>(program_.event_steps.size());
      program_.event_steps.push_back(static_cast<std::uint32_t>(program_.steps.size() - 1));
      by_span_[events_[i]->span] = step.event;
      return;
    }
    throw Refusal{fmt::format("is no timeline: {} of rank {} has no operation", events_[at]->name, rank_)};
  }

  void add_operation(const RecordedEvent& event, std::size_t at, std::size_t end) {
    if (event.is_refused) {
      push(What::kPoll, Kind::kPolling, event);
      return;
    }
    if (event.collective != 0) return add_collective(event, at, end);
    if (event.name == "gex_NBI_BeginAccessRegion" || event.name == "gex_NBI_EndAccessRegion") {
      const bool begins = event.name == "gex_NBI_BeginAccessRegion";
      Step& step = push(begins ? What::kBeginRegion : What::kEndRegion, Kind::kImplicit, event);
      step.completion = begins ? Completion::kBlocking : Completion::kEvent;
      take_event(step, at, end);
      return;
    }
    const bool is_atomic = event.name.starts_with("gex_AD_Op");
    const bool is_vis = event.name.starts_with("gex_VIS_");
    const bool is_put = has(event.name, "Put"), is_get = has(event.name, "Get");
    if (!is_atomic && !((is_vis || event.name.starts_with("gex_RMA_")) && (is_put || is_get))) {
      ++making_.unknown[event.name];
      return;
    }
    if (is_vis) ++making_.others[event.name];
    Step& step = push(is_atomic ? What::kAtomic
                      : is_put  ? What::kPut
                                : What::kGet,
                      is_atomic ? Kind::kAtomic
                      : is_put  ? Kind::kPut
                                : Kind::kGet,
                      event);
    step.peer = checked_peer(event);
    step.bytes = checked_bytes(event);
    step.completion = completion_of(event.name);
    step.source = static_cast<Source>(std::min<std::uint32_t>(event.local, 2));
    if (is_atomic) {
      if (event.type >= kMostTypes || event.opcode == 0 || (event.opcode & (event.opcode - 1)) != 0)
        throw Refusal{fmt::format("is no timeline: {} of rank {} is no atomic", event.name, rank_)};
      step.number = event.opcode;
      step.type = static_cast<std::uint8_t>(event.type);
      making_.program.has_atomics = true;
    }
    making_.program.largest_transfer = std::max(making_.program.largest_transfer, step.bytes);
    take_event(step, at, end);
  }

  void add_collective(const RecordedEvent& event, std::size_t at, std::size_t end) {
    const std::uint32_t coded = event.collective - 1;
    if (coded == kSplit || coded == kCreate) return add_split(event, at, end);
    if ((coded & kCollectiveKind) >= kCollectives) {
      ++making_.unknown[event.name];
      return;
    }
    Step& step = push(What::kCollective, Kind::kCollective, event);
    step.number = coded & kCollectiveKind;
    step.enter_together = (coded & kEnterTogether) != 0;
    step.leave_together = (coded & kLeaveTogether) != 0;
    step.team = making_.teams.number_of(rank_, event.team);
    step.peer = event.peer;
    step.bytes = checked_bytes(event);
    step.completion = completion_of(event.name);
    const auto collective = static_cast<Collective>(step.number);
    const bool has_root = collective != Collective::kReduceToAll && collective != Collective::kGatherAll &&
                          collective != Collective::kExchange;
    const std::vector<std::uint32_t>& members = making_.program.teams[step.team];
    if (has_root && std::ranges::find(members, step.peer) == members.end())
      throw Refusal{fmt::format("is no timeline: the root of {} is not in the team", event.name)};
    const bool is_many = collective >= Collective::kScatter;
    const std::uint64_t data = is_many ? step.bytes * members.size() : step.bytes;
    if (data > kMostBytes) throw Refusal{fmt::format("is no timeline: {} has {} bytes", event.name, data)};
    making_.program.largest_data = std::max(making_.program.largest_data, data);
    step.meeting = making_.meetings.arrive(rank_, static_cast<std::uint32_t>(program_.steps.size() - 1),
                                           step.team, Meetings::Family::kCollective);
    take_event(step, at, end);
  }

  void add_split(const RecordedEvent& event, std::size_t at, std::size_t end) {
    Step& step = push(What::kSplit, Kind::kCollective, event);
    step.team = making_.teams.number_of(rank_, event.team);
    step.number = kNone;
    for (std::size_t i = at + 1; i < end; ++i) {
      if (events_[i]->phase != Phase::kTeam) continue;
      making_.teams.join(*events_[i]);
      step.number = making_.teams.number_of(rank_, events_[i]->team);
    }
    step.meeting = making_.meetings.arrive(rank_, static_cast<std::uint32_t>(program_.steps.size() - 1),
                                           step.team, Meetings::Family::kSplit);
  }

  void add_barrier(const RecordedEvent& event, std::size_t at, std::size_t end) {
    const bool is_named = event.team == kNamedBarriers;
    Step& step = push(is_named ? What::kNotify : What::kBarrier, Kind::kBarrier, event);
    step.team = is_named ? 0 : making_.teams.number_of(rank_, event.team);
    step.completion = completion_of(event.name);
    step.meeting =
        making_.meetings.arrive(rank_, static_cast<std::uint32_t>(program_.steps.size() - 1), step.team,
                                is_named ? Meetings::Family::kNamed : Meetings::Family::kBarrier);
    if (is_named) named_ = step.meeting;
    take_event(step, at, end);
  }

  void add_send(const RecordedEvent& event) {
    Step& step = push(What::kSend, Kind::kMessage, event);
    step.number = message_of(event);
    if (making_.program.messages[step.number].is_reply)
      throw Refusal{fmt::format("is no timeline: rank {} replies outside of a handler", rank_)};
  }

  /// The message that a call sends.
  std::uint32_t message_of(const RecordedEvent& event) {
    const std::uint32_t number =
        event.message == 0 ? making_.messages.unnumbered() : making_.messages.at(event.message);
    MessagePlan& message = making_.program.messages[number];
    if (message.from != kNone) throw Refusal{"is no timeline: a message is sent twice"};
    message.from = rank_;
    message.to = checked_peer(event);
    message.category = has(event.name, "Short")    ? MessagePlan::Category::kShort
                       : has(event.name, "Medium") ? MessagePlan::Category::kMedium
                                                   : MessagePlan::Category::kLong;
    message.is_reply = has(event.name, "Reply");
    message.source = static_cast<Source>(std::min<std::uint32_t>(event.local, 2));
    message.handler = static_cast<std::uint8_t>(event.handler);
    message.arguments = static_cast<std::uint8_t>(std::min<std::uint32_t>(event.arguments, 16));
    message.bytes = checked_bytes(event);
    message.sent = event.begin;
    making_.program.largest_transfer = std::max(making_.program.largest_transfer, message.bytes);
    return number;
  }

  /// The handlers that run in that slice, or are it.
  void count_arrivals(std::size_t at, std::size_t end) {
    for (std::size_t i = at; i < end; ++i) {
      const RecordedEvent& event = *events_[i];
      if (event.phase != Phase::kSlice || event.category != "handler" || event.message == 0) continue;
      const std::uint32_t number = making_.messages.at(event.message);
      make_body(number, i);
      making_.program.messages[number].handled = event.begin;
      making_.program.messages[number].handler = static_cast<std::uint8_t>(event.handler);
      arrived_.push_back(number);
    }
  }

  /// What a handler does: it computes, and may reply.
  void make_body(std::uint32_t number, std::size_t at) {
    const RecordedEvent& handler = *events_[at];
    std::vector<Step> body;
    std::int64_t now = handler.begin;
    const auto compute_until = [&](std::int64_t until) {
      if (until <= now) return;
      Step step;
      step.ns = static_cast<std::uint64_t>(until - now);
      body.push_back(step);
    };
    const std::size_t end = end_of(at);
    for (std::size_t i = at + 1; i < end; ++i) {
      const RecordedEvent& event = *events_[i];
      if (event.phase != Phase::kSlice || event.depth != handler.depth + 1) continue;
      compute_until(event.begin);
      now = std::max(now, event.begin + event.duration);
      if (event.category != "send") continue;
      Step reply;
      reply.what = What::kSend;
      reply.kind = Kind::kMessage;
      reply.number = message_of(event);
      if (!making_.program.messages[reply.number].is_reply)
        throw Refusal{fmt::format("is no timeline: a handler of rank {} sends a request", rank_)};
      body.push_back(reply);
    }
    compute_until(handler.begin + handler.duration);
    making_.program.messages[number].body = std::move(body);
  }

  void add_wait(const RecordedEvent& event, std::size_t at, std::size_t end, std::size_t handled_before) {
    if (event.looked != 0 && event.name != "polling") {
      if (const std::optional<std::int64_t> begin = take_fruitless_looks()) {
        RecordedEvent whole = event;
        whole.looked = 2;
        whole.duration += event.begin - *begin;
        whole.begin = *begin;
        return add_wait(whole, at, end, handled_before);
      }
    }
    if (event.name == "GASNET_BLOCKUNTIL" || (event.name == "gasnet_AMPoll" && event.looked == 2))
      return wait_for_messages(event, handled_before);
    if (event.looked != 0 && event.name != "gasnet_AMPoll" && continues_loop(event)) forget_loop();
    if (event.name == "polling") {
      push(What::kPollFor, Kind::kPolling, event).ns = static_cast<std::uint64_t>(event.duration);
      return;
    }
    if (event.name == "gasnet_AMPoll") {
      push(What::kPoll, Kind::kPolling, event);
      return;
    }
    if (event.name == "gasnet_barrier_wait" || event.name == "gasnet_barrier_try") {
      if (named_ == kNone)
        throw Refusal{"is no timeline: a rank waits for a barrier that it has not notified"};
      Step& step = push(What::kNotified, Kind::kBarrier, event);
      step.meeting = named_;
      step.looks = event.looked != 0;
      return;
    }
    if (event.is_implicit) {
      Step& step = push(What::kWaitImplicit, Kind::kImplicit, event);
      step.number = event.implicit;
      step.looks = event.looked != 0;
    }
    wait_for_operations(event, at, end);
  }

  /// Fruitless looks are recorded by themselves if more than a moment has passed before the next one: the
  /// program computed, or the system had taken its core. If a look follows that has found something, they are
  /// the beginning of that wait, and take no time of their own. Drops them behind the computing among them,
  /// which stays, and returns when the rest of the wait begins; nothing if there are none.
  std::optional<std::int64_t> take_fruitless_looks() {
    std::vector<Step>& steps = program_.steps;
    const auto is_fruitless = [](const Step& step) {
      return step.what == What::kPollFor && step.kind == Kind::kPolling;
    };
    auto first = steps.end();
    for (auto step = steps.end(); step != steps.begin();) {
      --step;
      if (is_fruitless(*step)) first = step;
      if (!is_fruitless(*step) && step->what != What::kCompute) break;
    }
    if (first == steps.end()) return std::nullopt;
    std::int64_t now = first->recorded.begin;
    steps.erase(std::remove_if(first, steps.end(), is_fruitless), steps.end());
    for (auto step = first; step != steps.end(); ++step) {
      const std::int64_t end = now + static_cast<std::int64_t>(step->ns);
      step->recorded = {now, end};
      now = end;
    }
    return now;
  }

  void wait_for_operations(const RecordedEvent& event, std::size_t at, std::size_t end) {
    const auto first = static_cast<std::uint32_t>(program_.awaited.size());
    for (std::size_t i = at + 1; i < end; ++i) {
      const RecordedEvent& inner = *events_[i];
      const bool is_completed = inner.phase == Phase::kCompleted,
                 is_released = inner.phase == Phase::kReleased;
      if (!is_completed && !is_released) continue;
      const auto found = by_span_.find(inner.span);
      if (found == by_span_.end()) continue;
      if (is_completed) {
        program_.awaited.push_back(found->second);
        by_span_.erase(found);
        continue;
      }
      const std::uint32_t started_by = program_.event_steps[found->second];
      if (program_.steps[started_by].what != What::kPut) continue;
      Step& step = push(What::kReleased, Kind::kPut, event);
      step.event = found->second;
      step.looks = event.looked != 0;
    }
    const auto count = static_cast<std::uint32_t>(program_.awaited.size()) - first;
    if (count == 0) return;
    const Step& starts = program_.steps[program_.event_steps[program_.awaited[first]]];
    const Kind kind = starts.kind;
    const std::uint32_t meeting = starts.meeting;
    Step& step = push(What::kWait, kind, event);
    step.first = first;
    step.count = count;
    step.meeting = count == 1 ? meeting : kNone;
    step.looks = event.looked != 0;
  }

  /// Whether the step before is a wait by looks, and this one looks again: the loop went on.
  bool continues_loop(const RecordedEvent& event) const {
    if (program_.steps.empty() || event.begin - now_ > kBetweenLooksNs) return false;
    const Step& before = program_.steps.back();
    return before.looks && before.what == What::kWaitMessages;
  }

  /// What the loop has found before was not what it looked for.
  void forget_loop() {
    waits_.pop_back();
    program_.arrivals.pop_back();
    program_.steps.pop_back();
  }

  void wait_for_messages(const RecordedEvent& event, std::size_t handled_before) {
    std::int64_t begin = event.begin;
    if (event.looked != 0 && continues_loop(event)) {
      begin = program_.steps.back().recorded.begin;
      forget_loop();
    }
    const bool has_ended_it = handled_before != arrived_.size();
    if (!has_ended_it && !event.is_true_at_once && event.duration >= kUnexplainedNs) {
      ++making_.unexplained_waits;
      push(What::kPollFor, Kind::kArrival, event).ns = static_cast<std::uint64_t>(event.duration);
      return;
    }
    Step& step = push(What::kWaitMessages, Kind::kArrival, event);
    step.recorded.begin = begin;
    step.number = static_cast<std::uint32_t>(program_.arrivals.size());
    step.looks = event.looked != 0;
    waits_.push_back(
        {static_cast<std::uint32_t>(arrived_.size()), has_ended_it,
         static_cast<std::uint32_t>(std::min(handled_before + event.went_on_after, arrived_.size()))});
    program_.arrivals.emplace_back();
  }

  Making& making_;
  const std::uint32_t rank_;
  const std::vector<const RecordedEvent*> events_;
  RankProgram& program_;
  std::int64_t now_ = 0;
  std::unordered_map<std::string, std::uint32_t> by_span_;  // events that are not completed yet
  std::vector<std::uint32_t> arrived_;                      // messages handled, in their order
  std::vector<MessageWait> waits_;                          // for messages
  std::uint32_t named_ = kNone;                             // the barrier that was notified last
};

std::string refusal_of(const Recording& recording) {
  if (recording.form == 0)
    return "says not how to replay it: it was not written by this version; record the job again";
  if (recording.form != 2)
    return fmt::format("has form {} of timelines, and this version reads form 2; record the job again",
                       recording.form);
  if (recording.lost_ranks != 0)
    return fmt::format(
        "lacks the earlier events of {} ranks: record the job again with a larger "
        "AQUEDUCT_TRACE_EVENTS",
        recording.lost_ranks);
  if (recording.exit_code && *recording.exit_code != 0)
    return fmt::format("is of a job that failed with code {}; only whole jobs can be replayed",
                       *recording.exit_code);
  for (const RecordedEvent& event : recording.events) {
    if (event.is_unfinished)
      return fmt::format(
          "is of a job that did not end well: rank {} was still in {}; only whole jobs can be "
          "replayed",
          event.rank, event.name);
  }
  if (recording.ranks == 0 || recording.ranks > kMostRanks || recording.is_there.size() > recording.ranks)
    return "is no timeline: it does not say how many ranks there are";
  const auto there = static_cast<std::uint32_t>(std::ranges::count(recording.is_there, true));
  if (there != recording.ranks)
    return fmt::format("has {} of {} ranks: copy all parts together and run `aqueduct trace merge` again",
                       there, recording.ranks);
  for (const RecordedEvent& event : recording.events) {
    if (event.rank >= recording.ranks) return "is no timeline: it has an event of a rank that is not there";
  }
  return "";
}

/// The events of a rank's client thread, of which there may be only one.
std::vector<const RecordedEvent*> of_client(const std::vector<const RecordedEvent*>& events,
                                            std::uint32_t rank) {
  std::optional<std::uint32_t> client;
  for (const RecordedEvent* const event : events) {
    if (event->depth != 0 || event->category == "handler") continue;
    if (client && *client != event->thread)
      throw Refusal{fmt::format(
          "has calls of several threads of rank {}, and a simulated rank has one thread; record a job whose "
          "ranks have one",
          rank)};
    client = event->thread;
  }
  std::vector<const RecordedEvent*> chosen;
  for (const RecordedEvent* const event : events) {
    if (!client || event->thread == *client) chosen.push_back(event);
  }
  if (chosen.size() != events.size())
    throw Refusal{
        fmt::format("has handlers that another thread of rank {} ran, and a simulated rank has one "
                    "thread; record a job whose ranks have one",
                    rank)};
  return chosen;
}

Program make(const Recording& recording) {
  Program program;
  program.ranks.resize(recording.ranks);
  std::vector<std::vector<const RecordedEvent*>> by_rank(recording.ranks);
  for (const RecordedEvent& event : recording.events) by_rank[event.rank].push_back(&event);
  Making making(program, recording.ranks);
  for (const auto& events : by_rank) {
    for (const RecordedEvent* const event : events) {
      if (event->phase == Phase::kTeam) making.teams.define(*event);
    }
  }
  making.teams.forget_generations();
  std::vector<std::uint32_t>& world = program.teams.emplace_back();
  for (std::uint32_t rank = 0; rank < recording.ranks; ++rank) world.push_back(rank);
  for (const auto& [id, members] : making.teams.members()) {
    if (std::ranges::find(members, kNone) != members.end())
      throw Refusal{"lacks a member of a team: record the job again"};
    program.teams.push_back(members);
  }
  std::vector<RankMaker> makers;
  makers.reserve(recording.ranks);
  for (std::uint32_t rank = 0; rank < recording.ranks; ++rank) {
    makers.emplace_back(making, rank, of_client(by_rank[rank], rank));
    makers.back().make();
  }
  for (const RecordedEvent& event : recording.events)
    program.duration = std::max(program.duration, event.begin + event.duration);
  if (!making.unknown.empty()) {
    const auto& [name, count] = *making.unknown.begin();
    throw Refusal{fmt::format("has {} calls of {}, which cannot be replayed", count, name)};
  }
  if (!making.meetings.all_are_complete())
    throw Refusal{"has barriers or collectives that not all ranks came to; only whole jobs can be replayed"};
  for (const MessagePlan& message : program.messages) {
    if (message.from == kNone) throw Refusal{"is no timeline: a message has a handler and no sender"};
  }
  for (RankMaker& maker : makers) maker.finish();
  for (const auto& [name, count] : making.others)
    program.notes.push_back(fmt::format("{} {} are replayed as contiguous transfers", count, name));
  if (making.unexplained_waits != 0)
    program.notes.push_back(
        fmt::format("{} waits were ended by no message (by a put?): they take as long as they took",
                    making.unexplained_waits));
  return program;
}

}  // namespace

std::optional<Program> program_of(const Recording& recording, std::string* why) {
  *why = refusal_of(recording);
  if (!why->empty()) return std::nullopt;
  try {
    return make(recording);
  } catch (const Refusal& refusal) {
    *why = refusal.line;
    return std::nullopt;
  }
}

}  // namespace aqueduct::replay
