// am-flood: a burst of active messages in one direction; the time per message until the last handler has run.
// Also from several threads (--threads) to several peers (--peers).
#include <fmt/format.h>

#include <atomic>

#include "am_ping_pong.hpp"
#include "limits.hpp"
#include "many_flood.hpp"
#include "registry.hpp"
#include "stopwatch.hpp"
#include "transfer.hpp"

namespace aqueduct::bench {
namespace {

enum Handler : gex_AM_Index_t { kShort = GEX_AM_INDEX_BASE, kPayload, kAllSeen, kServed };

// Handlers find their state here; one thread of each rank runs them.
std::uint64_t messages_seen = 0;
std::uint64_t bursts_answered = 0;
std::atomic<std::uint64_t> peers_served{0};  // any thread of rank 0 counts

/// The last message of a burst asks for an answer.
void see_message(gex_Token_t token, gex_AM_Arg_t last) {
  ++messages_seen;
  if (last != 0) gex_AM_ReplyShort0(token, kAllSeen, 0);
}

void see_payload(gex_Token_t token, void*, std::size_t, gex_AM_Arg_t last) { see_message(token, last); }

void see_answer(gex_Token_t) { ++bursts_answered; }

void see_served(gex_Token_t) { peers_served.fetch_add(1, std::memory_order_relaxed); }

void send_one(gex_TM_t team, gex_Rank_t to, AmKind kind, std::byte* payload, std::size_t bytes,
              std::byte* landing, gex_AM_Arg_t last) {
  switch (kind) {
    case AmKind::kShort:
      gex_AM_RequestShort1(team, to, kShort, 0, last);
      break;
    case AmKind::kMedium:
    case AmKind::kEcho:  // not a kind of this benchmark
      gex_AM_RequestMedium1(team, to, kPayload, payload, bytes, GEX_EVENT_NOW, 0, last);
      break;
    case AmKind::kLong:
      gex_AM_RequestLong1(team, to, kPayload, payload, bytes, landing, GEX_EVENT_NOW, 0, last);
      break;
  }
}

void send_burst(Session& session, AmKind kind, std::byte* payload, std::size_t bytes, std::uint64_t count) {
  const gex_TM_t team = session.team();
  const gex_Rank_t partner = session.partner();
  std::byte* const landing = session.data_of(partner);
  for (std::uint64_t i = 1; i <= count; ++i)
    send_one(team, partner, kind, payload, bytes, landing, i == count ? 1 : 0);
}

std::uint64_t expect_messages(std::uint64_t more) {
  static std::uint64_t expected = 0;  // since the start of the job, as messages_seen is
  return expected += more;
}

/// The flow control is the library's own: the burst is as long as the batch.
class Flood {
 public:
  Flood(Session& session, AmKind kind, std::byte* payload, std::size_t bytes)
      : session_(session), kind_(kind), payload_(payload), bytes_(bytes) {}

  double operator()(std::uint64_t count) {
    if (session_.serves()) serve(kWarmUp + count);
    if (!session_.measures()) return 0;
    burst(kWarmUp);
    const Stopwatch watch;
    burst(count);
    return watch.ns();
  }

 private:
  void serve(std::uint64_t count) {
    const std::uint64_t expected = expect_messages(count);
    GASNET_BLOCKUNTIL(messages_seen >= expected);
  }

  void burst(std::uint64_t count) {
    const std::uint64_t goal = bursts_answered + 1;
    send_burst(session_, kind_, payload_, bytes_, count);
    GASNET_BLOCKUNTIL(bursts_answered >= goal);
  }

  Session& session_;
  AmKind kind_;
  std::byte* payload_;
  std::size_t bytes_;
};

/// From several threads to several peers. A peer says when its handlers have seen all that it gets.
struct ManyFlood {
  Session& session;
  FloodShape shape;
  AmKind kind;
  std::byte* payload;
  std::size_t bytes;

