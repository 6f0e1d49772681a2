#include "tools/replay/replayer.hpp"

#include <algorithm>
#include <cmath>

#include "aqueduct/sim.h"
#include "base/fatal.hpp"
#include "tools/scenarios/member.hpp"
// After the one that says how many threads a rank has.
#include <gasnet_ratomic.h>

namespace aqueduct::replay {
namespace {

using What = Step::What;
using Category = MessagePlan::Category;
using scenarios::Member;

/// Handlers of each category and direction have 1 to 16 arguments.
constexpr unsigned kMostArguments = 16;
constexpr gex_AM_Index_t handler_of(Category category, bool is_reply, unsigned arguments) {
  const unsigned sort = static_cast<unsigned>(category) + (is_reply ? 3 : 0);
  return static_cast<gex_AM_Index_t>(GEX_AM_INDEX_BASE + sort * kMostArguments + arguments - 1);
}
/// The argument of a message that is only a part of one.
constexpr std::uint32_t kPart = kNone;
/// Those of atomics, in the order of their bits.
constexpr unsigned kTypes = 6;
constexpr gex_DT_t type_of(unsigned number) { return static_cast<gex_DT_t>(1u << number); }
static_assert(type_of(0) == GEX_DT_I32 && type_of(1) == GEX_DT_U32 && type_of(2) == GEX_DT_I64 &&
              type_of(3) == GEX_DT_U64 && type_of(4) == GEX_DT_FLT && type_of(5) == GEX_DT_DBL);
/// All ranks begin so long after the last has made its domains.
constexpr std::uint64_t kMarginNs = 1'000'000;

}  // namespace

struct Replay::State {
  State(const Program& played, double scale) : program(played), compute(scale) {
    for (const RankProgram& rank : program.ranks) run.steps.emplace_back(rank.steps.size());
    run.sent.resize(program.messages.size());
    run.handled.resize(program.messages.size());
    is_handled.resize(program.messages.size());
    const std::uint64_t bytes = std::max({program.largest_transfer, program.largest_data, std::uint64_t{64}});
    source.resize(bytes);
    sink.resize(bytes);
    for (const RankProgram& rank : program.ranks) {
      for (const Step& step : rank.steps) {
        if (step.what == What::kAtomic) operations[step.type] |= step.number;
      }
    }
  }

  const Program& program;
  double compute;
  Run run;
  std::vector<bool> is_handled;                    ///< by message
  scenarios::Block source, sink;                   ///< what all ranks send, and where they receive
  std::array<std::uint32_t, kTypes> operations{};  ///< of atomics, by type
  std::uint64_t begins_ns = 0;                     ///< when all begin
};

namespace {

/// One rank, while it runs.
class Player {
 public:
  explicit Player(Replay::State& state)
      : state_(state),
        handlers_(all_handlers()),
        me_(std::max<std::uint64_t>(state.program.largest_transfer, kPage), this, handlers_),
        program_(state.program.ranks[me_.rank()]),
        teams_(state.program.teams.size()),
        roots_(program_.event_steps.size()),
        leaves_(program_.event_steps.size()) {}

  void play() {
    prepare();
    std::vector<Span>& spans = state_.run.steps[me_.rank()];
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      spans[i].begin = now();
      take(program_.steps[i]);
      spans[i].end = now();
      state_.run.duration = std::max(state_.run.duration, spans[i].end);
    }
    me_.barrier();  // others may still need this rank
  }

  void handle(gex_Token_t token, std::uint32_t number) {
    if (number == kPart) return;
    const MessagePlan& message = state_.program.messages[number];
    state_.run.handled[number] = now();
    for (const Step& step : message.body) {
      if (step.what == What::kSend) {
        reply(token, step.number);
      } else {
        compute(step.ns);
      }
    }
    state_.is_handled[number] = true;
    ++counts_[message.handler];
  }

 private:
  static std::vector<gex_AM_Entry_t> all_handlers();

