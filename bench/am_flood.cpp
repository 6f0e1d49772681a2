// am-flood: a burst of active messages in one direction; the time per message until the last handler has run.
#include <fmt/format.h>

#include "am_ping_pong.hpp"
#include "limits.hpp"
#include "registry.hpp"
#include "stopwatch.hpp"
#include "transfer.hpp"

namespace aqueduct::bench {
namespace {

enum Handler : gex_AM_Index_t { kShort = GEX_AM_INDEX_BASE, kPayload, kAllSeen };

// Handlers find their state here; one thread of each rank runs them.
std::uint64_t messages_seen = 0;
std::uint64_t bursts_answered = 0;

/// The last message of a burst asks for an answer.
void see_message(gex_Token_t token, gex_AM_Arg_t last) {
  ++messages_seen;
  if (last != 0) gex_AM_ReplyShort0(token, kAllSeen, 0);
}

void see_payload(gex_Token_t token, void*, std::size_t, gex_AM_Arg_t last) { see_message(token, last); }

void see_answer(gex_Token_t) { ++bursts_answered; }

void send_burst(Session& session, AmKind kind, std::byte* payload, std::size_t bytes, std::uint64_t count) {
  const gex_TM_t team = session.team();
  const gex_Rank_t partner = session.partner();
  std::byte* const landing = session.data_of(partner);
  for (std::uint64_t i = 1; i <= count; ++i) {
    const gex_AM_Arg_t last = i == count ? 1 : 0;
    switch (kind) {
      case AmKind::kShort:
        gex_AM_RequestShort1(team, partner, kShort, 0, last);
        break;
      case AmKind::kMedium:
      case AmKind::kEcho:  // not a kind of this benchmark
        gex_AM_RequestMedium1(team, partner, kPayload, payload, bytes, GEX_EVENT_NOW, 0, last);
        break;
      case AmKind::kLong:
        gex_AM_RequestLong1(team, partner, kPayload, payload, bytes, landing, GEX_EVENT_NOW, 0, last);
        break;
    }
  }
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
    static std::uint64_t expected = 0;  // since the start of the job, as messages_seen is
    expected += count;
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
  };
  session.register_handlers(handlers);

  Result result{.title = fmt::format("flood of {} active messages, time per message", parameters.kind),
                .unit = "ns",
                .limit_name = kind == AmKind::kShort ? "" : "a plain copy of the payload"};
  const std::unique_ptr<RawInterface> raw = open_raw_interface(session, parameters);
  if (raw) result.limit_name = raw->stream_name();
  const PrivateMemory memory(window_bytes(parameters));
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
