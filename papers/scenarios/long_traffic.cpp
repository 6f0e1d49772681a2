#include "long_traffic.hpp"

#include <algorithm>

#include "base/fatal.hpp"
#include "core/progress.hpp"
#include "papers/conduit/aries/aries_conduit.hpp"
#include "world/world.hpp"

namespace aqueduct::scenarios {
namespace {

constexpr gex_AM_Index_t kTimed = GEX_AM_INDEX_BASE, kTime = kTimed + 1, kRequest = kTimed + 2,
                         kReply = kTimed + 3, kArrival = kTimed + 4;
constexpr std::uint64_t kRound = 1;  // the round of all blocks
/// The puts of the other ranks, large enough for their processors to fill the network.
constexpr std::size_t kPushBytes = 16 << 10;
constexpr unsigned kPushesAtOnce = 8;
constexpr std::uint64_t kUnderWayNs = 20'000;  // until these puts are under way
constexpr gex_Rank_t kMeasuring = 2;

/// Whether the other ranks may stop putting; all ranks of a simulation live in one process.
bool measured_enough = false;

world::World& world() { return world::current(); }
std::uint64_t now_ns() { return world().clock().now_ns(); }

void check_payload(void* payload, std::size_t bytes, gex_Rank_t source) {
  check("a long message's payload", static_cast<std::byte*>(payload), bytes, source, kRound);
}

gex_Rank_t source_of(gex_Token_t token) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  return info.gex_srcrank;
}

}  // namespace

// A segment has what this rank sends, then a place for each rank that sends to it.
LongTraffic::LongTraffic(std::size_t bytes)
    : bytes_(bytes),
      place_bytes_(round_up(std::max(bytes, kPushBytes), kPage)),
      me_((1 + world().place().size) * place_bytes_, &state_, handlers_) {
  fill(me_.mine(), bytes_, me_.rank(), kRound);
  state_.reply_to = place_at(0, 1);
  me_.barrier();
}

LongTraffic::~LongTraffic() { me_.barrier(); }

std::byte* LongTraffic::place_at(gex_Rank_t rank, gex_Rank_t source) const {
  return me_.at(rank, (1 + source) * place_bytes_);
}

std::vector<gex_AM_Entry_t> LongTraffic::handlers() {
  constexpr gex_Flags_t kLongRequest = GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST;
  return {{kTimed, reinterpret_cast<gex_AM_Fn_t>(on_timed), kLongRequest, 0, nullptr, "timed"},
          {kTime, reinterpret_cast<gex_AM_Fn_t>(on_time), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 2, nullptr,
           "time"},
          {kRequest, reinterpret_cast<gex_AM_Fn_t>(on_request), kLongRequest, 0, nullptr, "request"},
          {kReply, reinterpret_cast<gex_AM_Fn_t>(on_reply), GEX_FLAG_AM_LONG | GEX_FLAG_AM_REPLY, 0, nullptr,
           "reply"},
          {kArrival, reinterpret_cast<gex_AM_Fn_t>(on_arrival), kLongRequest, 0, nullptr, "arrival"}};
}

// All ranks of a simulation have the same clock.
void LongTraffic::on_timed(gex_Token_t token, void* payload, std::size_t bytes) {
  const std::uint64_t ns = now_ns();
  check_payload(payload, bytes, 0);
  gex_AM_ReplyShort2(token, kTime, 0, static_cast<gex_AM_Arg_t>(ns >> 32), static_cast<gex_AM_Arg_t>(ns));
}

void LongTraffic::on_time(gex_Token_t token, gex_AM_Arg_t high, gex_AM_Arg_t low) {
  State& state = *static_cast<State*>(Member::state_of(token));
  state.arrived_at_ns = static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low);
  ++state.replies;
}

void LongTraffic::on_request(gex_Token_t token, void* payload, std::size_t bytes) {
  check_payload(payload, bytes, 0);
  gex_AM_ReplyLong0(token, kReply, payload, bytes, static_cast<State*>(Member::state_of(token))->reply_to,
                    GEX_EVENT_NOW, 0);
}

