#include "am_ping_pong.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "stopwatch.hpp"
#include "transfer.hpp"

namespace aqueduct::bench {
namespace {

enum Handler : gex_AM_Index_t {
  kShortRequest = GEX_AM_INDEX_BASE,
  kMediumRequest,
  kLongRequest,
  kShortReply,
  kPayloadReply,
  kEchoRequest,
};

struct alignas(128) Lane {
  std::atomic<std::uint64_t> requests{0};  ///< seen by the partner
  std::atomic<std::uint64_t> replies{0};   ///< seen by rank 0
  std::uint64_t rounds = 0;                ///< that the driving thread has asked for since the job started
  std::byte* payload = nullptr;            ///< private; what this rank sends
  std::byte* landing = nullptr;            ///< in the other rank's segment; where a Long goes
};

// Handlers find their state here: a message carries the number of its lane.
std::vector<Lane> lanes;

// A lane has one message in flight, but as soon as it is answered the next may come, on another thread: so
// requests are counted by an atomic addition, after the reply, for which the other side waits. Replies need
// no atomic addition.
void count_reply(Lane& lane) {
  lane.replies.store(lane.replies.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void short_request(gex_Token_t token, gex_AM_Arg_t lane) {
  gex_AM_ReplyShort1(token, kShortReply, 0, lane);
  lanes[lane].requests.fetch_add(1, std::memory_order_release);
}

void medium_request(gex_Token_t token, void*, std::size_t bytes, gex_AM_Arg_t lane) {
  gex_AM_ReplyMedium1(token, kPayloadReply, lanes[lane].payload, bytes, GEX_EVENT_NOW, 0, lane);
  lanes[lane].requests.fetch_add(1, std::memory_order_release);
}

void echo_request(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t lane) {
  gex_AM_ReplyMedium1(token, kPayloadReply, payload, bytes, GEX_EVENT_NOW, 0, lane);
  lanes[lane].requests.fetch_add(1, std::memory_order_release);
}

void long_request(gex_Token_t token, void*, std::size_t bytes, gex_AM_Arg_t lane) {
  Lane& mine = lanes[lane];
  gex_AM_ReplyLong1(token, kPayloadReply, mine.payload, bytes, mine.landing, GEX_EVENT_NOW, 0, lane);
  mine.requests.fetch_add(1, std::memory_order_release);
}

void short_reply(gex_Token_t, gex_AM_Arg_t lane) { count_reply(lanes[lane]); }

void payload_reply(gex_Token_t, void*, std::size_t, gex_AM_Arg_t lane) { count_reply(lanes[lane]); }

template <typename Function>
gex_AM_Entry_t entry(Handler index, Function* function, gex_Flags_t flags) {
  return {index, reinterpret_cast<gex_AM_Fn_t>(function), flags, 1, nullptr, nullptr};
}

/// Drives one lane through `count` more rounds, as rank 0 or as its partner. Goals count from the start of
/// the job, because the first requests of a batch may arrive while the partner still finishes the previous
/// one.
void drive(Session& session, AmKind kind, std::size_t bytes, gex_AM_Arg_t lane, std::uint64_t count) {
  Lane& mine = lanes[lane];
  const std::uint64_t start = mine.rounds;
  mine.rounds += count;
  if (!session.measures()) {
    GASNET_BLOCKUNTIL(mine.requests.load(std::memory_order_acquire) >= mine.rounds);
    return;
  }
  const gex_TM_t team = session.team();
  const gex_Rank_t partner = session.partner();
  for (std::uint64_t goal = start + 1; goal <= mine.rounds; ++goal) {
    switch (kind) {
      case AmKind::kShort:
        gex_AM_RequestShort1(team, partner, kShortRequest, 0, lane);
        break;
      case AmKind::kMedium:
        gex_AM_RequestMedium1(team, partner, kMediumRequest, mine.payload, bytes, GEX_EVENT_NOW, 0, lane);
        break;
      case AmKind::kEcho:
        gex_AM_RequestMedium1(team, partner, kEchoRequest, mine.payload, bytes, GEX_EVENT_NOW, 0, lane);
        break;
      case AmKind::kLong:
        gex_AM_RequestLong1(team, partner, kLongRequest, mine.payload, bytes, mine.landing, GEX_EVENT_NOW, 0,
                            lane);
        break;
    }
    GASNET_BLOCKUNTIL(mine.replies.load(std::memory_order_acquire) >= goal);
  }
}

/// Gives every lane private memory to send from and a landing place in the other rank's segment.
std::shared_ptr<PrivateMemory> lay_out(Session& session, std::size_t bytes) {
  const std::size_t stride = ping_pong_data_bytes(bytes, 1);
  auto memory = std::make_shared<PrivateMemory>(stride * lanes.size());
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    lanes[i].payload = memory->data() + i * stride;
    lanes[i].landing = session.data_of(session.partner()) + i * stride;
  }
  return memory;
}

struct Interval {
  double start_ns = 0;
  double end_ns = 0;
};

/// Lets `count` threads go on together; spins, because wake-ups would start them at different times.
void wait_for_all(std::atomic<unsigned>& arrived, unsigned count) {
  constexpr unsigned kSpinsBeforeYield = 1U << 10;
  arrived.fetch_add(1);
  for (unsigned spins = 1; arrived.load() < count; ++spins) {
    if (spins % kSpinsBeforeYield == 0) sched_yield();
  }
}

}  // namespace

AmKind am_kind(const std::string& name) {
  if (name == "echo") return AmKind::kEcho;
  return name == "long" ? AmKind::kLong : name == "medium" ? AmKind::kMedium : AmKind::kShort;
}

void check_payload(AmKind kind, std::size_t bytes) {
  if (kind == AmKind::kShort) return;
  const bool is_long = kind == AmKind::kLong;
  const std::size_t most = is_long ? std::min(gex_AM_LUBRequestLong(), gex_AM_LUBReplyLong())
                                   : std::min(gex_AM_LUBRequestMedium(), gex_AM_LUBReplyMedium());
  if (bytes <= most) return;
  throw Unsuitable(fmt::format("--sizes: a {} message carries at most {} bytes, not {}",
                               is_long ? "long" : "medium", most, bytes));
}

void prepare_ping_pong(Session& session, unsigned lane_count) {
  lanes = std::vector<Lane>(lane_count);
  gex_AM_Entry_t handlers[] = {
      entry(kShortRequest, short_request, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST),
      entry(kMediumRequest, medium_request, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST),
      entry(kEchoRequest, echo_request, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST),
      entry(kLongRequest, long_request, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST),
      entry(kShortReply, short_reply, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY),
      entry(kPayloadReply, payload_reply, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REPLY),
  };
  session.register_handlers(handlers);
}

std::size_t ping_pong_data_bytes(std::size_t payload_bytes, unsigned lane_count) {
  return (payload_bytes + 127) / 128 * 128 * lane_count;
}

Batch ping_pong(Session& session, AmKind kind, std::size_t bytes) {
  return [&session, kind, bytes, memory = lay_out(session, bytes)](std::uint64_t count) {
    if (!session.measures() && !session.serves()) return 0.0;
    drive(session, kind, bytes, 0, kWarmUp);
    const Stopwatch watch;
    drive(session, kind, bytes, 0, count);
    return watch.ns();
  };
}

Batch threaded_ping_pong(Session& session, AmKind kind, std::size_t bytes, unsigned lane_count) {
  return [&session, kind, bytes, lane_count, memory = lay_out(session, bytes)](std::uint64_t count) {
    if (!session.measures() && !session.serves()) return 0.0;
    const Stopwatch watch;
    std::atomic<unsigned> warm{0};
    std::atomic<unsigned> finished{0};
    std::vector<Interval> intervals(lane_count);
    std::vector<std::thread> threads;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
      threads.emplace_back([&, lane] {
        const auto number = static_cast<gex_AM_Arg_t>(lane);
        drive(session, kind, bytes, number, kWarmUp);
        if (session.measures()) wait_for_all(warm, lane_count);
        intervals[lane].start_ns = watch.ns();
        drive(session, kind, bytes, number, count);
        intervals[lane].end_ns = watch.ns();
        // Threads of a rank serve each other's requests, so all stay until the last lane has finished.
        finished.fetch_add(1);
        if (!session.measures()) GASNET_BLOCKUNTIL(finished.load(std::memory_order_relaxed) == lane_count);
      });
    }
    for (std::thread& thread : threads) thread.join();
    const auto first = std::ranges::min_element(intervals, {}, &Interval::start_ns);
    const auto last = std::ranges::max_element(intervals, {}, &Interval::end_ns);
    return last->end_ns - first->start_ns;
  };
}

}  // namespace aqueduct::bench