  /// Atomic domains are made before time counts.
  void prepare() {
    state_.begins_ns = std::max(state_.begins_ns, aqueduct_sim_time_ns());
    if (!state_.program.has_atomics) return;
    for (unsigned type = 0; type < kTypes; ++type) {
      if (state_.operations[type] != 0)
        gex_AD_Create(&domains_[type], me_.team(), type_of(type), state_.operations[type], 0);
    }
    state_.begins_ns = std::max(state_.begins_ns, aqueduct_sim_time_ns());
    me_.barrier();
    if (me_.rank() == 0) state_.begins_ns += kMarginNs;
    me_.barrier();
    const std::uint64_t here_ns = aqueduct_sim_time_ns();
    if (here_ns < state_.begins_ns) aqueduct_sim_compute_ns(state_.begins_ns - here_ns);
  }

  void split(const Step& step) {
    gex_TM_t made = GEX_TM_INVALID;
    const bool joins = step.number != kNone;
    std::uint32_t place = 0;
    if (joins) {
      const std::vector<std::uint32_t>& members = state_.program.teams[step.number];
      place = static_cast<std::uint32_t>(std::ranges::find(members, me_.rank()) - members.begin());
    }
    gex_TM_Split(joins ? &made : nullptr, team_of(step), joins ? static_cast<int>(step.number) : 0,
                 static_cast<int>(place), nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
    if (joins) teams_[step.number] = made;
  }
  gex_TM_t team_of(const Step& step) const { return step.team == 0 ? me_.team() : teams_[step.team]; }

  void compute(std::uint64_t ns) const {
    const auto scaled = static_cast<std::uint64_t>(std::llround(static_cast<double>(ns) * state_.compute));
    if (scaled != 0) aqueduct_sim_compute_ns(scaled);
  }
  std::int64_t now() const {
    return static_cast<std::int64_t>(aqueduct_sim_time_ns()) - static_cast<std::int64_t>(state_.begins_ns);
  }

  void take(const Step& step) {
    switch (step.what) {
      case What::kCompute:
        return compute(step.ns);
      case What::kPoll:
        gasnet_AMPoll();
        return;
      case What::kPollFor: {
        const std::uint64_t until = aqueduct_sim_time_ns() + step.ns;
        while (aqueduct_sim_time_ns() < until) gasnet_AMPoll();
        return;
      }
      case What::kPut:
        return put(step);
      case What::kGet:
        return get(step);
      case What::kAtomic:
        return atomic(step);
      case What::kSend:
        return send(step.number);
      case What::kBarrier:
        if (step.completion == Completion::kEvent) return keep(step, gex_Coll_BarrierNB(team_of(step), 0));
        return gex_Coll_BarrierBlocking(team_of(step), 0);
      case What::kNotify:
        return gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
      case What::kNotified:
        if (!step.looks) {
          gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
          return;
        }
        while (gasnet_barrier_try(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_ERR_NOT_READY) {
        }
        return;
      case What::kCollective:
        return collective(step);
      case What::kWait:
        return wait(step);
      case What::kReleased:
        return complete(leaves_[step.event], step.looks);
      case What::kWaitImplicit:
        if (!step.looks) return gex_NBI_Wait(step.number, 0);
        while (gex_NBI_Test(step.number, 0) == GASNET_ERR_NOT_READY) gasnet_AMPoll();
        return;
      case What::kWaitMessages:
        return wait_for_messages(step);
      case What::kBeginRegion:
        return gex_NBI_BeginAccessRegion(0);
      case What::kEndRegion:
        return keep(step, gex_NBI_EndAccessRegion(0));
      case What::kSplit:
        return split(step);
    }
  }

  void keep(const Step& step, gex_Event_t root, gex_Event_t leaf = GEX_EVENT_INVALID) {
    roots_[step.event] = root;
    leaves_[step.event] = leaf;
  }

  void put(const Step& step) {
    void* const to = me_.at(step.peer, 0);
    const void* const from = state_.source.data();
    switch (step.completion) {
      case Completion::kBlocking:
        gex_RMA_PutBlocking(me_.team(), step.peer, to, from, step.bytes, 0);
        return;
      case Completion::kEvent: {
        gex_Event_t leaf = GEX_EVENT_INVALID;
        gex_Event_t* const lc = step.source == Source::kCounted ? &leaf : source_of(step.source);
        const gex_Event_t root = gex_RMA_PutNB(me_.team(), step.peer, to, from, step.bytes, lc, 0);
        return keep(step, root, leaf);
      }
      case Completion::kImplicit:
        gex_RMA_PutNBI(me_.team(), step.peer, to, from, step.bytes,
                       step.source == Source::kCounted ? GEX_EVENT_GROUP : source_of(step.source), 0);
        return;
    }
  }
  static gex_Event_t* source_of(Source source) {
    return source == Source::kWhenDone ? GEX_EVENT_DEFER : GEX_EVENT_NOW;
  }

  void get(const Step& step) {
    void* const from = me_.at(step.peer, 0);
    void* const to = state_.sink.data();
    if (step.completion == Completion::kBlocking) {
      gex_RMA_GetBlocking(me_.team(), to, step.peer, from, step.bytes, 0);
    } else if (step.completion == Completion::kEvent) {
      keep(step, gex_RMA_GetNB(me_.team(), to, step.peer, from, step.bytes, 0));
    } else {
      gex_RMA_GetNBI(me_.team(), to, step.peer, from, step.bytes, 0);
    }
  }

  void atomic(const Step& step) {
    const gex_AD_t domain = domains_[step.type];
    void* const result = state_.sink.data();
    void* const target = me_.at(step.peer, 0);
    const bool has_event = step.completion == Completion::kEvent;
    gex_Event_t event = GEX_EVENT_INVALID;
    const auto with = [&]<class Value>(auto nb, auto nbi, Value one) {
      auto* const into = static_cast<Value*>(result);
      if (has_event) {
        event = nb(domain, into, step.peer, target, step.number, one, one, 0);
      } else {
        nbi(domain, into, step.peer, target, step.number, one, one, 0);
      }
    };
#define AQUEDUCT_ATOMIC(type, one)                             \
  with([](auto... all) { return gex_AD_OpNB_##type(all...); }, \
       [](auto... all) { return gex_AD_OpNBI_##type(all...); }, (one))
    switch (type_of(step.type)) {
      case GEX_DT_I32:
        AQUEDUCT_ATOMIC(I32, std::int32_t{1});
        break;
      case GEX_DT_U32:
        AQUEDUCT_ATOMIC(U32, std::uint32_t{1});
        break;
      case GEX_DT_I64:
        AQUEDUCT_ATOMIC(I64, std::int64_t{1});
        break;
      case GEX_DT_U64:
        AQUEDUCT_ATOMIC(U64, std::uint64_t{1});
        break;
      case GEX_DT_FLT:
        AQUEDUCT_ATOMIC(FLT, 1.0F);
        break;
      default:
        AQUEDUCT_ATOMIC(DBL, 1.0);
        break;
    }
#undef AQUEDUCT_ATOMIC
    if (has_event) keep(step, event);
  }

  gex_Event_t start_collective(const Step& step) {
    const std::vector<std::uint32_t>& members = state_.program.teams[step.team];
    const auto root = static_cast<gex_Rank_t>(std::ranges::find(members, step.peer) - members.begin());
    const int flags = (step.enter_together ? GASNET_COLL_IN_ALLSYNC : GASNET_COLL_IN_MYSYNC) |
                      (step.leave_together ? GASNET_COLL_OUT_ALLSYNC : GASNET_COLL_OUT_MYSYNC);
    void* const from = state_.source.data();
    void* const to = state_.sink.data();
    const Values values = values_in(step.bytes);
    switch (static_cast<Collective>(step.number)) {
      case Collective::kBroadcast:
        if (step.enter_together || step.leave_together)
          return gasnet_coll_broadcast_nb(GASNET_TEAM_ALL, to, root, from, step.bytes, flags);
        return gex_Coll_BroadcastNB(team_of(step), root, to, from, step.bytes, 0);
      case Collective::kReduceToOne:
        return gex_Coll_ReduceToOneNB(team_of(step), root, to, from, values.type, values.bytes, values.count,
                                      values.operation, values.combine, nullptr, 0);
      case Collective::kReduceToAll:
        return gex_Coll_ReduceToAllNB(team_of(step), to, from, values.type, values.bytes, values.count,
                                      values.operation, values.combine, nullptr, 0);
      case Collective::kScatter:
        return gasnet_coll_scatter_nb(GASNET_TEAM_ALL, to, root, from, step.bytes, flags);
      case Collective::kGather:
        return gasnet_coll_gather_nb(GASNET_TEAM_ALL, root, to, from, step.bytes, flags);
      case Collective::kGatherAll:
        return gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, to, from, step.bytes, flags);
      case Collective::kExchange:
        return gasnet_coll_exchange_nb(GASNET_TEAM_ALL, to, from, step.bytes, flags);
    }
    return GEX_EVENT_INVALID;
  }
  void collective(const Step& step) {
    const gex_Event_t event = start_collective(step);
    if (step.completion == Completion::kEvent) return keep(step, event);
    gex_Event_Wait(event);
  }

  /// The vector of a reduction of so many bytes, which may have been of another type.
  struct Values {
    gex_DT_t type;
    std::size_t bytes, count;
    gex_OP_t operation;
    gex_Coll_ReduceFn_t combine;
  };
  static Values values_in(std::uint64_t bytes) {
    if (bytes % 8 == 0) return {GEX_DT_U64, 8, bytes / 8, GEX_OP_ADD, nullptr};
    if (bytes % 4 == 0) return {GEX_DT_U32, 4, bytes / 4, GEX_OP_ADD, nullptr};
    return {GEX_DT_USER, 1, bytes, GEX_OP_USER, [](const void*, void*, std::size_t, const void*) {}};
  }

  /// Calls `part(bytes, is_part)`: the last one is the message itself.
  template <class Part>
  static void in_parts(std::uint64_t bytes, std::uint64_t most, const Part& part) {
    while (bytes > most) {
      part(most, true);
      bytes -= most;
    }
    part(bytes, false);
  }

  void send(std::uint32_t number) {
    const MessagePlan& message = state_.program.messages[number];
    state_.run.sent[number] = now();
    Category category = message.category;
    if (category == Category::kAny)
      category = message.bytes <= gex_AM_LUBRequestMedium() ? Category::kMedium : Category::kLong;
    const unsigned count = std::max<unsigned>(message.arguments, 1);
    const gex_AM_Index_t handler = handler_of(category, false, count);
    gex_AM_Arg_t arguments[kMostArguments] = {static_cast<gex_AM_Arg_t>(number)};
    const void* const from = state_.source.data();
    if (category == Category::kShort) {
      aq_am_request_short_(me_.team(), message.to, handler, 0, count, arguments);
      return;
    }
    const bool is_medium = category == Category::kMedium;
    in_parts(message.bytes, is_medium ? gex_AM_LUBRequestMedium() : gex_AM_LUBRequestLong(),
             [&](std::uint64_t bytes, bool is_part) {
               arguments[0] = static_cast<gex_AM_Arg_t>(is_part ? kPart : number);
               if (is_medium) {
                 aq_am_request_medium_(me_.team(), message.to, handler, from, bytes, GEX_EVENT_NOW, 0, count,
                                       arguments);
               } else {
                 aq_am_request_long_(me_.team(), message.to, handler, from, bytes, me_.at(message.to, 0),
                                     message.source == Source::kCounted ? GEX_EVENT_GROUP : GEX_EVENT_NOW, 0,
                                     count, arguments);
               }
             });
  }

  void reply(gex_Token_t token, std::uint32_t number) {
    const MessagePlan& message = state_.program.messages[number];
    state_.run.sent[number] = now();
    const unsigned count = std::max<unsigned>(message.arguments, 1);
    const gex_AM_Index_t handler = handler_of(message.category, true, count);
    const gex_AM_Arg_t arguments[kMostArguments] = {static_cast<gex_AM_Arg_t>(number)};
    const void* const from = state_.source.data();
    if (message.category == Category::kShort) {
      aq_am_reply_short_(token, handler, 0, count, arguments);
      return;
    }
    const bool is_medium = message.category == Category::kMedium;
    const std::uint64_t most = is_medium ? gex_AM_LUBReplyMedium() : gex_AM_LUBReplyLong();
    if (message.bytes > most)
      fatal("--replay",
            "a reply of %llu bytes was recorded, and this conduit carries %llu at most; take another one "
            "(--conduit)",
            static_cast<unsigned long long>(message.bytes), static_cast<unsigned long long>(most));
    if (is_medium) {
      aq_am_reply_medium_(token, handler, from, message.bytes, GEX_EVENT_NOW, 0, count, arguments);
    } else {
      aq_am_reply_long_(token, handler, from, message.bytes, me_.at(message.to, 0), GEX_EVENT_NOW, 0, count,
                        arguments);
    }
  }

  static void complete(gex_Event_t event, bool looks) {
    if (!looks) return gex_Event_Wait(event);
    while (gex_Event_Test(event) == GASNET_ERR_NOT_READY) gasnet_AMPoll();
  }

  void wait(const Step& step) {
    if (step.count == 1) return complete(roots_[program_.awaited[step.first]], step.looks);
    std::vector<gex_Event_t> events;
    for (std::uint32_t i = 0; i < step.count; ++i) events.push_back(roots_[program_.awaited[step.first + i]]);
    if (!step.looks) return gex_Event_WaitAll(events.data(), events.size(), 0);
    while (gex_Event_TestAll(events.data(), events.size(), 0) == GASNET_ERR_NOT_READY) gasnet_AMPoll();
  }

  bool have_come(const Arrivals& arrivals) const {
    return std::ranges::all_of(arrivals.messages,
                               [&](std::uint32_t message) { return state_.is_handled[message]; }) &&
           std::ranges::all_of(arrivals.counts,
                               [&](const auto& count) { return counts_[count.first] >= count.second; });
  }
  void wait_for_messages(const Step& step) {
    const Arrivals& arrivals = program_.arrivals[step.number];
    if (step.looks) {
      while (!have_come(arrivals)) gasnet_AMPoll();
    } else {
      GASNET_BLOCKUNTIL(have_come(arrivals));
    }
  }

  Replay::State& state_;
  std::vector<gex_AM_Entry_t> handlers_;
  Member me_;
  const RankProgram& program_;
  std::vector<gex_TM_t> teams_;
  std::array<gex_AD_t, kTypes> domains_{};
  std::vector<gex_Event_t> roots_, leaves_;
  std::array<std::uint32_t, 256> counts_{};  ///< messages handled, by handler
};

Player& player(gex_Token_t token) { return *static_cast<Player*>(Member::state_of(token)); }

template <class... More>
void on_short(gex_Token_t token, gex_AM_Arg_t message, More...) {
  player(token).handle(token, static_cast<std::uint32_t>(message));
}
template <class... More>
void on_payload(gex_Token_t token, void*, std::size_t, gex_AM_Arg_t message, More...) {
  player(token).handle(token, static_cast<std::uint32_t>(message));
}

/// Those that have one argument, and one more for each type in the list.
template <class... More>
void add_handlers(std::vector<gex_AM_Entry_t>& handlers) {
  constexpr unsigned kArguments = sizeof...(More) + 1;
  const auto add = [&](Category category, gex_Flags_t flags, auto* function) {
    for (const bool is_reply : {false, true}) {
      handlers.push_back({handler_of(category, is_reply, kArguments), reinterpret_cast<gex_AM_Fn_t>(function),
                          flags | (is_reply ? GEX_FLAG_AM_REPLY : GEX_FLAG_AM_REQUEST), kArguments, nullptr,
                          "replayed"});
    }
  };
  add(Category::kShort, GEX_FLAG_AM_SHORT, &on_short<More...>);
  add(Category::kMedium, GEX_FLAG_AM_MEDIUM, &on_payload<More...>);
  add(Category::kLong, GEX_FLAG_AM_LONG, &on_payload<More...>);
  if constexpr (kArguments < kMostArguments) add_handlers<More..., gex_AM_Arg_t>(handlers);
}

std::vector<gex_AM_Entry_t> Player::all_handlers() {
  std::vector<gex_AM_Entry_t> handlers;
  add_handlers<>(handlers);
  return handlers;
}

}  // namespace

Replay::Replay(const Program& program, double compute) : state_(new State(program, compute)) {}
Replay::~Replay() = default;

std::uint64_t Replay::segment_bytes() const {
  return std::max<std::uint64_t>(state_->program.largest_transfer, kPage);
}

int Replay::run_rank() {
  const auto player = std::make_unique<Player>(*state_);
  player->play();
  return 0;
}

const Run& Replay::run() const { return state_->run; }

}  // namespace aqueduct::replay