void LongTraffic::on_reply(gex_Token_t token, void* payload, std::size_t bytes) {
  check_payload(payload, bytes, 0);
  ++static_cast<State*>(Member::state_of(token))->replies;
}

void LongTraffic::on_arrival(gex_Token_t token, void* payload, std::size_t bytes) {
  check_payload(payload, bytes, source_of(token));
  ++static_cast<State*>(Member::state_of(token))->arrivals;
}

double LongTraffic::delivery_ns(std::uint64_t pause_ns) {
  double took_ns = 0;
  if (me_.rank() == 0) {
    const std::uint64_t expected = state_.replies + 1, start_ns = now_ns();
    gex_AM_RequestLong0(me_.team(), 1, kTimed, me_.mine(), bytes_, place_at(1, 0), GEX_EVENT_GROUP, 0);
    world().compute(pause_ns);
    GASNET_BLOCKUNTIL(state_.replies == expected);
    gex_NBI_Wait(GEX_EC_AM, 0);
    took_ns = static_cast<double>(state_.arrived_at_ns - start_ns);
  }
  me_.barrier();
  return took_ns;
}

double LongTraffic::round_trips_ns(unsigned count) {
  const std::uint64_t start_ns = now_ns();
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t expected = state_.replies + 1;
    gex_AM_RequestLong0(me_.team(), 1, kRequest, me_.mine(), bytes_, place_at(1, 0), GEX_EVENT_NOW, 0);
    GASNET_BLOCKUNTIL(state_.replies == expected);
  }
  return static_cast<double>(now_ns() - start_ns) / count;
}

// Puts at regular times, or as fast as possible.
void LongTraffic::push(gex_Rank_t target, std::uint64_t every_ns) {
  std::uint64_t next_ns = now_ns();
  for (unsigned number = 1; !measured_enough; ++number) {
    gex_RMA_PutNBI(me_.team(), target, place_at(target, me_.rank()), me_.mine(), kPushBytes, GEX_EVENT_DEFER,
                   0);
    if (number % kPushesAtOnce == 0) gex_NBI_Wait(GEX_EC_PUT, 0);
    next_ns += every_ns;
    const std::uint64_t here_ns = now_ns();
    if (next_ns > here_ns) world().compute(next_ns - here_ns);
  }
  gex_NBI_Wait(GEX_EC_PUT, 0);
}

double LongTraffic::loaded_round_trip_ns(unsigned count, double megabytes_per_second) {
  const gex_Rank_t pushing = (me_.size() - kMeasuring) / 2;
  double took_ns = 0;
  measured_enough = false;
  me_.barrier();
  if (me_.rank() == 0) {
    world().compute(kUnderWayNs);
    round_trips_ns(1);
    took_ns = round_trips_ns(count);
    measured_enough = true;
  } else if (me_.rank() >= kMeasuring && me_.rank() < kMeasuring + pushing && megabytes_per_second > 0) {
    push(me_.rank() + pushing, static_cast<std::uint64_t>(1e3 * pushing * kPushBytes / megabytes_per_second));
  }
  me_.barrier();
  return took_ns;
}

ReassemblyMemory LongTraffic::gather(unsigned count) {
  if (me_.rank() == 0) {
    GASNET_BLOCKUNTIL(state_.arrivals == static_cast<std::uint64_t>(count) * (me_.size() - 1));
    state_.arrivals = 0;
  } else {
    for (unsigned i = 0; i < count; ++i)
      gex_AM_RequestLong0(me_.team(), 0, kArrival, me_.mine(), bytes_, place_at(0, me_.rank()),
                          GEX_EVENT_GROUP, 0);
    gex_NBI_Wait(GEX_EC_AM, 0);
  }
  me_.barrier();
  const auto* const conduit =
      dynamic_cast<const conduit::aries::AriesConduit*>(&core::process_rank()->conduit());
  if (!conduit) fatal("gather", "only the aries conduit tells what it keeps of Longs: --conduit aries");
  const parts::LongMemory kept = conduit->long_memory();
  return {kept.most_waiting, kept.bytes};
}

}  // namespace aqueduct::scenarios