  double operator()(std::uint64_t count) const {
    if (session.measures()) {
      flood({.threads = 1, .peers = shape.peers}, kWarmUp);
      return flood(shape, count);
    }
    serve({.threads = 1, .peers = shape.peers}, kWarmUp);
    serve(shape, count);
    return 0;
  }

 private:
  double flood(const FloodShape& by, std::uint64_t count) const {
    std::uint64_t goal = peers_served.load();
    for (const gex_Rank_t peer : by.peers) goal += by.received_by(peer, count) != 0 ? 1 : 0;
    const gex_TM_t team = session.team();
    const Stopwatch watch;
    const double injected_ns = run_together(by.threads, [&](unsigned thread) {
      const std::uint64_t share = by.share_of(thread, count);
      for (std::uint64_t i = 0; i < share; ++i) {
        const gex_Rank_t peer = by.peers[(thread + i) % by.peers.size()];
        send_one(team, peer, kind, payload, bytes, session.data_of(peer), 0);
      }
    });
    const double until_ns = watch.ns();
    GASNET_BLOCKUNTIL(peers_served.load(std::memory_order_relaxed) >= goal);
    return injected_ns + (watch.ns() - until_ns);  // without the start of the threads
  }

  void serve(const FloodShape& by, std::uint64_t count) const {
    const std::uint64_t mine = by.received_by(session.rank(), count);
    if (mine == 0) return;
    const std::uint64_t expected = expect_messages(mine);
    GASNET_BLOCKUNTIL(messages_seen >= expected);
    gex_AM_RequestShort0(session.team(), 0, kServed, 0);
  }
};

template <typename Function>
gex_AM_Entry_t entry(Handler index, Function* function, gex_Flags_t flags, unsigned arguments) {
  return {index, reinterpret_cast<gex_AM_Fn_t>(function), flags, arguments, nullptr, nullptr};
}

}  // namespace

Result run_am_flood(Session& session, const Parameters& parameters) {
  const AmKind kind = am_kind(parameters.kind);
  for (const std::size_t size : parameters.sizes) check_payload(kind, size);
  gex_AM_Entry_t handlers[] = {
      entry(kShort, see_message, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1),
      entry(kPayload, see_payload, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST, 1),
      entry(kAllSeen, see_answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0),
      entry(kServed, see_served, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0),
  };
  session.register_handlers(handlers);

  Result result{.title = fmt::format("flood of {} active messages, time per message", parameters.kind),
                .unit = "ns",
                .limit_name = kind == AmKind::kShort ? "" : "a plain copy of the payload"};
  const std::unique_ptr<RawInterface> raw = open_raw_interface(session, parameters);
  if (raw) result.limit_name = raw->stream_name();
  const PrivateMemory memory(window_bytes(parameters));
  if (parameters.threads > 1 || parameters.peers > 1) {
    if (!raw) result.limit_name.clear();
    for (const std::size_t size : parameters.sizes) {
      const auto flood = [&](const FloodShape& shape) {
        return ManyFlood{
            .session = session, .shape = shape, .kind = kind, .payload = memory.data(), .bytes = size};
      };
      add_flood_rows(session, parameters, kind == AmKind::kShort ? 0 : size, flood, raw.get(), &result);
    }
    return result;
  }
  for (const std::size_t size : parameters.sizes) {
    std::vector<Batch> batches{Flood(session, kind, memory.data(), size)};
    const bool has_limit = raw || (kind != AmKind::kShort && session.pair_shares_memory());
    if (raw) {
      batches.push_back(raw->stream(kind == AmKind::kShort ? 0 : size));
    } else if (has_limit) {
      batches.push_back(plain_copy(session, {.to = session.mapped_data_of(session.partner()),
                                             .from = memory.data(),
                                             .bytes = size,
                                             .stride = 0,
                                             .slots = 1}));
    }
    const auto times = interleave(session, parameters.repetitions, batches);
    result.rows.push_back({.size = kind == AmKind::kShort ? 0 : size,
                           .value = times[0],
                           .limit = has_limit ? std::optional(times[1]) : std::nullopt});
  }
  return result;
}

}  // namespace aqueduct::bench
